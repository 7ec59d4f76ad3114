"""Decides which addresses may be reached on behalf of a user, at each new connection."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from timeline_app.connectors.egress.networks import (
    Address,
    Zone,
    classify_address,
    is_odd_spelling,
    is_own,
    parse_address,
)
from timeline_app.connectors.egress.reaches import VARIABLE, Reaches, read_environment
from timeline_app.connectors.reading import SourceUnavailable

EGRESS_HINT = f"choose another host, or ask whoever runs the servers to open it by {VARIABLE}"
_USUAL_TIMEOUT: Any = object()
Names = tuple[str, ...]
Destination = tuple[str, int]
"""A host and a port that an option names."""


class EgressRefused(SourceUnavailable):
    """The host may not be reached: the message says which, why, and who can open it."""


class Resolved(NamedTuple):
    """A reachable address of a host, in the form that sockets take."""

    family: int
    address: str
    sockaddr: Any


@dataclass(frozen=True, slots=True)
class Egress:
    """The addresses that may be reached on behalf of a user.

    `private` also opens private networks, as for administrators. `own` are the product's own services, which are
    never reached. `own_database` is the system identifier of its PostgreSQL, `?` where unknown. With
    `names_addresses`, a refusal says what a name resolves to.
    """

    reaches: Reaches = field(default_factory=read_environment)
    private: bool = False
    own: tuple[Destination, ...] = ()
    own_database: str = ""
    names_addresses: bool = False

    def addresses(self, host: str, port: int) -> list[Resolved]:
        """Return the addresses of a host, all of them reachable. Raises `EgressRefused`, and `gaierror` for no host."""
        self.check_spelling(host, port)
        resolved = [
            Resolved(family, str(sockaddr[0]), sockaddr)
            for family, _, _, _, sockaddr in resolve(host, port)
            if family in (socket.AF_INET, socket.AF_INET6)
        ]
        for target in resolved:
            self._check(host, port, target.address)
        if not resolved:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return resolved

    def connect(self, host: str, port: int, timeout: float | None = None) -> socket.socket:
        """Connect to a checked address of a host. Raises `EgressRefused` and `OSError`."""
        failure: OSError | None = None
        for address in self.addresses(host, port):
            connection = socket.socket(address.family, socket.SOCK_STREAM)
            try:
                connection.settimeout(timeout)
                connection.connect(address.sockaddr)
            except OSError as why:
                connection.close()
                failure = why
            else:
                return connection
        assert failure is not None, "a host has one address at least"
        raise failure

    def create_connection(
        self, address: Destination, timeout: Any = _USUAL_TIMEOUT, source_address: object = None
    ) -> socket.socket:
        """Connect with the signature of `socket.create_connection`."""
        del source_address
        host, port = address
        return self.connect(host, port, socket.getdefaulttimeout() if timeout is _USUAL_TIMEOUT else timeout)

    def check_spelling(self, host: str, port: int) -> None:
        """Raise `EgressRefused` where the spelling of a host is enough to refuse it."""
        if is_odd_spelling(host) or "%" in host:
            raise EgressRefused(
                f"{host!r} is no usual way to write a host; write its name, or 127.0.0.1 or [::1]"
            )
        if parse_address(host) is not None:
            self._check(host, port, host)

    def check(self, destinations: Iterable[Destination]) -> None:
        """Raise `EgressRefused` where a destination may not be reached now; unknown names may exist later."""
        for host, port in destinations:
            try:
                self.addresses(host, port)
            except OSError:
                continue

    def _check(self, host: str, port: int, text: str) -> None:
        address = parse_address(text)
        if address is None:
            raise EgressRefused(f"{host} resolves to something that is no address: {EGRESS_HINT}")
        zone = classify_address(address)
        if not self._is_open(host, port, address, zone):
            raise EgressRefused(f"{self._describe(host, text)} {zone}, and may not be reached: {EGRESS_HINT}")
        if self._is_own(address, port):
            raise EgressRefused(
                f"{self._describe(host, text)} a service of the product itself (port {port}), which is never reached"
                " for a source or a sink: choose another host or port"
            )

    def _is_open(self, host: str, port: int, address: Address, zone: Zone) -> bool:
        if zone is Zone.PUBLIC or (zone is Zone.PRIVATE and self.private):
            return True
        if self.reaches.opens_address(address, port, zone):
            return True
        return parse_address(host) is None and self.reaches.opens_name(host, port, zone)

    def _describe(self, host: str, text: str) -> str:
        """Begin a refusal; a user who may not know internal addresses learns none from a name."""
        if parse_address(host) is not None:
            return f"{host} is"
        return f"{host} resolves to {text}," if self.names_addresses else f"{host} resolves to"

    def _is_own(self, address: Address, port: int) -> bool:
        """Return whether a service of the product listens there, at that address or another one of the same machine."""
        for host, its_port in self.own:
            if its_port != port:
                continue
            its = _own_addresses(host, port)
            if address in its or (_is_this_machine(address) and any(map(_is_this_machine, its))):
                return True
        return False


def resolve(host: str, port: int) -> list[Any]:
    """Ask the resolver of the system. Raises `gaierror`."""
    try:
        return socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None


def _own_addresses(host: str, port: int) -> set[Address]:
    """Return the addresses of a service of the product; none where its name is unknown."""
    if (written := parse_address(host)) is not None:
        return {written}
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return set()
    return {
        address
        for address in (parse_address(str(sockaddr[0])) for *_, sockaddr in infos)
        if address is not None
    }


def _is_this_machine(address: Address) -> bool:
    return address.is_loopback or address.is_unspecified or is_own(address)
