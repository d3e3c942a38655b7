"""DAGs through the whole engine: real commands, real functions, on both databases."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast import (
    Catalog,
    DagWorkflow,
    Holdfast,
    Run,
    RunCancelled,
    RunFailed,
    RunStatus,
    TaskStatus,
    load_dag,
    workflow,
)
from holdfast.errors import NotAsked, WrongType
from holdfast.testing import Environment

SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def project(folder: Path, text: str, **files: str) -> Path:
    for name, content in files.items():
        (folder / name.replace("_py", ".py").replace("_sh", ".sh")).write_text(dedent(content))
    file = folder / "flow.yaml"
    file.write_text(dedent(text))
    return file


async def states(client: Any, run: Run[Any]) -> dict[str, str]:
    """By task, as its last row says."""
    return {info.name: str(info.status) for info in await client.tasks(run)}


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


async def until_there(file: Path, count: int = 1) -> None:
    async with asyncio.timeout(PATIENCE):
        while len(lines(file)) < count:  # noqa: ASYNC110  # it is another process that makes it true
            await asyncio.sleep(0.01)


# --- what flows


async def test_values_flow_from_inputs_through_commands_and_functions_to_the_output(
    store_url: str, tmp_path: Path, catalog: Catalog
) -> None:
    file = project(
        tmp_path,
        """
        name: flow
        input: {day: date, limit: int = 2}
        types: {Found: {files: [str], count: int}}
        output: {total: join, day: input.day}
        tasks:
          find:
            file: etl.py
            function: find
            inputs: {day: {ref: input.day}, limit: {ref: input.limit}}
            output_type: types.Found
          work:
            depends_on: find
            foreach: find.files
            concurrency: 2
            command: 'echo "HOLDFAST_OUTPUT:{\\"at\\": $HOLDFAST_PARALLEL_INDEX}"'
            output_type: {at: int}
          join:
            depends_on: work
            file: etl.py
            function: join
            inputs: {parts: {ref: work}}
        """,
        etl_py="""
        from datetime import date

        def find(day: date, limit: int) -> dict:
            assert isinstance(day, date)
            return {"files": [f"{day}-{n}" for n in range(limit)], "count": limit}

        def join(parts: list[dict]) -> int:
            return sum(part["at"] for part in parts)
        """,
    )
    dag = load_dag(file, catalog=catalog)

    async with Environment(store_url, catalog=catalog) as env:
        result = await env.run(dag, day=dt.date(2026, 1, 31), limit=3)

    assert result == {"total": 3, "day": "2026-01-31"}


async def test_inputs_that_do_not_fit_are_refused_at_the_door(tmp_path: Path, catalog: Catalog) -> None:
    dag = load_dag(
        project(tmp_path, "name: flow\ninput: {day: date, n: int = 1}\ntasks: {a: {command: x}}"),
        catalog=catalog,
    )

    async with Environment(catalog=catalog) as env:
        for given, problem in [
            ({}, "needs the input 'day' (date)"),
            ({"day": "soon"}, "day: expected date"),
            ({"day": "2026-01-31", "n": "3"}, "n: expected int"),
            ({"day": "2026-01-31", "m": 3}, "no input 'm'; it takes day, n"),
        ]:
            with pytest.raises(WrongType, match=problem.replace("(", r"\(").replace(")", r"\)")):
                await env.start(dag, **given)

        assert await env.list() == []


@pytest.mark.parametrize(
    ("task", "hint"),
    [
        ("command: echo 1", r"; a command writes its output to the file \$HOLDFAST_OUTPUT_FILE$"),
        ("command: 'echo HOLDFAST_OUTPUT:true'", "got bool$"),
        ("file: work.py", "got null$"),
    ],
)
async def test_a_command_that_only_prints_is_told_where_its_output_goes(
    tmp_path: Path, catalog: Catalog, task: str, hint: str
) -> None:
    (tmp_path / "work.py").write_text("def main(): print(1)")
    text = f"name: flow\ntasks:\n  a:\n    output_type: int\n    {task}\n"
    dag = load_dag(project(tmp_path, text), catalog=catalog)

    async with Environment(catalog=catalog) as env:
        with pytest.raises(RunFailed, match="the output of task 'a': expected int, got") as failed:
            await env.run(dag)

    assert re.search(hint, str(failed.value))


async def test_an_output_of_another_type_fails_the_attempt_and_is_tried_again(
    tmp_path: Path, catalog: Catalog
) -> None:
    dag = load_dag(
        project(
            tmp_path,
            """
            name: flow
            tasks:
              a:
                command: 'N=5; [ $HOLDFAST_ATTEMPT = 1 ] && N=true; echo "HOLDFAST_OUTPUT:{\\"n\\": $N}"'
                output_type: {n: int}
                retries: {max_attempts: 2, first_delay: 0}
            """,
        ),
        catalog=catalog,
    )

    async with Environment(catalog=catalog) as env:
        run = await env.start(dag)
        assert await run.result() == {"a": {"n": 5}}
        [attempt] = await env.attempts(run)

    assert attempt.problem is not None
    assert "n: expected int, got bool" in attempt.problem


async def test_a_dag_calls_workflows_in_python_and_other_dags(tmp_path: Path, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def double(n: int) -> int:
        return 2 * n

    inner = tmp_path / "inner.yaml"
    inner.write_text("name: inner\ninput: {n: int}\noutput: {n: input.n}\ntasks: {nap: {sleep: 1h}}")
    load_dag(inner, catalog=catalog)
    dag = load_dag(
        project(
            tmp_path,
            """
            name: flow
            tasks:
              code: {workflow: double, parallel: 2, inputs: {n: {ref: parallel_index}}}
              dag: {workflow: inner, inputs: {n: {const: 5}}}
            """,
        ),
        catalog=catalog,
    )

    async with Environment(catalog=catalog) as env:
        assert await env.run(dag, id="it") == {"code": [0, 2], "dag": {"n": 5}}
        ids = sorted(info.id for info in await env.list())

    assert ids == ["it", "it/code/0", "it/code/1", "it/dag"]


# --- what goes wrong


COUNTED = """
    name: flow
    tasks:
      good: {command: echo good >> ran.txt}
      bad: {command: 'echo bad >> ran.txt; test -e mended'}
      after: {command: echo after >> ran.txt, depends_on: [good, bad]}
"""


async def test_a_retry_does_again_what_failed_and_nothing_else(
    store_url: str, tmp_path: Path, catalog: Catalog
) -> None:
    dag = load_dag(project(tmp_path, COUNTED), catalog=catalog)
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(dag)
        with pytest.raises(RunFailed, match="task 'bad' failed: exited with code 1"):
            await run.result()
        assert await states(env, run) == {"good": "success", "bad": "failed", "after": "skipped"}
        first = [task.seq for task in await env.tasks(run) if task.name == "bad"]

        (tmp_path / "mended").touch()
        await env.retry(run)
        await run.result()

        assert sorted(lines(tmp_path / "ran.txt")) == ["after", "bad", "bad", "good"]
        assert [task.seq for task in await env.tasks(run) if task.name == "bad"] == first
        assert await states(env, run) == {"good": "success", "bad": "success", "after": "success"}


async def test_a_cancelled_run_can_be_opened_again_and_goes_on(
    store_url: str, tmp_path: Path, catalog: Catalog
) -> None:
    dag = load_dag(
        project(
            tmp_path,
            """
            name: flow
            tasks:
              first: {command: echo first >> ran.txt}
              gate: {approval: true, depends_on: first}
              last: {command: echo last >> ran.txt, depends_on: gate}
            """,
        ),
        catalog=catalog,
    )
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(dag)
        await until_there(tmp_path / "ran.txt")
        await env.wait_until_quiet()
        await env.cancel(run, "not today")
        with pytest.raises(RunCancelled):
            await run.result()
        with pytest.raises(NotAsked):
            await env.approve(run, "gate")

        await env.retry(run)
        await env.wait_until_quiet()
        await env.approve(run, "gate")
        await run.result()

        assert lines(tmp_path / "ran.txt") == ["first", "last"]


async def test_a_task_of_a_cancelled_run_that_is_opened_again_waits_until_its_last_attempt_has_ended(
    sqlite_url: str, tmp_path: Path, catalog: Catalog
) -> None:
    command = """
        trap 'sleep 0.7; echo ended >> ran.txt; exit 1' TERM
        echo begun >> ran.txt
        test -e go || { sleep 60 & wait; }
        """
    (tmp_path / "work.sh").write_text(command)
    flow = "name: flow\ntasks: {work: {command: [sh, work.sh]}}"
    dag = load_dag(project(tmp_path, flow), catalog=catalog)
    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        run = await hf.start(dag)
        await until_there(tmp_path / "ran.txt", 1)

        await run.cancel()
        with pytest.raises(RunCancelled):
            await run.result()
        (tmp_path / "go").touch()
        await run.retry()
        await run.result()

        assert lines(tmp_path / "ran.txt") == ["begun", "ended", "begun"]


async def test_a_task_that_takes_too_long_is_ended_and_one_that_is_silent_too(
    sqlite_url: str, tmp_path: Path, catalog: Catalog
) -> None:
    dag = load_dag(
        project(
            tmp_path,
            """
            name: flow
            tasks:
              slow: {command: 'echo $$ >> pids.txt; sleep 60', timeout: 0.5}
              silent: {command: 'echo $$ >> pids.txt; sleep 60', heartbeat: 0.5}
              alive:
                command: 'for n in 1 2 3 4 5 6; do sleep 0.2; touch "$HOLDFAST_HEARTBEAT_FILE"; done'
                heartbeat: 0.8
            """,
        ),
        catalog=catalog,
    )
    async with Holdfast(sqlite_url, catalog=catalog, kill_seconds=1) as hf:
        run = await hf.start(dag)
        with pytest.raises(RunFailed):
            await run.result()

        assert await states(hf, run) == {"slow": "failed", "silent": "failed", "alive": "success"}
        problems = {info.name: info.problem for info in await hf.tasks(run) if info.problem}
        assert "ran longer than 0.5s" in problems["slow"]
        assert "was silent for longer than 0.5s" in problems["silent"]
        async with asyncio.timeout(PATIENCE):
            while any(map(is_alive, lines(tmp_path / "pids.txt"))):  # noqa: ASYNC110  # it is another process that makes it true
                await asyncio.sleep(0.05)


def is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


# --- crashes


async def test_what_a_crash_interrupts_is_tried_again_and_marked_as_lost(
    store_url: str, tmp_path: Path, catalog: Catalog
) -> None:
    dag = load_dag(
        project(
            tmp_path,
            """
            name: flow
            tasks:
              first: {command: echo first >> ran.txt}
              second: {command: 'echo second >> ran.txt; test -e go || sleep 60', depends_on: first}
            """,
        ),
        catalog=catalog,
    )
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(dag)
        await until_there(tmp_path / "ran.txt", 2)

        (tmp_path / "go").touch()
        await env.crash()
        await run.result()

        assert lines(tmp_path / "ran.txt") == ["first", "second", "second"]
        assert [(it.attempt, it.status) for it in await env.attempts(run)] == [(1, "lost")]
        assert env.repeated == []


async def test_a_run_goes_on_with_the_edition_of_the_file_that_it_began_with(
    store_url: str, tmp_path: Path, catalog: Catalog
) -> None:
    file = project(
        tmp_path,
        """
        name: flow
        tasks:
          gate: {approval: true}
          say: {command: 'echo "HOLDFAST_OUTPUT:\\"old\\""', depends_on: gate}
        """,
    )
    async with Holdfast(store_url, catalog=catalog) as hf:
        old = await hf.start(load_dag(file, catalog=catalog), id="old")
        await until_waiting(hf, old)

    file.write_text('name: flow\ntasks: {say: {command: \'echo "HOLDFAST_OUTPUT:\\"new\\""\'}}')
    later = Catalog()
    dag = load_dag(file, catalog=later)
    async with Holdfast(store_url, catalog=later) as hf:
        new = await hf.start(dag, id="new")
        await hf.approve("old", "gate")

        assert await new.result() == {"say": "new"}
        assert await hf.result("old") == {"say": "old"}
        assert (await hf.describe("old")).version != (await hf.describe("new")).version


async def until_waiting(hf: Holdfast, run: Run[Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not [it for it in await hf.tasks(run) if it.status is TaskStatus.RUNNING]:  # noqa: ASYNC110  # it is another process that makes it true
            await asyncio.sleep(0.02)


async def test_two_files_of_one_name_are_refused(tmp_path: Path, catalog: Catalog) -> None:
    from holdfast.errors import BadDefinition

    (tmp_path / "other").mkdir()
    load_dag(project(tmp_path, "name: flow\ntasks: {a: {command: x}}"), catalog=catalog)

    with pytest.raises(BadDefinition, match="belongs to"):
        load_dag(project(tmp_path / "other", "name: flow\ntasks: {a: {command: x}}"), catalog=catalog)


async def test_a_definition_that_this_version_cannot_read_parks_its_runs_alone(
    tmp_path: Path, catalog: Catalog
) -> None:
    import apsw

    file = project(tmp_path, "name: flow\ntasks: {gate: {approval: true}}")
    url = f"sqlite:///{tmp_path}/x.db"
    async with Holdfast(url, catalog=catalog) as hf:
        run = await hf.start(load_dag(file, catalog=catalog), id="old")
        await until_waiting(hf, run)
    connection = apsw.Connection(f"{tmp_path}/x.db")
    connection.execute("UPDATE workflows SET source = 'tasks: {gate: {telepathy: true}}'")
    connection.close()
    file.write_text("name: flow\ntasks: {a: {command: 'true'}}")
    later = Catalog()
    dag: DagWorkflow = load_dag(file, catalog=later)

    async with Holdfast(url, catalog=later) as hf:
        await hf.resolve("old", "gate", True)
        await (await hf.start(dag)).result()
        async with asyncio.timeout(PATIENCE):
            while (info := await hf.describe("old")).status is not RunStatus.PARKED:  # noqa: ASYNC110  # it is another process that makes it true
                await asyncio.sleep(0.05)

    assert info.failure is not None
    assert "no workflow 'flow version" in info.failure.message
