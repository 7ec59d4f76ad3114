"""The options of a source are the parameters of its class, and what is wrong with them is told all at once."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest

from timeline_app.connectors.options import BadKind, BadOptions, Described, Option, OptionKind, describe, read


def _check_port(value: int) -> str | None:
    return None if 0 < value < 65_536 else f"is no port: {value}; ports are 1 to 65535"


class Mail:
    def __init__(
        self,
        host: Annotated[str, Option("The server")],
        password: Annotated[str, Option("What opens it", secret=True)] = "",
        port: Annotated[int, Option("Where it listens", check=_check_port)] = 993,
        every: Annotated[float, Option("Seconds between two looks")] = 1.5,
        safe: Annotated[bool, Option("Whether TLS is spoken")] = True,
        begin: Annotated[Literal["first", "new"], Option("Where to begin")] = "first",
    ) -> None: ...


def test_the_options_are_the_parameters_in_their_order() -> None:
    assert describe(Mail) == (
        Described("host", OptionKind.TEXT, "The server", True),
        Described("password", OptionKind.TEXT, "What opens it", False, "", secret=True),
        Described("port", OptionKind.WHOLE, "Where it listens", False, 993),
        Described("every", OptionKind.NUMBER, "Seconds between two looks", False, 1.5),
        Described("safe", OptionKind.BOOL, "Whether TLS is spoken", False, True),
        Described("begin", OptionKind.CHOICE, "Where to begin", False, "first", ("first", "new")),
    )


def test_defaults_are_filled_in() -> None:
    options = {"host": "here", "every": 2, "begin": "new"}
    assert read(Mail, options) == {
        "host": "here", "password": "", "port": 993, "every": 2, "safe": True, "begin": "new",
    }  # fmt: skip


def test_everything_that_is_wrong_is_told_at_once_and_no_secret_with_it() -> None:
    options = {"password": 4711, "port": 0, "every": True, "safe": "yes", "begin": "last", "prot": 1}
    with pytest.raises(BadOptions) as bad:
        read(Mail, options)
    assert dict(bad.value.problems) == {
        "prot": "is no option here; there are host, password, port, every, safe, begin",
        "host": "is needed: The server",
        "password": "must be text, not a secret",
        "port": "is no port: 0; ports are 1 to 65535",
        "every": "must be a number, not True",
        "safe": "must be true or false, not 'yes'",
        "begin": "must be one of first, new, not 'last'",
    }
    assert "4711" not in str(bad.value)


def test_what_is_needed_may_not_be_empty() -> None:
    with pytest.raises(BadOptions, match="host: is needed and is empty"):
        read(Mail, {"host": ""})


def test_what_a_library_of_c_would_cut_off_is_refused() -> None:
    with pytest.raises(BadOptions, match="host: has a character that nobody can type"):
        read(Mail, {"host": "here\0 password=x"})


def test_a_class_without_parameters_has_no_options() -> None:
    class Clock: ...

    assert describe(Clock) == ()
    assert read(Clock, {}) == {}


class Unsaid:
    def __init__(self, host: str) -> None: ...


class Anything:
    def __init__(self, **options: Any) -> None: ...


class Listed:
    def __init__(self, hosts: Annotated[list[str], Option("The servers")]) -> None: ...


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Unsaid, r'Unsaid\(host\): say what it means: host: Annotated\[str, Option\("…"\)\]'),
        (Anything, r"Anything\(options\): every option has a name of its own"),
        (Listed, r"Listed\(hosts\): an option is str, int, float, bool or a Literal of texts"),
    ],
)
def test_a_declaration_that_says_too_little_is_refused_with_its_hint(kind: type, words: str) -> None:
    with pytest.raises(BadKind, match=words):
        describe(kind)
