"""Classifies IP addresses by network, however an address is written or embedded in another one."""

from __future__ import annotations

import socket
from enum import StrEnum
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class Zone(StrEnum):
    """The kinds of networks; the value describes one to people."""

    PUBLIC = "a public address"
    PRIVATE = "a private network"
    LOOPBACK = "the server's own machine"
    LINK_LOCAL = "a link-local address, where clouds keep credentials of the machine"
    RESERVED = "a reserved address"
    MULTICAST = "a multicast address"
    UNSPECIFIED = "no particular host"


def _parse_networks(*texts: str) -> tuple[Network, ...]:
    return tuple(map(ip_network, texts))


RANGES: dict[Zone, tuple[Network, ...]] = {
    Zone.UNSPECIFIED: _parse_networks("0.0.0.0/8", "::/128"),
    Zone.LOOPBACK: _parse_networks("127.0.0.0/8", "::1/128"),
    Zone.LINK_LOCAL: _parse_networks("169.254.0.0/16", "fe80::/10"),
    Zone.MULTICAST: _parse_networks("224.0.0.0/4", "ff00::/8"),
    Zone.PRIVATE: _parse_networks(
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fec0::/10"
    ),
    Zone.RESERVED: _parse_networks(
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "240.0.0.0/4", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16",
    ),
}  # fmt: skip
"""6to4 (2002::/16) and Teredo (within 2001::/23) embed IPv4 addresses, and are obsolete."""
_GLOBAL = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")


def parse_address(text: str) -> Address | None:
    """Parse an address, with or without brackets; an IPv4 address embedded in an IPv6 one is returned itself.

    >>> parse_address("[::ffff:127.0.0.1]"), parse_address("64:ff9b::a00:1"), parse_address("host")
    (IPv4Address('127.0.0.1'), IPv4Address('10.0.0.1'), None)
    """
    try:
        address = ip_address(text.removeprefix("[").removesuffix("]").partition("%")[0])
    except ValueError:
        return None
    return _unwrap(address)


def classify_address(address: Address) -> Zone:
    """Return the kind of network of an address; whatever IANA does not call global is reserved.

    >>> classify_address(ip_address("169.254.169.254")).name, classify_address(ip_address("2606:4700::1")).name
    ('LINK_LOCAL', 'PUBLIC')
    """
    address = _unwrap(address)
    for zone, ranges in RANGES.items():
        if any(address in network for network in ranges if network.version == address.version):
            return zone if zone is not Zone.PRIVATE or not is_own(address) else Zone.LOOPBACK
    if isinstance(address, IPv6Address) and address not in _GLOBAL:
        return Zone.RESERVED
    return Zone.LOOPBACK if is_own(address) else Zone.PUBLIC


def is_own(address: Address) -> bool:
    """Return whether an interface of this machine has the address: no other address can be bound."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True


@lru_cache(1_024)
def is_odd_spelling(host: str) -> bool:
    """Return whether the system's resolver takes a text for an IPv4 address although it is not written as one.

    >>> hosts = ("2130706433", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1", "host")
    >>> [is_odd_spelling(host) for host in hosts]
    [True, True, True, True, False, False]
    """
    try:
        socket.inet_aton(host.rstrip("."))
    except (OSError, UnicodeEncodeError):
        return False
    return parse_address(host) is None


def _unwrap(address: Address) -> Address:
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64 or (address in _COMPATIBLE and int(address) > 1):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address
