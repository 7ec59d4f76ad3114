"""Predicates: what they mean, one canonical text for each meaning, and errors that say where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from tests.predicates.conditions import Condition, Tree, Value, judge, parse_literal
from tests.strategies import KINDS, NUMBERS, STATES, conditions, format_tree, trees
from timeline_app.algebra.events import Column
from timeline_app.algebra.kinds import FALSE, TRUE, UNKNOWN, Kind
from timeline_app.predicates import PredicateError, parse
from timeline_app.predicates.parser import MAX_CONDITION_CHARS
from timeline_app.predicates.tree import Comparison

Row = dict[str, Any]
rows = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "state": st.sampled_from(STATES),
            "cdn": st.sampled_from(["CDN1", "CDN2"]),
            "bitrate": st.sampled_from(NUMBERS),
            "live": st.booleans(),
        },
    ),
    min_size=1,
    max_size=6,
)


def build_columns(events: list[Row]) -> dict[str, Column]:
    """The rows as columns of the algebra."""
    made = {}
    for name, word in KINDS.items():
        kind, values = Kind(word), [item.get(name) for item in events]
        if kind is Kind.TEXT:
            labels = sorted({value for value in values if value is not None})
            codes = [-1 if value is None else labels.index(value) for value in values]
            made[name] = Column(kind, np.array(codes, dtype=np.int32), np.array(labels, dtype=object))
        elif kind is Kind.NUMBER:
            made[name] = Column(
                kind, np.array([np.nan if value is None else value for value in values], dtype=float)
            )
        else:
            truth = {None: UNKNOWN, False: FALSE, True: TRUE}
            made[name] = Column(kind, np.array([truth[value] for value in values], dtype=np.int8))
    return made


def judge_events(text: str, events: list[Row]) -> list[Value]:
    """What the product says, as Python has it."""
    return [{0: False, 1: None, 2: True}[int(value)] for value in parse(text).judge(build_columns(events))]


@given(conditions(), rows)
@example(Condition("not not live == true", ("not", ("not", ("==", "live", True)))), [{}, {"live": True}])
def test_every_event_is_judged_as_the_referee_judges_it(condition: Condition, events: list[Row]) -> None:
    truth = [judge(condition.tree, {name: parse_literal(v) for name, v in item.items()}) for item in events]
    for value in truth:
        event(f"judged {value}")
    assert judge_events(condition, events) == truth


@given(trees(), rows)
def test_the_canonical_text_reads_back_as_itself_and_means_the_same(tree: Tree, events: list[Row]) -> None:
    text = parse(format_tree(tree)).text()
    assert parse(text).text() == text
    assert judge_events(text, events) == judge_events(format_tree(tree), events)


@given(trees(), st.randoms())
def test_order_nesting_and_repetition_of_and_and_or_do_not_show(tree: Tree, random: Any) -> None:
    def shuffle_tree(tree: Tree) -> Tree:
        if tree[0] == "not":
            return ("not", shuffle_tree(tree[1]))
        if tree[0] not in ("and", "or"):
            return tree
        parts = [shuffle_tree(part) for part in tree[1:]]
        parts.append(random.choice(parts))
        random.shuffle(parts)
        return (tree[0], parts[0], (tree[0], *parts[1:]))

    assert parse(format_tree(shuffle_tree(tree))).text() == parse(format_tree(tree)).text()


@given(
    st.text(st.characters(exclude_characters="`", exclude_categories=["Cs"]), min_size=1, max_size=8),
    st.one_of(st.booleans(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=6)),
)
@example("is-live", True)
@example("in.x", 1.0)
@example("not", 5e-324)
@example("a b", 'quote " back \\ line\n')
def test_any_field_and_any_literal_can_be_written(field: str, literal: Any) -> None:
    made = Comparison(field, "==", literal)
    back = parse(made.text())
    assert back == made


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("a == 'x'", 'a == "x"'),
        ("b==2 and a==1", "a == 1 and b == 2"),
        ("a == 1 or b == 2 and c == 3", "a == 1 or (b == 2 and c == 3)"),
        ("not a == 1 and b == 2", "a != 1 and b == 2"),
        ("(a == 1 and b == 2) and c == 3", "a == 1 and b == 2 and c == 3"),
        ("((a == 1 and b == 2) or (b == 2 and a == 1)) and c == 3", "a == 1 and b == 2 and c == 3"),
        ("a is not missing", "not (a is missing)"),
        ("a in ('y', \"x\", 'x')", 'a in ("x", "y")'),
        ("a > 1.50", "a > 1.5"),
        ("a > +1e3", "a > 1000"),
        ("x == true and `x y` == false", "`x y` == false and x == true"),
        ("état == 'é'", 'état == "é"'),
        ("a.b-c >= -0.0", "a.b-c >= 0"),
        ("a > 1.5min", "a > 90"),
        ("a in (250ms, 2h)", "a in (0.25, 7200)"),
        ("3 < a", "a > 3"),
        ("'x' != a and 2 >= b", 'a != "x" and b <= 2'),
    ],
)
def test_the_canonical_text(text: str, canonical: str) -> None:
    assert parse(text).text() == canonical


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ("state = 'play'", "line 1, column 7: one '='"),
        ("state === 'play'", "line 1, column 9: one '='"),
        ("a == 1 && b == 2", "line 1, column 8: write 'and'"),
        ("a == 1 || b == 2", "line 1, column 8: write 'or'"),
        ("!a == 1", "line 1, column 1: write 'not'"),
        ("a <> 1", "write '!='"),
        ("a == null", "line 1, column 6: write 'is missing'"),
        ("a == True", "small letters"),
        ("a b", "expected a comparison, 'in', 'is'"),
        ("a is 3", "expected 'missing', 'not'"),
        ("a == 1 b == 2", "line 1, column 8"),
        ("a == 1 and\nb >", "ends too early"),
        ("a == 1 and\nb ! 2", "line 2, column 3"),
        ("state == 'play", "line 1, column 10"),
        ("a in ()", "line 1, column 7"),
        ("(a == 1", "ends too early"),
        ("a == 1)", "line 1, column 7"),
        ("true == true", "line 1, column 6: both sides are values; write a field on one side"),
        ("not", "ends too early"),
        ("a > 1e999", "line 1, column 5: the number 1e999 is too large"),
        ("a == 9007199254740993", "line 1, column 6: the number 9007199254740993 is beyond 2**53"),
        ('a == "\\ud800"', "no Unicode text"),
        ("a == '\ud800'", "half a character"),
        ("a == 1 and " * 1_000 + "a == 1", f"at most {MAX_CONDITION_CHARS:,}"),
        ("(a == 1 or (b == 2 and " * 300 + "c == 3" + "))" * 300, "deep"),
        ("__import__('os').system('ls')", "line 1, column 17"),
        ("__import__('os')", "line 1, column 1: there is no function '__import__'; there are abs, ceil, "),
        ("price * quantity", "price * quantity alone is no condition; compare it"),
        ("live", "live alone is no condition; compare it, such as live == true"),
        ("a == 1 and live", "live alone is no condition"),
        ("(a == 1) == true", "line 1, column 10: a condition stands where a value is expected: a == 1"),
        ("abs(a, b) > 1", "line 1, column 1: abs takes 1 value, and is given 2"),
        ("min(a) > 1", "line 1, column 1: min takes 2 to 20 values, and is given 1"),
        ("if(a, 1, 2) > 1", "a alone is no condition"),
        ("starts_with(a, b)", "line 1, column 1: starts_with looks for a text in quotes"),
        ("matches(a, '(')", "no pattern of RE2: missing )"),
        ("matches(a, '(?=a)')", "no pattern of RE2: invalid perl operator: (?="),
        ("matches(a, '" + "a" * 2_000 + "')", "at most 1,000 are read"),
        ("5 is missing", "5 is never missing"),
        ("a > b +", "ends too early"),
        ("a * / b > 1", "line 1, column 5: cannot read '/ b > 1'"),
        (" + ".join(["a"] * 200) + " > 1", "deep"),
    ],
)
def test_an_error_says_where_and_what(text: str, says: str) -> None:
    with pytest.raises(PredicateError) as refusal:
        parse(text)
    assert says in str(refusal.value)


def test_parentheses_alone_are_not_deep() -> None:
    assert parse("(" * 2_000 + "a == 1" + ")" * 2_000).text() == "a == 1"


@given(st.text(st.sampled_from("ab =\"'()<>!1.e-\\`\nandornotinismissing"), max_size=30))
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    try:
        canonical = parse(text).text()
    except PredicateError:
        return
    assert parse(canonical).text() == canonical


def test_what_it_looks_at() -> None:
    predicate = parse("b > 1 and (a == 'x' or c is missing) and not b in (1, 2)")
    assert predicate.fields == ("a", "b", "c")
    assert set(predicate.uses()) == {("a", Kind.TEXT), ("b", Kind.NUMBER), ("c", None)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('lowr(x) == "a"', "line 1, column 1: there is no function 'lowr'; did you mean lower"),
        ("x > 1 and len(y) > 3", "line 1, column 11: there is no function 'len'; did you mean length?"),
        ('startswith(x, "a")', "did you mean starts_with?"),
        ("zzz(x) == 1", "there is no function 'zzz'; there are abs, ceil"),
        ("x is mising", "line 1, column 6: cannot read 'mising'; did you mean missing?"),
        ("x == 1 adn y == 2", "line 1, column 8: cannot read 'adn'; did you mean and?"),
        ("x is null", "write 'is missing' instead of 'is null'"),
        ("x is not null", "write 'is not missing' instead of 'is not null'"),
        ("x not in (1)", "line 1, column 3: write 'not' before the field"),
        ('x like "a%"', 'write a function, such as starts_with(name, "a")'),
        ("x between 1 and 2", "write two comparisons, such as bitrate >= 1 and bitrate <= 2"),
        ('x contains "a"', 'write a function, such as contains(name, "part")'),
    ],
)
def test_what_other_languages_say_is_named_with_what_is_said_here(text: str, words: str) -> None:
    with pytest.raises(PredicateError) as refused:
        parse(text)
    assert words in str(refused.value)
