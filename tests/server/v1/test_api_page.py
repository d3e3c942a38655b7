"""The page on our own API has every route, every query, and the roles as the table of rules has them.

`python -m tests.server.v1.test_api_page` prints the table of roles, to be put into the page.
"""

from __future__ import annotations

import re
from typing import Any

from tests.docs.pages import ROOT
from tests.server.v1.asking import Asker
from tests.server.v1.test_access import all_routes

from holdfast.core.keys import Role
from holdfast.server.access.rules import RULES

PAGE = ROOT / "docs" / "reference" / "api.md"
ROLES = [Role.VIEWER, Role.OPERATOR, Role.ADMIN, Role.WORKER]


def roles_table() -> str:
    """One row for each set of roles, with the actions that they share."""
    rows = [
        "| action | nobody | viewer | operator | admin | worker | audit log |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for rule in dict.fromkeys(RULES.values()):
        names = ", ".join(f"`{name}`" for name, each in RULES.items() if each == rule)
        may = " | ".join("yes" if role in rule.roles else "" for role in ROLES)
        nobody = "yes" if rule.is_public else ""
        rows.append(f"| {names} | {nobody} | {may} | {'yes' if rule.is_change else ''} |")
    return "\n".join(rows)


def test_the_table_of_roles_is_that_of_the_rules():
    assert roles_table() in PAGE.read_text("utf-8"), "run python -m tests.server.v1.test_api_page"


async def test_every_route_is_in_the_page_with_its_action_and_its_queries(small_api: Asker):
    page = PAGE.read_text("utf-8")
    document: dict[str, Any] = await small_api.get("/openapi.json")
    shown = re.findall(r"^\| `([A-Z]+) (/api/v1[^`?]*)(\?[^`]*)?` \| `([\w.]+)` \|", page, re.MULTILINE)

    names = {(method, re.sub(r":\w+}", "}", path)): name for method, path, name in all_routes()}
    assert {(method, path): name for method, path, _, name in shown} == {
        route: name for route, name in names.items() if route[1].startswith("/api/v1")
    }
    queries = {(method, path): query for method, path, query, _ in shown}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            named = [each["name"] for each in operation.get("parameters", []) if each["in"] == "query"]
            told = re.findall(r"(\w+)=", queries[method.upper(), path])
            assert sorted(told) == sorted(named), f"{method} {path}"


if __name__ == "__main__":
    print(roles_table())


async def test_no_route_takes_the_place_of_a_name(small_api: Asker):
    """`/runs/counts` would hide the run that is called `counts`."""
    document: dict[str, Any] = await small_api.get("/openapi.json")

    paths = [path.removeprefix("/api/v1").strip("/").split("/") for path in document["paths"]]
    named = {tuple(path[: path.index(part)]) for path in paths for part in path if part.startswith("{")}
    hidden = [
        "/".join(path)
        for path in paths
        for place, part in enumerate(path)
        if tuple(path[:place]) in named and not part.startswith("{")
    ]

    assert ("runs",) in named
    assert hidden == []
