"""The parameters of a sequence: its steps, and what breaks it. Each names a stream and a condition on its events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar

from timeline_app.operators.parameters import (
    BREAKS,
    STEPS,
    ParameterType,
    is_storable,
    parse_duration,
    spell_duration,
)
from timeline_app.predicates import ClockedStream, Predicate, PredicateError, parse
from timeline_app.predicates.tree import Always
from timeline_app.times.week import show

MIN_STEPS, MAX_STEPS = 2, 10
MAX_BREAKS = 10
MAX_NAME = 100
OUTCOMES = ("completed", "expired", "broken")
TAKEN = ("none", *OUTCOMES)
"""What a sequence says besides the names of its steps."""
_STEP_KEYS = ("name", "stream", "where", "within")
_BREAK_KEYS = ("stream", "where", "between")
_STEPS_EXAMPLE = '[{"name": "login", "stream": "web", "where": "page == \\"login\\""}, …]'
_BREAKS_EXAMPLE = '[{"stream": "web", "where": "page == \\"logout\\""}]'


@dataclass(frozen=True, slots=True)
class SequenceStep:
    """A step: events of the stream that meet the condition make it; `within` microseconds after the step before it."""

    name: str
    stream: str
    where: Predicate | None = None
    within: int | None = None

    def spell(self) -> dict[str, Any]:
        """Return the document's form."""
        within = {} if self.within is None else {"within": spell_duration(self.within)}
        return {"name": self.name, "stream": self.stream, **_spell_where(self.where), **within}


@dataclass(frozen=True, slots=True)
class SequenceBreak:
    """What breaks a run, from after the first step of `between` until its second one; None: anywhere."""

    stream: str
    where: Predicate | None = None
    between: tuple[str, str] | None = None

    def spell(self) -> dict[str, Any]:
        """Return the document's form."""
        between = {} if self.between is None else {"between": list(self.between)}
        return {"stream": self.stream, **_spell_where(self.where), **between}


class SequenceType(ParameterType):
    """A list of steps or of what breaks them."""

    def parse(self, raw: object) -> tuple[SequenceStep, ...] | tuple[SequenceBreak, ...]:
        """Return what the operator's function takes. Raises `ValueError` with everything that is wrong."""
        return _read_steps(raw) if self.name == STEPS else _read_breaks(raw)

    def spell(self, value: Any) -> Any:
        """Return the canonical JSON form."""
        return [item.spell() for item in value]

    def bind(self, value: Any, _: str | None, streams: Mapping[str, ClockedStream]) -> Any:
        """Return each condition by the clock of its own stream."""
        return tuple(_bind_item(item, streams) for item in value)

    def reads(self, value: Any) -> list[tuple[str, Predicate | None]]:
        """Return the streams that it names."""
        return [(item.stream, item.where) for item in value]


Steps = Annotated[Sequence[SequenceStep], SequenceType(STEPS, _STEPS_EXAMPLE)]
Breaks = Annotated[Sequence[SequenceBreak], SequenceType(BREAKS, _BREAKS_EXAMPLE)]


def _bind_item(
    item: SequenceStep | SequenceBreak, streams: Mapping[str, ClockedStream]
) -> SequenceStep | SequenceBreak:
    if item.where is None or item.stream not in streams:
        return item
    return replace(item, where=streams[item.stream].clock.bind(item.where))


def _spell_where(where: Predicate | None) -> dict[str, str]:
    return {} if where is None else {"where": where.text()}


def _read_steps(raw: object) -> tuple[SequenceStep, ...]:
    items, problems = _read_list(raw, "steps", _STEPS_EXAMPLE), list[str]()
    if not MIN_STEPS <= len(items) <= MAX_STEPS:
        count = f"{len(items)} steps" if len(items) != 1 else "1 step"
        problems.append(f"{count}; a sequence has {MIN_STEPS} to {MAX_STEPS}")
    steps = [_read_item(number, item, _read_step, problems) for number, item in enumerate(items, 1)]
    problems += _check_names([step.name for step in steps if step is not None])
    if steps and steps[0] is not None and steps[0].within is not None:
        problems.append("step 1: `within` counts from the step before, and there is none; take it away")
    _refuse(problems)
    return tuple(step for step in steps if step is not None)


def _read_breaks(raw: object) -> tuple[SequenceBreak, ...]:
    items, problems = _read_list(raw, "not", _BREAKS_EXAMPLE), list[str]()
    if len(items) > MAX_BREAKS:
        problems.append(f"{len(items)} conditions; a sequence has at most {MAX_BREAKS} that break it")
    breaks = [_read_item(number, item, _read_break, problems) for number, item in enumerate(items, 1)]
    _refuse(problems)
    return tuple(item for item in breaks if item is not None)


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        raise ValueError("; ".join(problems))


def _read_list(raw: object, subject: str, example: str) -> list[object]:
    if not isinstance(raw, list) or len(raw) > 10 * MAX_STEPS:
        raise ValueError(f"{show(raw)} is no list of {subject}; write {example}")
    return raw


T = TypeVar("T")


def _read_item(
    number: int, item: object, read: Callable[[Mapping[str, Any]], T], problems: list[str]
) -> T | None:
    """Parse one element of a list, and add its problem with its index, if any."""
    if not isinstance(item, Mapping):
        problems.append(f"{number}: {show(item)} is no object")
        return None
    try:
        return read(item)
    except ValueError as why:
        name = item.get("name")
        label = f"{number} ({name})" if isinstance(name, str) and 0 < len(name) <= MAX_NAME else str(number)
        problems.append(f"{label}: {why}")
    return None


def _read_step(item: Mapping[str, Any]) -> SequenceStep:
    _check_keys(item, _STEP_KEYS)
    name = item.get("name")
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME or not is_storable(name):
        raise ValueError(
            f"{show(name)} is not the name of a step; write text of at most {MAX_NAME} characters"
        )
    within = item.get("within")
    limit = None if within is None or within == "" else parse_duration(within)
    return SequenceStep(name.strip(), _read_stream(item), _read_where(item), limit)


def _read_break(item: Mapping[str, Any]) -> SequenceBreak:
    _check_keys(item, _BREAK_KEYS)
    return SequenceBreak(_read_stream(item), _read_where(item), _read_between(item.get("between")))


def _read_between(raw: object) -> tuple[str, str] | None:
    if raw is None or raw == []:
        return None
    if not isinstance(raw, list | tuple) or len(raw) != 2 or not all(isinstance(name, str) for name in raw):
        raise ValueError(f'{show(raw)} does not name two steps; write "between": ["login", "pay"]')
    return str(raw[0]), str(raw[1])


def _check_keys(item: Mapping[str, Any], known_names: Sequence[str]) -> None:
    unknown = [str(key) for key in item if key not in known_names]
    if unknown:
        raise ValueError(f"there is no {', '.join(unknown[:3])!s} here; known are {', '.join(known_names)}")


def _read_stream(item: Mapping[str, Any]) -> str:
    stream = item.get("stream")
    if not isinstance(stream, str) or not stream:
        raise ValueError('names no stream; write "stream": "web"')
    return stream


def _read_where(item: Mapping[str, Any]) -> Predicate | None:
    raw = item.get("where")
    if raw is None or raw == "":
        return None
    if not isinstance(raw, str):
        raise ValueError(f'{show(raw)} is not a condition; write text such as page == "login"')
    try:
        where = parse(raw)
    except PredicateError as problem:
        raise ValueError(str(problem)) from None
    return None if where == Always(True) else where


def _check_names(names: Sequence[str]) -> Iterator[str]:
    for name in dict.fromkeys(names):
        if name in TAKEN:
            yield f"no step can be called {name!r}, which a sequence says itself; choose another name"
        if names.count(name) > 1:
            yield f"{names.count(name)} steps are called {name!r}; give each a name of its own"


def find_wrong_between(
    steps: Sequence[SequenceStep], breaks: Sequence[SequenceBreak]
) -> tuple[str, str] | None:
    """Return the problem of the first condition that is not between two ordered steps, and its fix."""
    names = [step.name for step in steps]
    for first, second in (item.between for item in breaks if item.between is not None):
        unknown = next((name for name in (first, second) if name not in names), None)
        if unknown is not None:
            return f"there is no step {unknown!r}", f"the steps are {', '.join(names)}"
        if names.index(first) >= names.index(second):
            return f"{second!r} does not come after {first!r}", "name the earlier step first"
    return None
