"""No regular expression of the product takes more than linear time: one that does holds the whole process."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.product_patterns import ROOT, UnreadablePattern, find_patterns, iterate_patterns
from tests.regex_growth import MAX_GROWTH, Pattern, measure_in_child

pytestmark = pytest.mark.deep
_SCHEME = r"\b([A-Za-z][\w+.-]*://)"
KNOWN_BAD = {
    "quotes that are not closed": (
        r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|(?P<comment>\#.*)|(?P<open>[(\[{])|(?P<close>[)\]}])""",
        "finditer",
    ),
    "a run of blanks": (r"\s*\n\s*", "sub"),
    "a scheme in a text": (_SCHEME + r"(?:[^\s/?#]*@)?([^\s/?#]*)([^\s?#]*)([?#]\S*)?", "sub"),
    "a scheme in an option": (_SCHEME + r"(?:[^/?#]*@)?([^/?#]*)([^?#]*)([?#].*)?", "sub"),
    "a bracket that is not closed": (r"\(after \d+ms[^)]*\)", "search"),
    "digits at the end": (r"0+$", "search"),
    "nested repeats": (r"(a+)+$", "match"),
    "alternatives that overlap": (r"(a|a)*b", "match"),
}
PATTERNS = find_patterns()


@pytest.mark.parametrize("name", KNOWN_BAD)
def test_a_bad_pattern_is_noticed(name: str) -> None:
    text, method = KNOWN_BAD[name]
    assert measure_in_child(Pattern(text, 0, (method,), name), 8).ratio > MAX_GROWTH


@pytest.mark.parametrize("pattern", PATTERNS, ids=[f"{regex.place} {regex.text[:20]}" for regex in PATTERNS])
def test_a_pattern_takes_linear_time(pattern: Pattern) -> None:
    growth = measure_in_child(pattern)
    assert growth.ratio <= MAX_GROWTH, (
        f"{pattern.place}: {pattern.text!r} on {growth.sample} ({growth.method})"
    )


def test_every_call_of_re_is_seen() -> None:
    """Counted another way, by the text of the files: each file with a call has a pattern here."""
    seen = {pattern.place.split(":")[0] for pattern in PATTERNS}
    calls = tuple(f"re.{name}(" for name in ("compile", "search", "match", "fullmatch", "sub", "split"))
    for path in [*ROOT.joinpath("timeline_app").rglob("*.py"), *ROOT.joinpath("workers").rglob("*.py")]:
        if any(f" {call}" in path.read_text() or f"({call}" in path.read_text() for call in calls):
            assert path.relative_to(ROOT).as_posix() in seen


@pytest.mark.parametrize(
    "code",
    [
        "import re\ndef found(text, word):\n    return re.search(word, text)\n",
        "import re\ndef found(text):\n    return re.search(f'{text}+', text)\n",
        "import re as expressions\n",
        "from re import compile\n",
        "import re\nif True:\n    WORD = re.compile('a+')\n",
    ],
)
def test_a_pattern_that_cannot_be_read_is_refused(code: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadablePattern):
        list(iterate_patterns(tmp_path / "module.py", ast.parse(code), {}))
