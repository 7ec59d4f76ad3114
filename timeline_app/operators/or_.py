"""Kleene's or."""

from timeline_app.algebra.logic import any_of
from timeline_app.operators.base import Bool, Many, operator
from timeline_app.operators.pointwise import junction
from timeline_app.operators.reasons import Question, Reason


def _why(question: Question) -> Reason:
    return junction(question, decisive=True)


@operator("Or", category="timelines", commutes=True, dual="and", why=_why)
def or_(of: Many[Bool]) -> Bool:
    """True while any input is true, false while all are false.

    Unknown in between: true or unknown is true, false or unknown is unknown.
    """
    return any_of(*of)
