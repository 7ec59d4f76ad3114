"""Words for true and false, as spreadsheets, forms and exports write them in many languages."""

from __future__ import annotations

from collections.abc import Iterable

_TRUTHS = """true false, wahr falsch, vrai faux, vero falso, verdadero falso, verdadeiro falso, waar onwaar,
    sant falskt, sand falsk, sann usann, tosi epätosi, prawda fałsz, pravda nepravda, igaz hamis, adevărat fals,
    doğru yanlış, doğru yanliş, истина ложь, αληθησ ψευδησ, αληθης ψευδης, 真 假, 참 거짓"""
"""Nobody names a state by these: one of both alone says that a column is a bool."""
_ANSWERS = """yes no, y n, t f, ja nein, j n, oui non, o n, sì no, si no, sí no, s n, sim não, sim nao, ja nee, ja nej,
    ja nei, kyllä ei, tak nie, ano ne, áno nie, igen nem, evet hayır, evet hayir, да нет, ναι όχι, はい いいえ, 是 否,
    예 아니요, ✓ ✗, ✔ ✘, ✅ ❌, ☑ ☐"""
"""One of them alone may be anything, such as the initial of a name."""
_STATES = "on off, 1 0, 1.0 0.0, ein aus, an aus, aan uit, på av"
"""Bools only where the column is declared bool: else a state, or a number."""


def _split_pairs(text: str) -> list[tuple[str, str]]:
    pairs = (pair.split() for pair in text.split(","))
    return [(positive, negative) for positive, negative in pairs]


_ALL_PAIRS = [pair for text in (_TRUTHS, _ANSWERS, _STATES) for pair in _split_pairs(text)]
TRUTH = {yes: True for yes, _ in _ALL_PAIRS} | {no: False for _, no in _ALL_PAIRS}
"""What stands in a column that is declared bool, in small letters."""
_ALONE = frozenset(word for pair in _split_pairs(_TRUTHS) for word in pair)
_PAIRS = frozenset(map(frozenset, _split_pairs(f"{_TRUTHS},{_ANSWERS}")))


def read_truth(text: str) -> bool | None:
    """Return what a word says; None where it is none of these.

    >>> read_truth(" WAHR"), read_truth("nein"), read_truth("perhaps")
    (True, False, None)
    """
    return TRUTH.get(text.strip().lower())


def say_truths(texts: Iterable[str]) -> bool:
    """Return whether all words of a column are of one pair, both of it or one that nothing else is called.

    >>> say_truths(["ja", "Nein", "ja"]), say_truths(["ja", "ja"]), say_truths(["WAHR"]), say_truths(["on", "off"])
    (True, False, True, False)
    """
    words = {text.strip().lower() for text in texts}
    return words in _PAIRS or (len(words) == 1 and words <= _ALONE)
