"""Where a pipeline may connect to: the hosts that the workflow names, and no address that it did not mean.

A name is resolved once, and the connection is made to what was looked at: a name that leads elsewhere a moment later
(DNS rebinding) leads nowhere.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from evaluator import errors
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

HOST = re.compile(
    r"(?P<host>(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?\.?|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
)
USUAL = {"connect": 443, "http": 80}
"""The port of a host that is named without one, by how it is asked for."""

NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
FORBIDDEN = frozenset({ipaddress.IPv4Address("168.63.129.16")})
"""Addresses that look public and are not: this one answers the machine that a hosted runner is, and nobody else."""


class Target(NamedTuple):
    """What somebody wants to connect to; ``how`` is ``connect`` (a tunnel) or ``http`` (one request)."""

    host: str
    port: int
    how: str = "connect"

    @property
    def authority(self) -> str:
        """Host and port as a request has them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        """The target as it is shown to people."""
        return visible(self.authority)


class Rule(NamedTuple):
    """One host of the workflow: a name, an address, or ``*.`` and the name whose subdomains are meant."""

    host: str
    port: int | None = None

    @property
    def is_pattern(self) -> bool:
        """Whether it means any subdomain."""
        return self.host.startswith("*.")

    def allows(self, target: Target) -> bool:
        """Whether a target is meant."""
        if target.port != (self.port or USUAL[target.how]):
            return False
        return target.host.endswith(self.host[1:]) if self.is_pattern else target.host == self.host

    def allows_address(self, address: Address) -> bool:
        """Whether the host may lie at an address.

        One that the workflow wrote may be anywhere. A host with its port is a service the workflow knows, which may
        have a private address. Every other host is on the internet.
        """
        if (own := address_of(self.host)) is not None:
            return address == own and not (address.is_multicast or address.is_unspecified)
        if address in FORBIDDEN or address.is_multicast or address.is_unspecified:
            return False
        if self.port is not None and not self.is_pattern:
            return not (address.is_loopback or address.is_link_local or address.is_reserved)
        # Python calls what is reserved, or was once of a site, global where nobody said otherwise.
        return address.is_global and not address.is_reserved and not getattr(address, "is_site_local", False)


def read_rules(hosts: Iterable[str]) -> tuple[Rule, ...]:
    """The rules that the workflow wrote.

    Raises:
        UsageError: one of them is no host, or there is none.
    """
    rules = tuple(map(_read_rule, hosts))
    if not rules:
        raise errors.UsageError("network: egress needs the input egress-hosts: without hosts use network: none")
    return rules


def _read_rule(written: str) -> Rule:
    found = HOST.fullmatch(written)
    host = canonical(found["host"]) if found else ""
    port = int(found["port"]) if found and found["port"] else None
    is_odd = (
        ".." in host or (host.startswith("*.") and "." not in host[2:]) or (":" in host and address_of(host) is None)
    )
    if not host or is_odd or (port is not None and not 0 < port < 1 << 16):
        raise errors.UsageError(
            f"the input egress-hosts names '{visible(written)}', which is no host; "
            "write it as in api.example.com, *.example.com or 10.0.0.5:8000"
        )
    return Rule(host, port)


def canonical(host: str) -> str:
    """A host as it is compared: lower case, without brackets or a last dot."""
    plain = host.strip("[]").lower().removesuffix(".")
    address = address_of(plain)
    return str(address) if address is not None else plain


def address_of(host: str) -> Address | None:
    """The address that a host is written as; None for a name. What an IPv6 address wraps is meant."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return _unwrapped(address)


def _unwrapped(address: Address) -> Address:
    if isinstance(address, ipaddress.IPv4Address):
        return address
    inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
    if inner is None and address in NAT64:
        inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address if inner is None else inner


def rule_for(rules: Sequence[Rule], target: Target) -> Rule | None:
    """The rule that allows a target; the most exact of several."""
    found = [rule for rule in rules if rule.allows(target)]
    return min(found, key=lambda rule: (rule.is_pattern, rule.port is None), default=None)


def chosen(rule: Rule, addresses: Iterable[str]) -> list[str]:
    """Those of the addresses of a host that it may lie at."""
    return [each for each in addresses if (found := address_of(each)) is not None and rule.allows_address(found)]
