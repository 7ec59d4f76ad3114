"""A question that people ask: its words, its events, the plan that answers it, and a slow script that does so too."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from inspect import cleandoc
from typing import Any

from timeline_app.plan.text import read_text

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
"""Where the seconds of slow scripts begin. A time of day without a date is one of this day."""
SECOND = 1_000_000
Value = Any
"""What a plan says: true or false, a text, a number, or None where it is unknown."""
Answer = Callable[[list["Happened"], float], Value]
"""A slow script: it gets what happened to a key up to an instant, in order, and that instant in seconds."""


@dataclass(frozen=True)
class Happened:
    """An event as slow scripts read it; a field that it does not have is None."""

    at: float
    key: str
    stream: str
    fields: Mapping[str, Value]

    def __getitem__(self, name: str) -> Value:
        return self.fields.get(name)


@dataclass(frozen=True)
class Question:
    """A line of `events` is `[STREAM] TIME KEY FIELD=VALUE …`, in the order in which the events arrive.

    The stream stands there where the plan has several. With `by_group` the script gets what happened to all keys, and
    answers a dict by group. `ends` is a time after which nothing is asked, for plans that go by the calendar.
    """

    title: str
    asked: str
    source: str
    words: tuple[str, ...]
    plan: str
    events: str
    answer: Answer
    by_group: bool = False
    ends: str = ""

    @property
    def work(self) -> str:
        """The field of work, which its module names."""
        return str(sys.modules[self.answer.__module__].WORK)

    @property
    def name(self) -> str:
        """A name that is unique and fit for files."""
        return re.sub("[^a-z0-9]+", "-", self.title.lower()).strip("-")

    @cached_property
    def document(self) -> dict[str, Any]:
        """The plan as a document."""
        return read_text(f'plan "{self.title}"\n{self.plan}')

    @property
    def result(self) -> str:
        """The node that answers."""
        [name] = self.document["results"]
        return str(name)

    @cached_property
    def delivered(self) -> list[tuple[str, dict[str, Any]]]:
        """Each event with the name of its stream, as they arrive."""
        streams = self.document["streams"]
        lines = [shlex.split(line, comments=True) for line in self.events.splitlines()]
        return [parse_event(number, words, streams) for number, words in enumerate(filter(None, lines))]

    def history(self) -> Iterator[Happened]:
        """What happened, in order of time, each event once."""
        streams, happened = self.document["streams"], dict[Any, Happened]()
        for number, (stream, event) in enumerate(self.delivered):
            declared = streams[stream]
            at = convert_to_seconds(event[declared["time"]])
            same = (stream, event[declared["key"]], event.get(declared.get("id", ""), number))
            happened[same] = Happened(at, event[declared["key"]], stream, event)
        yield from sorted(happened.values(), key=lambda event: event.at)


def parse_event(number: int, words: list[str], streams: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """An event of a line, and the name of its stream; an id is the number of the line unless the line has one."""
    stream = words.pop(0) if len(streams) > 1 else next(iter(streams))
    declared, (time, key, *pairs) = streams[stream], words
    fields = {name: parse_value(text) for name, text in (pair.split("=", 1) for pair in pairs)}
    if until := declared.get("until"):
        fields |= {until: format_time(fields[until])} if until in fields else {}
    own_values = {declared["id"]: f"e{number}"} if "id" in declared else {}
    return stream, {declared["key"]: key, declared["time"]: format_time(time), **own_values, **fields}


def parse_value(text: str) -> Value:
    """JSON, or else text as it stands."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def format_time(text: str) -> str:
    """A time as the events have it: of a date, or of the Monday."""
    moment = datetime.fromisoformat(text if "-" in text else f"{MONDAY.date()}T{text}")
    return moment.replace(tzinfo=UTC).isoformat().replace("+00:00", "Z")


def convert_to_seconds(time: str) -> float:
    """How many seconds after the Monday began it is; whole ones to the bit."""
    return (datetime.fromisoformat(time) - MONDAY) / timedelta(microseconds=1) / SECOND


@dataclass(frozen=True)
class Asks:
    """Makes a question of a slow script: a decorator."""

    asked: str
    title: str
    source: str
    plan: str
    events: str
    words: str = ""
    by_group: bool = field(default=False, kw_only=True)
    ends: str = field(default="", kw_only=True)

    def __call__(self, answer: Answer) -> Question:
        return Question(
            self.title,
            " ".join(self.asked.split()),
            self.source,
            tuple(word.strip() for word in self.words.split(",")),
            cleandoc(self.plan),
            cleandoc(self.events),
            answer,
            self.by_group,
            self.ends,
        )
