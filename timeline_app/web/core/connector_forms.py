"""What people fill in for a source or a sink: refused in words, and parted into what is shown and what is secret."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from timeline_app.connectors.egress.policy import EgressRefused
from timeline_app.connectors.masked_addresses import options_masked
from timeline_app.connectors.options import BadOptions, describe
from timeline_app.web.core.errors import ApiError, Invalid, problem_document
from timeline_app.web.core.secrets import Unreadable, decrypt

Document = dict[str, Any]


def check_options(
    what: str, kinds: Mapping[str, type[Any]], kind: str, read: Callable[[], Document]
) -> Document:
    """The options of a source or a sink (`what`) as `read` gives them; raises `ApiError` with all that is wrong."""
    if kind not in kinds:
        raise Invalid.field("kind", f"There is no {what} {kind!r}.", f"Choose one of {', '.join(kinds)}.")
    try:
        return read()
    except BadOptions as bad:
        found = [
            problem_document(words, code="invalid", field=f"options.{name}") for name, words in bad.problems
        ]
        raise ApiError(f"The {what} cannot be used: {bad}.", code="invalid", problems=found) from None


@contextmanager
def explain_unreachable(what: str) -> Iterator[None]:
    """Raises `ApiError` for a source or a sink (`what`) whose host may not be reached."""
    try:
        yield
    except EgressRefused as why:
        found = [problem_document(str(why), code="unreachable", field="options")]
        raise ApiError(f"The {what} cannot be used: {why}.", code="unreachable", problems=found) from None


def split_secrets(kind: type[Any], read: Mapping[str, Any]) -> tuple[Document, dict[str, str]]:
    """What may be shown, and the secrets that there are; an address is shown by its host, and kept whole."""
    secret = {one.name for one in describe(kind) if one.secret}
    addresses = {one.name for one in describe(kind) if one.address}
    shown = {name: value for name, value in read.items() if name not in secret}
    short = options_masked({name: value for name, value in shown.items() if name in addresses})
    kept = {name for name, value in short.items() if value != read[name]} | secret
    return shown | short, {name: value for name, value in read.items() if name in kept and value}


def options_differ(
    kind: type[Any], names: Iterable[str], was: Mapping[str, Any], now: Mapping[str, Any]
) -> bool:
    """Whether any of these options is another one; those that are left out are as usual."""
    usual = {one.name: one.default for one in describe(kind)}
    return any(was.get(name, usual[name]) != now.get(name, usual[name]) for name in names)


def units_of(kind: type[Any] | None) -> dict[str, str]:
    """What the numbers among the options count, such as seconds; of a kind that is gone, nothing."""
    return {} if kind is None else {one.name: one.unit for one in describe(kind) if one.unit}


def with_kept(kind: type[Any], was: Mapping[str, Any], secrets: str, given: Mapping[str, Any]) -> Document:
    """With the secrets that are kept already, where they can be read and would be sent as before, such as encrypted."""
    if options_differ(kind, [one.name for one in describe(kind) if one.guards], was, given):
        return dict(given)
    kept = open_secrets(secrets)
    as_shown = {
        one.name for one in describe(kind) if one.address and was.get(one.name) == given.get(one.name)
    }
    return {**kept, **{name: value for name, value in given.items() if name not in as_shown & kept.keys()}}


def names_of(secrets: str) -> list[str]:
    """Which secrets there are; none that cannot be read."""
    return sorted(open_secrets(secrets))


def hide_values(was: tuple[Mapping[str, Any], str], now: tuple[Mapping[str, Any], str]) -> Document:
    """For the audit, of options and secrets: the names of those that are otherwise, and told there as before."""
    told = [options_masked(options) for options, _ in (was, now)]
    found = {
        name for name, one in now[0].items() if one != was[0].get(name) and told[0].get(name) == told[1][name]
    }
    kept = [open_secrets(secrets) for _, secrets in (was, now)]
    found |= {name for name, one in kept[1].items() if kept[0].get(name, one) != one}
    return {"hidden": sorted(found)} if found else {}


def list_changed_options(was: tuple[Mapping[str, Any], str], now: tuple[Mapping[str, Any], str]) -> list[str]:
    """The names of all options and secrets that are otherwise now."""
    before, after = ({**options, **open_secrets(secrets)} for options, secrets in (was, now))
    return sorted(name for name in before | after if before.get(name) != after.get(name))


def open_secrets(text: str) -> dict[str, str]:
    """Secrets by name; none that were kept under another key."""
    try:
        return decrypt(text)
    except Unreadable:
        return {}
