"""The words of a search, such as `duration owner:me -is:running "a name"`: parsed, or refused with all
problems.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from timeline_app.operators import operators
from timeline_app.problems.problem import suggest_nearest
from timeline_app.web.core.errors import Invalid, Problem, describe_problem
from timeline_app.web.models.alerts import Alert

NAME = ""
"""The field of a word without one: it matches part of a name."""
FIELDS = ("owner", "team", "is", "op", "uses", "stream", "severity")
STATES = ("running", "stopped", "failing", "firing", "silenced", "unused", "mine", "shared", "open")
SEVERITIES = tuple(Alert.Severity.values)
MAX_SEARCH_WORDS = 20
PLAIN = re.compile(r'(?P<no>-?)(?:(?P<field>[^\s":]+):)?(?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s"]*))(?=\s|$)')


@dataclass(frozen=True)
class Word:
    """One condition, perhaps negated, and its column, counted from one."""

    field: str
    value: str
    no: bool = False
    column: int = 1

    def build_problem(self, message: str, code: str, hint: str) -> Problem:
        """Return a problem at this column."""
        return describe_problem(message, code=code, hint=hint, field="q", column=self.column)


def parse_words(text: str) -> tuple[Word, ...]:
    """Return all words, which must all match; raise a refusal with all problems."""
    parsed: list[Word] = []
    problems: list[Problem] = []
    at = 0
    while (at := at + len(text[at:]) - len(text[at:].lstrip())) < len(text):
        match = PLAIN.match(text, at)
        if match is None:
            problems.append(quote_problem(text, at))
            break
        word = parse_word(match)
        at = match.end()
        parsed.append(word)
        problems += find_word_problems(word)
    if len(parsed) > MAX_SEARCH_WORDS:
        message = f"There are {len(parsed)} words."
        problems.append(
            parsed[MAX_SEARCH_WORDS].build_problem(
                message, "too_many_terms", f"At most {MAX_SEARCH_WORDS} are possible."
            )
        )
    if problems:
        raise search_refusal(problems)
    return tuple(parsed)


def parse_word(match: re.Match[str]) -> Word:
    """Return one word as it is written."""
    field, quoted = match["field"], match["quoted"]
    value = match["plain"] if quoted is None else quoted
    return Word(NAME if field is None else field.lower(), value.strip(), bool(match["no"]), match.start() + 1)


def quote_problem(text: str, at: int) -> Problem:
    """Return the problem of a quote that does not end or stands within a word."""
    word = Word(NAME, text[at:], column=at + 1)
    if text[at:].count('"') % 2:
        return word.build_problem("A quote is not closed.", "unclosed_quote", 'Write "a name with blanks".')
    hint = 'Quotes go around a whole name: "a name", owner:"a name".'
    return word.build_problem("Quotes stand within a word.", "misplaced_quote", hint)


def find_word_problems(word: Word) -> list[Problem]:
    """Return the problems of one word."""
    if word.field not in (NAME, *FIELDS) or (word.field == NAME and not word.value):
        return [explain_unknown_word(word)]
    if not word.value:
        return [
            word.build_problem(
                f"Nothing follows {word.field}:", "empty_term", f"Write {EXAMPLES[word.field]}."
            )
        ]
    if word.field == "is" and word.value.lower() not in STATES:
        hint = f"There are {', '.join(f'is:{state}' for state in STATES)}."
        return [word.build_problem(f"{word.value[:40]!r} is no state.", "unknown_state", hint)]
    if word.field == "severity" and word.value.lower() not in SEVERITIES:
        hint = f"There are {', '.join(f'severity:{severity}' for severity in SEVERITIES)}."
        return [word.build_problem(f"{word.value[:40]!r} is no severity.", "unknown_severity", hint)]
    if word.field == "op" and word.value not in operators():
        hint = suggest_nearest(word.value, operators()).capitalize()
        return [word.build_problem(f"There is no operator {word.value[:40]!r}.", "unknown_operator", hint)]
    return []


EXAMPLES = {
    "owner": "owner:me or owner:NAME",
    "team": "team:NAME",
    "is": "is:running",
    "op": "op:duration_where",
    "uses": "uses:NAME",
    "stream": "stream:NAME",
    "severity": "severity:critical",
}


def explain_unknown_word(word: Word) -> Problem:
    """Return the problem of a word with an unknown field or without content."""
    if word.field == NAME:
        return word.build_problem("There is nothing to look for.", "empty_term", "Write a word of a name.")
    terms = ", ".join(f"{field}:" for field in FIELDS)
    hint = f"There are {terms}; a name with a colon goes into quotes."
    return word.build_problem(f"There is no term {word.field[:40] + ':'!r}.", "unknown_term", hint)


def search_refusal(problems: Sequence[Problem]) -> Invalid:
    """Return a refusal with all problems of a search."""
    message = " ".join(f"{problem['message']} {problem['hint']}" for problem in problems[:3])
    return Invalid(message, code=str(problems[0]["code"]), problems=problems)
