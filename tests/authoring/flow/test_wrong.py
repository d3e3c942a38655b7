"""Everything that can be wrong with a flow is said: all of it, where it stands, in words that help."""

from __future__ import annotations

import json

import pytest
from tests.authoring.flow.problem_sites import all_sites, listening
from tests.authoring.flow.wrong_cases import MADE, Case, read_cases
from tests.authoring.flow.wrong_json import JSON_CASES

from holdfast.authoring.documents.json_text import compose_json
from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.flow.loader import load_flow_text
from holdfast.errors import BadFlow

CASES = [*read_cases(), *MADE]


def problems_of(text: str, is_json: bool | None = None) -> list[str]:
    with pytest.raises(BadFlow) as caught:
        load_flow_text(text, is_json=is_json)
    return [str(problem).removeprefix("<text>:") for problem in caught.value.problems]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_wrong_is_said_with_its_place_and_its_path(case: Case):
    assert problems_of(case.text) == case.problems


@pytest.mark.parametrize(("text", "problem"), JSON_CASES.items(), ids=lambda text: text[:40])
def test_json_that_is_none_is_told_where_and_why(text: str, problem: str):
    assert problems_of(text, is_json=True) == [problem]


def test_there_is_a_case_for_everything_that_can_be_said(monkeypatch: pytest.MonkeyPatch):
    with listening(monkeypatch) as heard:
        for case in CASES:
            problems_of(case.text)
        for text in JSON_CASES:
            problems_of(text, is_json=True)
        compose_json("#" * 1_000_001, Problems("x"))  # of a flow, the loader says it before

    silent = [
        str(site)
        for site in all_sites()
        if not any((site.file, line) in heard for line in range(site.first, site.last + 1))
    ]

    assert silent == []


def test_no_two_cases_are_called_the_same():
    names = [case.name for case in CASES]

    assert len(set(names)) == len(names)


def test_a_problem_has_file_line_column_and_path():
    text = json.dumps({"start": "a", "nodes": {"a": {"kind": "timr"}}}, indent=2)

    with pytest.raises(BadFlow) as caught:
        load_flow_text(text, file="flows/shop.json")

    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.column) == ("flows/shop.json", 5, 15)
    assert problem.path == "$.nodes.a.kind"
    assert str(caught.value).startswith("flows/shop.json:5:15: $.nodes.a.kind: kind must be one of")


def test_of_many_problems_the_message_shows_fifty_and_the_rest_is_there():
    nodes = {f"n{number}": {"kind": "nothing"} for number in range(300)}

    with pytest.raises(BadFlow) as caught:
        load_flow_text(json.dumps({"start": "n0", "nodes": nodes}))

    assert len(caught.value.problems) > 300
    assert len(str(caught.value).splitlines()) == 51
