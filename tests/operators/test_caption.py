"""What a node shows of its setting, and which declarations of it are refused."""

from __future__ import annotations

import pytest

from timeline_app.operators import operators
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Bool, Duration
from timeline_app.operators.reasons import Question, Reason


def _why(question: Question) -> Reason:
    return Reason(question.head)


def test_a_caption_names_parameters_and_ports() -> None:
    captions = {name: operator.describe()["caption"] for name, operator in operators().items()}
    assert (captions["divide"], captions["mean_within"], captions["and"]) == (
        "÷ {value}",
        "over {duration}",
        "",
    )


def test_a_caption_with_another_name_is_refused_with_the_hint() -> None:
    def later(of: Bool, duration: Duration) -> Bool:
        """Later."""
        return of

    declare = operator(
        "Later", category="timelines", why=_why, example=Example("x = 1", ""), caption="by {period}"
    )
    with pytest.raises(TypeError, match=r"later shows period in its caption; write names .*: duration, of"):
        declare(later)
