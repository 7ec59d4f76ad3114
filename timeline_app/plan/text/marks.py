"""Finds brackets and comments outside of quotes, in linear time even for unclosed ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MARK = re.compile(r"""(?P<quote>["'`])|(?P<comment>\#.*)|(?P<open>[(\[{])|(?P<close>[)\]}])|\n""")
_QUOTED = {
    '"': re.compile(r'"(?:[^"\\\n]++|\\.)*+"'),
    "'": re.compile(r"'(?:[^'\\\n]++|\\.)*+'"),
    "`": re.compile(r"`[^`\n]*+`"),
}


def find_marks(text: str, start: int = 0, end: int | None = None) -> Iterator[re.Match[str]]:
    """Yield each bracket (groups `open` and `close`) and each `comment`; a quote not closed on its line hides none."""
    # Where one quote of a kind is not closed, no later one of its kind on that line is: it need not be tried again.
    unclosed: set[str] = set()
    end = len(text) if end is None else end
    while mark := _MARK.search(text, start, end):
        start, sign = mark.end(), mark[0]
        if sign == "\n":
            unclosed.clear()
        elif mark["quote"] is None:
            yield mark
        elif sign not in unclosed:
            quoted = _QUOTED[sign].match(text, mark.start(), end)
            if quoted is None:
                unclosed.add(sign)
            else:
                start = quoted.end()
