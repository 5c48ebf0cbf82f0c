"""Common words of languages in Latin letters, and the letters that few of the others have."""

_COMMON = {
    "English": (
        "the of and to in is that it for with as this are be not or if your when you must only from any do use a an "
        "at on who which what never by no more than so but how has have should then them their each every about its "
        "was were had would could into over under after before because while where there here we us our"
    ),
    "German": (
        "der die das und ist nicht mit ein eine einen dem den für auf wenn sie nur oder als auch wird zu im bei des "
        "von es sich aus dabei mehr nie du dir dein deine sei ihnen höchstens keine kein aber einer einem wie dann "
        "in an nach so noch wir was wo bis jede jeder jedes jeden falls ohne über unter vor ihr ihre sein seine hat "
        "haben kann soll sollte muss alle diese dieser dieses dass man weg vom zur durch"
    ),
    "French": (
        "le la les des est une un et dans pour pas que qui vous sur avec ou si votre du ne ce cette être au aux tu "
        "ton ta il elle plus deux chaque ceux en par mais jamais comme sont se son sa ses leur leurs nous on où "
        "quand tout tous toute toutes même très sans sous entre chacun chacune été avoir fait faire donc aussi "
        "moins afin"
    ),
    "Spanish": (
        "el los las una un es que en por para con no del si su se lo como más al y cuando debe este esta a de la "
        "quienes muy sé dos pero sin nunca solo entre está son cada uno sobre hay ha han ser tiene todo todos toda "
        "todas también sus les nos me te qué donde cual cuales desde hasta ni otro otra"
    ),
    "Italian": (
        "il gli che una per non con del della è sono se come più nel alla dei un di le solo quando deve questo e i "
        "chi al ai lo da si due ogni sempre ma mai anche nella ed sii su sul sulla ha hanno essere dal dalla delle "
        "degli suo sua suoi tutto tutti tutte dove così poi senza fuori ciascuno tra fra"
    ),
    "Portuguese": (
        "o os as um uma que não para com do da em se por mais dos na no é ao quando deve você seu sua de e a quem "
        "seja só nem mas nunca sem são à dois duas cada sobre há tem ter todo todos toda todas também seus suas nos "
        "nas pelo pela até onde qual isso este esta esse essa ou fora"
    ),
    "Dutch": (
        "de het een en van is niet met voor op dat als zijn aan je wordt ook maar bij om alleen wanneer deze in "
        "geen meer dan te wees er nooit of twee zin die hoogstens ze uit elk elke haar hun wat waar hoe door over "
        "onder naar nog al alle dit dus kan moet moeten heeft hebben worden zonder erin"
    ),
    "Swedish": (
        "och att det som en på är av för med till inte den om ett var endast när ska du eller från i mer än de dem "
        "bara aldrig två står vad högst sig varje sin sitt sina hur där här alla detta denna dessa ut upp bort kan "
        "måste har hade utan finns något någon under över"
    ),
    "Danish or Norwegian": (
        "og at det som en på er af for med til ikke den om et var kun når skal du eller fra i mer mere end enn de "
        "dem der aldrig aldri to av gi giv vær hvis får hva hvad høyst højst så hver hvert sin sitt sine hvordan "
        "hvor her alle dette denne disse ud ut op opp kan må har hadde uden uten noget noe nogen noen under over"
    ),
    "Finnish": (
        "ja on ei että se hän jos tai kun mutta kuin vain myös ole älä enintään kaikki sen ne mitä joka ovat "
        "enempää koskaan yhdellä kaksi kahdella sano tämä niin saa olla hänen tämän tässä siitä sitä jotka mikä "
        "missä miten koska ilman pois jokainen jokaisen vielä pitää voi"
    ),
    "Polish": (
        "i w na nie się z do jest to że jak dla o po od tylko gdy lub przez oraz jeśli są tym a ale nigdy więcej "
        "niż co czy być bądź za ich jego który każdy każda każdą każde ze które która także też tak tego tej ten ta "
        "te był było bez pod nad przed przy może musi"
    ),
    "Czech": (
        "a v na ne se z do je to že jak pro o po od jen když nebo si jsou tím pokud i mu ale nikdy více než co být "
        "buď za jeho který nic dvě není každý každá každé ze které která také taky tak toho té ten ta ty byl bylo "
        "bez pod nad před při může musí ho jej její"
    ),
    "Turkish": (
        "ve bir bu için ile de da olarak daha çok gibi ne veya eğer sadece değil her en olan mi ol bunu iki ya asla "
        "kadar ver yaz şu ki hiç sonra üç varsa yok mı mu mü şey hangi bütün tüm kendi önce üzere göre mısın olur "
        "olsun ise"
    ),
    "Romanian": (
        "și să nu la un o de în pe cu mai că care este sunt dacă din pentru cel ce se ai mult ca lui ale sau fii "
        "niciodată doar când două nici spune fiecare lor său sa sale tot toate toți unde cum acest această aceste "
        "acești fără după între poate trebuie are au fi fost"
    ),
    "Hungarian": (
        "a az és nem is egy hogy ha de meg ne van vagy csak mint két nél légy sem ez azt kell minden amikor akkor "
        "vissza soha legfeljebb még több mindegyik ilyen olyan ki be fel le el át ezek azok volt lesz lehet kellene "
        "nélkül után előtt között ami aki hol hogyan"
    ),
    "Indonesian": (
        "yang dan di dari ke untuk dengan tidak atau jangan ini itu pada adalah jika hanya lebih kepada akan sebuah "
        "dua kamu anda harus oleh jawab bila tanpa saja tentang dalam setiap masing mereka kami kita ia dia bisa "
        "dapat sudah belum sebagai secara juga agar supaya seperti tiga nya"
    ),
    "Vietnamese": (
        "của và không là cho một hai các thì bạn với có được trong khi nếu hãy để này đó nói những câu khách nhất "
        "bằng chỉ trả viết quá phải mỗi cả đã sẽ đang rất lại ra vào lên xuống sau trước giữa về từ đến như thế nào "
        "nên tôi chúng ta"
    ),
}
COMMON_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
TELLING_LETTERS = {
    "German": "ßäöü",
    "French": "êèçœûîàâ",
    "Spanish": "ñ¿¡",
    "Italian": "ìòù",
    "Portuguese": "ãõ",
    "Swedish": "åäö",
    "Danish or Norwegian": "øæå",
    "Finnish": "äö",
    "Polish": "łąężśźć",
    "Czech": "ěřůýčž",
    "Turkish": "ğışçöü",
    "Romanian": "șțăî",
    "Hungarian": "őűáéö",
    "Vietnamese": "ơưđạảấầẩậắằặẹẻếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỷỹ",
}
