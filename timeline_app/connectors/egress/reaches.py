"""TIMELINE_REACHES: the hosts and networks that an administrator opens beside the public ones."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_network

from timeline_app.connectors.egress.networks import (
    RANGES,
    Address,
    Network,
    Zone,
    is_odd_spelling,
    parse_address,
)

VARIABLE = "TIMELINE_REACHES"
MAX_ENTRIES = 1_000
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_NAME = re.compile(rf"(?P<name>(?:\*\.)?{_LABEL}(?:\.{_LABEL})*)(?::(?P<port>\d{{1,5}}))?")
_V6 = re.compile(r"\[(?P<address>[0-9A-Fa-f:.]+)\](:(?P<port>\d{1,5}))?")
_V4 = re.compile(r"(?P<address>\d+\.\d+\.\d+\.\d+)(:(?P<port>\d{1,5}))?")
_KEYWORDS = {"private": Zone.PRIVATE, "loopback": Zone.LOOPBACK}
_EXPECTED = "write host, host:port, *.domain, an address, a network such as 10.1.0.0/16, private or loopback"


@dataclass(frozen=True, slots=True)
class Reaches:
    """The open zones, networks, and names (`*.example.com` as `.example.com`); port None is every port."""

    zones: frozenset[Zone] = frozenset()
    networks: frozenset[tuple[Network, int | None]] = frozenset()
    names: frozenset[tuple[str, int | None]] = field(default=frozenset())

    def opens_name(self, host: str, port: int, zone: Zone) -> bool:
        """Return whether a host is opened by its name; it may then resolve to this machine and to private networks."""
        if zone not in (Zone.PRIVATE, Zone.LOOPBACK, Zone.PUBLIC):
            return False
        name = host.lower().rstrip(".")
        parents = (name[at:] for at, letter in enumerate(name) if letter == ".")
        return any((item, which) in self.names for item in (name, *parents) for which in (None, port))

    def opens_address(self, address: Address, port: int, zone: Zone) -> bool:
        """Return whether an address is opened, by its zone or by a network.

        A network opens its private addresses. It opens those of other zones only where it lies within the zone, so
        that a wide network does not open a cloud's credentials by accident. Multicast and 0.0.0.0 stay closed.
        """
        if zone in self.zones:
            return True
        return any(
            which in (None, port)
            and address in network
            and (zone is Zone.PRIVATE or _is_within(network, zone))
            for network, which in self.networks
            if network.version == address.version
        )


def parse_reaches(text: str) -> Reaches:
    """Parse TIMELINE_REACHES. Raises `ValueError`.

    >>> reaches = parse_reaches("private, kafka.example:9092, *.corp.example, 127.0.0.1:6380")
    >>> sorted(reaches.names, key=str), sorted(map(str, reaches.zones))
    ([('.corp.example', None), ('kafka.example', 9092)], ['a private network'])
    """
    entries = [item.strip() for item in text.split(",") if item.strip()]
    if len(entries) > MAX_ENTRIES:
        raise ValueError(f"has {len(entries):,} entries: {MAX_ENTRIES:,} at most")
    zones = {_KEYWORDS[entry] for entry in entries if entry in _KEYWORDS}
    networks: set[tuple[Network, int | None]] = set()
    names: set[tuple[str, int | None]] = set()
    for entry in entries:
        if entry in _KEYWORDS:
            continue
        if (opened := _parse_network(entry)) is not None:
            networks.add(opened)
        else:
            names.add(_name(entry))
    return Reaches(frozenset(zones), frozenset(networks), frozenset(names))


@lru_cache(8)
def _parse_or_default(text: str) -> Reaches:
    try:
        return parse_reaches(text)
    except ValueError:  # the settings refuse to start and say why
        return Reaches()


def read_environment() -> Reaches:
    """Return what the environment of this process opens."""
    return _parse_or_default(os.environ.get(VARIABLE, ""))


def _parse_network(text: str) -> tuple[Network, int | None] | None:
    """Parse a network, or an address as a network of one, and its port."""
    if "/" in text:
        try:
            return ip_network(text), None
        except ValueError as why:
            raise ValueError(f"{text!r} is no network ({why}); {_EXPECTED}") from None
    match_ = _V6.fullmatch(text) or _V4.fullmatch(text)
    address = parse_address(match_["address"] if match_ else text)
    if is_odd_spelling(text) or (not match_ and set(text) & set("[]%")):
        raise ValueError(f"{text!r} is no usual way to write an address; {_EXPECTED}")
    if address is None:
        if match_:
            raise ValueError(f"{text!r} is no address; {_EXPECTED}")
        return None
    return ip_network(address), _parse_port(text, match_["port"] if match_ else None)


def _name(text: str) -> tuple[str, int | None]:
    match_ = _NAME.fullmatch(text)
    if not match_ or re.fullmatch(r"[\d.]+", match_["name"]):
        raise ValueError(f"{text!r} opens nothing; {_EXPECTED}")
    return match_["name"].lower().removeprefix("*"), _parse_port(text, match_["port"])


def _parse_port(text: str, port: str | None) -> int | None:
    if port is not None and not 0 < int(port) < 65_536:
        raise ValueError(f"{text!r} has an impossible port")
    return None if port is None else int(port)


def _is_within(network: Network, zone: Zone) -> bool:
    if zone in (Zone.MULTICAST, Zone.UNSPECIFIED):
        return False
    if zone is Zone.LOOPBACK and network.num_addresses == 1:  # an address of an interface of this machine
        return True
    return any(
        network.subnet_of(item)  # type: ignore[arg-type]  # of one version
        for item in RANGES.get(zone, ())
        if item.version == network.version
    )
