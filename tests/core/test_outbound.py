"""Which addresses users may have a node connect to."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from holdfast.core.outbound import Outbound, check_addresses, host_of, read_outbound
from holdfast.errors import AddressRefused, BadOption

PUBLIC = ["93.184.216.34", "1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1"]
# fmt: off
NOT_PUBLIC = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.255",
    "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1",
    "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1",
    "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1", "100::1",
    "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::", "3fff::1", "4000::1", "5f00::1",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
]
# fmt: on


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address: str):
    assert Outbound().refusal("hooks.example", ip_address(address), loopback=False) == ""


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_other_addresses_are_refused_though_this_machine_is_allowed(address: str):
    assert Outbound().refusal("hooks.example", ip_address(address), loopback=True).endswith("address")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "127.0.0.1", "[::1]", "::1", "::ffff:127.0.0.1"])
def test_this_machine_is_allowed_by_its_own_names_while_users_are_on_it(host: str):
    address = ip_address("127.0.0.1")

    assert Outbound().refusal(host, address, loopback=True) == ""
    assert Outbound().refusal(host, address, loopback=False) == "a loopback address"


def test_networks_addresses_and_names_can_be_allowed():
    outbound = read_outbound(["10.0.0.0/8", "127.0.0.1", "fd00::/8", "Hooks.Internal."])

    def allowed(host: str, address: str) -> bool:
        return not outbound.refusal(host, ip_address(address), loopback=False)

    assert allowed("a.example", "10.1.2.3")
    assert allowed("a.example", "::ffff:10.1.2.3")
    assert allowed("127.0.0.1", "127.0.0.1")
    assert allowed("a.example", "fd12::1")
    assert allowed("hooks.internal", "192.168.0.1")
    assert not allowed("a.hooks.internal", "192.168.0.1")
    assert not allowed("hooks.internal.example", "192.168.0.1")
    assert not allowed("a.example", "127.0.0.2")


@pytest.mark.parametrize(
    "value", ["", "10.0.0.0/33", "10.0.0.1/8", "10.0.0", "http://a", "a b", "a:80", "*", "*.a"]
)
def test_what_is_no_network_and_no_name_is_refused_in_the_setting(value: str):
    with pytest.raises(BadOption, match="allowed_addresses"):
        read_outbound([value])


def test_only_allowed_addresses_of_a_name_are_used():
    assert check_addresses(Outbound(), "a.example", ["10.0.0.1", "1.1.1.1"], loopback=False) == [
        ip_address("1.1.1.1")
    ]


def test_the_refusal_of_a_name_does_not_say_what_it_resolves_to():
    with pytest.raises(AddressRefused, match=r"'db\.internal' is a private address") as refused:
        check_addresses(Outbound(), "db.internal", ["10.9.8.7"], loopback=False)

    assert "10.9.8.7" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://a.example", "a.example"),
        ("HTTPS://A.Example./hook?x=1", "a.example"),
        ("http://[::1]:8080/x", "::1"),
        ("http://2130706433:80/", "2130706433"),
        ("http://a.example?x", "a.example"),
    ],
)
def test_the_host_of_a_url(url: str, host: str):
    assert host_of("url", url) == host


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://a.example",
        "file:///etc/passwd",
        "gopher://a.example",
        "//a.example",
        "http:a.example",
        "http:///path",
        "http://user:password@a.example",
        "http://a.example@127.0.0.1/",
        "http://a.example\\@127.0.0.1/",
        "http://a.example#@127.0.0.1/",
        "http://a.example/#x",
        "http://a.example:0/",
        "http://a.example:99999/",
        "http://a.example:/x y",
        "http://a.example/\r\nX: y",
        "http://a.example/\x00",
        "http://[::1/",
        "http://a.example/" + "x" * 2000,
        None,
        5,
    ],
)
def test_what_is_no_such_url_is_refused(url: object):
    with pytest.raises(BadOption) as refused:
        host_of("url", url)

    assert "password" not in str(refused.value)
