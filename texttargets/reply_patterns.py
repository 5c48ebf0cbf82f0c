"""How a model speaks of the text it was asked to rewrite, before it and after it, in a dozen languages.

Each pattern is matched at the start of a line, with marks of Markdown and a leading `Note:` taken off.
"""

import re

_ADJECTIVE = (
    r"(?:improved|updated|revised|rewritten|refined|modified|edited|optimi[sz]ed|enhanced|polished|reworked|tightened"
    r"|restructured|cleaned[- ]up|shortened|streamlined|adapted|corrected)"
)
_LOOSE_ADJECTIVE = rf"(?:{_ADJECTIVE}|new|final|complete|full)"
_NOUN = (
    r"(?:(?:system\ |agent\ )?prompt|version|rewrite|revision|draft|instructions?|text|template|(?:skill|agents)\ file"
    r"|file|skill|document|markdown|edit)s?"
)
_DID = (
    r"(?:improved|updated|revised|rewritten|rewrote|restructured|reworked|reworded|rephrased|refined|refactored"
    r"|reorgani[sz]ed|reordered|tightened|clarified|simplified|shortened|streamlined|condensed|polished|optimi[sz]ed"
    r"|enhanced|edited|modified|adjusted|adapted|changed|expanded|fixed|cleaned|trimmed|merged|consolidated|removed"
    r"|added|kept|preserved|retained|left|made|moved|split|grouped|replaced|strengthened|incorporated|rearranged|dropped)"
)
_PART = (
    r"(?:prompts?|instructions?|text|wording|rules?|guidelines?|structure|sections?|examples?|placeholders?|variables?"
    r"|format(?:ting)?|constraints?|headings?|bullets?|tone|redundan\w+|repetitions?|versions?|sentences?"
    r"|edits?|changes?|template|intent|meaning|skill|front\ matter|clearer|shorter|concise|unchanged|intact)"
)
_SELF_TALK = (
    rf"i(?:['’]ve|\ have|\ also|['’]ll|\ will)*\ {_DID}\b[^\n]{{0,120}}\b{_PART}\b",
    r"(?:these|my|the\ above|those)\ (?:\w+\ )?(?:edits?|changes|revisions?|modifications|improvements|adjustments"
    r"|tweaks)\ (?:should|will\ (?:help|make|improve|ensure|reduce)|makes?|helps?|ensures?|improves?|aim|keep"
    r"|address|fix|clarify|reduce|preserve)\b",
    r"(?:all|the|every)\ (?:\w+\ )?(?:placeholders?|variables?|front\ matter|original\ (?:meaning|intent|rules))"
    r"\ (?:are|is|were|was|have\ been|has\ been|remains?)\ (?:kept|unchanged|preserved|intact|left|retained)\b",
    rf"(?:the\ |your\ |my\ |an?\ )?{_ADJECTIVE}\ (?:and\ \w+\ )?{_NOUN}(?:\s*\([^()\n]{{0,40}}\))?\s*:?$",
    rf"(?:the\ |your\ |my\ )?{_LOOSE_ADJECTIVE}\ {_NOUN}\s*:$",
)
_OPENING = (
    r"(?:sure|sure\ thing|certainly|of\ course|absolutely|gladly|alright|no\ problem|got\ it|understood|great|perfect"
    r"|happy\ to\ help|with\ pleasure)\s*[!,.:—–]",
    r"(?:sure|certainly|of\ course|absolutely|great)\b[^\n]{0,60}\b(?:here|below|i|my)\b[^\n]{0,60}[:!.]\s*$",
    r"here\ you\ (?:go|are)\b[^\n]{0,30}$",
    rf"(?:here(?:['’]s|\ is|\ are)|below\ (?:is|are|you)|please\ find|find\ below|you\ (?:will|['’]ll)\ find|this\ is"
    rf"|what\ follows\ is|the\ following\ is|attached\ is)\b[^\n]{{0,60}}\b(?:{_LOOSE_ADJECTIVE}|my|our)\b[^\n]{{0,40}}"
    rf"\b{_NOUN}\b",
    r"here(?:['’]s|\ is|\ are)\b[^\n]{0,60}\b(?:prompt|version|rewrite|revision|draft|edit)s?\b[^\n]{0,60}:\s*$",
    rf"(?:the|my|your)\ {_ADJECTIVE}\ {_NOUN}\ (?:follows|is\ below|is\ as\ follows|below)\b",
    rf"as\ (?:you\ )?(?:requested|asked|discussed),?\ [^\n]{{0,60}}\b(?:{_ADJECTIVE}|{_NOUN})\b",
    r"i(?:['’]ve|\ have|\ will|['’]ll)?\ (?:improved|updated|revised|rewritten|rewrote|changed)\b",
)
_CLOSING = (
    r"(?:i\ )?hope\ (?:this|that|it|these)\b",
    r"(?:please\ )?let\ me\ know\ (?:if|whether|what|how)\b",
    r"feel\ free\ to\ (?:adjust|change|edit|modify|tweak|adapt|ask|let)\b",
    r"(?:would\ you\ like|do\ you\ want|want)\ me\ to\b",
    r"if\ you(?:['’]d|\ would)?\ (?:like|want|prefer)\b[^\n]{0,60}\bi\ can\b",
    r"(?:key|main|notable|summary\ of|overview\ of|list\ of|explanation\ of|rationale\ for)\ (?:the\ |my\ )?"
    r"(?:changes|improvements|edits|modifications)\b[^\n]{0,30}$",
    r"(?:changes|improvements|edits|modifications)\ (?:made|applied|i\ made|summary|overview)\b[^\n]{0,20}$",
    r"what(?:['’]s|\ i|\ has|\ was|\ is)?\ (?:been\ )?(?:changed|new|different|improved)\W*$",
    r"why\ th(?:is|ese)\ (?:changes\ |version\ )?(?:works?|helps?|is\ better)\W*$",
    r"(?:this|the)\ (?:new\ |revised\ |updated\ )?(?:version|rewrite|revision)\ (?:now\ )?(?:improves|addresses|fixes"
    r"|adds|clarifies|should|makes|keeps|ensures|reduces|removes|is\ (?:shorter|clearer|more))\b",
)
_BOTH_ELSEWHERE = (
    # German
    r"(?:hier|anbei|nachfolgend|unten|im\ folgenden)\b[^\n]{0,50}\b(?:überarbeitet|verbessert|optimiert|angepasst"
    r"|aktualisiert|gekürzt|neu)\w*\b[^\n]{0,40}(?:fassung|version|prompt|anweisung|text|vorlage)",
    r"(?:die|der|meine?)\ (?:überarbeitet|verbessert|optimiert|angepasst|aktualisiert|gekürzt)\w*\ (?:fassung|version"
    r"|prompt|anweisung\w*|text)\b[^\n]{0,20}$",
    r"ich\ habe\b[^\n]{0,90}(?:überarbeitet|verbessert|angepasst|ergänzt|gekürzt|umformuliert|umgestellt|vereinfacht"
    r"|beibehalten|gestrafft|hinzugefügt|präzisiert)",
    r"diese\ (?:änderungen|anpassungen)\ (?:soll|mach|sorg|verbesser|helf)",
    r"(?:die\ )?(?:wichtigsten|vorgenommenen)\ (?:änderungen|anpassungen)\b",
    r"(?:gerne|natürlich|klar|selbstverständlich)\s*[!,.:]",
    r"(?:ich\ hoffe|lass(?:en\ sie)?\ (?:es\ )?mich\ wissen|sag(?:en\ sie)?\ (?:mir\ )?bescheid)\b",
    # French, Spanish, Portuguese, Italian
    r"(?:voici|aquí\ (?:está|tienes)|ecco|aqui\ está)\b[^\n]{0,60}(?::\s*$|versi|instru|prompt|texte?o?\b)",
    r"j['’]ai\ (?:\w+\ )?(?:amélioré|révisé|réécrit|reformulé|restructuré|simplifié|clarifié|ajouté|raccourci)",
    r"(?:la\ |une\ )?(?:version|versión|versão|versione)\ (?:amélior|révis|optimis|mejorad|revisad|optimizad|actualizad"
    r"|melhorad|otimizad|atualizad|migliorat|rivist|ottimizzat)\w+\s*:?$",
    r"(?:he|eu)\ (?:mejorado|revisado|reescrito|reformulado|reestructurado|simplificado|aclarado|añadido|acortado"
    r"|melhorei|revisei|reescrevi|reformulei|simplifiquei|adicionei)\b|(?:melhorei|reescrevi|reformulei|simplifiquei)\b",
    r"ho\ (?:migliorato|rivisto|riscritto|riformulato|semplificato|aggiunto|chiarito|accorciato|mantenuto)\b",
    r"(?:ces|estos|estas|queste)\ (?:modifications|changements|cambios|alterações|mudanças|modifiche)\ ",
    r"(?:bien\ sûr|avec\ plaisir|voilà|claro|por\ supuesto|con\ gusto|certo|certamente)\s*[!,.:]",
    r"(?:j['’]espère|n['’]hésitez\ pas|espero\ que|no\ dudes\ en|avísame|spero\ che|fammi\ sapere|me\ avise)\b",
    r"(?:principales|principali|principais)\ (?:modifications|changements|cambios|modifiche|alterações|mudanças)\b",
    # Dutch, Swedish, Polish, Russian
    r"(?:hier\ is|hieronder|här\ är|nedan|oto|вот|ниже)\b[^\n]{0,60}(?::\s*$|versi|wersj|верси|вариант|prompt|промпт)",
    r"ik\ heb\b[^\n]{0,60}(?:verbeterd|herzien|herschreven|aangepast|ingekort|verduidelijkt|toegevoegd)",
    r"jag\ har\b[^\n]{0,60}(?:förbättrat|omarbetat|skrivit\ om|förtydligat|kortat|lagt\ till)",
    r"(?:verbeterde|herziene|förbättrad|poprawiona|ulepszona)\ (?:versie|prompt|version|wersja)\b[^\n]{0,20}$",
    r"(?:poprawiłe?a?m|ulepszyłe?a?m|przeredagowałe?a?m|skróciłe?a?m)\b",
    r"я\ (?:\w+\ )?(?:улучшил|переписал|переработал|исправил|сократил|добавил|уточнил|упростил|сохранил)",
    r"(?:улучшенн|исправленн|обновл[её]нн|переработанн)\w+\ (?:верси|вариант|текст|промпт|инструкц)\w*\s*:?$",
    r"эти\ (?:изменения|правки)\b|(?:основные|ключевые)\ изменения\b|(?:надеюсь|дайте\ знать)\b|конечно\s*[!,.:]",
)
_UNSPACED = (
    r"(?:以下|下面)(?:是|为|は|が|に|、)?[^\n]{0,14}(?:改进|改善|优化|修改|更新|修订|改訂|修正|完整)[^\n]{0,20}$",
    r"我(?:已|已经|对|将|把)?[^\n]{0,20}(?:改进|优化|修改|重写|精简|调整|补充|保留)了?",
    r"(?:优化|改进|修改|修订|更新)(?:后|版|过)的?[^\n]{0,10}[:：]?\s*$",
    r"(?:主要|关键)(?:改动|修改|改进|变更)|希望(?:这|能|对)|如(?:果|需)[^\n]{0,14}告诉我",
    r"(?:当然|好的|没问题|もちろん|承知しました|かしこまりました|はい|물론|네|알겠습니다)[^\n]{0,6}[!,.:！，。、：]",
    r"(?:改善|改訂|修正|最適化|更新)(?:版|した|後の)[^\n]{0,12}(?:プロンプト|指示|テキスト|文章|版)?[^\n]{0,10}[:：]?\s*$",
    r"(?:主な)?(?:変更点|改善点)\W*$|(?:プロンプト|指示|文章)を[^\n]{0,20}(?:改善|修正|整理|書き直)[^\n]{0,6}した",
    r"(?:다음은|아래는)[^\n]{0,20}(?:개선|수정|고친|다듬)[^\n]{0,20}$",
    r"(?:개선|수정|최적화)(?:된|한)\s?(?:프롬프트|지침|버전|텍스트)|(?:주요\ )?변경\ 사항\W*$",
)


def _compiled(*groups: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for group in groups for one in group).replace(r"\ ", r"[ \u00a0]+"), re.I)


OPENING = _compiled(_OPENING, _SELF_TALK, _BOTH_ELSEWHERE, _UNSPACED)
CLOSING = _compiled(_CLOSING, _SELF_TALK, _BOTH_ELSEWHERE, _UNSPACED)
