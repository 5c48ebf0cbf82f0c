"""The same in other languages: patterns whose `noun` is what makes a sentence speak of scoring."""

import re

# Who scores, then what it does; that an answer is scored; the highest score. Blanks in a pattern are any white space.
_SPACED = (
    # German
    r"(?P<noun>Gutachter|Prüfer|Bewerter|Beurteiler|Juror|Korrektor|Bewertungsmodell)(?:in|s)? (?:\w+ )?"
    r"(?:achtet|prüft|schaut|sieht|erwartet|will|wird|gibt|bewertet|bevorzugt|vergleicht|zählt|sucht|möchte)",
    r"(?:Antwort|Ausgabe|Ergebnis|Lösung)(?:en|se)? (?:wird|werden) (?:\w+ ){0,2}(?P<noun>bewertet|benotet|beurteilt)",
    r"(?:volle|höchste|maximale|beste|bessere|höhere)[nr]? (?P<noun>Punktzahl|Bewertung|Wertung|Score)",
    r"(?:das|dem|im|eines?) (?P<noun>Bewertungsraster|Bewertungsschema|Testset|Evalset|Benchmark)s?",
    # French
    r"(?P<noun>juge|évaluateur|évaluatrice|correcteur|correctrice|notateur|examinateur) (?:\w+ )?"
    r"(?:vérifi|regard|attend|not|donn|préfèr|cherch|compar|veut|voudr|ser|pénalis)\w*",
    r"(?:réponse|sortie|résultat)s? (?:sera|seront|est|sont) (?:\w+ )?(?P<noun>notée?s?|évaluée?s?|jugée?s?)",
    r"(?:meilleure?|plus haute?) (?P<noun>note|score)",
    r"(?P<noun>note|score) (?:maximale?|parfaite?|la plus haute)",
    # Spanish, Portuguese, Italian
    r"(?P<noun>juez|evaluadora?|calificadora?|juiz|avaliadora?|giudice|valutatore|valutatrice) (?:\w+ )?"
    r"(?:mira|busca|espera|quiere|compara|revisa|premia|prefiere|olha|procura|quer|prefere|guarda|cerca|vuole"
    r"|\w{2,}(?:rá|rà))",
    r"(?:respuesta|salida|resposta|saída|risposta)s? (?:será|serán|serão|sarà|es|é|è) (?:\w+ )?"
    r"(?P<noun>evaluada|calificada|puntuada|avaliada|pontuada|valutata|giudicata)s?",
    r"(?P<noun>puntuación|calificación|pontuação|punteggio|nota) (?:más alta|máxima|mais alta|massimo|pieno|più alto)",
    # Dutch, Polish
    r"(?P<noun>beoordelaar|jury) (?:let|kijkt|wil|zal|geeft|verwacht|vergelijkt)",
    r"antwoord(?:en)? (?:wordt|worden) (?:\w+ )?(?P<noun>beoordeeld|gescoord)",
    r"(?P<noun>oceniający|sędzia|egzaminator) (?:\w+ )?(?:sprawdz|patrz|oczekuj|ocen|porówn)\w*",
    r"odpowied\w+ (?:będzie|będą|jest|zostanie) (?:\w+ )?(?P<noun>ocenian\w|ocenion\w)",
    # Russian, Ukrainian
    r"(?P<noun>судья|оценщик|проверяющий|экзаменатор|суддя|оцінювач) (?:\w+ )?"
    r"(?:провер|смотр|оцен|ждёт|ждет|постав|увид|сравн|переверя|перевірить|дивит|оцін)\w*",
    r"(?:ответ|вывод|відповід)\w* (?:будет|будут|буде) (?:\w+ )?(?P<noun>оцен\w+|провер\w+|оцін\w+)",
    r"(?:высш|максимальн|лучш|найвищ)\w+ (?P<noun>балл|бал|оценк)\w*",
)
_UNSPACED = (
    # Chinese
    r"(?P<noun>评委|评分者|评分员|评审员|打分者|打分员|评估者|阅卷人|評審|評分者)",
    r"(?:会|将|會|將)被(?P<noun>评分|打分|评估|评判|評分|評估)",
    r"(?:获得|得到|拿到|取得|争取|拿|得)(?:更|最)?(?P<noun>高分|满分|滿分)",
    # Japanese
    r"(?P<noun>採点者|評価者|審査員|採点官|採点モデル)",
    r"(?P<noun>採点|評価|審査)され(?:る|ます|ます。)",
    r"(?P<noun>満点|高得点|最高点)",
    # Korean
    r"(?P<noun>채점자|평가자|심사위원|심사자|채점 모델)",
    r"(?P<noun>채점|평가)(?:됩니다|된다|될)",
    r"(?P<noun>만점|높은 점수|최고점)",
)
IN_OTHER_LANGUAGES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (*(rf"\b(?:{one})\b".replace(" ", r"\s+") for one in _SPACED), *_UNSPACED)
)
