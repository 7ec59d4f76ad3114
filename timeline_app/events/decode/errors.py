"""What cannot be decoded, and what a reader should know of what was."""

from __future__ import annotations

NO_EVENTS = "no events; send one JSON object on each line, or an array"
MAX_NOTES = 20
"""More remarks on one file are left out."""


class DecodeError(ValueError):
    """Content cannot be decoded: a code, what is wrong, and what to do."""

    def __init__(self, code: str, message: str, hint: str, line: int | None = None) -> None:
        location = "" if line is None else f"line {line}: "
        super().__init__(f"{location}{message} {hint}".strip())
        self.code, self.message, self.hint, self.line = code, message, hint, line


def describe_repeated(name: str, count: int, line: int | None = None) -> DecodeError:
    """Several columns of a table have one name."""
    words = f"{name!r} is the name of {count} columns, so that nobody knows which is meant."
    return DecodeError("repeated_name", words, "Give each column a name of its own.", line)


class TooLarge(DecodeError):
    """A file unpacks to more than is read."""


class Notes:
    """Records what was read as other than plain UTF-8, commas and JSON lines; each remark once."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}

    def add(self, text: str) -> None:
        """Keep a remark."""
        if len(self._texts) < MAX_NOTES:
            self._texts.setdefault(text)

    @property
    def texts(self) -> tuple[str, ...]:
        """All remarks, in order."""
        return tuple(self._texts)
