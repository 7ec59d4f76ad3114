"""Messages computed in columns are those of a sender that takes one change after the other."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import numpy as np
import pytest

from timeline_app.evaluate.backtest.incidents import STATES
from timeline_app.evaluate.backtest.sending import CHANGES, FlappingNews, NewsRecords, send_messages
from timeline_app.evaluate.backtest.telling import MAX_AGE_US, RESOLVED, RETRACTED, Told, choose_change

WINDOW = 30
Row = tuple[int, str, int, Told | int]
"""Instant, what it is, the incident or key, and its state or the carrier."""
News = tuple[int, int, int, str]
"""Instant, message, incident, change."""


class SlowSender:
    """Takes one instant after the other, as the product does."""

    def __init__(self, keys: list[int], known_at: list[int]) -> None:
        self.keys, self.known_at = keys, known_at
        self.now: dict[int, Told] = {}
        self.told: dict[int, Told] = {}
        self.due, self.damped = set[int](), set[int]()
        self.carriers: dict[int, int] = {}
        self.sent: list[News] = []
        self.messages, self.ready = 0, -(10**9)

    def run(self, rows: list[Row]) -> list[News]:
        instants: dict[int, list[Row]] = defaultdict(list)
        for row in rows:
            instants[row[0]].append(row)
        now = None
        for at in sorted(instants):
            if now is not None and self.due and max(now, self.ready) < at:
                self.flush(max(now, self.ready))
            for row in instants[at]:
                self.take(row)
            now = at
        if now is not None and self.due:
            self.flush(max(now, self.ready))
        return sorted(self.sent)

    def take(self, row: Row) -> None:
        _, what, number, rest = row
        if what == "changed":
            assert isinstance(rest, tuple)
            self.now[number] = rest
            self.due.add(number)
        elif what == "flaps":
            assert isinstance(rest, int)
            self.carriers[number] = rest
            self.due |= {rest} & self.now.keys()
        else:
            self.due |= {incident for incident in self.damped if self.keys[incident] == number}
            self.due |= {self.carriers.pop(number)} & self.now.keys()

    def flush(self, at: int) -> None:
        news = []
        for incident in sorted(self.due):
            carrier = self.carriers.get(self.keys[incident])
            if carrier is not None and carrier != incident:
                self.damped.add(incident)
                continue
            now = self.now[incident] if carrier is None else ("flapping", 0, 0)
            state = self.told.get(incident, ("", 0, 0))
            skip = incident in self.damped and state[0] == "" and now[0] in (RESOLVED, RETRACTED)
            self.damped.discard(incident)
            change = "" if skip else choose_change(state, now, self.known_at[incident])
            if change:
                news.append((at, self.messages + 1, incident, change))
                self.told[incident] = now
        self.due = set()
        if news:
            self.sent += news
            self.messages += 1
            self.ready = at + WINDOW


def make_rows(random: Random, incidents: int, keys: list[int]) -> list[Row]:
    """Incidents that fire, end, move, begin again and are taken back; some keys flap for a while."""
    rows: list[Row] = []
    for number in range(incidents):
        at, start = random.randrange(600), random.randrange(100)
        state = random.choice(("firing", "firing", "resolved"))
        end = start + random.randrange(1, 50) - (2 * MAX_AGE_US if random.random() < 0.1 else 0)
        for _ in range(random.choice((1, 2, 2, 2, 3, 5))):
            rows.append((at, "changed", number, (state, start, end)))
            if state == "retracted":
                break
            at += random.choice((0, 1, 5, 20, 31, 90))
            state = random.choice({"firing": ("resolved",) * 4 + ("firing", "retracted")}.get(state, STATES))
            start += random.choice((0, 0, 0, 1))
    for key in random.sample(sorted(set(keys)), min(len(set(keys)), random.randint(0, 2))):
        at = random.randrange(300)
        for _ in range(random.randint(1, 3)):
            carrier = random.choice([incident for incident in range(incidents) if keys[incident] == key])
            rows.append((at, "flaps", key, carrier))
            at += random.choice((1, 10, 100))
            rows.append((at, "settled", key, 0))
            at += random.choice((1, 10, 100))
    return sorted(rows, key=lambda row: row[0])


def send(rows: list[Row], keys: list[int], known_at: list[int]) -> tuple[list[News], int]:
    """The same in columns."""
    changed = [
        (at, number, *rest)
        for at, what, number, rest in rows
        if what == "changed" and isinstance(rest, tuple)
    ]
    at, incident, state, start, end = (
        np.array([row[index] if index != 2 else STATES.index(row[2]) for row in changed], dtype=np.int64)
        for index in range(5)
    )
    columns = np.array(keys, dtype=np.int64), np.array(known_at, dtype=np.int64)
    records = NewsRecords(at, incident, state, start, end, columns[1], columns[0])
    flaps = [
        (at, key, what == "flaps", rest if what == "flaps" else -1)
        for at, what, key, rest in rows
        if what != "changed"
    ]
    numbers = np.array(flaps, dtype=np.int64).reshape(-1, 4)
    flapping = FlappingNews(numbers[:, 0], numbers[:, 1], numbers[:, 2].astype(bool), numbers[:, 3])
    sent = send_messages(records, flapping, WINDOW)
    changes = (CHANGES[number] for number in sent.change)
    news = zip(sent.at.tolist(), sent.message.tolist(), sent.incident.tolist(), changes, strict=True)
    return sorted(news), sent.messages


@pytest.mark.parametrize("seed", range(400))
def test_columns_send_what_one_change_after_the_other_sends(seed: int) -> None:
    random = Random(seed)
    incidents = random.choice((1, 3, 10, 60))
    keys = [random.randrange(1 + incidents // 3) for _ in range(incidents)]
    known_at = [
        random.choice((0, 0, 2 * MAX_AGE_US - 10)) * (random.random() < 0.2) for _ in range(incidents)
    ]
    rows = make_rows(random, incidents, keys)
    slow = SlowSender(keys, known_at)
    expected = slow.run(rows)
    assert send(rows, keys, known_at) == (expected, slow.messages)


def test_the_rows_make_every_change() -> None:
    collected = set[str]()
    for seed in range(100):
        random = Random(seed)
        keys = [random.randrange(8) for _ in range(24)]
        collected |= {change for *_, change in SlowSender(keys, [0] * 24).run(make_rows(random, 24, keys))}
    assert collected == set(CHANGES)
