"""The page on curl uses every route of our own API. tests/docs runs its blocks."""

from __future__ import annotations

import re
from typing import Final

from tests.docs.pages import ROOT, blocks_of
from tests.server.v1.test_access import all_routes

HOW_TO: Final = ROOT / "docs" / "how-to"
ON_ANOTHER_PAGE: Final = {
    "session.create": "login.md",
    "session.delete": "login.md",
}
"""What needs a server that asks for keys."""

WITHOUT_CURL: Final = {
    "session.get": "for pages, which need the token of their session",
    "sessions.list": "for pages, as sessions themselves",
    "sessions.end": "for pages, as sessions themselves",
    "login.get": "for pages, which show a login",
}
"""Routes that no block uses, with the reason."""


def test_every_route_of_our_own_api_is_used_in_a_block():
    routes = [each for each in all_routes() if each[1].startswith("/api/v1")]

    used = _used("curl.md", routes)
    unused = {name for _, _, name in routes} - used
    assert unused == ON_ANOTHER_PAGE.keys() | WITHOUT_CURL.keys()


def test_what_another_page_has_is_used_there():
    for action, page in ON_ANOTHER_PAGE.items():
        assert action in _used(page, all_routes()), action


def test_a_route_that_no_block_uses_is_seen():
    assert _requests(
        "api=http://x/api/v1/runs\ncurl $api/one --request DELETE; curl $api?wait=1 --data x"
    ) == [
        ("DELETE", "/api/v1/runs/one"),
        ("POST", "/api/v1/runs"),
    ]
    assert _requests("api=http://x/api/v1\ncurl $api/keys | grep x") == [("GET", "/api/v1/keys")]


def _used(page: str, routes: list[tuple[str, str, str]]) -> set[str]:
    """The actions of all requests in the blocks of the page."""
    blocks = blocks_of((HOW_TO / page).read_text("utf-8"))
    requests = [each for block in blocks if block.language == "sh" for each in _requests(block.code)]
    return {found for method, path in requests if (found := _action(method, path, routes)) is not None}


def _requests(code: str) -> list[tuple[str, str]]:
    """The method and the path of each curl in a block."""
    base = re.search(r"^api=http://[^/]+(/\S*)$", code, re.MULTILINE)
    found: list[tuple[str, str]] = []
    for call in re.findall(r"\bcurl (?:(?!\bcurl )[^\n|])*", code.replace("\\\n", " ")):
        target = re.search(r"""\$api([^\s"'?;]*)""", call)
        if base is None or target is None:
            continue
        named = re.search(r"--request (\w+)", call)
        method = named[1] if named else "POST" if "--data" in call else "GET"
        found.append((method, base[1] + target[1]))
    return found


def _action(method: str, path: str, routes: list[tuple[str, str, str]]) -> str | None:
    """Of the route with the fewest parameters that the path fits."""
    fitting = [
        (route.count("{"), name)
        for route_method, route, name in routes
        if route_method == method and re.fullmatch(re.sub(r"{[^}]*}", "[^/]+", route), path)
    ]
    return min(fitting)[1] if fitting else None
