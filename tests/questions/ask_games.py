"""Games: streaks, records, players."""

from __future__ import annotations

from tests.questions.question import Asks, Happened
from tests.questions.slow import find_latest, group_by_key

WORK = "Games"


@Asks(
    "How many games has a player won in a row?",
    title="Winning streak",
    source="Game analytics; SQL threads on gaps and islands",
    words="streak, in a row, consecutive, gaps and islands, reset",
    plan="""
        stream game(key = player, time = at, unit = iso8601, id = id,
            fields = {won: bool}, allowed_lateness = 1h)
        wins = event_count(game.won == true)
        streak = since(wins, game.won == false)
        results streak
    """,
    events="""
        08:00 ann won=true
        08:10 ann won=true
        08:15 bob won=false
        08:20 ann won=false
        08:30 ann won=true
        08:40 bob won=true
        08:25 ann won=true    # late
        08:50 ann won=true
        08:55 bob won=true
        08:45 bob won=false   # late
        09:00 ann won=false
    """,
)
def ask_streak(past: list[Happened], at: float) -> int:
    streak = 0
    for event in past:
        streak = streak + 1 if event["won"] else 0
    return streak


@Asks(
    "What is the longest winning streak that a player has ever had?",
    title="Longest winning streak",
    source="Game analytics; SQL threads on gaps and islands",
    words="longest streak, record, consecutive, maximum so far",
    plan="""
        stream game(key = player, time = at, unit = iso8601, id = id,
            fields = {won: bool}, allowed_lateness = 1h)
        wins = event_count(game.won == true)
        streak = since(wins, game.won == false)
        longest = running_max(streak)
        results longest
    """,
    events="""
        08:00 ann won=true
        08:10 ann won=true
        08:15 bob won=false
        08:20 ann won=false
        08:30 ann won=true
        08:40 bob won=true
        08:25 ann won=true    # late
        08:50 ann won=true
        08:55 bob won=true
        08:45 bob won=false   # late
        09:00 ann won=false
    """,
)
def ask_longest_streak(past: list[Happened], at: float) -> int:
    streak = longest = 0
    for event in past:
        streak = streak + 1 if event["won"] else 0
        longest = max(longest, streak)
    return longest


@Asks(
    "How many players are online, and what is the most that there have ever been?",
    title="Most players online",
    source="Game analytics: peak concurrent users",
    words="peak, concurrent, ccu, online, record, maximum so far",
    plan="""
        stream player(key = player, time = at, unit = iso8601, id = id,
            fields = {online: bool}, allowed_lateness = 1h)
        online = aggregate(latest_event_to_state(player.online), count)
        peak = running_max(online)
        results peak
    """,
    events="""
        08:00 ann online=true
        08:05 bob online=true
        08:10 ann online=false
        08:20 cid online=true
        08:30 bob online=false
        08:15 ann online=true    # late: there were three
        08:25 ann online=false
        08:40 dan online=true
        08:50 bob online=true
        09:00 ann online=true
        08:45 cid online=false   # late
    """,
    by_group=True,
)
def ask_peak(past: list[Happened], at: float) -> dict[str, int]:
    times = sorted({event.at for event in past})
    own = group_by_key(past).values()
    online = [
        sum(bool(find_latest([e for e in keys if e.at <= time], "online")) for keys in own) for time in times
    ]
    return {"*": max(online)}
