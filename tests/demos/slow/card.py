"""Suspicious cards: at every instant at which it could change, look at all swipes until then."""

from __future__ import annotations

from collections import Counter

from tests.demos.slow.reading import SECOND, Answers, Step, build_flat_lines, build_steps, list_values, read

WINDOW = 600 * SECOND


def compute_answers(text: str) -> Answers:
    """Of every card, and how many there are at once."""
    cards = {name: judge_card(list_values(events, "suburb")) for name, events in read(text, "card").items()}
    return {"suspicious": cards, "suspicious_now": {"*": build_flat_lines(count_suspicious(cards))}}


def judge_card(moves: list[tuple[int, str]]) -> list[Step]:
    """Whether a card is suspicious; `moves` are its arrivals in another suburb than before."""
    instants = sorted({time + wait for time, _ in moves for wait in (0, WINDOW)})
    return build_steps(
        False, [(now, is_suspicious([time for time, _ in moves if time <= now], now)) for now in instants]
    )


def is_suspicious(moves: list[int], now: int) -> bool:
    """Whether the newest of several arrivals is less than ten minutes old."""
    return len(moves) > 1 and now - moves[-1] < WINDOW


def count_suspicious(cards: dict[str, list[Step]]) -> list[Step]:
    """How many cards are suspicious."""
    changes: Counter[int] = Counter()
    for card in cards.values():
        for time, value in card:
            if time is not None:
                changes[time] += 1 if value else -1
    count, items = 0, []
    for time in sorted(changes):
        count += changes[time]
        items.append((time, count))
    return build_steps(0, items)
