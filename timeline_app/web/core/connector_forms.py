"""Forms of sources and sinks: checked, and split into options that are shown and secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from timeline_app.connectors.egress.policy import EgressRefused
from timeline_app.connectors.masked_addresses import mask_options
from timeline_app.connectors.options import BadOptions, describe
from timeline_app.web.core.errors import ApiError, Invalid, describe_problem
from timeline_app.web.core.secrets import Unreadable, decrypt

Document = dict[str, Any]


def check_options(
    kind_name: str, kinds: Mapping[str, type[Any]], kind: str, read: Callable[[], Document]
) -> Document:
    """Return the options of a source or sink as `read` gives them; raise `ApiError` with all problems."""
    if kind not in kinds:
        raise Invalid.field(
            "kind", f"There is no {kind_name} {kind!r}.", f"Choose one of {', '.join(kinds)}."
        )
    try:
        return read()
    except BadOptions as bad:
        problems = [
            describe_problem(message, code="invalid", field=f"options.{name}")
            for name, message in bad.problems
        ]
        raise ApiError(f"The {kind_name} cannot be used: {bad}.", code="invalid", problems=problems) from None


@contextmanager
def explain_unreachable(kind_name: str) -> Iterator[None]:
    """Raise `ApiError` if the host of a source or sink may not be reached."""
    try:
        yield
    except EgressRefused as why:
        problems = [describe_problem(str(why), code="unreachable", field="options")]
        raise ApiError(
            f"The {kind_name} cannot be used: {why}.", code="unreachable", problems=problems
        ) from None


def split_secrets(kind: type[Any], read: Mapping[str, Any]) -> tuple[Document, dict[str, str]]:
    """Return the options to show and the secrets. An address is shown by its host and stored whole."""
    secret = {option.name for option in describe(kind) if option.secret}
    addresses = {option.name for option in describe(kind) if option.address}
    public = {name: value for name, value in read.items() if name not in secret}
    short = mask_options({name: value for name, value in public.items() if name in addresses})
    kept_names = {name for name, value in short.items() if value != read[name]} | secret
    return public | short, {name: value for name, value in read.items() if name in kept_names and value}


def have_options_changed(
    kind: type[Any], names: Iterable[str], was: Mapping[str, Any], now: Mapping[str, Any]
) -> bool:
    """Return whether any of the named options has changed; a missing option has its default."""
    usual = {option.name: option.default for option in describe(kind)}
    return any(was.get(name, usual[name]) != now.get(name, usual[name]) for name in names)


def list_units(kind: type[Any] | None) -> dict[str, str]:
    """Return the units of the numeric options, such as seconds; nothing if the kind no longer exists."""
    return {} if kind is None else {option.name: option.unit for option in describe(kind) if option.unit}


def restore_kept_secrets(
    kind: type[Any], was: Mapping[str, Any], secrets: str, given_options: Mapping[str, Any]
) -> Document:
    """Return the options with the stored secrets.

    Secrets are restored only if they are legible and would be sent as before, for example still encrypted.
    """
    if have_options_changed(
        kind, [option.name for option in describe(kind) if option.guards], was, given_options
    ):
        return dict(given_options)
    stored = open_secrets(secrets)
    as_shown = {
        option.name
        for option in describe(kind)
        if option.address and was.get(option.name) == given_options.get(option.name)
    }
    return {
        **stored,
        **{name: value for name, value in given_options.items() if name not in as_shown & stored.keys()},
    }


def list_secret_names(secrets: str) -> list[str]:
    """Return the names of the legible secrets."""
    return sorted(open_secrets(secrets))


def hide_values(was: tuple[Mapping[str, Any], str], now: tuple[Mapping[str, Any], str]) -> Document:
    """Return, for the audit, the names of changed options and secrets that look the same when masked."""
    masked = [mask_options(options) for options, _ in (was, now)]
    hidden = {
        name
        for name, value in now[0].items()
        if value != was[0].get(name) and masked[0].get(name) == masked[1][name]
    }
    stored = [open_secrets(secrets) for _, secrets in (was, now)]
    hidden |= {name for name, item in stored[1].items() if stored[0].get(name, item) != item}
    return {"hidden": sorted(hidden)} if hidden else {}


def list_changed_options(was: tuple[Mapping[str, Any], str], now: tuple[Mapping[str, Any], str]) -> list[str]:
    """Return the names of all changed options and secrets."""
    before, after = ({**options, **open_secrets(secrets)} for options, secrets in (was, now))
    return sorted(name for name in before | after if before.get(name) != after.get(name))


def open_secrets(text: str) -> dict[str, str]:
    """Return secrets by name, or nothing if they were encrypted under another key."""
    try:
        return decrypt(text)
    except Unreadable:
        return {}
