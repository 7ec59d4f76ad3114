"""Which addresses may be reached for somebody, asked for each connection when it is made."""

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

CURE = f"choose another host, or ask whoever runs the servers to open it by {VARIABLE}"
_USUAL_TIMEOUT: Any = object()
Names = tuple[str, ...]
Destination = tuple[str, int]
"""A host and a port that an option names."""


class EgressRefused(SourceUnavailable):
    """The host may not be reached: the words say which, why, and who can open it."""


class Resolved(NamedTuple):
    """An address of a host that may be reached, as sockets take it."""

    family: int
    address: str
    sockaddr: Any


@dataclass(frozen=True, slots=True)
class Egress:
    """What may be reached for somebody.

    `private`: also private networks, as for administrators; `own`: the services of the product itself, which are never
    reached; `own_database`: the system identifier of its PostgreSQL, `?` where that is not known; `names_addresses`: a
    refusal says what a name resolves to.
    """

    reaches: Reaches = field(default_factory=read_environment)
    private: bool = False
    own: tuple[Destination, ...] = ()
    own_database: str = ""
    names_addresses: bool = False

    def addresses(self, host: str, port: int) -> list[Resolved]:
        """The addresses of a host, all of which may be reached; raises `EgressRefused`, and `gaierror` for no host."""
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
        """A connection to a host, made to an address that was checked; raises `EgressRefused` and `OSError`."""
        failure: OSError | None = None
        for address in self.addresses(host, port):
            made = socket.socket(address.family, socket.SOCK_STREAM)
            try:
                made.settimeout(timeout)
                made.connect(address.sockaddr)
            except OSError as why:
                made.close()
                failure = why
            else:
                return made
        assert failure is not None, "a host has one address at least"
        raise failure

    def create_connection(
        self, address: Destination, timeout: Any = _USUAL_TIMEOUT, source_address: object = None
    ) -> socket.socket:
        """The same, called as `socket.create_connection` is."""
        del source_address
        host, port = address
        return self.connect(host, port, socket.getdefaulttimeout() if timeout is _USUAL_TIMEOUT else timeout)

    def check_spelling(self, host: str, port: int) -> None:
        """Raises `EgressRefused` where a host need not be resolved to be refused."""
        if is_odd_spelling(host) or "%" in host:
            raise EgressRefused(
                f"{host!r} is no usual way to write a host; write its name, or 127.0.0.1 or [::1]"
            )
        if parse_address(host) is not None:
            self._check(host, port, host)

    def check(self, destinations: Iterable[Destination]) -> None:
        """Raises `EgressRefused` where one of them may not be reached by now; a name that nobody knows may come."""
        for host, port in destinations:
            try:
                self.addresses(host, port)
            except OSError:
                continue

    def _check(self, host: str, port: int, text: str) -> None:
        address = parse_address(text)
        if address is None:
            raise EgressRefused(f"{host} resolves to something that is no address: {CURE}")
        zone = classify_address(address)
        if not self._is_open(host, port, address, zone):
            raise EgressRefused(f"{self._describe(host, text)} {zone}, and may not be reached: {CURE}")
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
        """How a refusal begins; whoever may not know inner addresses does not learn one by its name."""
        if parse_address(host) is not None:
            return f"{host} is"
        return f"{host} resolves to {text}," if self.names_addresses else f"{host} resolves to"

    def _is_own(self, address: Address, port: int) -> bool:
        """Whether a service of the product listens there: at that address, or at another one of the same machine."""
        for host, its_port in self.own:
            if its_port != port:
                continue
            its = _own_addresses(host, port)
            if address in its or (_is_this_machine(address) and any(map(_is_this_machine, its))):
                return True
        return False


def resolve(host: str, port: int) -> list[Any]:
    """Ask the resolver of the system; raises `gaierror`."""
    try:
        return socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None


def _own_addresses(host: str, port: int) -> set[Address]:
    """The addresses of a service of the product; none where its name is not known."""
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
