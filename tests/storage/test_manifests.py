"""What messages of the manifests of a feed say: no batch counts before those in front of it."""

from __future__ import annotations

import pytest
from confluent_kafka import Message

from timeline_app.storage.manifests import Manifest, forgotten, said


def messages(*values: bytes) -> list[Message]:
    return [Message(topic="t", partition=0, offset=at, value=value) for at, value in enumerate(values)]


def batches(*numbers: int) -> list[Message]:
    return messages(*(Manifest(number, ()).message() for number in numbers))


@pytest.mark.parametrize(
    ("numbers", "end"),
    [((0, 1, 1, 2, 0), 3), ((0, 1, 2, 6, 7), 3), ((0, 1, 2, 6, 3, 4), 5), ((1,), 0)],
)
def test_what_comes_behind_a_gap_is_not_there(numbers: tuple[int, ...], end: int) -> None:
    found = said(batches(*numbers), whole=True)
    assert (found.end, list(found.found)) == (end, list(range(end)))


@pytest.mark.parametrize(
    ("numbers", "end"), [((90, 91, 92), 93), ((3, 91, 92), 93), ((50, 50, 51, 7), 52), ((90, 91, 95, 96), 92)]
)
def test_of_a_part_of_the_log_too(numbers: tuple[int, ...], end: int) -> None:
    assert said(batches(*numbers), whole=False).end == end


def test_what_is_forgotten_says_where_the_end_is() -> None:
    values = [Manifest(number, ()).message() for number in (3, 7, 7, 9)]
    values.insert(2, forgotten(7))
    assert said(messages(*values), whole=False).end == 8
