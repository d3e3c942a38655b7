"""Each call of a function finds its process as a new one would be, though the worker is used again."""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.executors.python.test_python_pool import Project
from tests.executors.recorder import failure_of, value_of

from holdfast.ports.executor import PythonFunction

MODULES = """
import asyncio, builtins, contextvars, decimal, gc, io, locale, logging, logging.config, multiprocessing, os
import random, resource, signal, socket, sys, tempfile, time, warnings

language = contextvars.ContextVar("language", default="none")
log = logging.getLogger("shop")

def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask

def limit(kind, soft):
    resource.setrlimit(kind, (soft, resource.getrlimit(kind)[1]))

def oom_score(new=None):
    if new is not None:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write(str(new))
    with open("/proc/self/oom_score_adj") as file:
        return int(file.read())

def pid():
    return os.getpid()
"""

ON_SEVERAL_PROCESSORS = [
    ("os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])", "len(os.sched_getaffinity(0))")
][: len(os.sched_getaffinity(0)) - 1]
"""Where there is one, it cannot be changed."""


@pytest.fixture
async def project(tmp_path: Path) -> AsyncIterator[Project]:
    project = Project(tmp_path)
    yield project
    await project.bench.executor.stop()
    assert project.bench.spoken_after_the_report == []


def define(project: Project, functions: str) -> None:
    (project.folder / "tasks.py").write_text(MODULES + functions)


async def worker_of(project: Project) -> int:
    return value_of(await project.run("pid"))


async def said_in(project: Project, function: str) -> list[str]:
    attempt = project.start(function)
    value_of(await project.bench.outcome_of(attempt))
    return project.bench.texts_of(attempt)


# --- put back


@pytest.mark.parametrize(
    ("change", "look"),
    [
        ("logging.disable(logging.CRITICAL)", "logging.root.manager.disable"),
        ("logging.root.setLevel(logging.DEBUG)", "logging.root.level"),
        ("logging.basicConfig()", "len(logging.root.handlers)"),
        ("logging.root.addFilter(print)", "len(logging.root.filters)"),
        ("setattr(logging.root, 'disabled', True)", "logging.root.disabled"),
        ("logging.config.dictConfig({'version': 1})", "log.disabled"),
        ("logging.setLoggerClass(type('Mine', (logging.Logger,), {}))", "logging.getLoggerClass().__name__"),
        ("logging.setLogRecordFactory(dict)", "logging.getLogRecordFactory().__name__"),
        ("setattr(tempfile, 'tempdir', '/dev/shm')", "tempfile.gettempdir()"),
        ("setattr(builtins, 'left', 'behind')", "hasattr(builtins, 'left')"),
        ("setattr(builtins, 'round', abs)", "round(1.5)"),
        ("delattr(builtins, 'round')", "hasattr(builtins, 'round')"),
        ("oom_score(900)", "oom_score()"),
        ("logging.captureWarnings(True)", "warnings.showwarning.__module__"),
        ("warnings.simplefilter('error')", "[each[0] for each in warnings.filters]"),
        (
            "warnings.catch_warnings().__enter__(); warnings.simplefilter('error')",
            "[each[0] for each in warnings.filters]",
        ),
        ("os.umask(0o077)", "umask()"),
        ("os.nice(3)", "os.nice(0)"),
        ("os.chdir('/')", "os.getcwd()"),
        ("os.environ.update(LEFT='behind')", "os.environ.get('LEFT')"),
        ("(os.environ.update(TZ='Asia/Tokyo'), time.tzset())", "[time.tzname, time.localtime(0).tm_hour]"),
        ("locale.setlocale(locale.LC_ALL, 'C')", "locale.setlocale(locale.LC_ALL)"),
        ("signal.signal(signal.SIGUSR1, signal.SIG_IGN)", "signal.getsignal(signal.SIGUSR1)"),
        ("signal.signal(signal.SIGINT, signal.SIG_DFL)", "str(signal.getsignal(signal.SIGINT))"),
        ("signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])", "signal.pthread_sigmask(0, [])"),
        ("signal.setitimer(signal.ITIMER_PROF, 60)", "signal.getitimer(signal.ITIMER_PROF)"),
        ("signal.setitimer(signal.ITIMER_VIRTUAL, 60)", "signal.getitimer(signal.ITIMER_VIRTUAL)"),
        ("sys.path.insert(0, '/nowhere')", "sys.path"),
        ("sys.argv.append('more')", "sys.argv"),
        ("setattr(sys, 'stdin', io.StringIO('more'))", "type(sys.stdin).__name__"),
        ("sys.stdin.close()", "sys.stdin.closed"),
        ("setattr(sys, 'stdout', None)", "sys.stdout is None"),
        ("sys.setrecursionlimit(5000)", "sys.getrecursionlimit()"),
        ("sys.setprofile(lambda *_: None)", "sys.getprofile() is None"),
        ("sys.settrace(lambda *_: None)", "sys.gettrace() is None"),
        ("setattr(sys, 'excepthook', print)", "sys.excepthook is sys.__excepthook__"),
        ("sys.setswitchinterval(1)", "sys.getswitchinterval()"),
        ("sys.set_int_max_str_digits(700)", "sys.get_int_max_str_digits()"),
        ("gc.disable()", "gc.isenabled()"),
        ("gc.set_threshold(0)", "gc.get_threshold()"),
        ("socket.setdefaulttimeout(3)", "socket.getdefaulttimeout()"),
        ("language.set('de')", "language.get()"),
        ("setattr(decimal.getcontext(), 'prec', 3)", "decimal.getcontext().prec"),
        ("multiprocessing.set_start_method('fork')", "multiprocessing.get_start_method(allow_none=True)"),
        (
            "resource.setrlimit(resource.RLIMIT_FSIZE, (9999, 9999))",
            "resource.getrlimit(resource.RLIMIT_FSIZE)",
        ),
        ("limit(resource.RLIMIT_STACK, 1 << 20)", "resource.getrlimit(resource.RLIMIT_STACK)"),
        ("limit(resource.RLIMIT_CORE, 4096)", "resource.getrlimit(resource.RLIMIT_CORE)"),
        *ON_SEVERAL_PROCESSORS,
    ],
)
async def test_what_a_call_sets_for_its_process_is_not_there_for_the_next(
    project: Project, change: str, look: str
) -> None:
    define(project, f"def change():\n    {change}\n    return {look}\ndef look():\n    return {look}\n")
    before = value_of(await project.run("look"))
    assert value_of(await project.run("change")) != before

    assert value_of(await project.run("look")) == before


async def test_a_worker_whose_call_has_changed_much_is_used_again(project: Project) -> None:
    define(
        project,
        """
def change():
    logging.basicConfig(level=logging.DEBUG)
    logging.disable()
    warnings.simplefilter("error")
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    os.umask(0)
    sys.path.clear()
""",
    )
    worker = await worker_of(project)

    value_of(await project.run("change"))

    assert await worker_of(project) == worker


async def test_a_worker_that_cannot_be_put_back_is_not_used_again(project: Project) -> None:
    define(project, "def change():\n    sys.path = ()\n")
    worker = await worker_of(project)

    value_of(await project.run("change"))

    assert await worker_of(project) != worker


async def test_logging_that_one_function_has_switched_off_is_heard_of_the_next(project: Project) -> None:
    define(
        project,
        """
def silence():
    logging.disable(logging.CRITICAL)
    log.warning("not to be heard")

def talk():
    log.warning("heard")
""",
    )

    assert await said_in(project, "silence") == []
    assert await said_in(project, "talk") == ["heard"]


async def test_settings_of_a_call_that_failed_are_put_back_as_well(project: Project) -> None:
    define(
        project,
        """
def fail():
    logging.disable(logging.CRITICAL)
    raise ValueError("no")

def talk():
    log.warning("heard")
""",
    )
    failure_of(await project.run("fail"))

    assert await said_in(project, "talk") == ["heard"]


async def test_settings_of_a_module_that_could_not_be_loaded_are_put_back(project: Project) -> None:
    (project.folder / "broken.py").write_text("import logging\nlogging.disable()\nraise ValueError('no')\n")
    define(project, "def talk():\n    log.warning('heard')\n")
    worker = await worker_of(project)

    failure_of(await project.run("main", file="broken.py"))

    assert await said_in(project, "talk") == ["heard"]
    assert await worker_of(project) == worker


async def test_what_numbers_are_drawn_next_is_not_put_back(project: Project) -> None:
    """They would be the same in each call, and so would be the names that are made of them."""
    define(
        project,
        """
def seed():
    random.seed(1)
    return os.getpid()

def draw():
    return random.random()
""",
    )
    worker = await worker_of(project)

    assert value_of(await project.run("seed")) == worker
    drawn = [value_of(await project.run("draw")) for _ in range(2)]

    chance = random.Random(1)
    assert drawn == [chance.random(), chance.random()]
    assert await worker_of(project) == worker


# --- the same in each call


@pytest.mark.parametrize(
    "body",
    [
        "multiprocessing.set_start_method('fork')",
        "asyncio.get_event_loop().run_until_complete(asyncio.sleep(0)); asyncio.get_event_loop().close()",
        "asyncio.get_event_loop(); asyncio.run(asyncio.sleep(0))",
        "assert sys.stdin.read() == ''; sys.stdin.close()",
    ],
    ids=["start method", "loop that is closed", "loop after a run", "standard input"],
)
async def test_what_works_once_works_again(project: Project, body: str) -> None:
    define(project, f"def work():\n    {body}\n    return os.getpid()\n")

    workers = [value_of(await project.run("work")) for _ in range(3)]

    assert len(set(workers)) == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("warnings.warn('careful')", "careful"),
        (
            "logging.basicConfig(); logging.captureWarnings(True); warnings.warn('careful')",
            "WARNING:py.warnings:",
        ),
        ("logging.basicConfig(format='> %(message)s', level=logging.INFO); log.info('on')", "> on"),
        ("sys.__stdout__.write('straight\\n')", "straight"),
        ("sys.stdout = sys.__stdout__; print('put back')", "put back"),
    ],
    ids=["warning", "captured warning", "logging", "original stream", "stream put back"],
)
async def test_what_is_said_in_one_call_is_said_in_the_next(project: Project, body: str, said: str) -> None:
    define(project, f"def talk():\n    {body}\n    return os.getpid()\n")

    for _ in range(3):
        assert said in "\n".join(await said_in(project, "talk"))


# --- what modules set up


@pytest.mark.parametrize(
    ("setting", "look"),
    [
        ("logging.basicConfig(level=logging.INFO)", "[logging.root.level, len(logging.root.handlers)]"),
        ("logging.disable(logging.INFO)", "logging.root.manager.disable"),
        ("warnings.simplefilter('error')", "warnings.filters[0][0]"),
        ("signal.signal(signal.SIGUSR1, signal.SIG_IGN)", "signal.getsignal(signal.SIGUSR1)"),
        ("sys.path.append('/more')", "'/more' in sys.path"),
        ("os.umask(0o077)", "umask()"),
        ("socket.setdefaulttimeout(3)", "socket.getdefaulttimeout()"),
        ("language.set('de')", "language.get()"),
        ("loop = asyncio.new_event_loop(); asyncio.set_event_loop(loop)", "asyncio.get_event_loop() is loop"),
    ],
)
async def test_what_a_module_sets_up_while_it_is_loaded_lasts_for_all_calls(
    project: Project, setting: str, look: str
) -> None:
    define(project, f"{setting}\ndef look():\n    return [os.getpid(), {look}]\n")

    seen: list[Any] = [value_of(await project.run("look")) for _ in range(3)]

    assert seen[0][1] not in (False, None, "none", 0, 0o022, "default", [30, 0])
    assert seen == [seen[0]] * 3


async def test_what_is_loaded_later_may_set_up_more(project: Project) -> None:
    define(project, "def level():\n    return logging.root.level\n")
    (project.folder / "later.py").write_text(
        "import logging\nlogging.root.setLevel(logging.DEBUG)\ndef main(): pass\n"
    )
    assert value_of(await project.run("level")) == 30

    value_of(await project.run("main", file="later.py"))

    assert value_of(await project.run("level")) == 10


async def test_variables_that_a_module_sets_while_it_is_loaded_last_for_all_calls(project: Project) -> None:
    project.write(
        "tasks.py",
        """
        import os
        os.environ["MPLBACKEND"] = "Agg"
        os.environ["HOLDFAST_RUN_ID"] = "not for long"
        os.environ.pop("HOME", None)
        def look():
            names = ("MPLBACKEND", "HOME", "LEFT")
            seen = [os.getpid(), *(os.environ.get(name) for name in names)]
            os.environ["LEFT"] = "behind"
            return seen
        def run():
            return os.environ["HOLDFAST_RUN_ID"]
        """,
    )

    seen = [value_of(await project.run("look")) for _ in range(3)]

    assert seen[0][1:] == ["Agg", None, None]
    assert seen == [seen[0]] * 3
    assert value_of(await project.run("run")) == "order-1"


# --- what is imported


async def test_what_a_function_imports_does_not_depend_on_who_was_called_before(project: Project) -> None:
    project.write("util.py", "PLACE = 'in the project'")
    project.write("jobs/util.py", "PLACE = 'beside the file'")
    project.write(
        "jobs/tasks.py",
        """
        import os
        def first():
            return os.getpid()
        def second():
            import util
            return [os.getpid(), util.PLACE]
        """,
    )
    worker = value_of(await project.run("first", file="jobs/tasks.py"))

    outcome = await project.run("second", file="jobs/tasks.py")

    assert value_of(outcome) == [worker, "beside the file"]


async def test_to_ask_for_a_function_that_does_not_exist_spoils_nothing_for_those_that_do(
    project: Project,
) -> None:
    project.write("jobs/neighbour.py", "NUMBER = 5")
    project.write(
        "jobs/tasks.py",
        """
        import os
        os.environ["SET_UP"] = "once"
        def work():
            import neighbour
            return [neighbour.NUMBER, os.environ.get("SET_UP")]
        """,
    )

    failure = failure_of(await project.run("missing", file="jobs/tasks.py"))
    outcome = await project.run("work", file="jobs/tasks.py")

    assert failure.message == "there is no function 'missing' in jobs/tasks.py; it has 'work'"
    assert value_of(outcome) == [5, "once"]


async def test_a_file_that_is_spelled_in_two_ways_is_loaded_once(project: Project) -> None:
    (project.folder / "jobs").mkdir()
    (project.folder / "jobs/signal.py").write_text(
        "loads = []\ndef load():\n    loads.append(1)\n    return len(loads)\n"
    )

    for number, file in enumerate(["jobs/signal.py", "jobs//signal.py", "jobs/signal.py"], 1):
        outcome = await project.bench.run(PythonFunction("load", file=file))
        assert value_of(outcome) == number
