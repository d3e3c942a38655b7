"""Addresses that browsers are sent to."""

from __future__ import annotations

import pytest

from holdfast import BadOption
from holdfast.core.public_urls import checked_public_url, local_path


@pytest.mark.parametrize(
    "url", ["", "https://hf.example", "http://127.0.0.1:8070/", "https://[::1]:8443/below/here"]
)
def test_addresses_of_servers_are_taken(url: str):
    assert checked_public_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "hf.example",
        "//hf.example",
        "ftp://hf.example",
        "https://",
        "https://ann:secret@hf.example",
        "https://hf.example?next=1",
        "https://hf.example/#top",
        "https://hf.example/a b",
        "https://hf.example\n",
        "javascript:alert(1)",
    ],
)
def test_what_is_no_address_of_a_server_is_refused(url: str):
    with pytest.raises(BadOption, match="public_url"):
        checked_public_url(url)


@pytest.mark.parametrize("path", ["/", "/runs", "/runs/r1?tab=log&x=%2F#end", "/a//b"])
def test_a_browser_is_sent_to_paths_of_this_server(path: str):
    assert local_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        None,
        "",
        "runs",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        " //evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "/a\r\nSet-Cookie: x=1",
        "/grüße",
        "/" + "a" * 1000,
    ],
)
def test_a_browser_is_not_sent_elsewhere(path: str | None):
    assert local_path(path) == "/"
