"""Files in encodings that cannot be detected are refused at every door, and never read with wrong letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.events.test_doors import TEXT_DOORS, list_outcomes, write_table

WORDS = [
    ("cp1251", "Станок"),
    ("koi8-r", "Станок"),
    ("cp1253", "Μηχανή"),
    ("gb18030", "机器甲"),
    ("shift_jis", "テスト"),
    ("shift_jis", "機械設備"),
    ("euc-kr", "기계실"),
    ("cp1250", "sąsiad"),
    ("cp1250", "łódź"),
    ("cp1250", "Příliš"),
    ("iso8859-2", "wąski"),
    ("mac_roman", "München"),
    ("mac_roman", "Lärm"),
    ("cp1255", "מכונה"),
]


@pytest.mark.parametrize(("encoding", "word"), WORDS)
def test_another_encoding_is_refused_by_line_and_named(encoding: str, word: str, tmp_path: Path) -> None:
    body = write_table(";", decimal=",").replace("läuft", "lauft").replace("steht", word).encode(encoding)
    outcomes = list_outcomes(body, tmp_path, TEXT_DOORS)
    assert outcomes[0][0][0] == 3
    for outcome in outcomes:
        assert "UTF-8" in outcome[0][1]
        assert "iconv -f WINDOWS-1251 -t UTF-8" in outcome[0][1]


WESTERN = (
    "créée, naïve, Ångström, ações, mañana, ¿Qué?, ¡Hola!, Größe, façade, Žižek, Škoda, œuvre, 5 m³/h, 3 m², 20 °C, £5,"
    " 1º, „Wort“, ‚Wort‘, – …, smørrebrød, það, þýða, ÄNDERUNG, letzteÄnderung, 100 €, ±0.5, µm, ½ l, «mot», æ ø å"
)


def test_words_of_western_europe_are_read(tmp_path: Path) -> None:
    for word in WESTERN.split(", "):
        body = write_table(";", decimal=",").replace("steht", f"é {word}").encode("cp1252")
        for outcome in list_outcomes(body, tmp_path, TEXT_DOORS[:2]):
            assert outcome[1][3:4] == (f"é {word}",), outcome
