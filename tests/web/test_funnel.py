"""The funnel of a sequence: counts, shares, medians and stopped keys, held against runs played event by event."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.predicates.conditions import Condition
from tests.referee.collection import Event, parse_duration
from tests.referee.points import Points
from tests.referee.sequences import Machine, Run, sequence
from tests.web.log import SECOND, T, make_node, revise
from timeline_app.algebra.kinds import OPEN
from timeline_app.compiler import parse_program
from timeline_app.web.models import Node
from timeline_app.web.nodes import funnel_log as selector
from timeline_app.web.plans.services import create_plan, run_plan
from timeline_app.web.streams.services import create_stream

PAGES = ("search", "basket", "paid", "logout")
NAMES = PAGES[:3]
END = T + 4000 * SECOND
OUTCOMES = ("active", "expired", "broken")


def build_step(page: str) -> dict[str, str]:
    return {"stream": "shop", "where": f'page == "{page}"'}


def run_sequence(owner: User, **params: Any) -> Node:
    """A plan with a sequence of three steps, as it runs."""
    create_stream(user=owner, name="shop", document={"key": "user", "time": "t", "fields": {"page": "text"}})
    steps = [{"name": name, **build_step(name)} for name in NAMES]
    steps[1]["within"] = "400s"
    drawn = {
        "op": "sequence",
        "params": {"steps": steps, "within": "15min", "not": [build_step("logout")], **params},
    }
    document = {"version": 1, "name": "funnel", "nodes": {"bought": drawn}, "results": ["bought"]}
    run_plan(plan=create_plan(user=owner, name="funnel", document=document), user=owner, placement="isolated")
    return Node.objects.get(operator="sequence")


def draw_visits(dice: random.Random, unit: int) -> list[Event]:
    """What one visitor does, no two things at one instant, at multiples of a unit."""
    times = sorted(dice.sample(range(0, 4200 * SECOND, unit), dice.randint(0, 30)))
    return [Event(T + at, (), {"page": dice.choices(PAGES, (5, 4, 3, 1))[0]}) for at in times]


@dataclass
class LaneRun(Run):
    """A run, and since when a lane shows it."""

    shown: int = 0


class LaneMachine(Machine):
    """The referee's sequence, which knows no timelines and no columns."""

    def take(self, stream: str, event: Event) -> None:
        """With `latest` a run at its first step that begins again shows no change."""
        before = self.run
        super().take(stream, event)
        run = self.run
        if run is None or run is before:
            return
        shown_steps = run.reached[0]
        if isinstance(before, LaneRun) and not before.outcome and len(before.reached) == 1:
            shown_steps = before.shown
        self.runs[-1] = LaneRun(run.reached, shown=shown_steps)


def play_visits(node: Node, visits: Sequence[Event]) -> LaneMachine:
    """After some visits."""
    drawn = parse_program(node.program).last.params
    steps, breaks = (
        [{**item, "where": is_page(item["where"])} for item in drawn[name]] for name in ("steps", "not")
    )
    machine = LaneMachine(steps, breaks, parse_duration(drawn["within"]), drawn["again"])
    for visit in visits:
        machine.take("shop", visit)
    if machine.run is not None:
        machine.expire(OPEN)
    return machine


def is_page(where: str) -> Condition:
    return Condition(where, ("==", "page", where.split('"')[1]))


def cut_pieces(points: Points, start: int | None) -> list[list[Any]]:
    """The points of the referee from an instant on."""
    plain: list[list[Any]] = [[time, value if isinstance(value, str) else None] for time, value, _ in points]
    if start is None:
        return plain
    before = [value for time, value in plain if time is None or time <= start]
    return [
        [start, before[-1]],
        *([time, value] for time, value in plain if time is not None and time > start),
    ]


def publish(node: Node, key: str, visits: Sequence[Event], dice: random.Random) -> None:
    """As it is published while events come: what is new replaces the end, what is late a stretch before it."""
    for many in sorted({dice.randint(1, len(visits)), dice.randint(1, len(visits)), len(visits)}):
        points = sequence(visits[0].time, play_visits(node, visits[:many]))
        revise(node, key, cut_pieces(points, None if dice.random() < 0.3 else visits[many - 1].time))
    whole = sequence(visits[0].time, play_visits(node, visits))
    cut = visits[dice.randrange(len(visits))].time
    revise(
        node, key, [piece for piece in cut_pieces(whole, None) if piece[0] is None or piece[0] < cut], end=cut
    )
    revise(node, key, cut_pieces(whole, cut), start=cut)


@pytest.fixture(params=["first", "latest"])
def visited(request: pytest.FixtureRequest, ada: User) -> tuple[Node, dict[str, list[Event]]]:
    """Forty visitors, some of them late."""
    node, dice = run_sequence(ada, again=request.param), random.Random(7)
    # At whole seconds runs expire at the instant at which the next begins; with `latest` no lane can show that.
    unit = SECOND if request.param == "first" else 1
    result = {f"v{number:02}": visits for number in range(40) if (visits := draw_visits(dice, unit))}
    for key, visits in result.items():
        publish(node, key, visits, dice)
    Node.objects.filter(pk=node.pk).update(final_until=END + 10 * SECOND)
    return node, result


def get_funnel(api: APIClient, node: Node, **query: Any) -> Any:
    answer = api.get(f"/api/nodes/{node.digest}/funnel/", {"to": str(END), **query})
    assert answer.status_code == 200, answer.content
    return answer.json()


def list_runs_slowly(node: Node, visits: Sequence[Event], start: int, end: int) -> list[Run]:
    """The runs that began in a window, as they stood at its end, from the events one by one."""
    items = []
    machine = play_visits(node, [visit for visit in visits if visit.time < end])
    for run in machine.runs:
        assert isinstance(run, LaneRun)
        if start <= run.shown < end:
            is_over = run.end is not None and run.end < end
            items.append(Run([run.shown, *run.reached[1:]], run.outcome if is_over else ""))
    return items


def count_funnel_slowly(
    node: Node, visitors: dict[str, list[Event]], start: int, count: str
) -> list[dict[str, Any]]:
    """What a person would count with paper and pencil."""
    by_key = {key: list_runs_slowly(node, visits, start, END) for key, visits in visitors.items()}
    runs = [run for own in by_key.values() for run in own]
    if count == "keys":
        runs = [
            max(own, key=lambda run: (len(run.reached), run.reached[0])) for own in by_key.values() if own
        ]
    rows = []
    for index, name in enumerate(NAMES):
        arrived = [run for run in runs if len(run.reached) > index]
        lengths = sorted(run.reached[index] - run.reached[index - 1] for run in arrived) if index else []
        last = [run.outcome or "active" for run in arrived if len(run.reached) == index + 1]
        ended = {word: last.count(word) for word in OUTCOMES}
        median = lengths[(len(lengths) - 1) // 2] / SECOND if lengths else None
        rows.append(
            {
                "step": name,
                "count": len(arrived),
                "median_seconds": median,
                "stopped": sum(ended.values()),
                **ended,
            }
        )
    return rows


@pytest.mark.parametrize("count", ["keys", "runs"])
@pytest.mark.parametrize("start", [None, 1000])
def test_the_funnel_is_that_of_the_events_one_by_one(
    api: APIClient, visited: tuple[Node, dict[str, list[Event]]], count: str, start: int | None
) -> None:
    node, visitors = visited
    since = 0 if start is None else T + start * SECOND
    body = {} if start is None else {"from": str(since)}
    answer = get_funnel(api, node, count=count, **body)
    expected = count_funnel_slowly(node, visitors, since, count)
    assert [
        {name: row[name] for name in own} for row, own in zip(answer["steps"], expected, strict=True)
    ] == expected
    assert answer["steps"][0]["count"] > answer["steps"][2]["count"] > 0
    assert answer["complete"]
    assert answer["known"] == len(visitors)


def test_shares_are_of_the_first_step_and_of_the_one_before(
    api: APIClient, visited: tuple[Node, dict[str, list[Event]]]
) -> None:
    first, second, third = get_funnel(api, visited[0])["steps"]
    assert (first["share"], first["share_of_previous"], first["median_seconds"]) == (1.0, 1.0, None)
    assert second["share"] == second["count"] / first["count"]
    assert third["share_of_previous"] == third["count"] / second["count"]


def test_the_keys_that_stopped_at_a_step_come_in_pages(
    api: APIClient, visited: tuple[Node, dict[str, list[Event]]]
) -> None:
    node, visitors = visited
    expected = {
        key: (best.reached[-1], best.outcome or "active")
        for key, visits in visitors.items()
        if (own := list_runs_slowly(node, visits, 0, END))
        and len((best := max(own, key=lambda run: (len(run.reached), run.reached[0]))).reached) == 2
    }
    answer = get_funnel(api, node, step="basket", limit=3)
    rows = answer["stopped"]
    assert len(rows) == 3 < len(expected)
    while answer["next"]:
        answer = api.get(answer["next"]).json()
        rows += answer["stopped"]
    assert {row["key"]: (row["at"], row["outcome"]) for row in rows} == expected
    assert [row["at"] for row in rows] == sorted((at for at, _ in expected.values()), reverse=True)
    completed = get_funnel(api, node, step="paid")
    assert len(completed["stopped"]) == completed["steps"][2]["count"]
    assert {row["outcome"] for row in completed["stopped"]} == {"completed"}


def test_steps_of_one_instant_were_both_reached(api: APIClient, ada: User) -> None:
    node = run_sequence(ada)
    revise(node, "fast", [[None, None], [T, "basket"], [T + SECOND, "completed"]])
    revise(
        node,
        "again",
        [[None, None], [T, "basket"], [T + 900 * SECOND, "search"], [T + 1300 * SECOND, "expired"]],
    )
    Node.objects.filter(pk=node.pk).update(final_until=END)
    answer = get_funnel(api, node, count="runs")
    assert [row["count"] for row in answer["steps"]] == [3, 2, 1]
    assert [row["median_seconds"] for row in answer["steps"]] == [None, 0.0, 1.0]
    assert (answer["steps"][1]["expired"], answer["steps"][1]["broken"]) == (1, 0)


def test_a_run_that_goes_on_since_before_the_window_does_not_count(api: APIClient, ada: User) -> None:
    node = run_sequence(ada)
    revise(node, "old", [[None, "search"], [T + SECOND, "basket"], [T + 2 * SECOND, "completed"]])
    revise(node, "new", [[None, None], [T, "search"]])
    assert [row["count"] for row in get_funnel(api, node)["steps"]] == [1, 0, 0]
    assert [row["count"] for row in get_funnel(api, node, **{"from": str(T)})["steps"]] == [1, 0, 0]
    assert [row["count"] for row in get_funnel(api, node, **{"from": str(T + 1)})["steps"]] == [0, 0, 0]
    assert get_funnel(api, node, **{"from": str(T + 1)})["steps"][0]["share"] is None


def test_only_the_keys_revised_last_are_read_of_many(
    api: APIClient, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = run_sequence(ada)
    for key in ("a", "b", "c"):
        revise(node, key, [[None, None], [T, "search"]])
    monkeypatch.setattr(selector, "MAX_FUNNEL_KEYS", 2)
    answer = get_funnel(api, node, step="search")
    assert (answer["known"], answer["complete"], answer["steps"][0]["count"]) == (3, False, 2)
    assert {row["key"] for row in answer["stopped"]} == {"b", "c"}
    monkeypatch.setattr(selector, "MAX_FUNNEL_POINTS", 3)
    answer = get_funnel(api, node)
    assert (answer["complete"], answer["steps"][0]["count"]) == (False, 1)


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ({"step": "nowhere"}, "step"),
        ({"count": "people"}, "count"),
        ({"limit": "1001"}, "limit"),
        ({"cursor": "5"}, "cursor"),
        ({"cursor": "a.b"}, "cursor"),
        ({"from": str(T + 5), "to": str(T)}, "to"),
    ],
    ids=["step", "count", "limit", "cursor", "letters", "order"],
)
def test_what_is_asked_wrong_is_refused_by_name(
    api: APIClient, ada: User, query: dict[str, str], wrong: str
) -> None:
    answer = api.get(f"/api/nodes/{run_sequence(ada).digest}/funnel/", query)
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["field"] == wrong


def test_another_operator_has_no_funnel(api: APIClient, ada: User) -> None:
    answer = api.get(f"/api/nodes/{make_node(ada).digest}/funnel/")
    assert answer.status_code == 400
    assert "sequence" in answer.json()["problems"][0]["hint"]


def test_before_anything_is_known_all_counts_are_nothing(api: APIClient, ada: User) -> None:
    answer = get_funnel(api, run_sequence(ada))
    assert [(row["count"], row["share"], row["median_seconds"]) for row in answer["steps"]] == [
        (0, None, None)
    ] * 3
