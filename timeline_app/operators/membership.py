"""Why a group of keys has its number: how many keys count, and which have the greatest part."""

from __future__ import annotations

from collections import Counter
from statistics import fmean
from typing import Any

import numpy as np
import orjson

from timeline_app.algebra.groups import EVERYONE
from timeline_app.algebra.samples import Rank
from timeline_app.operators.accumulated import NAMES
from timeline_app.operators.reasons import Moment, Question, Reason
from timeline_app.operators.words import format_length, format_value, join_parts

_MAX_KEYS_SHOWN = 3
_SPREADS = ("stddev", "variance")

_WORDS = {
    "distinct": "number of different values",
    "mode": "most frequent value",
    "share": "share of true",
    "stddev": "standard deviation",
}
"""What a function is called where its name is no noun."""

Counting = list[tuple[str, Any]]
"""(key, value) of the keys that count with a known value."""


def explain_group(question: Question, rank: Rank | None) -> Reason:
    """Explain `aggregate`: at the multiples of `every` where it has one, else at the exact instant."""
    every = question.canonical.get("every")
    at = question.at if every is None else question.result.since
    subject = _describe_members(question)
    if at is None:
        multiple = f"no {_name_instant(question)}"
        sentence = f"{question.head} because {multiple} has come since the first of {subject}"
        return Reason(
            sentence,
            ends=question.ends(f"ends at the next {'multiple' if isinstance(every, int) else 'one'}"),
        )
    members = _count_members(question, at)
    then = "" if every is None else f" at {question.clock(at)}, a {_name_instant(question)}"
    if isinstance(members, int):
        head = _format_head(question)
        sentence = f"{head} of {subject}{then}; there are {members:,} keys, too many to look at one by one"
        return Reason(sentence, ends=_describe_end(question))
    if not members:
        return Reason(
            f"{question.head} because none of {subject} counts with a known value{then}",
            ends=_describe_end(question),
        )
    top = _select_top(question, members, rank)
    keys = "1 key counts" if len(members) == 1 else f"{len(members):,} keys count"
    sentence = f"{_format_head(question)} of {subject}{then}: {keys}{_describe_parts(question, top, members)}"
    return Reason(sentence, _list_followed(question, top, at), ends=_describe_end(question))


def _name_instant(question: Question) -> str:
    """Return what the instants of the grid are."""
    every = question.canonical["every"]
    if isinstance(every, int):
        return f"multiple of {format_length(every)}"
    period = NAMES.get(every, every)
    return f"beginning of {'an' if period == 'hour' else 'a'} {period} in {question.canonical['zone']}"


def _format_head(question: Question) -> str:
    function = question.params["function"]
    return f"`{question.op}` is {format_value(question.result.value)}, the {_WORDS.get(function, function)}"


def _describe_members(question: Question) -> str:
    of, by = question.wires["of"][0], question.wires.get("by", ())
    names = [question.result.key] if len(by) == 1 else orjson.loads(question.result.key) if by else []
    descriptions = [f"`{wire}` is {format_value(name)}" for wire, name in zip(by, names, strict=True)]
    return f"`{of}` over the keys whose {join_parts(descriptions)}" if by else f"`{of}` over all keys"


def _describe_end(question: Question) -> str:
    return question.ends(
        "changes when a key of the group does", ", when the keys of the group say something else"
    )


def _count_members(question: Question, at: int) -> Counting | int:
    """Return who counts in the group at an instant; only the number of keys where these are too many."""
    places = [(port, index) for port in ("of", "by") for index in range(len(question.wires.get(port, ())))]
    member_lists = [question.everyone(question.wires[port][index], at) for port, index in places]
    if counts := [item for item in member_lists if isinstance(item, int)]:
        return max(counts)
    everyone = [item for item in member_lists if not isinstance(item, int)]
    members = []
    for key in sorted({key for members in everyone for key in members}):
        born = min(members[key].birth for members in everyone if key in members)
        value, *groups = (
            members[key].value if key in members else question.look_at_input(*index, at=at, key=key).value
            for index, members in zip(places, everyone, strict=True)
        )
        if born <= at and value is not None and _name(groups) == question.result.key:
            members.append((key, value))
    return members


def _name(groups: list[str | None]) -> str | None:
    """Return the name of the group that the values of `by` say; None where one of them is unknown."""
    if None in groups:
        return None
    return orjson.dumps(groups).decode() if len(groups) > 1 else groups[0] if groups else EVERYONE


def _select_top(question: Question, counting: Counting, rank: Rank | None) -> Counting:
    """Return the deciding keys, those with the greatest parts first."""
    if question.params["function"] == "mode":
        return [item for item in counting if item[1] == question.result.value] or counting
    if isinstance(counting[0][1], str):
        return counting
    if rank is not None:
        position = int(rank.place(np.array(len(counting))))
        return sorted(counting, key=lambda item: item[1])[position : position + 1]
    middle = _compute_mean(counting) if question.params["function"] in _SPREADS else 0.0
    return sorted(counting, key=lambda item: -abs(float(item[1]) - middle))


def _compute_mean(counting: Counting) -> float:
    return fmean(float(value) for _, value in counting)


def _describe_parts(question: Question, top: Counting, counting: Counting) -> str:
    """Return which keys have the greatest parts, in words."""
    if question.params["function"] in ("distinct", "mode"):
        return f"; {_describe_spread(counting)}"
    if isinstance(counting[0][1], bool):
        true = sum(bool(value) for _, value in counting)
        return f", {true:,} of them true"
    if question.params["function"] == "count":
        return ""
    descriptions = join_parts([f"`{key}` with {format_value(value)}" for key, value in top[:_MAX_KEYS_SHOWN]])
    if question.params["function"] in _SPREADS:
        return f" with the mean {format_value(_compute_mean(counting))}; the furthest from it {descriptions}"
    are_few = len(top) < len(counting) or len(counting) <= _MAX_KEYS_SHOWN
    return (
        f"; it is that of {descriptions}"
        if len(top) == 1 < len(counting)
        else f": {descriptions}"
        if are_few
        else f", the greatest {descriptions}"
    )


def _describe_spread(counting: Counting) -> str:
    """Return how many keys have which value, the most frequent first."""
    often = Counter(value for _, value in sorted(counting, key=lambda item: item[1])).most_common()
    descriptions = [f"{format_value(value)} is that of {count:,}" for value, count in often[:_MAX_KEYS_SHOWN]]
    values_left = len(often) - _MAX_KEYS_SHOWN
    rest_words = "1 other value is" if values_left == 1 else f"{values_left:,} other values are"
    return join_parts([*descriptions, *([f"{rest_words} that of the rest"] if values_left > 0 else [])])


def _list_followed(question: Question, top: Counting, at: int) -> tuple[Moment, ...]:
    """Return the inputs, asked about the key with the greatest part."""
    key = top[0][0]
    places = [(port, index) for port in ("of", "by") for index in range(len(question.wires.get(port, ())))]
    return tuple(question.look_at_input(*index, at=at, key=key) for index in dict.fromkeys(places))
