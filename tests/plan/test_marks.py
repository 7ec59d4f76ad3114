"""Brackets and comments are found outside of quotes; a quote that is not closed hides nothing."""

from __future__ import annotations

import pytest

from timeline_app.plan.text.marks import find_marks


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("f(\"(\", '[', `{`)", ["(", ")"]),
        ('"\\"(" (', ["("]),
        ('"(', ["("]),
        ("'a\" (", ["("]),
        ('" # all of it "', []),
        ('" # all of it', ["# all of it"]),
        ("it's [\n'(' ]", ["[", "]"]),
        ('"\\', []),
    ],
)
def test_marks(text: str, marks: list[str]) -> None:
    assert [mark[0] for mark in find_marks(text)] == marks


def test_marks_within_a_stretch() -> None:
    text = '(")" + [)'
    assert [mark[0] for mark in find_marks(text, 1, 4)] == []
    assert [mark[0] for mark in find_marks(text, 2, 8)] == [")", "["]
