"""DAGs of real commands and functions, with a crash at every commit: nothing recorded is done again."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from tests.testing.databases import new_database

from holdfast import Catalog, Run, RunFailed, workflow
from holdfast.authoring.dag.workflow import DagWorkflow, load_dag
from holdfast.testing import assert_durable

__all__ = ["new_database"]

PATIENCE = dt.timedelta(seconds=60)

NewDatabase = Callable[[], str]


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


class Project:
    """A folder with a YAML file whose commands leave a line in a file each time that they run."""

    def __init__(self, folder: Path, catalog: Catalog) -> None:
        self._folder = folder
        self._catalog = catalog
        self._log = folder / "log.txt"

    def load(self, text: str, **files: str) -> DagWorkflow:
        for name, content in files.items():
            (self._folder / f"{name}.py").write_text(dedent(content))
        path = self._folder / "dag.yaml"
        path.write_text(dedent(text))
        return load_dag(path, catalog=self._catalog)

    def executions(self) -> Counter[str]:
        """How often each attempt was begun, by the name of its task."""
        return Counter(self._log.read_text().split())


@pytest.fixture
def project(tmp_path: Path, catalog: Catalog) -> Project:
    return Project(tmp_path, catalog)


async def test_a_dag_of_everything_survives_a_crash_at_every_commit(
    project: Project, catalog: Catalog, new_database: NewDatabase
) -> None:
    @workflow(catalog=catalog)
    async def helper(number: int) -> int:
        return number * 100

    dag = project.load(
        """
        name: everything
        input: {numbers: [int]}
        output: {told: told, skipped: skipped}
        tasks:
          double:
            foreach: input.numbers
            concurrency: 2
            command: echo double >> log.txt; echo "HOLDFAST_OUTPUT:$(($NUMBER + $HOLDFAST_PARALLEL_INDEX))"
            env: {NUMBER: "20"}
          nap: {depends_on: [double], sleep: 3600}
          ask: {depends_on: [double], approval: Really?}
          helper: {depends_on: [ask], workflow: helper, inputs: {number: {const: 3}}}
          flaky:
            depends_on: [nap]
            command: echo flaky >> log.txt; test $HOLDFAST_ATTEMPT -gt 1
            retries: {max_attempts: 20, first_delay: 60}
          skipped: {depends_on: [nap], when: "input.numbers[0] > 100", command: echo skipped >> log.txt}
          told:
            depends_on: [helper, flaky, double]
            command: echo told >> log.txt; cp "$HOLDFAST_INPUT_FILE" "$HOLDFAST_OUTPUT_FILE"
            inputs: {double: {ref: double}, helper: {ref: helper}}
        """
    )

    async def say_yes(run: Run[Any]) -> None:
        await run.resolve("ask", True, ahead=True)

    output = await assert_durable(
        dag,
        numbers=[1, 2, 3],
        during=say_yes,
        new_database=new_database,
        catalog=catalog,
        patience=PATIENCE,
    )

    assert output == {"told": {"double": [20, 21, 22], "helper": 300}, "skipped": None}
    assert project.executions().keys() == {"double", "flaky", "told"}


async def test_functions_in_workers_survive_a_crash_at_every_commit(
    project: Project, catalog: Catalog, new_database: NewDatabase
) -> None:
    dag = project.load(
        """
        name: sums
        tasks:
          numbers: {file: sums.py, function: numbers, output_type: [int]}
          add_up: {depends_on: [numbers], file: sums.py, function: add_up}
        """,
        sums="""
        def note(name: str) -> None:
            with open("log.txt", "a") as log:
                log.write(name + "\\n")

        def numbers() -> list[int]:
            note("numbers")
            return [1, 2, 3]

        async def add_up(numbers: list[int]) -> int:
            note("add_up")
            return sum(numbers)
        """,
    )

    output = await assert_durable(dag, new_database=new_database, catalog=catalog, patience=PATIENCE)

    assert output == {"add_up": 6}
    assert project.executions().keys() == {"numbers", "add_up"}


async def test_a_dag_that_fails_survives_a_crash_at_every_commit(
    project: Project, catalog: Catalog, new_database: NewDatabase
) -> None:
    dag = project.load(
        """
        name: failing
        tasks:
          broken: {command: echo broken >> log.txt; exit 3}
          after: {depends_on: [broken], command: echo after >> log.txt}
          alarm: {depends_on: [after], on_failure: run, command: echo alarm >> log.txt}
        """
    )

    with pytest.raises(RunFailed, match=r"task 'broken' failed: .*3"):
        await assert_durable(dag, new_database=new_database, catalog=catalog, patience=PATIENCE)

    assert project.executions().keys() == {"broken", "alarm"}
