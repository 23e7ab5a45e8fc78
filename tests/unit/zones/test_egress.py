"""Which hosts and addresses a pipeline may connect to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import errors
from evaluator.zones.egress import Rule, Target, address_of, canonical, chosen, read_rules, rule_for

ANY = "0.0.0.0"  # noqa: S104 - an address that is refused
PUBLIC = "93.184.216.34"
INWARD = [
    "127.0.0.1", "10.1.2.3", "172.16.0.9", "192.168.1.1", "100.64.0.1", "169.254.169.254", "224.0.0.1", ANY,
    "255.255.255.255", "168.63.129.16", "::1", "::", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "ff02::1",
    "::ffff:10.0.0.1", "::ffff:169.254.169.254", "2002:a9fe:a9fe::1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe",
    "::127.0.0.1", "::ffff:0:a9fe:a9fe", "fec0::1",
]  # fmt: skip
"""Addresses of a machine, its network and its cloud, also wrapped into IPv6."""


def allowed(rule: str, host: str, port: int = 443, how: str = "connect") -> bool:
    """Whether one rule allows a target."""
    return rule_for(read_rules([rule]), Target(canonical(host), port, how)) is not None


@pytest.mark.parametrize(
    ("rule", "host", "port", "how", "expected"),
    [
        ("api.example.com", "api.example.com", 443, "connect", True),
        ("API.Example.com", "api.EXAMPLE.com.", 443, "connect", True),
        ("api.example.com", "api.example.com", 80, "http", True),
        ("api.example.com", "api.example.com", 80, "connect", False),
        ("api.example.com", "api.example.com", 22, "connect", False),
        ("api.example.com", "api.example.com.evil.org", 443, "connect", False),
        ("api.example.com", "xapi.example.com", 443, "connect", False),
        ("*.example.com", "api.example.com", 443, "connect", True),
        ("*.example.com", "a.b.example.com", 443, "connect", True),
        ("*.example.com", "example.com", 443, "connect", False),
        ("*.example.com", "evilexample.com", 443, "connect", False),
        ("qdrant:6333", "qdrant", 6333, "http", True),
        ("qdrant:6333", "qdrant", 443, "connect", False),
        ("[2001:db8::1]:8000", "[2001:DB8:0::1]", 8000, "connect", True),
    ],
)
def test_a_host_is_meant_by_its_usual_port_or_the_one_it_is_named_with(
    rule: str, host: str, port: int, how: str, *, expected: bool
) -> None:
    """Names are compared whole, as DNS compares them; a pattern means subdomains only."""
    assert allowed(rule, host, port, how) is expected


@pytest.mark.parametrize(
    "written",
    [
        "*", "*.com", "api.*.com", "https://api.example.com", "api.example.com/v1", "a..b", ".", "", "host:0",
        "host:65536", "host:", "user@host", "a b", "host\n", "[::1", "api.example.com:443:1", "-x", "é.example.com",
        "[1:2]:80",
    ],
)  # fmt: skip
def test_what_is_no_host_is_refused(written: str) -> None:
    """A pattern of everything, an address of a page and whatever else could be read in two ways."""
    with pytest.raises(errors.UsageError, match="which is no host; write it as in"):
        read_rules([written])


def test_without_hosts_there_is_no_egress() -> None:
    """An empty list is a mistake, not a network without a way out."""
    with pytest.raises(errors.UsageError, match="network: egress needs the input egress-hosts"):
        read_rules([])


@pytest.mark.parametrize("address", INWARD)
@pytest.mark.parametrize("rule", ["api.example.com", "*.example.com", "*.example.com:8000"])
def test_a_host_of_the_internet_lies_at_no_address_of_ours(rule: str, address: str) -> None:
    """However such an address is written, and beside whatever public one it comes."""
    (one,) = read_rules([rule])
    assert chosen(one, [address]) == []
    assert chosen(one, [address, PUBLIC]) == [PUBLIC]


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "::ffff:169.254.169.254", "224.0.0.1", ANY])
def test_a_service_that_is_named_with_its_port_is_in_a_private_network_at_most(address: str) -> None:
    """Its name decides no more than that: it leads to no loopback and no metadata service."""
    (one,) = read_rules(["qdrant:6333"])
    assert chosen(one, [address, "172.18.0.2", "fd12::2"]) == ["172.18.0.2", "fd12::2"]


def test_an_address_that_the_workflow_wrote_is_itself_alone() -> None:
    """Even one of this machine, because somebody wrote it; and no other."""
    (one,) = read_rules(["127.0.0.1:8000"])
    assert chosen(one, ["127.0.0.1"]) == ["127.0.0.1"]
    assert chosen(one, ["127.0.0.2", PUBLIC]) == []
    assert chosen(read_rules([f"{ANY}:8000"])[0], [ANY]) == []


def test_the_most_exact_rule_decides() -> None:
    """A service that is also in a pattern keeps the network that its own rule gives it."""
    rules = read_rules(["*.example.com:8000", "db.example.com:8000"])
    assert rule_for(rules, Target("db.example.com", 8000)) == Rule("db.example.com", 8000)


@given(st.ip_addresses())
def test_a_host_of_the_internet_lies_at_public_addresses_only(address: object) -> None:
    """Whatever the address: one that Python knows to be of no public use is never chosen."""
    found = address_of(str(address))
    assert found is not None
    if chosen(Rule("api.example.com"), [str(address)]):
        assert found.is_global
        assert not found.is_multicast
