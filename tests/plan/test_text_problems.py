"""Every mistake of a text is told with its line, its column and its hint."""

from __future__ import annotations

import pytest

from timeline_app.plan import Refused, check
from timeline_app.plan.text import read_text, read_text_with_places

BROKEN: dict[str, tuple[str, list[tuple[int, int, str, str]]]] = {
    "an open parenthesis": (
        "a = event_count(s)\nb = not(a\nc = not a",
        [(2, 8, "( is not closed: found the end of the statement, expected a closing parenthesis", "close it")],
    ),
    "several broken statements": (
        "a = event_count(s\nb = a b\nc = event_count(s)\nd = * c",
        [(1, 16, "is not closed", "close it"), (2, 7, "found 'b'", "own"), (4, 5, "found '*'", "own")],
    ),
    "an unknown operator": ("a = has_exist(s.x == 1)", [(1, 5, "no operator 'has_exist'", "mean has_existed")]),
    "a node that is called": ("a = event_count(s)\nb = a(a)", [(2, 5, "no operator 'a'", "a is a node")]),
    "an unknown parameter": (
        "a = has_existed_within(s.x == 1, durations = 5s)", [(1, 34, "'durations'", "mean duration?")],
    ),
    "an unknown port": ("a = event_count(s)\nb = aggregate(a, bye = a)", [(2, 18, "'bye'", "did you mean by?")]),
    "an unknown choice": ("a = event_count(s)\nb = aggregate(a, summ)", [(2, 18, "'summ'", "did you mean sum?")]),
    "a missing value that is a timeline": ("a = missing", [(1, 5, "missing is for values", "write it in a leaf")]),
    "null as a value": (
        "a = event_sum(if(s.x > 1, s.x, null))", [(1, 15, "cannot be read", "write missing instead of null")],
    ),
    "no stream before the field": (
        'a = has_existed(player_state == "play")\nb = event_count(player.x == 1)',
        [(1, 17, "player_state does not say of which stream", "name the stream: player.player_state")],
    ),
    "no stream before the only field": (
        "a = latest_event_to_state(cdn)\nb = event_count(player.x == 1)", [(1, 27, "cdn", "player.cdn")],
    ),
    "two streams in one leaf": (
        "a = has_existed(s.x == 1 and t.y == 2)", [(1, 30, "t.y is not a field of s", "has_existed reads one stream")],
    ),
    "a stream that is not declared": (
        "stream player(key = k, time = t)\na = event_count(playr)", [(2, 17, "'playr'", "did you mean player?")],
    ),
    "a name twice": ("a = event_count(s)\n\na = event_count(t)", [(3, 1, "a statement on line 1", "another name")]),
    "a reserved word": ("is = event_count(s)", [(1, 1, "'is' is a word of the language", "`is` in backquotes")]),
    "no name": ("1x = event_count(s)", [(1, 1, "'1x' cannot be the name", "letters")]),
    "a name that is not there": (
        "played = event_count(s)\nb = not playd", [(2, 9, "no node 'playd'", "did you mean played?")],
    ),
    "an operator without parentheses": ("a = not event_count", [(1, 9, "'event_count'", "write event_count(…)")]),
    "a result that is not there": ("cirr = event_count(s)\nresults cir", [(2, 9, "'cir'", "did you mean cirr?")]),
    "one sign of equality": ('a = has_existed(s.x = "y")', [(1, 21, "found '='", "write == to compare")]),
    "signs of another language": ("a = event_count(s)\nb = a && a", [(2, 7, "found '&&'", "write and")]),
    "a text that does not end": ('a = has_existed(s.x == "y)', [(1, 24, "is not closed on its line", 'with "')]),
    "a unit that is none": ("a = held_for(b, 5 sec)", [(1, 19, "found 'sec'", "250ms, 5s, 10min")]),
    "a value without quotes": ("a = has_existed(s.x == play)", [(1, 24, "compares the field s.x", '"play"')]),
    "a field alone": ("a = has_existed(s.live)", [(1, 17, "s.live alone is no condition", "s.live == true")]),
    "a field that is a word": ("a = has_existed(s.in == 1)", [(1, 17, "'in' is a word", "s.`in`")]),
    "a field where a timeline is wanted": ("a = s.x > 3", [(1, 5, "s.x is a field", "latest_event_to_state(s.x)")]),
    "a value on the left": ("b = event_count(s)\na = 3 - b", [(2, 5, "on the left of -", "b * -1 + 3")]),
    "another name": ("b = event_count(s)\na = b", [(2, 5, "another name of b", "use b")]),
    "nothing behind the sign": ("a =\nb = event_count(s)", [(1, 4, "expected an expression", "complete")]),
    "two comparisons": ("b = event_count(s)\na = 1 < b < 3", [(2, 11, "expected an operator or the end", "own")]),
    "too many arguments": ("b = event_count(s)\na = shift(b, 5s, 6s)", [(2, 18, "no place", "it takes of, duration")]),
    "an argument twice": ("a = event_count(s, where = s.x == 1, where = s.x == 2)", [(1, 38, "twice", "away")]),
    "an escape": (r'b = event_count(s) == "\x41"', [(1, 23, "an escape that is not known", "backslash")]),
    "no statement": ("event_count(s)", [(1, 1, "expected a statement: a name and =", "write cirr =")]),
    "no directive": ('plna "x"', [(1, 1, "found 'plna \"x\"'", "did you mean plan?")]),
    "a name of the plan that is no text": ("plan rebuffering", [(1, 6, "the plan's name is a text", 'plan "')]),
    "a part twice": ("layout a 0 0\nlayout a 1 1", [(2, 1, "'layout' is given twice", "take one of them away")]),
    "a NUL": ("a = event_count(s)\n\0", [(2, 1, "a NUL", "UTF-8")]),
    "half a character": ("# \ud800", [(1, 3, "half a character", "UTF-8")]),
    "more than a megabyte": ("#" + "é" * 600_000, [(1, 1, "1,200,001 bytes", "several plans")]),
    "no end of parentheses": ("a = " + "(" * 100_000, [(1, 10_005, "brackets", "statements of their own")]),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_text_is_refused_at_line_and_column_with_the_hint(name: str) -> None:
    text, says = BROKEN[name]
    with pytest.raises(Refused) as refused:
        read_text(text)
    problems = refused.value.problems
    assert [(item.line, item.column) for item in problems] == [(line, column) for line, column, *_ in says]
    for problem, (_, _, message, hint) in zip(problems, says, strict=True):
        assert message in problem.message
        assert hint in problem.hint.replace("x * -1", "b * -1")


FOUND = {
    "stream s(key = k, time = k)\na = event_count(s)": (1, 1, None, "streams.s.time"),
    "stream s(key = k, time = t)\n\nloud = latest_event_to_state(s.volume) > 3": (3, 8, "loud", "of"),
    "stream s(key = k, time = t)\na = event_count(s) > 1\nb = a and\n  not a + 1": (4, 7, "b_1", "of"),
    "stream s(key = k, time = t)\na = held_for(event_count(s) > 1, 0s)": (2, 34, "a", "duration"),
    "a = has_existed(s.x == 1)": (1, 17, "a", "stream"),
    "a = not()": (1, 1, "a", "of"),
}


@pytest.mark.parametrize("written", FOUND)
def test_a_problem_of_the_check_is_found_in_the_text(written: str) -> None:
    text = read_text_with_places(written)
    problems = [text.located(item) for item in check(text.document, {}).problems if item.severity == "error"]
    assert FOUND[written] in [(item.line, item.column, item.node, item.port) for item in problems]
