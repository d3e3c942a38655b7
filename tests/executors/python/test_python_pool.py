"""Plain functions in worker processes: found, bound, called, and their workers used again."""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import uvloop
from tests.executors.processes.process_bench import ProcessBench, alive_with, python_bench
from tests.executors.recorder import RUN, failure_of, value_of
from tests.patience import until

from holdfast.core.values import Outcome, Succeeded, task_id
from holdfast.executors.python import pool
from holdfast.ports.executor import Attempt, PythonFunction


class Project:
    """A folder with a user's files, and workers for it."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.bench: ProcessBench = python_bench(folder, **({"kill_after": 1} | options))

    def write(self, name: str, source: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
        return path

    def start(
        self,
        function: str,
        input: object = None,
        *,
        file: str | None = "tasks.py",
        module: str | None = None,
        **options: Any,
    ) -> Attempt:
        work = PythonFunction(function, file=None if module else file, module=module)
        return self.bench.start(work, input, **options)

    async def run(self, *given: Any, **options: Any) -> Outcome:
        return await self.bench.outcome_of(self.start(*given, **options))


@pytest.fixture
async def project(tmp_path: Path) -> AsyncIterator[Project]:
    project = Project(tmp_path)
    yield project
    await project.bench.executor.stop()
    assert project.bench.spoken_after_the_report == []


# --- finding and binding


async def test_parameters_are_bound_by_name_and_type_and_the_result_is_stored(project: Project) -> None:
    project.write(
        "tasks.py",
        """
        import datetime as dt
        from dataclasses import dataclass
        from decimal import Decimal
        from pydantic import BaseModel

        @dataclass
        class Order:
            id: int
            day: dt.date

        class Customer(BaseModel):
            name: str

        def bill(
            order: Order, at: dt.datetime, customer: Customer, *, price: Decimal, note: str = "none"
        ) -> Order:
            assert isinstance(order.day, dt.date) and isinstance(customer, Customer)
            assert isinstance(price, Decimal) and at.year == 2024
            print(customer.name, price, note)
            return Order(order.id + 1, order.day)
        """,
    )
    attempt = project.start(
        "bill",
        {
            "order": {"id": 1, "day": "2024-02-29"},
            "at": "2024-02-29T12:00:00Z",
            "customer": {"name": "Ada"},
            "price": "12.50",
            "unknown": ["left", "out"],
            "parallel_index": 0,
        },
    )

    assert value_of(await project.bench.outcome_of(attempt)) == {"id": 2, "day": "2024-02-29"}
    assert project.bench.texts_of(attempt) == ["Ada 12.50 none"]


async def test_a_function_that_takes_everything_gets_everything(project: Project) -> None:
    project.write("tasks.py", "def take(a, *rest, b=2, **others): return [a, list(rest), b, others]")

    outcome = await project.run("take", {"a": 1, "c": 3, "d": {"e": 4}})

    assert value_of(outcome) == [1, [], 2, {"c": 3, "d": {"e": 4}}]


@pytest.mark.parametrize("input", [{}, None, {"x": 1}])
async def test_a_function_without_parameters_needs_no_input(project: Project, input: object) -> None:
    project.write("tasks.py", "def answer() -> int: return 42")

    assert value_of(await project.run("answer", input)) == 42


async def test_async_functions_run_to_their_end(project: Project) -> None:
    project.write(
        "tasks.py",
        """
        import asyncio
        async def double(x: int) -> int:
            await asyncio.sleep(0.01)
            return 2 * x
        """,
    )

    assert [value_of(await project.run("double", {"x": x})) for x in (1, 2)] == [2, 4]


async def test_a_function_is_found_in_a_module_of_the_project_and_in_an_installed_one(
    project: Project,
) -> None:
    project.write("shop/__init__.py", "")
    project.write("shop/publish.py", "from shop.names import NAME\ndef main() -> str: return NAME")
    project.write("shop/names.py", "NAME = 'shop'")

    ours = await project.run("main", module="shop.publish")
    theirs = await project.run("dumps", {"obj": [1]}, module="json")

    assert (value_of(ours), value_of(theirs)) == ("shop", "[1]")


async def test_a_file_and_its_neighbours_see_one_another_and_are_loaded_once(project: Project) -> None:
    project.write("lib.py", "def name(): return 'lib of the project'")
    project.write(
        "jobs/etl.py",
        """
        import helper, lib
        LOADED = []
        LOADED.append(1)
        def main():
            return [helper.count(), lib.name(), __name__, len(LOADED)]
        """,
    )
    project.write(
        "jobs/helper.py",
        """
        def count():
            import etl
            return len(etl.LOADED)
        """,
    )

    outcome = await project.run("main", file="jobs/etl.py")

    assert value_of(outcome) == [1, "lib of the project", "etl", 1]


@pytest.mark.parametrize("name", ["holdfast.py", "my-script.py", "two.dots.py", "script", "json.py"])
async def test_a_file_may_have_any_name_and_breaks_no_module_that_has_it_too(
    project: Project, name: str
) -> None:
    project.write(
        f"jobs/{name}",
        """
        def main():
            import uuid, tempfile
            return "mine"
        """,
    )

    assert value_of(await project.run("main", file=f"jobs/{name}")) == "mine"


async def test_two_files_of_one_name_in_two_folders_do_not_get_mixed_up(project: Project) -> None:
    for folder in ("a", "b"):
        project.write(f"{folder}/etl.py", f"import part\ndef main(): return part.NAME + '{folder}'")
        project.write(f"{folder}/part.py", f"NAME = 'part of {folder} in '")

    outcomes = [await project.run("main", file=f"{folder}/etl.py") for folder in "abab"]

    assert [value_of(it) for it in outcomes] == ["part of a in a", "part of b in b"] * 2


async def test_methods_are_functions_too(project: Project) -> None:
    project.write("tasks.py", "class Jobs:\n    @staticmethod\n    def run(x: int) -> int: return x + 1")

    assert value_of(await project.run("Jobs.run", {"x": 1})) == 2


async def test_what_imports_holdfast_itself_gets_all_of_it(project: Project) -> None:
    project.write(
        "tasks.py",
        """
        import holdfast
        from holdfast import Retry, task
        @task
        async def decorated() -> None: ...
        def main() -> str:
            assert holdfast.core.values.NULL == b"null"
            return type(holdfast.Holdfast).__name__ + str(Retry().max_attempts)
        """,
    )

    assert value_of(await project.run("main")) == "type1"


# --- what does not fit


@pytest.mark.parametrize(
    ("input", "words"),
    [
        (
            {"b": 1},
            "a call of function 'add' in tasks.py: its parameter 'a' is not in the input, which has 'b'",
        ),
        (
            {},
            "a call of function 'add' in tasks.py: its parameter 'a' is not in the input, which has nothing",
        ),
        ({"a": "x", "b": 1}, "the arguments of function 'add' in tasks.py: a: expected int, got str"),
        (
            [1, 2],
            "the input of function 'add' in tasks.py: it must be an object, with a field for each parameter",
        ),
    ],
)
async def test_an_input_that_does_not_fit_names_function_parameter_and_file(
    project: Project, input: object, words: str
) -> None:
    project.write("tasks.py", "def add(a: int, b: int) -> int: return a + b")

    failure = failure_of(await project.run("add", input))

    assert (failure.type, failure.message) == ("holdfast.errors:WrongType", words)


async def test_a_result_that_does_not_fit_or_cannot_be_stored_is_a_failure(project: Project) -> None:
    project.write(
        "tasks.py",
        """
        def wrong() -> int: return "text"
        def odd(): return {"at": [object()]}
        def pages(): yield 1
        def huge(): return "x" * 70_000_000
        """,
    )

    failures = [failure_of(await project.run(name)) for name in ("wrong", "odd", "pages", "huge")]

    kinds = ["WrongType", "CannotStore", "CannotStore", "PayloadTooLarge"]
    assert [it.type for it in failures] == [f"holdfast.errors:{kind}" for kind in kinds]
    assert "the result of function 'wrong' in tasks.py" in failures[0].message


@pytest.mark.parametrize(
    ("work", "kind", "words"),
    [
        ({"function": "x", "file": "none.py"}, "FileNotFoundError", "there is no file none.py in {folder}"),
        (
            {"function": "x", "module": "no.where"},
            "ModuleNotFoundError",
            "there is no module 'no' in {folder}",
        ),
        ({"function": "x"}, "AttributeError", "there is no function 'x' in tasks.py; it has 'here', 'there'"),
        ({"function": "NUMBER"}, "TypeError", "'NUMBER' in tasks.py is no function, but int"),
        (
            {"function": "x", "file": "leaves.py"},
            "ImportError",
            "leaves.py has ended the program (SystemExit(0))",
        ),
        ({"function": "x", "file": "asks.py"}, "ModuleNotFoundError", "No module named 'not_installed'"),
        ({"function": "odd", "file": "odd.py"}, "BadDefinition", "the type hint 'Nowhere' of parameter 'x'"),
    ],
)
async def test_a_function_that_cannot_be_had_is_a_failure_that_says_why(
    project: Project, work: dict[str, str], kind: str, words: str
) -> None:
    project.write("tasks.py", "from os import getcwd\nNUMBER = 1\ndef here(): ...\ndef there(): ...")
    project.write("leaves.py", "import sys\nsys.exit(0)")
    project.write("asks.py", "import not_installed")
    project.write("odd.py", "def odd(x: 'Nowhere'): ...")

    failure = failure_of(await project.run(**work))

    assert failure.type.partition(":")[2] == kind
    assert words.format(folder=project.folder) in failure.message


async def test_a_failed_import_can_be_mended_without_a_word_to_the_worker(project: Project) -> None:
    project.write("tasks.py", "import part\ndef main(): return part.VALUE")
    project.write("part.py", "1/0")
    failure = failure_of(await project.run("main"))

    project.write("part.py", "VALUE = 5")

    assert failure.type == "builtins:ZeroDivisionError"
    assert value_of(await project.run("main")) == 5


# --- failures


async def test_an_exception_keeps_its_class_and_shows_the_users_own_frames_only(project: Project) -> None:
    path = project.write(
        "tasks.py",
        """
        import asyncio

        class Declined(Exception):
            def __init__(self, code):
                super().__init__(f"declined with {code}")
                self.code = code

        def charge():
            raise Declined(7)

        def pay():
            try:
                charge()
            except Declined as error:
                raise ValueError("cannot pay") from error

        async def pay_later():
            await asyncio.sleep(0)
            charge()
        """,
    )
    direct, chained = failure_of(await project.run("charge")), failure_of(await project.run("pay"))
    later = failure_of(await project.run("pay_later"))

    assert (direct.type, direct.message, direct.attributes) == (
        "tasks:Declined",
        "declined with 7",
        {"code": 7},
    )
    assert chained.cause is not None
    assert (chained.type, chained.cause.type) == ("builtins:ValueError", "tasks:Declined")
    for failure in (direct, chained, chained.cause, later):
        files = [line for line in failure.traceback.splitlines() if line.startswith("  File")]
        assert files
        assert all(str(path) in line for line in files)


@pytest.mark.parametrize(
    ("call", "message", "words"),
    [
        ("sys.exit(3)", "exited with code 3", ""),
        ("sys.exit('no such day')", "exited with code 1", "no such day"),
        ("raise SystemExit(True)", "exited with code 1", ""),
        ("sys.exit(-1)", "exited with code 255", ""),
        ("sys.exit('')", "exited with code 1", ""),
    ],
)
async def test_an_exit_is_the_failure_of_a_command(
    project: Project, call: str, message: str, words: str
) -> None:
    project.write("tasks.py", f"import sys\ndef main(): {call}")

    failure = failure_of(await project.run("main"))

    assert failure.type == "holdfast.errors:CommandFailed"
    assert (failure.message, failure.traceback) == (message, words)


@pytest.mark.parametrize("call", ["sys.exit()", "sys.exit(0)"])
async def test_an_exit_with_success_is_success(project: Project, call: str) -> None:
    project.write("tasks.py", f"import sys\ndef main(): {call}")

    assert value_of(await project.run("main")) is None


# --- surroundings


async def test_a_function_sees_the_contracts_variables_and_its_own_and_its_workdir(project: Project) -> None:
    project.write(
        "tasks.py",
        """
        import json, os
        def main(**given):
            seen = {k[9:]: v for k, v in os.environ.items() if k.startswith("HOLDFAST_")}
            assert json.loads(seen["INPUT"]) == json.load(open(seen["INPUT_FILE"])) == given
            return {"seen": seen, "own": os.environ["OWN"], "cwd": os.getcwd()}
        """,
    )
    (project.folder / "elsewhere").mkdir()
    attempt = project.start(
        "main",
        {"parallel_index": 1, "parallel_count": 3},
        env={"OWN": "yes"},
        workdir=project.folder / "elsewhere",
        number=2,
        details=[5],
    )

    value = value_of(await project.bench.outcome_of(attempt))

    expected = {
        "RUN_ID": "order-1",
        "TASK_ID": task_id(RUN, attempt.seq),
        "IDEMPOTENCY_KEY": task_id(RUN, attempt.seq),
        "TASK_NAME": "try",
        "WORKFLOW": "checkout",
        "NAMESPACE": "shop",
        "ATTEMPT": "2",
        "PARALLEL_INDEX": "1",
        "PARALLEL_COUNT": "3",
        "HEARTBEAT_DETAILS": "[5]",
    }
    assert {name: value["seen"].get(name) for name in expected} == expected
    assert value["own"] == "yes"
    assert value["cwd"] == str(project.folder / "elsewhere")


async def test_a_workdir_that_is_not_there_is_a_failure_that_says_so(project: Project) -> None:
    project.write("tasks.py", "def main(): ...")

    failure = failure_of(await project.run("main", workdir="/no/where"))

    assert failure.message == "there is no folder /no/where, which is the workdir of the task"
    assert value_of(await project.run("main")) is None


async def test_an_input_too_large_for_a_variable_is_bound_all_the_same(project: Project) -> None:
    project.write(
        "tasks.py", "import os\ndef size(text: str): return [len(text), 'HOLDFAST_INPUT' in os.environ]"
    )

    outcome = await project.run("size", {"text": "x" * 3_000_000}, details="y" * 90_000)

    assert value_of(outcome) == [3_000_000, False]


async def test_what_one_call_changes_is_put_back_before_the_next(project: Project) -> None:
    project.write(
        "tasks.py",
        """
        import os, signal, sys
        def spoil():
            os.environ["LEFT"] = "behind"
            del os.environ["HOLDFAST_RUN_ID"]
            del os.environ["PATH"]
            os.chdir("/")
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(1)
            sys.stdout = open(os.devnull, "w")
            os.close(2)
            return os.getpid()
        def look():
            print("heard")
            print("also heard", file=sys.stderr)
            return [os.getpid(), "LEFT" in os.environ, "PATH" in os.environ, os.environ["HOLDFAST_RUN_ID"],
                    os.getcwd(), signal.getsignal(signal.SIGTERM) is signal.SIG_IGN, signal.alarm(0)]
        """,
    )
    worker = value_of(await project.run("spoil"))

    attempt = project.start("look")
    seen = value_of(await project.bench.outcome_of(attempt))

    assert seen == [worker, False, True, "order-1", str(project.folder), False, 0]
    assert sorted(project.bench.texts_of(attempt)) == ["also heard", "heard"]


async def test_variables_of_a_task_are_there_when_its_interpreter_starts(project: Project) -> None:
    project.write("tasks.py", "import os, extra\ndef main(): return [extra.NAME, os.environ['LEVEL']]")
    project.write("more/extra.py", "NAME = 'from PYTHONPATH'")
    path = str(project.folder / "more")

    outcome = await project.run("main", env={"PYTHONPATH": path, "LEVEL": "1"})
    other = await project.run("main", env={"PYTHONPATH": path, "LEVEL": "2"})

    assert value_of(outcome) == ["from PYTHONPATH", "1"]
    assert value_of(other) == ["from PYTHONPATH", "2"]


async def test_what_a_function_says_is_its_log_and_nobody_elses(project: Project) -> None:
    project.write(
        "tasks.py",
        """
        import ctypes, logging, os, sys
        def talk(name: str):
            print(name, "to stdout")
            print(name, "to stderr", file=sys.stderr)
            os.write(1, f"{name} to the descriptor\\n".encode())
            ctypes.CDLL(None).printf(f"{name} from C\\n".encode())
            logging.warning("%s by logging", name)
            sys.stdout.write(f"{name} without an end")
        """,
    )
    plain = {"PYTHONUNBUFFERED": ""}  # with it, C code would not hold anything back either
    attempts: list[Attempt] = []
    for name in "ab":
        attempts.append(project.start("talk", {"name": name}, env=plain))
        await project.bench.outcome_of(attempts[-1])

    for attempt, name in zip(attempts, "ab", strict=True):
        said = set(project.bench.texts_of(attempt))
        assert f"{name} to stdout" in said
        assert f"{name} to stderr" in said
        assert f"{name} to the descriptor" in said
        assert f"WARNING:root:{name} by logging" in said
        assert any(text.endswith(f"{name} from C") for text in said)
        assert all(text.startswith((name, "WARNING")) for text in said)


async def test_a_line_is_heard_while_the_function_runs(project: Project) -> None:
    project.write("tasks.py", "import time\ndef main():\n    print('now')\n    time.sleep(30)")
    attempt = project.start("main")

    await project.bench.wait_for_line(attempt, "now")

    assert project.bench.reports == []
    project.bench.executor.cancel(attempt)
    await project.bench.outcome_of(attempt)


async def test_a_lot_of_output_is_all_heard_before_the_report(project: Project) -> None:
    project.write("tasks.py", "def main():\n    for i in range(50_000): print(i, 'x' * 40)")
    counts: list[int] = []
    project.bench.on_report = lambda attempt, outcome: counts.append(len(project.bench.lines[attempt]))

    assert value_of(await project.run("main")) is None
    assert counts == [50_000]


async def test_odd_characters_are_no_error(project: Project) -> None:
    project.write("tasks.py", "def main(): print('\\ud800 ü \\0')")
    attempt = project.start("main", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})

    assert value_of(await project.bench.outcome_of(attempt)) is None
    assert project.bench.texts_of(attempt) == ["\\ud800 ü \ufffd"]


# --- workers


async def worker_of(project: Project) -> int:
    return value_of(await project.run("pid"))


PID = "import os\ndef pid(): return os.getpid()\n"


async def test_a_worker_is_used_again(project: Project) -> None:
    project.write("tasks.py", PID)

    workers = [await worker_of(project) for _ in range(5)]

    assert len(set(workers)) == 1


async def test_calls_at_once_have_a_worker_each_up_to_the_capacity_and_the_others_wait(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, capacity=3)
    project.write("tasks.py", "import os, time\ndef pid():\n    time.sleep(0.05)\n    return os.getpid()\n")

    attempts = [project.start("pid") for _ in range(12)]
    outcomes = await asyncio.gather(*map(project.bench.outcome_of, attempts))

    assert len({value_of(outcome) for outcome in outcomes}) == 3
    await project.bench.executor.stop()


async def test_one_that_waits_for_a_worker_can_be_cancelled(tmp_path: Path) -> None:
    project = Project(tmp_path, capacity=1)
    project.write(
        "tasks.py", "import time\ndef wait():\n    print('in', flush=True)\n    time.sleep(30)\n" + PID
    )
    running, waiting, last = project.start("wait"), project.start("wait"), project.start("pid")
    await project.bench.wait_for_line(running, "in")

    project.bench.executor.cancel(waiting)
    project.bench.executor.cancel(running)

    assert isinstance(value_of(await project.bench.outcome_of(last)), int)
    assert project.bench.texts_of(waiting) == []
    assert len(project.bench.reports) == 3
    await project.bench.executor.stop()


@pytest.mark.parametrize("changed", ["tasks.py", "lib/part.py"])
async def test_a_worker_is_replaced_when_a_source_that_it_imported_was_changed(
    project: Project, changed: str
) -> None:
    project.write("lib/part.py", "VALUE = 1")
    project.write("tasks.py", "from lib import part\nimport os\ndef main(): return [part.VALUE, os.getpid()]")
    _, first = value_of(await project.run("main"))
    _, same = value_of(await project.run("main"))

    source = (project.folder / changed).read_text()
    project.write(changed, source.replace("VALUE = 1", "VALUE = 2") + "\n# changed\n")
    value, other = value_of(await project.run("main"))

    assert same == first != other
    assert value == (1 if changed == "tasks.py" else 2)


@pytest.mark.parametrize("also", ["", "del sys.modules['spare']"], ids=["one more", "one for another"])
async def test_a_worker_is_replaced_when_a_source_that_a_later_call_has_imported_was_changed(
    project: Project, also: str
) -> None:
    project.write("part.py", "VALUE = 1")
    project.write("spare.py", "")
    project.write(
        "tasks.py",
        f"""
        import sys, spare
        def first(): pass
        def later():
            import part
            {also}
            return part.VALUE
        """,
    )
    await project.run("first")
    assert value_of(await project.run("later")) == 1

    project.write("part.py", "VALUE = 2  # changed")

    assert value_of(await project.run("later")) == 2


async def test_a_source_that_is_changed_while_its_function_runs_is_loaded_anew_for_the_next(
    project: Project,
) -> None:
    project.write("tasks.py", "import time\ndef main():\n    print('in')\n    time.sleep(0.3)\n    return 1")
    attempt = project.start("main")
    await project.bench.wait_for_line(attempt, "in")

    project.write("tasks.py", "def main(): return 2")

    assert value_of(await project.bench.outcome_of(attempt)) == 1
    assert value_of(await project.run("main")) == 2


async def test_a_file_that_was_not_imported_may_change(project: Project) -> None:
    project.write("tasks.py", PID)
    first = await worker_of(project)

    project.write("data.csv", "1,2,3")
    project.write("other.py", "1/0")

    assert await worker_of(project) == first


async def test_a_worker_is_replaced_after_so_many_calls(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "CALLS_PER_WORKER", 3)
    project.write("tasks.py", PID)

    workers = [await worker_of(project) for _ in range(7)]

    assert [len(set(workers[at : at + 3])) for at in (0, 3)] == [1, 1]
    assert len(set(workers)) == 3


async def test_idle_workers_beyond_a_few_are_ended_after_a_while(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.3)
    project.write(
        "tasks.py", "import os, time\ndef nap():\n    while not os.path.exists('go'): time.sleep(0.01)\n"
    )
    attempts = [project.start("nap", env={"MARK": "idle-workers"}) for _ in range(4)]
    await until(lambda: len(alive_with("MARK=idle-workers")) == 4)
    project.write("go", "")
    await asyncio.gather(*map(project.bench.outcome_of, attempts))

    await until(lambda: len(alive_with("MARK=idle-workers")) <= pool.KEPT_IDLE)

    assert len(alive_with("MARK=idle-workers")) == pool.KEPT_IDLE
    assert value_of(await project.run("nap", env={"MARK": "idle-workers"})) is None


async def test_a_worker_that_is_not_wanted_any_more_ends_in_its_own_way(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "CALLS_PER_WORKER", 1)
    project.write(
        "tasks.py",
        """
        import atexit, pathlib
        def main(): atexit.register(pathlib.Path("goodbye").touch)
        """,
    )
    await project.run("main")

    await until((project.folder / "goodbye").exists)


async def test_an_idle_worker_of_another_project_makes_room(tmp_path: Path) -> None:
    project = Project(tmp_path, capacity=1)
    for folder in ("a", "b"):
        project.write(f"{folder}/tasks.py", PID)

    workers = [value_of(await project.run("pid", file=f"{folder}/tasks.py")) for folder in "aab"]

    assert workers[0] == workers[1] != workers[2]
    await until(lambda: not Path(f"/proc/{workers[0]}").exists())
    await project.bench.executor.stop()


async def test_a_hundred_calls_are_answered_by_one_warm_worker(project: Project) -> None:
    project.write("tasks.py", PID)

    assert len({await worker_of(project) for _ in range(100)}) == 1


def test_it_works_on_uvloop_as_on_asyncio(tmp_path: Path) -> None:
    async def scenario() -> None:
        project = Project(tmp_path)
        project.write("tasks.py", PID + "import time\ndef nap(): time.sleep(30)\n")
        attempts = [project.start("pid") for _ in range(5)]
        nap = project.start("nap")
        outcomes = await asyncio.gather(*map(project.bench.outcome_of, attempts))
        assert all(isinstance(outcome, Succeeded) for outcome in outcomes)
        project.bench.executor.cancel(nap)
        assert not isinstance(await project.bench.outcome_of(nap), Succeeded)
        await project.bench.executor.stop()

    uvloop.run(scenario())
