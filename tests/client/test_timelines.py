"""Timelines by themselves: values, spans, revisions and pictures; and requests that are sent again."""

from __future__ import annotations

import doctest
import html
from typing import Any

import httpx
import pytest
import timelines.streams
import timelines.things
import timelines.timeline
import timelines.times
from timelines import ApiError, Client, Line, Missing, Point, RateLimited, Timeline, Unreachable

S = 1_000_000


def build_timeline(kind: str, *points: Point, final_until: int | None = None) -> Timeline:
    return Timeline("d", "s1", kind, points, final_until=final_until)


def test_numbers_have_their_slope_and_ratios_their_quotient() -> None:
    number = build_timeline("number", Point(None, 0.0, 0.0), Point(S, 1.0, 2.0))
    assert [number.value_at(t) for t in (0, S, 2 * S)] == [0.0, 1.0, 3.0]
    ratio = build_timeline(
        "ratio", Point.from_json({"t": 0, "num": {"value": 1, "slope": 1}, "den": {"value": 2, "slope": 0}})
    )
    assert [ratio.value_at(t) for t in (-1, 0, S)] == [None, 0.5, 1.0]
    assert (
        Point.from_json({"t": 0, "num": {"value": 1, "slope": 0}, "den": {"value": 0, "slope": 0}}).value
        is None
    )
    assert Line(1.0).after(S) == Line(1.0)


def test_spans_are_cut_where_they_become_provisional() -> None:
    result = build_timeline("bool", Point(None, False), Point(2 * S, True), final_until=3 * S).spans(0, 5 * S)
    assert [(item.start // S, item.end // S, item.value, item.provisional) for item in result] == [
        (0, 2, False, False),
        (2, 3, True, False),
        (3, 5, True, True),
    ]


def test_a_revision_takes_the_place_of_a_stretch_and_no_more() -> None:
    number = build_timeline("number", Point(None, 0.0, 0.0), Point(S, 0.0, 1.0))
    revised = number.revised(2 * S, 3 * S, [Point(2 * S, None)])
    assert revised.points == (
        Point(None, 0.0, 0.0),
        Point(S, 0.0, 1.0),
        Point(2 * S, None),
        Point(3 * S, 2.0, 1.0),
    )
    assert revised.revised(2 * S, 3 * S, [Point(2 * S, 1.0, 1.0)]).points == number.points
    assert number.revised(None, None, [Point(None, 5.0, 0.0)]).points == (Point(None, 5.0, 0.0),)


def test_pictures_tell_unknown_and_provisional_apart() -> None:
    answer = build_timeline(
        "text", Point(None, "a"), Point(S, None), Point(2 * S, "b"), final_until=3 * S
    ).plot(0, 5 * S)
    bars = {bar.name: (bar.marker.pattern.shape, bar.opacity) for bar in answer.data}
    assert bars == {"a": ("", 1.0), "b": ("", 1.0), "b (provisional)": ("/", 0.55), "unknown": ("x", 1.0)}
    number = build_timeline(
        "number", Point(None, 1.0, 1.0), Point(S, None), Point(2 * S, 4.0, 0.0), final_until=3 * S
    )
    lines = {item.name: item for item in number.plot(0, 5 * S).data}
    assert (lines["final"].line.dash, lines["provisional"].line.dash) == ("solid", "dot")
    assert lines["unknown"].fillpattern.shape == "x"


def test_pandas_gets_a_row_for_each_point() -> None:
    frame = build_timeline("number", Point(None, 1.0, 0.0), Point(S, 2.0, 1.0), final_until=S).to_pandas()
    assert list(frame["value"]) == [1.0, 2.0]
    assert list(frame["final"]) == [True, False]
    assert frame["t"].isna().tolist() == [True, False]


@pytest.mark.parametrize("module", [timelines.times, timelines.timeline, timelines.streams, timelines.things])
def test_the_examples_of_a_module_print_what_it_shows(module: Any) -> None:
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert (result.failed, result.attempted > 0) == (0, True)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """For how long it waited, without waiting."""
    numbers: list[float] = []
    monkeypatch.setattr("timelines.http.time.sleep", numbers.append)
    return numbers


def make_scripted_client(
    *answers: httpx.Response | httpx.TransportError,
) -> tuple[Client, list[httpx.Request]]:
    """A client whose line gives these answers, and what it sent."""
    client, sent, left = Client("http://here", "x"), list[httpx.Request](), list(answers)

    def line(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        answer = left.pop(0)
        if isinstance(answer, httpx.TransportError):
            raise answer
        return answer

    client.http._client = httpx.Client(base_url="http://here/api/", transport=httpx.MockTransport(line))
    return client, sent


BUSY = {"code": "busy", "message": "Later.", "problems": []}


def test_what_is_limited_waits_as_long_as_it_is_told(waits: list[float]) -> None:
    busy = httpx.Response(429, json=BUSY, headers={"Retry-After": "7"})
    client, sent = make_scripted_client(busy, httpx.Response(200, json={"username": "ada"}))
    assert client.me()["username"] == "ada"
    assert (waits, len(sent)) == ([7.0], 2)


def test_who_would_wait_too_long_is_told_instead(waits: list[float]) -> None:
    client, _ = make_scripted_client(httpx.Response(429, json=BUSY, headers={"Retry-After": "600"}))
    with pytest.raises(RateLimited) as refused:
        client.me()
    assert (refused.value.retry_after, waits) == (600.0, [])


def test_what_may_have_been_done_is_not_sent_again(waits: list[float]) -> None:
    client, sent = make_scripted_client(httpx.ReadTimeout("no answer"))
    with pytest.raises(Unreachable):
        client.http.put("plans/1/", {})
    assert (len(sent), waits) == (1, [])


def test_whatever_is_done_is_sent_again_under_one_key(waits: list[float]) -> None:
    away = httpx.Response(503, json=BUSY, headers={"Retry-After": "3"})
    busy = httpx.Response(429, json=BUSY, headers={"Retry-After": "2"})
    done = httpx.Response(200, json={"digest": "d"})
    client, sent = make_scripted_client(
        httpx.ReadTimeout("no answer"), away, busy, done, httpx.Response(200, json={})
    )
    node = timelines.Node(client.http, "d")
    assert node.restart("again") == {"digest": "d"}
    assert (len(sent), waits[1:]) == (4, [3.0, 2.0])
    node.stop()
    keys = [request.headers["Idempotency-Key"] for request in sent]
    assert (len(set(keys[:4])), len(set(keys))) == (1, 2)
    assert len({request.content for request in sent[:4]}) == 1


def test_a_key_that_was_used_for_something_else_is_a_refusal(waits: list[float]) -> None:
    body = {"code": "idempotency_key_reused", "message": "It came before.", "problems": []}
    client, _ = make_scripted_client(httpx.Response(422, json=body))
    with pytest.raises(ApiError) as refused:
        client.http.post("plans/1/run/")
    assert (refused.value.code, waits) == ("idempotency_key_reused", [])


def test_what_was_gone_when_it_had_to_be_asked_again_was_deleted(waits: list[float]) -> None:
    gone = {"code": "unknown_stream", "message": "There is none.", "problems": []}
    client, sent = make_scripted_client(httpx.ReadTimeout("no answer"), httpx.Response(404, json=gone))
    timelines.Stream(client.http, "player").delete()
    assert (len(sent), len(waits)) == (2, 1)
    limited = httpx.Response(429, json=BUSY, headers={"Retry-After": "1"})
    client, _ = make_scripted_client(limited, httpx.Response(404, json=gone))
    with pytest.raises(Missing):
        timelines.Stream(client.http, "player").delete()


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>Bad gateway</html>", b"[]", b"null", b'{"detail": "no"}', b"\xff\xfe", b'"text"', b"{"],
)
def test_a_refusal_of_something_in_between_is_a_refusal(body: bytes, waits: list[float]) -> None:
    client, _ = make_scripted_client(httpx.Response(418, content=body))
    with pytest.raises(ApiError) as refused:
        client.me()
    assert (refused.value.status, refused.value.code, refused.value.problems) == (418, "no_reason", ())
    assert waits == []


def test_events_are_sent_again_under_their_number(waits: list[float]) -> None:
    client, sent = make_scripted_client(
        httpx.ReadTimeout("no answer"),
        httpx.Response(503),
        httpx.Response(202, json={"taken": 1, "batch": 1}),
    )
    assert timelines.Stream(client.http, "player").push([{"a": 1}]) == timelines.Pushed(taken=1)
    assert {request.headers["Client-Sequence"] for request in sent} == {"0"}
    assert len({request.headers["Client-Id"] for request in sent}) == 1
    assert (len(sent), len(waits)) == (3, 2)


def test_live_points_of_ratios_are_read() -> None:
    assert Point.of_row([5, 1.0, 0.0, 4.0, 0.0]) == Point(5, 0.25, None, Line(1.0), Line(4.0))
    assert Point.of_row([None, None, 0.0, None, 0.0]) == Point(None)


@pytest.mark.parametrize(
    "value",
    [
        '<a href="https://evil.example/login">log in again</a>',
        "a<b and c>d",
        "<b>bold</b> & <i>x</i>",
        "&lt;b&gt;",
        "$5 and $6",
    ],
)
def test_a_picture_says_a_value_as_it_is(value: str) -> None:
    """Plotly takes tags and entities for markup, and in a notebook what stands between dollars for TeX."""
    answer = build_timeline("text", Point(None, value), final_until=S).plot(0, S)
    [bar] = answer.data
    assert not set("<>$") & set(bar.name)
    assert html.unescape(bar.name) == value
