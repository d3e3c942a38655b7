"""Where holdfast may connect on behalf of users: to workers and to receivers of webhooks.

Whoever may register a worker or a webhook chooses an address that a node connects to. So only addresses that
everybody on the Internet can reach are allowed, and what the setting `allowed_addresses` lists. An address is
checked as a number, never as it is written: `2130706433`, `0x7f.1` and `::ffff:127.0.0.1` are all 127.0.0.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final, NamedTuple, TypeAlias

from holdfast.errors import AddressRefused, BadOption

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

LONGEST_URL: Final = 2_000
_EXPECTED: Final = 'networks, addresses and names of hosts, such as "10.0.0.0/8" or "hooks.internal"'
_NAME: Final = re.compile(r"(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_-]+)*")
_URL: Final = re.compile(
    r"https?://(\[[0-9A-Fa-f:.]+\]|[^/?#@:\[\]\\\s]+)(?::([0-9]{1,5}))?(?:[/?][!\x22$-~]*)?", re.I
)
_LOCAL_NAME: Final = "localhost"

_PRIVATE, _LOOPBACK, _LINK, _RESERVED = "a private", "a loopback", "a link-local", "a reserved"
_IPV4: Final = [
    (IPv4Network(network), word)
    for network, word in (
        ("0.0.0.0/8", _RESERVED),
        ("10.0.0.0/8", _PRIVATE),
        ("100.64.0.0/10", _PRIVATE),  # behind the NAT of a provider; also the metadata of one cloud
        ("127.0.0.0/8", _LOOPBACK),
        ("168.63.129.16/32", _RESERVED),  # a public address, but inside one cloud it is that cloud's own
        ("169.254.0.0/16", _LINK),  # also the metadata of most clouds
        ("172.16.0.0/12", _PRIVATE),
        ("192.0.0.0/24", _RESERVED),
        ("192.0.2.0/24", _RESERVED),
        ("192.88.99.0/24", _RESERVED),
        ("192.168.0.0/16", _PRIVATE),
        ("198.18.0.0/15", _RESERVED),
        ("198.51.100.0/24", _RESERVED),
        ("203.0.113.0/24", _RESERVED),
        ("224.0.0.0/4", "a multicast"),
        ("240.0.0.0/4", _RESERVED),
    )
]
_IPV6: Final = [
    (IPv6Network(network), word)
    for network, word in (
        ("::1/128", _LOOPBACK),
        ("fc00::/7", _PRIVATE),
        ("fe80::/10", _LINK),
        ("ff00::/8", "a multicast"),
        ("2001::/23", _RESERVED),  # also Teredo, which has an IPv4 address inside
        ("2001:db8::/32", _RESERVED),
        ("2002::/16", _RESERVED),  # 6to4, with an IPv4 address inside
        ("3fff::/20", _RESERVED),
    )
]
_IPV6_PUBLIC: Final = IPv6Network("2000::/3")
_NAT64: Final = IPv6Network("64:ff9b::/96")


class Outbound(NamedTuple):
    """What the setting allows besides public addresses."""

    networks: tuple[Network, ...] = ()
    names: frozenset[str] = frozenset()

    def refusal(self, host: str, address: Address, *, loopback: bool) -> str:
        """Why nobody connects to this address of the host, as in `a private address`; empty if it is allowed.

        With `loopback`, this machine is allowed if the host is written as such. A name that resolves to it is
        not: whoever owns the name decides what it resolves to.
        """
        address = _plain(address)
        host = plain_host(host)
        if host in self.names or any(address in network for network in self.networks):
            return ""
        if loopback and address.is_loopback and (host == _LOCAL_NAME or _literal(host) is not None):
            return ""
        return _word_for(address)


def read_outbound(values: Sequence[str], option: str = "allowed_addresses") -> Outbound:
    """Raises BadOption."""
    networks: list[Network] = []
    names: set[str] = set()
    for value in values:
        try:
            networks.append(ip_network(value))
        except ValueError:
            name = plain_host(value)
            # A last part of digits is an address that is misspelt, such as 10.0.0.0/33 or 10.0.0.
            if not _NAME.fullmatch(name) or name.rpartition(".")[2].isdecimal():
                raise BadOption(option, value, _EXPECTED) from None
            names.add(name)
    return Outbound(tuple(networks), frozenset(names))


def host_of(option: str, url: object) -> str:
    """The host in an address that users give. Raises BadOption."""
    found = _URL.fullmatch(url) if isinstance(url, str) and len(url) <= LONGEST_URL else None
    if found is None or int(found[2] or 80) not in range(1, 65_536):
        raise BadOption(
            option, _shown(url), "an address such as https://hooks.example/path, without a user or a fragment"
        )
    return plain_host(found[1])


def plain_host(host: str) -> str:
    return host.removeprefix("[").removesuffix("]").removesuffix(".").lower()


def check_addresses(
    outbound: Outbound, host: str, addresses: Sequence[str], *, loopback: bool
) -> list[Address]:
    """Those that may be connected to. Raises AddressRefused if there is none.

    The error of a name does not say what the name resolves to: that is nobody's business who asks from
    outside.
    """
    found = [ip_address(each) for each in addresses]
    allowed = [each for each in found if not outbound.refusal(host, each, loopback=loopback)]
    if not allowed:
        raise AddressRefused(plain_host(host), outbound.refusal(host, found[0], loopback=loopback))
    return allowed


def _plain(address: Address) -> Address:
    """The IPv4 address that is inside, where that is what is connected to."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def _word_for(address: Address) -> str:
    known = _IPV4 if isinstance(address, IPv4Address) else _IPV6
    for network, word in known:
        if address in network:
            return f"{word} address"
    is_public = isinstance(address, IPv4Address) or address in _IPV6_PUBLIC
    return "" if is_public else f"{_RESERVED} address"


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _shown(url: object) -> object:
    """Without what may be a password."""
    return re.sub(r"//[^/?#]*@", "//***@", url) if isinstance(url, str) else url
