"""Names of months and weekdays, and words for the halves of a day, in many languages.

From the locale data of Unicode (CLDR): full and short names, as they stand in dates and alone, without dots.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache

UNKNOWN = -1
"""Replaces the number of a word that is no such name, or that is several."""
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December")  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LANGUAGES = {
    "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French", "hr": "Croatian", "hu": "Hungarian",
    "it": "Italian", "lt": "Lithuanian", "lv": "Latvian", "nb": "Norwegian", "nl": "Dutch", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sv": "Swedish",
    "tr": "Turkish", "uk": "Ukrainian",
}  # fmt: skip
_MONTHS = {
    "en": "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sept/sep "
          "october/oct november/nov december/dec",
    "de": "januar/jan/jänner/jän februar/feb märz/mär/mrz/maerz april/apr mai juni/jun juli/jul "
          "august/aug september/sept/sep oktober/okt november/nov dezember/dez",
    "fr": "janvier/janv/jan février/févr/fev mars avril/avr mai juin juillet/juil/jul août "
          "septembre/sept octobre/oct novembre/nov décembre/déc",
    "es": "enero/ene febrero/feb marzo/mar abril/abr mayo/may junio/jun julio/jul agosto/ago "
          "septiembre/sept/sep/set/setiembre octubre/oct noviembre/nov diciembre/dic",
    "ca": "gener/gen febrer/febr març abril/abr maig juny juliol/jul agost/ag setembre/set octubre/oct "
          "novembre/nov desembre/des",
    "it": "gennaio/gen febbraio/feb marzo/mar aprile/apr maggio/mag giugno/giu luglio/lug agosto/ago "
          "settembre/set ottobre/ott novembre/nov dicembre/dic",
    "nl": "januari/jan februari/feb maart/mrt/mar april/apr mei juni/jun juli/jul augustus/aug "
          "september/sep oktober/okt november/nov december/dec",
    "pt": "janeiro/jan fevereiro/fev março/mar abril/abr maio/mai junho/jun julho/jul agosto/ago "
          "setembro/set outubro/out novembro/nov dezembro/dez",
    "pl": "stycznia/styczeń/sty lutego/luty/lut marca/marzec/mar kwietnia/kwiecień/kwi maja/maj "
          "czerwca/czerwiec/cze lipca/lipiec/lip sierpnia/sierpień/sie września/wrzesień/wrz "
          "października/październik/paź listopada/listopad/lis grudnia/grudzień/gru",
    "sv": "januari/jan februari/feb mars/mar april/apr maj juni/jun juli/jul augusti/aug september/sep "
          "oktober/okt november/nov december/dec",
    "da": "januar/jan februar/feb marts/mar april/apr maj juni/jun juli/jul august/aug september/sep "
          "oktober/okt november/nov december/dec",
    "nb": "januar/jan februar/feb mars/mar april/apr mai juni/jun juli/jul august/aug september/sep "
          "oktober/okt november/nov desember/des",
    "fi": "tammikuuta/tammikuu/tammik/tammi helmikuuta/helmikuu/helmik/helmi "
          "maaliskuuta/maaliskuu/maalisk/maalis huhtikuuta/huhtikuu/huhtik/huhti "
          "toukokuuta/toukokuu/toukok/touko kesäkuuta/kesäkuu/kesäk/kesä "
          "heinäkuuta/heinäkuu/heinäk/heinä elokuuta/elokuu/elok/elo syyskuuta/syyskuu/syysk/syys "
          "lokakuuta/lokakuu/lokak/loka marraskuuta/marraskuu/marrask/marras "
          "joulukuuta/joulukuu/jouluk/joulu",
    "cs": "ledna/leden/led února/únor/úno března/březen/bře dubna/duben/dub května/květen/kvě "
          "června/červen/čvn července/červenec/čvc srpna/srpen/srp září/zář října/říjen/říj "
          "listopadu/listopad/lis prosince/prosinec/pro",
    "sk": "januára/január/jan februára/február/feb marca/marec/mar apríla/apríl/apr mája/máj júna/jún "
          "júla/júl augusta/august/aug septembra/september/sep októbra/október/okt "
          "novembra/november/nov decembra/december/dec",
    "hu": "január/jan február/febr március/márc április/ápr május/máj június/jún július/júl "
          "augusztus/aug szeptember/szept október/okt november/nov december/dec",
    "ro": "ianuarie/ian februarie/feb martie/mar aprilie/apr mai iunie/iun iulie/iul august/aug "
          "septembrie/sept octombrie/oct noiembrie/nov decembrie/dec",
    "tr": "ocak/oca şubat/şub mart/mar nisan/nis mayıs/may haziran/haz temmuz/tem ağustos/ağu eylül/eyl "
          "ekim/eki kasım/kas aralık/ara",
    "ru": "января/январь/янв февраля/февраль/февр/фев марта/март/мар апреля/апрель/апр мая/май "
          "июня/июнь/июн июля/июль/июл августа/август/авг сентября/сентябрь/сент/сен "
          "октября/октябрь/окт ноября/ноябрь/нояб/ноя декабря/декабрь/дек",
    "uk": "січня/січень/січ лютого/лютий/лют березня/березень/бер квітня/квітень/квіт/кві "
          "травня/травень/трав/тра червня/червень/черв/чер липня/липень/лип серпня/серпень/серп/сер "
          "вересня/вересень/вер жовтня/жовтень/жовт/жов листопада/листопад/лист/лис "
          "грудня/грудень/груд/гру",
    "el": "ιανουαρίου/ιανουάριος/ιαν φεβρουαρίου/φεβρουάριος/φεβ μαρτίου/μάρτιος/μαρ/μάρ "
          "απριλίου/απρίλιος/απρ μαΐου/μάιος/μαΐ/μάι ιουνίου/ιούνιος/ιουν/ιούν "
          "ιουλίου/ιούλιος/ιουλ/ιούλ αυγούστου/αύγουστος/αυγ/αύγ σεπτεμβρίου/σεπτέμβριος/σεπ "
          "οκτωβρίου/οκτώβριος/οκτ νοεμβρίου/νοέμβριος/νοε/νοέ δεκεμβρίου/δεκέμβριος/δεκ",
    "hr": "siječnja/siječanj/sij veljače/veljača/velj ožujka/ožujak/ožu travnja/travanj/tra "
          "svibnja/svibanj/svi lipnja/lipanj/lip srpnja/srpanj/srp kolovoza/kolovoz/kol rujna/rujan/ruj "
          "listopada/listopad/lis studenoga/studeni/stu prosinca/prosinac/pro",
    "sl": "januar/jan februar/feb marec/mar april/apr maj junij/jun julij/jul avgust/avg september/sep "
          "oktober/okt november/nov december/dec",
    "bg": "януари/яну февруари/фев март април/апр май юни юли август/авг септември/сеп октомври/окт "
          "ноември/ное декември/дек",
    "et": "jaanuar/jaan veebruar/veebr märts aprill/apr mai juuni juuli august/aug september/sept "
          "oktoober/okt november/nov detsember/dets",
    "lv": "janvāris/janv februāris/febr marts aprīlis/apr maijs jūnijs/jūn jūlijs/jūl augusts/aug "
          "septembris/sept oktobris/okt novembris/nov decembris/dec",
    "lt": "sausio/sausis/saus vasario/vasaris/vas kovo/kovas/kov balandžio/balandis/bal "
          "gegužės/gegužė/geg birželio/birželis/birž liepos/liepa/liep rugpjūčio/rugpjūtis/rugp "
          "rugsėjo/rugsėjis/rugs spalio/spalis/spal lapkričio/lapkritis/lapkr gruodžio/gruodis/gruod",
}  # fmt: skip
"""The names of the twelve months of each language; a slash stands between names of one month."""
_WEEKDAYS = {
    "en": "monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thur/thurs friday/fri saturday/sat sunday/sun",
    "de": "montag/mo dienstag/di mittwoch/mi donnerstag/do freitag/fr samstag/sa sonntag/so",
    "fr": "lundi/lun mardi/mar mercredi/mer jeudi/jeu vendredi/ven samedi/sam dimanche/dim",
    "es": "lunes/lun martes/mar miércoles/mié jueves/jue viernes/vie sábado/sáb domingo/dom",
    "ca": "dilluns/dl dimarts/dt dimecres/dc dijous/dj divendres/dv dissabte/ds diumenge/dg",
    "it": "lunedì/lun martedì/mar mercoledì/mer giovedì/gio venerdì/ven sabato/sab domenica/dom",
    "nl": "maandag/ma dinsdag/di woensdag/wo donderdag/do vrijdag/vr zaterdag/za zondag/zo",
    "pt": "segunda-feira/seg terça-feira/ter quarta-feira/qua quinta-feira/qui sexta-feira/sex "
          "sábado/sáb domingo/dom",
    "pl": "poniedziałek/pon wtorek/wt środa/śr czwartek/czw piątek/pt sobota/sob niedziela/niedz",
    "sv": "måndag/mån tisdag/tis onsdag/ons torsdag/tors fredag/fre lördag/lör söndag/sön",
    "da": "mandag/man tirsdag/tir onsdag/ons torsdag/tor fredag/fre lørdag/lør søndag/søn",
    "nb": "mandag/man tirsdag/tir onsdag/ons torsdag/tor fredag/fre lørdag/lør søndag/søn",
    "fi": "maanantaina/maanantai/ma tiistaina/tiistai/ti keskiviikkona/keskiviikko/ke "
          "torstaina/torstai/to perjantaina/perjantai/pe lauantaina/lauantai/la "
          "sunnuntaina/sunnuntai/su",
    "cs": "pondělí/po úterý/út středa/st čtvrtek/čt pátek/pá sobota/so neděle/ne",
    "sk": "pondelok/po utorok/ut streda/st štvrtok/št piatok/pi sobota/so nedeľa/ne",
    "hu": "hétfő/h kedd/k szerda/sze csütörtök/cs péntek/p szombat/szo vasárnap/v",
    "ro": "luni/lun marți/mar miercuri/mie joi vineri/vin sâmbătă/sâm duminică/dum",
    "tr": "pazartesi/pzt salı/sal çarşamba/çar perşembe/per cuma/cum cumartesi/cmt pazar/paz",
    "ru": "понедельник/пн вторник/вт среда/ср четверг/чт пятница/пт суббота/сб воскресенье/вс",
    "uk": "понеділок/пн вівторок/вт середа/ср четвер/чт пʼятниця/пт субота/сб неділя/нд",
    "el": "δευτέρα/δευ τρίτη/τρί τετάρτη/τετ πέμπτη/πέμ παρασκευή/παρ σάββατο/σάβ κυριακή/κυρ",
    "hr": "ponedjeljak/pon utorak/uto srijeda/sri četvrtak/čet petak/pet subota/sub nedjelja/ned",
    "sl": "ponedeljek/pon torek/tor sreda/sre četrtek/čet petek/pet sobota/sob nedelja/ned",
    "bg": "понеделник/пн вторник/вт сряда/ср четвъртък/чт петък/пт събота/сб неделя/нд",
    "et": "esmaspäev/e teisipäev/t kolmapäev/k neljapäev/n reede/r laupäev/l pühapäev/p",
    "lv": "pirmdiena/pirmd otrdiena/otrd trešdiena/trešd ceturtdiena/ceturtd piektdiena/piektd "
          "sestdiena/sestd svētdiena/svētd",
    "lt": "pirmadienis/pr antradienis/an trečiadienis/tr ketvirtadienis/kt penktadienis/pn "
          "šeštadienis/št sekmadienis/sk",
}  # fmt: skip
_HALVES = """am pm, fm em, ap ip, dop odp, dop pop, de du, öö ös, дп пп, πμ μμ, vorm nachm,
    上午 下午, 午前 午後, 오전 오후"""


def list_languages() -> tuple[str, ...]:
    """Return the codes of the languages whose names are read."""
    return tuple(_LANGUAGES)


def list_months(language: str) -> tuple[str, ...]:
    """Return the full names of the months of a language."""
    return tuple(names.split("/")[0] for names in _MONTHS[language].split())


def list_weekdays(language: str) -> tuple[str, ...]:
    """Return the full names of the weekdays of a language, Monday first."""
    return tuple(names.split("/")[0] for names in _WEEKDAYS[language].split())


def read_month(text: str, language: str = "") -> int:
    """Return the number of a month by its name in one language, or in any; `UNKNOWN` for none, or several.

    >>> read_month("März"), read_month("fevr."), read_month("lis"), read_month("lis", "pl")
    (3, 2, -1, 11)
    """
    numbers = _index_months(language).get(_normalise(text), {})
    return next(iter(numbers)) if len(numbers) == 1 else UNKNOWN


def read_weekday(text: str, language: str = "") -> int:
    """Return 0 for the name of a weekday, since dates say the day themselves; else `UNKNOWN`."""
    return 0 if _normalise(text) in _index_weekdays(language) else UNKNOWN


def read_half(text: str) -> int:
    """0 before noon, 1 after it; `UNKNOWN` for other words.

    >>> read_half("p. m."), read_half("午前"), read_half("a"), read_half("x")
    (1, 0, -1, -1)
    """
    return _index_halves().get(_normalise(text), UNKNOWN)


def describe_unread(part: str, text: str) -> str:
    """Say why a word is not read as the name of a month or weekday, or as the half of a day."""
    word = text.strip(" .")
    if part == "half":
        return (
            f"{word!r} is no AM or PM in a language that is read: write AM or PM, or the hour up to 24 (%H)"
        )
    if part == "weekday":
        return f"{word!r} is the name of no weekday in a language that is read: leave it out, or write it in English"
    numbers = _index_months("").get(_normalise(text), {})
    if len(numbers) < 2:
        return f"{word!r} is the name of no month in a language that is read: write it as a number, or in English"
    meanings = " and ".join(
        f"{MONTHS[number - 1]} in {_LANGUAGES[languages[0]]}" for number, languages in sorted(numbers.items())
    )
    examples = " or ".join(f"%b{{{languages[0]}}}" for _, languages in sorted(numbers.items()))
    return f"{word!r} is {meanings}: name the language in the format, {examples}"


def _normalise(text: str) -> str:
    return "".join(
        letter for letter in unicodedata.normalize("NFC", text.casefold()) if letter not in ". \u00a0\u202f"
    )


def _strip_accents(word: str) -> str:
    letters = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).translate(
        _PLAIN_LETTERS
    )


_PLAIN_LETTERS = str.maketrans("łøı", "loi")


@cache
def _index_months(language: str) -> Mapping[str, Mapping[int, list[str]]]:
    """Return for each name the months that it means, and in which languages; also for names without accents."""
    index: dict[str, dict[int, list[str]]] = {}
    for code, number, name in _iterate_months(language):
        index.setdefault(_normalise(name), {}).setdefault(number, []).append(code)
    plain: dict[str, dict[int, list[str]]] = {}
    for code, number, name in _iterate_months(language):
        word = _strip_accents(_normalise(name))
        if word not in index:
            plain.setdefault(word, {}).setdefault(number, []).append(code)
    return index | plain


def _iterate_months(language: str) -> Iterator[tuple[str, int, str]]:
    for code in (language,) if language else _MONTHS:
        for number, names in enumerate(_MONTHS[code].split(), 1):
            for name in names.split("/"):
                yield code, number, name


@cache
def _index_weekdays(language: str) -> frozenset[str]:
    tables = [_WEEKDAYS[language]] if language else _WEEKDAYS.values()
    names = {_normalise(name) for table in tables for name in table.replace("/", " ").split()}
    return frozenset(names | set(map(_strip_accents, names)))


@cache
def _index_halves() -> Mapping[str, int]:
    pairs = (pair.split() for pair in _HALVES.split(","))
    return {_normalise(word): half for pair in pairs for half, word in enumerate(pair)}
