"""A REST API that is asked again and again, against a real server: the promises, its pauses, and what is wrong."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest

from tests.connectors.api_server import Api
from tests.dripping import HEAD, Dripping
from tests.endless import Endless
from timeline_app.connectors.http import source as http_source
from timeline_app.connectors.http.source import HttpApi
from timeline_app.connectors.messages import decode_messages
from timeline_app.connectors.options import BadOptions, read
from timeline_app.connectors.raw_events import decode_unreadable
from timeline_app.connectors.reading import Message, SourceUnavailable
from timeline_app.connectors.source_contract import Resume
from timeline_app.connectors.source_kit import CASES, SourceCase, SourceHarness
from timeline_app.connectors.source_kit.memory import Faults, Memory
from timeline_app.connectors.splits.estimators import Manual
from timeline_app.connectors.splits.portions import Carried
from timeline_app.connectors.splits.tracker import Tracker
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode.json_faults import decode_json
from timeline_app.events.validate import LineProblem


@pytest.fixture(scope="module")
def served() -> Iterator[Api]:
    with Api() as api:
        yield api


@pytest.fixture
def api(served: Api) -> Api:
    served.events, served.token, served.requests, served.refusals = [], "", [], []
    return served


class ApiWorld(SourceHarness):
    """An API without events at first."""

    def __init__(self, api: Api) -> None:
        api.events = []
        self.api = api

    def source(self) -> HttpApi:
        return build_source(self.api)

    def send(self, events: Iterable[int]) -> None:
        self.api.events += [{"n": number} for number in events]

    def number(self, row: Mapping[str, Any]) -> int:
        return int(json.loads(row["event"])["n"])


def build_source(api: Api, **options: Any) -> HttpApi:
    usual: dict[str, Any] = {"url": api.url, "events": "data.items", "next": "next", "every": 0.5}
    return HttpApi(**usual | options)


def read_numbers(source: HttpApi, start: Any = (0, 0, "")) -> tuple[list[Any], Any, Tracker]:
    """The numbers that come, what is returned, and how far it was read."""
    tracker, result = Tracker(list(start)), list[Any]()
    rows = source.process("", tracker, Manual(), lambda payload: None)
    while True:
        try:
            row: Any = next(rows)
        except StopIteration as end:
            return result, end.value, tracker
        result.append(json.loads(row[0])["n"])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_api_keeps_the_promises(case: SourceCase, api: Api) -> None:
    case.run(lambda: ApiWorld(api))


def test_pages_follow_each_other_and_the_last_one_is_asked_again(api: Api) -> None:
    api.events = [{"n": number} for number in range(25)]
    source = build_source(api, url=f"{api.url}?kind=a")
    result, end, tracker = read_numbers(source)
    assert (result, end) == (list(range(25)), Resume(0.5))
    assert api.requests == ["/events?kind=a", "/events?kind=a&cursor=1", "/events?kind=a&cursor=2"]
    assert tracker.last == [2, 5, "2"]
    api.events += [{"n": number} for number in range(25, 32)]
    result, _, tracker = read_numbers(source, tracker.last)
    assert result == list(range(25, 32))
    assert tracker.last == [3, 2, "3"]


def test_answers_of_new_events_are_all_taken(api: Api) -> None:
    api.events = [{"n": 1}]
    source = build_source(api, next="", pages="anew")
    first, _, tracker = read_numbers(source)
    second, _, _ = read_numbers(source, tracker.last)
    assert first == second == [1]


@pytest.mark.parametrize(
    ("code", "text", "least", "most"),
    [
        (429, "7", 7, 7),
        (503, "7", 7, 7),
        (429, "", 10, 10),
        (429, "soon", 10, 10),
        (429, "99999", 3_600, 3_600),
        (429, "0", 0.5, 0.5),
        (503, format_datetime(datetime(2999, 1, 1, tzinfo=UTC)), 3_600, 3_600),
    ],
)
def test_it_comes_again_when_the_api_asks_it_to(
    api: Api, code: int, text: str, least: float, most: float
) -> None:
    api.refusals.append((code, {"Retry-After": text}, b""))
    _, end, _ = read_numbers(build_source(api))
    assert least <= end.seconds <= most


@pytest.mark.parametrize(
    ("refusal", "options", "words"),
    [
        (
            (302, {"Location": "http://169.254.0.1/"}, b""),
            {},
            "leads elsewhere, which is not followed: give the address where it leads as the url",
        ),
        ((302, {"Location": "http://[x"}, b""), {}, "leads elsewhere, which is not followed"),
        ((404, {}, b""), {}, "answers 404 Not Found: check url"),
        (
            (500, {}, b""),
            {},
            "answers 500 Internal Server Error: the fault is with the API: ask whoever runs it",
        ),
        ((503, {}, b""), {}, "answers 503 Service Unavailable: the fault is with the API"),
        ((418, {}, b""), {}, "answers 418 .*: check url and token, and what the API expects"),
        ((200, {}, b"<html>"), {}, "it is a page for people .6 bytes.: check that url is of the API"),
        ((200, {}, b"\x1f\x8b\x08"), {}, "cannot be read: This gzip is .*"),
        ((200, {}, b"<html>"), {"events": "", "next": ""}, "it is a page for people"),
        (
            (200, {}, b"soon"),
            {},
            "is no JSON: it is text .4 bytes.: check url, and that the API answers JSON",
        ),
        (
            (200, {}, b'{"data": 1}'),
            {},
            "no list at 'data.items' but nothing, and at its top an object with 1 field: let events say",
        ),
        (
            (200, {}, b'{"a": 1, "b": 2}'),
            {"events": ""},
            "no list at its top but an object with 2 fields: let",
        ),
        ((200, {}, b"[" + b" " * (2 << 10) + b"]"), {}, "is of more than 0 MiB: ask for smaller pages"),
        (
            (200, {}, b'{"data": {"items": []}, "next": "http://elsewhere/"}'),
            {},
            "the next page is at another host: it is not followed",
        ),
        (None, {"url": "http://127.0.0.1:1/"}, "does not answer: check url, and whether it runs"),
    ],
)
def test_what_is_wrong_is_said(
    api: Api, refusal: Any, options: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_source, "MAX_ANSWER_BYTES", 1 << 10)
    api.refusals += [refusal] if refusal else []
    with pytest.raises(SourceUnavailable, match=words.replace("[", "\\[")):
        read_numbers(build_source(api, **options))


def test_the_token_is_sent_and_a_wrong_one_is_said_without_it(api: Api) -> None:
    api.token, api.events = "open sesame", [{"n": 1}]
    assert read_numbers(build_source(api, token="open sesame"))[0] == [1]
    with pytest.raises(SourceUnavailable, match="answers 401 Unauthorized: check token") as result:
        read_numbers(build_source(api, token="hunter2"))
    assert "hunter2" not in str(result.value)


def test_what_the_address_brings_along_is_told_to_nobody(api: Api) -> None:
    source = build_source(api, url=f"{api.url}?key=hush&size=9")
    api.refusals += [(404, {}, b""), (302, {"Location": f"{api.url}/?key=hush&a=1"}, b"")]
    for words in (f"{api.url} answers 404 Not Found: check url", f"{api.url} leads elsewhere, which"):
        with pytest.raises(SourceUnavailable, match=re.escape(words)) as raised:
            read_numbers(source)
        assert "hush" not in str(raised.value)
    host = api.url.rpartition("/")[0]
    for cursor in (f"{api.url}?key=hush&cursor=0", "/hush?a=1", "?a=hush"):
        assert source._origin(cursor) == f"the page {host}/…", "who may look at the stream is told no more"
    assert source._origin("17") == "the page 17"


def test_a_sample_is_of_the_first_page_and_a_pause_is_said(api: Api) -> None:
    api.events = [{"n": number} for number in range(15)]
    carried = Carried(lambda: build_source(api), "it", Memory(Faults()))
    assert [item.value for item in carried.sample()] == [f'{{"n":{number}}}'.encode() for number in range(10)]
    api.refusals.append((429, {"Retry-After": "30"}, b""))
    with pytest.raises(SourceUnavailable, match="asks to come again in 30 s"):
        carried.sample()


def test_who_is_told_to_wait_says_for_how_long_until_it_is_asked_again(api: Api) -> None:
    api.events, now = [{"n": 1}], [1_000.0]
    carried = Carried(lambda: build_source(api, every=5.0), "it", Memory(Faults()), pace=5.0)
    reader = carried.open({})
    reader._planner.clock = reader._planner.reader.clock = lambda: now[0]

    def measure_wait(seconds: float) -> tuple[int, float]:
        """How many events come once that has passed, and how long is waited then."""
        now[0] += seconds
        portions = [reader.take() for _ in range(3)]  # what is new, that there is no more, and then nothing
        return sum(len(item.messages) for item in portions), round(portions[-1].waits, 1)

    assert measure_wait(0) == (1, 0.0), "it is asked every five seconds, as declared"
    api.refusals.append((429, {"Retry-After": "60"}, b""))
    assert measure_wait(6) == (0, 60.0)
    assert measure_wait(58) == (0, 2.0), "nobody has asked yet"
    again = carried.open(reader.positions)
    again._planner.clock = lambda: now[0] - 50
    assert again.take().waits == pytest.approx(52.0), "after a restart, too"
    api.events.append({"n": 2})
    assert measure_wait(3) == (1, 0.0)


def test_an_answer_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_source, "TIMEOUT_S", 0.5)
    with (
        Endless() as url,
        pytest.raises(SourceUnavailable, match=r"does not answer: .* \(it has not ended for 0.5 s\)"),
    ):
        HttpApi(url).fetch_answer("")


@pytest.mark.parametrize(
    ("first", "drop"),
    [
        (b"", b"H"),
        (HEAD, b"X-A: b\r\n"),
        (HEAD + b"X: ", b"y"),
        (HEAD + b"Content-Length: 999\r\n\r\n", b" "),
    ],
)
def test_an_answer_that_comes_in_drops_is_given_up_be_it_in_its_headers(
    first: bytes, drop: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_source, "TIMEOUT_S", 0.5)
    with Dripping(first, drop) as url:
        started = time.monotonic()
        with pytest.raises(SourceUnavailable, match="does not answer: check url, and whether it runs"):
            HttpApi(url).fetch_answer("")
        assert time.monotonic() - started < 2


@pytest.mark.parametrize("url", ["http://[::1", "http://a..b/", f"http://{'a' * 70}/"])
def test_what_can_be_no_address_is_refused(url: str) -> None:
    with pytest.raises(BadOptions, match="url: is no address"):
        read(HttpApi, {"url": url})


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("http://h/caf\u00e9", "has characters .*; write them as %XX"),
        ("http://b\u00fccher.example/", "has a host .*; write it as xn--bcher-kva.example"),
    ],
)
def test_letters_that_no_address_has_are_refused(url: str, hint: str) -> None:
    with pytest.raises(BadOptions, match=f"url: {hint}"):
        read(HttpApi, {"url": url})


def test_what_is_declared_wrongly_is_told_with_its_hint() -> None:
    wrong = {
        "file:///etc/passwd": "is no address: 'file:///etc/passwd'; such as https://host/path",
        "https://": "is no address: 'https://'; such as https://host/path",
        "https://me:hush@host/": "holds a login, and would be shown; leave it out here and give it as the option token",
    }
    for url, words in wrong.items():
        with pytest.raises(BadOptions) as bad:
            read(HttpApi, {"url": url, "every": 0.1})
        assert dict(bad.value.problems) == {
            "url": words,
            "every": "must be between half a second and a day, not 0.1",
        }


@pytest.mark.parametrize("token", ["hush-hush\n", "hush hush", "hush\r\nX: y", "hüsh"])
def test_a_token_that_no_header_can_hold_is_refused_and_never_told(token: str) -> None:
    with pytest.raises(BadOptions, match="token: has a space, the end of a line") as bad:
        read(HttpApi, {"url": "http://127.0.0.1:9/", "token": token})
    assert token.strip() not in str(bad.value)


EVENTS = [{"n": 1, "v": 1.5}, {"n": 2, "v": 2.5}]
DECLARED = StreamDeclaration.from_document("s", {"key": "n", "time": "t", "fields": {"v": "number"}})


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(json.dumps(EVENTS).encode()),
        json.dumps(EVENTS, indent=1).encode("utf-16"),
        b"\xef\xbb\xbf" + json.dumps(EVENTS).encode(),
        "\n".join(map(json.dumps, EVENTS)).encode(),
        b"n,t,v\n1,,1.5\n2,,2.5\n",
    ],
    ids=["gzip", "UTF-16", "BOM", "lines", "CSV"],
)
def test_answers_are_decoded_as_files_are(api: Api, body: bytes) -> None:
    api.refusals = [(200, {}, body)]
    source = build_source(api, events="", next="")
    source.declared = lambda: DECLARED
    rows = [json.loads(text) for text, _, _ in source.sample(5)]
    assert [(int(row["n"]), row["v"]) for row in rows] == [(1, 1.5), (2, 2.5)]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ('{"n": 2, "v": NaN}', "'v' is NaN, which JSON does not have; write null"),
        ('{"n": 2, "v": 1, "v": 3}', "'v' stands twice in one object; send each name once"),
        ('{"n": 2, "o": {"v": 1, "v" : 3}}', "'v' stands twice in one object"),
        ('{"n": 2, "v": "\\ud83d"}', "'v' holds half of a character"),
    ],
)
def test_one_event_that_is_no_json_is_refused_alone_in_the_words_of_files(
    api: Api, event: str, words: str
) -> None:
    api.refusals = [(200, {}, f'{{"data": {{"items": [{{"n": 1}}, {event}, {{"n": 3}}]}}}}'.encode())]
    texts = [text for text, _, _ in build_source(api).sample(5)]
    messages = [
        Message(None if unread else text.encode(), "p", index, unread=unread, decoded=True)
        for index, text in enumerate(texts)
        for unread in [decode_unreadable(text.encode())]
    ]
    lines = decode_messages(messages, DECLARED)
    decoded = [decode_json(line, 1) for line in lines.lines]
    assert [event["n"] for event in decoded if isinstance(event, dict)] == [1, 3]
    [problem] = [
        *(item.problem for item in lines.wrong),
        *(item for item in decoded if isinstance(item, LineProblem)),
    ]
    assert words in problem.message
