"""Everything that can be wrong with a DAG is said: all of it, where it stands, in words that help."""

from __future__ import annotations

import pytest
from tests.authoring.dag.problem_sites import all_sites, listening
from tests.authoring.dag.wrong_cases import MADE, Case, read_cases

from holdfast.authoring.dag.loader import load_text
from holdfast.errors import BadDag

CASES = [*read_cases(), *MADE]


def problems_of(text: str) -> list[str]:
    with pytest.raises(BadDag) as caught:
        load_text(text)
    return [f"{problem.line}:{problem.column}: {problem.message}" for problem in caught.value.problems]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_wrong_is_said_with_its_place(case: Case):
    assert problems_of(case.text) == case.problems


def test_there_is_a_case_for_everything_that_can_be_said(monkeypatch: pytest.MonkeyPatch):
    with listening(monkeypatch) as heard:
        for case in CASES:
            problems_of(case.text)

    silent = [
        str(site)
        for site in all_sites()
        if not any((site.file, line) in heard for line in range(site.first, site.last + 1))
    ]

    assert silent == []


def test_no_two_cases_are_called_the_same():
    names = [case.name for case in CASES]

    assert len(set(names)) == len(names)


def test_the_message_has_a_line_for_each_problem_in_the_order_of_the_file():
    text = "name: t\ntasks:\n  b: {command: x, depends_on: [c]}\n  a: {sleep: soon}\n"

    with pytest.raises(BadDag) as caught:
        load_text(text, file="etl.yaml")

    assert str(caught.value) == (
        "etl.yaml:3:32: no task 'c'\n"
        "etl.yaml:4:14: sleep must be a duration: "
        "seconds, or text such as 250ms, 90s, 10m, 1h30m, 2d, not 'soon'"
    )


def test_of_a_thousand_problems_the_message_shows_fifty_and_the_rest_is_there():
    tasks = "".join(f"  t{number}: {{command: x, depends_on: [nobody]}}\n" for number in range(300))

    with pytest.raises(BadDag) as caught:
        load_text(f"name: t\ntasks:\n{tasks}")

    assert len(caught.value.problems) == 300
    assert len(str(caught.value).splitlines()) == 51
    assert str(caught.value).endswith("and 250 problems more")
