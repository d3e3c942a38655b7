"""Commands and the contract: what a process is told, how it answers, how it fails."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import shutil
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.executors.processes.process_bench import ProcessBench, shell_bench
from tests.executors.recorder import RUN, failure_of, value_of
from tests.patience import PATIENCE

from holdfast.core.failures import revive
from holdfast.core.policies import TaskOptions
from holdfast.core.values import Outcome, task_id
from holdfast.errors import CommandFailed, TaskError

BEATING = TaskOptions(heartbeat=dt.timedelta(seconds=0.2))


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[ProcessBench]:
    bench = shell_bench(tmp_path)
    yield bench
    await bench.executor.stop()
    assert bench.spoken_after_the_report == []


def files_of(shell: ProcessBench) -> list[str]:
    """What is there of all attempts."""
    return [path.name for path in Path(shell.executor._scratch.folder).glob("*/**/*")]


async def variables_in(shell: ProcessBench, *given: Any, **options: Any) -> dict[str, str]:
    """The environment of a task, as itself sees it."""
    command = "env -0 > seen"
    outcome = await shell.run(command, *given, **options)
    assert value_of(outcome) is None
    pairs = (shell.folder / "seen").read_text().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if pair)


def is_inherited(descriptor: int) -> bool:
    """Of those that this very process was given by whoever started it, and that every child gets."""
    try:
        return os.get_inheritable(descriptor)
    except OSError:
        return False  # the one that listed them


# --- in


async def test_a_task_is_told_who_it_is(shell: ProcessBench) -> None:
    seen = await variables_in(shell, {"day": "2024-05-01"}, number=3, name="extract")

    attempt = shell.reports[0][0]
    key = task_id(RUN, attempt.seq)
    assert {name: seen[f"HOLDFAST_{name}"] for name in
            ["RUN_ID", "TASK_ID", "TASK_NAME", "WORKFLOW", "NAMESPACE", "ATTEMPT", "IDEMPOTENCY_KEY"]} == {
        "RUN_ID": "order-1",
        "TASK_ID": key,
        "TASK_NAME": "extract",
        "WORKFLOW": "checkout",
        "NAMESPACE": "shop",
        "ATTEMPT": "3",
        "IDEMPOTENCY_KEY": key,
    }  # fmt: skip
    assert "HOLDFAST_PARALLEL_INDEX" not in seen
    assert "HOLDFAST_HEARTBEAT_DETAILS" not in seen


async def test_the_input_is_in_a_variable_and_in_a_file(shell: ProcessBench) -> None:
    value = {"name": "Grüße 'n' \"quotes\" $HOME `id`", "nul": "\0", "deep": [{"a": None}]}

    outcome = await shell.run('cp "$HOLDFAST_INPUT_FILE" copy; printf %s "$HOLDFAST_INPUT" > variable', value)

    assert value_of(outcome) is None
    assert json.loads((shell.folder / "copy").read_text()) == value
    assert json.loads((shell.folder / "variable").read_text()) == value


async def test_an_input_too_large_for_a_variable_is_in_the_file_alone(shell: ProcessBench) -> None:
    value = {"text": "x" * 2_000_000}

    seen = await variables_in(shell, value)
    outcome = await shell.run('wc -c < "$HOLDFAST_INPUT_FILE" > "$HOLDFAST_OUTPUT_FILE"', value)

    assert "HOLDFAST_INPUT" not in seen
    assert value_of(outcome) == len(msgspec.json.encode(value))


async def test_a_small_input_after_a_large_one_is_all_that_is_in_the_file(shell: ProcessBench) -> None:
    await shell.run("true", {"text": "x" * 50_000})

    outcome = await shell.run('cat "$HOLDFAST_INPUT_FILE" > "$HOLDFAST_OUTPUT_FILE"', {"a": 1})

    assert value_of(outcome) == {"a": 1}


async def test_a_task_that_spoils_its_input_file_does_not_spoil_the_next(shell: ProcessBench) -> None:
    for spoil in ("rm", "chmod 000", "truncate -s 1M"):
        await shell.run(f'{spoil} "$HOLDFAST_INPUT_FILE"', {"a": 1})

        outcome = await shell.run('cat "$HOLDFAST_INPUT_FILE" > "$HOLDFAST_OUTPUT_FILE"', {"a": 2})

        assert value_of(outcome) == {"a": 2}


async def test_a_part_of_a_fan_out_is_told_its_place(shell: ProcessBench) -> None:
    seen = await variables_in(shell, {"item": "a.csv", "parallel_index": 2, "parallel_count": 7})

    assert (seen["HOLDFAST_PARALLEL_INDEX"], seen["HOLDFAST_PARALLEL_COUNT"]) == ("2", "7")


@pytest.mark.parametrize(
    "value", [{"parallel_index": "second"}, ["parallel_index"], {"deep": {"parallel_index": 1}}]
)
async def test_words_that_only_look_like_a_place_in_a_fan_out_are_none(
    shell: ProcessBench, value: object
) -> None:
    seen = await variables_in(shell, value)

    assert "HOLDFAST_PARALLEL_INDEX" not in seen


async def test_the_next_attempt_is_told_what_the_one_before_said_last(shell: ProcessBench) -> None:
    seen = await variables_in(shell, details={"page": 7})

    assert json.loads(seen["HOLDFAST_HEARTBEAT_DETAILS"]) == {"page": 7}


async def test_the_tasks_own_variables_are_on_top_of_the_nodes_and_below_the_contracts(
    tmp_path: Path,
) -> None:
    shell = shell_bench(
        tmp_path,
        environment={
            "PATH": os.environ["PATH"],
            "FROM": "node",
            "KEPT": "yes",
            "HOLDFAST_PARALLEL_INDEX": "9",  # this node is itself a task of another
            "HOLDFAST_NODE_TOKEN": "another",
        },
    )

    seen = await variables_in(shell, env={"FROM": "task", "HOLDFAST_ATTEMPT": "99"})

    assert (seen["FROM"], seen["KEPT"], seen["HOLDFAST_ATTEMPT"]) == ("task", "yes", "1")
    assert "HOLDFAST_PARALLEL_INDEX" not in seen
    assert seen["HOLDFAST_NODE_TOKEN"] != "another"
    await shell.executor.stop()


async def test_standard_input_is_empty(shell: ProcessBench) -> None:
    outcome = await shell.run('wc -c > "$HOLDFAST_OUTPUT_FILE"')

    assert value_of(outcome) == 0


async def test_a_process_gets_nothing_of_the_nodes_open_files(shell: ProcessBench) -> None:
    inherited = {entry for entry in os.listdir("/proc/self/fd") if is_inherited(int(entry))}
    others = [shell.start("sleep 0.2") for _ in range(3)]

    attempt = shell.start(["ls", "/proc/self/fd"])
    await shell.outcome_of(attempt)

    assert set(shell.texts_of(attempt)) <= {"0", "1", "2", "3"} | inherited  # 3: the folder that it lists
    await asyncio.gather(*map(shell.outcome_of, others))


async def test_signals_have_their_usual_meaning_in_a_task(shell: ProcessBench) -> None:
    outcome = await shell.run("grep -E '^Sig(Blk|Ign)' /proc/self/status")

    assert value_of(outcome) is None
    attempt = shell.reports[0][0]
    of_the_c_library = 1 << 31 | 1 << 32  # 32 and 33, which no program can set
    masks = [int(text.split()[1], 16) & ~of_the_c_library for text in shell.texts_of(attempt)]
    assert masks == [0, 0]


# --- out


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("true", None),
        ("""printf '{"a": [1]}' > "$HOLDFAST_OUTPUT_FILE" """, {"a": [1]}),
        ("""echo 'HOLDFAST_OUTPUT:{"a": [1]}'""", {"a": [1]}),
        ("""printf 'HOLDFAST_OUTPUT: 5 '""", 5),
        ("""printf 'HOLDFAST_OUTPUT:5\\r\\n\\n  \\n'""", 5),
        ("echo HOLDFAST_OUTPUT:1; echo HOLDFAST_OUTPUT:2", 2),
        ("""echo 1 > "$HOLDFAST_OUTPUT_FILE"; echo HOLDFAST_OUTPUT:2""", 1),
        (""": > "$HOLDFAST_OUTPUT_FILE"; echo HOLDFAST_OUTPUT:2""", 2),
        ("echo HOLDFAST_OUTPUT:1; echo later", None),
        ("echo ' HOLDFAST_OUTPUT:1'", None),
        ("echo HOLDFAST_OUTPUT:1 >&2", None),
    ],
)
async def test_the_output_is_in_the_file_or_on_the_last_line(
    shell: ProcessBench, command: str, output: object
) -> None:
    assert value_of(await shell.run(command)) == output


async def test_the_line_with_the_output_is_not_part_of_the_log(shell: ProcessBench) -> None:
    attempt = shell.start("echo before; echo HOLDFAST_OUTPUT:1; echo HOLDFAST_OUTPUT:2")

    assert value_of(await shell.outcome_of(attempt)) == 2
    assert shell.texts_of(attempt) == ["before", "HOLDFAST_OUTPUT:1"]


async def test_an_output_of_some_megabytes_fits_on_a_line(shell: ProcessBench) -> None:
    command = """printf 'HOLDFAST_OUTPUT:"'; head -c 3000000 /dev/zero | tr '\\0' x; printf '"'"""

    assert value_of(await shell.run(command)) == "x" * 3_000_000


@pytest.mark.parametrize(
    "command",
    ["echo HOLDFAST_OUTPUT:{oops", """echo '[1,' > "$HOLDFAST_OUTPUT_FILE" """, "echo HOLDFAST_OUTPUT:"],
)
async def test_an_output_that_is_not_json_is_a_failure(shell: ProcessBench, command: str) -> None:
    failure = failure_of(await shell.run(command))

    assert failure.type == "holdfast.errors:WrongType"
    assert "not JSON" in failure.message


@pytest.mark.parametrize(
    "command",
    [
        'truncate -s 65M "$HOLDFAST_OUTPUT_FILE"',
        "printf HOLDFAST_OUTPUT:; head -c 68000000 /dev/zero | tr '\\0' 1",
    ],
)
async def test_an_output_beyond_all_bounds_is_refused_and_not_kept_in_memory(
    shell: ProcessBench, command: str
) -> None:
    failure = failure_of(await shell.run(command))

    assert failure.type == "holdfast.errors:PayloadTooLarge"


async def test_an_output_file_that_is_a_folder_is_a_failure_and_is_cleared_away(shell: ProcessBench) -> None:
    failure = failure_of(await shell.run('mkdir "$HOLDFAST_OUTPUT_FILE"; touch "$HOLDFAST_OUTPUT_FILE/x"'))

    assert failure.type == "builtins:IsADirectoryError"
    folder = Path(shell.executor._scratch.folder)
    async with asyncio.timeout(PATIENCE):  # nobody knows how much there is, so it is done aside
        while list(folder.iterdir()):  # noqa: ASYNC110  # no event tells of it
            await asyncio.sleep(0.01)


async def test_the_files_of_an_attempt_go_with_it(shell: ProcessBench) -> None:
    script = 'echo 1 > "$HOLDFAST_OUTPUT_FILE"; touch "$HOLDFAST_HEARTBEAT_FILE"; exit 1'
    await shell.run(script, options=BEATING)

    assert files_of(shell) == ["input"]


async def test_a_temporary_folder_that_was_tidied_away_is_made_again(shell: ProcessBench) -> None:
    await shell.run("true")
    folder = Path(shell.executor._scratch.folder)
    shutil.rmtree(folder)

    assert value_of(await shell.run('cat "$HOLDFAST_INPUT_FILE" > "$HOLDFAST_OUTPUT_FILE"', {"a": 1})) == {
        "a": 1
    }


@pytest.mark.parametrize(
    ("command", "is_warned"),
    [
        ("echo HOLDFAST_OUTPUT:1; echo later", True),
        ("echo HOLDFAST_OUTPUT:1; echo later; exit 1", False),
        ("echo HOLDFAST_OUTPUT:1; echo later; echo HOLDFAST_OUTPUT:2", False),
        ('echo HOLDFAST_OUTPUT:1; echo later; echo 2 > "$HOLDFAST_OUTPUT_FILE"', False),
        ("echo not HOLDFAST_OUTPUT:1; echo later", False),
    ],
)
async def test_an_output_line_that_is_not_the_last_and_so_does_not_count_is_told_of_in_the_log(
    shell: ProcessBench, command: str, is_warned: bool
) -> None:
    attempt = shell.start(command)
    await shell.outcome_of(attempt)

    warnings = shell.texts_of(attempt, "holdfast")
    assert len(warnings) == is_warned
    assert all("was not the last line of standard output" in warning for warning in warnings)
    assert "later" in shell.texts_of(attempt, "stdout")


@pytest.mark.parametrize(
    "tidying",
    [
        'rm -rf "$(dirname "$HOLDFAST_OUTPUT_FILE")"',
        'rm -rf "$(dirname "$HOLDFAST_OUTPUT_FILE")"/*',
        'rm -rf "$(dirname "$HOLDFAST_HEARTBEAT_FILE")"',
        'cd "$(dirname "$HOLDFAST_OUTPUT_FILE")" && rm -rf "$PWD" && ln -s "$VICTIM" "$PWD"',
    ],
)
async def test_a_task_that_removes_its_folder_harms_no_other(
    shell: ProcessBench, tmp_path: Path, tidying: str
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious").touch()
    other = shell.start(
        'echo 42 > "$HOLDFAST_OUTPUT_FILE"; echo ready; until [ -e go ]; do sleep 0.01; done',
        options=BEATING,
    )
    await shell.wait_for_line(other, "ready")

    await shell.run(tidying, env={"VICTIM": str(victim)})
    (tmp_path / "go").touch()

    assert value_of(await shell.outcome_of(other)) == 42
    assert value_of(await shell.run('cat "$HOLDFAST_INPUT_FILE" > "$HOLDFAST_OUTPUT_FILE"', 7)) == 7
    assert set(files_of(shell)) == {"input"}
    assert (victim / "precious").exists()


async def test_an_output_that_went_with_its_folder_is_a_failure_that_says_so(shell: ProcessBench) -> None:
    script = 'echo 42 > "$HOLDFAST_OUTPUT_FILE"; rm -rf "$(dirname "$HOLDFAST_OUTPUT_FILE")"'

    failure = failure_of(await shell.run(script))

    assert failure.type == "builtins:FileNotFoundError"
    assert failure.message.startswith("the folder of HOLDFAST_OUTPUT_FILE was removed while the task ran")
    assert value_of(await shell.run(f"{script}; echo HOLDFAST_OUTPUT:43")) == 43


async def test_what_an_attempt_leaves_beside_its_files_is_not_there_for_the_next(shell: ProcessBench) -> None:
    beside = '"$(dirname "$HOLDFAST_OUTPUT_FILE")/x"'
    await shell.run(f"mkdir {beside}; touch {beside}/y")

    assert value_of(await shell.run(f"[ -e {beside} ] || echo HOLDFAST_OUTPUT:true")) is True


# --- failures


async def test_another_exit_code_than_0_is_a_failure_with_the_last_words(shell: ProcessBench) -> None:
    failure = failure_of(await shell.run("for i in $(seq 30); do echo line $i >&2; done; exit 3"))

    assert failure.type == "holdfast.errors:CommandFailed"
    assert failure.message == "exited with code 3"
    assert failure.attributes == {"exit_code": 3}
    assert failure.traceback.splitlines() == [f"line {number}" for number in range(11, 31)]


async def test_an_end_by_a_signal_names_it(shell: ProcessBench) -> None:
    failure = failure_of(await shell.run("kill -KILL $$"))

    assert failure.message == "was ended by signal SIGKILL"
    assert failure.attributes == {"exit_code": -9}


async def test_a_signal_without_a_name_is_named_by_its_number(shell: ProcessBench) -> None:
    failure = failure_of(await shell.run("kill -40 $$"))

    assert failure.message == "was ended by signal 40"


async def test_the_failure_of_a_command_is_raised_again_with_its_exit_code(shell: ProcessBench) -> None:
    failure = failure_of(await shell.run("exit 4"))

    error = revive(failure, TaskError)

    assert isinstance(error, CommandFailed)
    assert error.exit_code == 4
    assert str(error) == "exited with code 4"


async def test_an_output_of_a_command_that_failed_does_not_count(shell: ProcessBench) -> None:
    outcome = await shell.run('echo 1 > "$HOLDFAST_OUTPUT_FILE"; echo HOLDFAST_OUTPUT:2; exit 1')

    assert failure_of(outcome).message == "exited with code 1"


@pytest.mark.parametrize(
    ("command", "kind", "words"),
    [
        (("no-such-program",), "FileNotFoundError", "there is no program 'no-such-program' on the PATH"),
        (("./missing.sh",), "FileNotFoundError", "there is no program './missing.sh' in {folder}"),
        (("./plain.txt",), "PermissionError", "{folder}/./plain.txt is not executable: chmod +x ./plain.txt"),
        (("./folder",), "PermissionError", "{folder}/./folder is not executable"),
        ((), "FileNotFoundError", "the command is an empty list"),
        (("",), "FileNotFoundError", "the command is an empty list"),
        (("true", "nul\0"), "ValueError", "a NUL character cannot be part of a command"),
    ],
)
async def test_a_command_that_cannot_be_started_fails_and_says_what_and_where(
    shell: ProcessBench, command: tuple[str, ...], kind: str, words: str
) -> None:
    (shell.folder / "plain.txt").write_text("echo")
    (shell.folder / "folder").mkdir()

    failure = failure_of(await shell.run(command))

    assert failure.type == f"builtins:{kind}"
    assert words.format(folder=shell.folder) in failure.message


@pytest.mark.parametrize("is_here", [True, False])
async def test_a_script_that_does_not_say_what_runs_it_is_run_by_the_shell(
    shell: ProcessBench, monkeypatch: pytest.MonkeyPatch, is_here: bool
) -> None:
    if is_here:
        monkeypatch.chdir(shell.folder)
    script = shell.folder / "run.sh"
    script.write_text('echo "hello $1"\n')
    script.chmod(0o755)

    attempt = shell.start(["./run.sh", "a  b"])

    assert value_of(await shell.outcome_of(attempt)) is None
    assert shell.texts_of(attempt) == ["hello a  b"]


async def test_a_workdir_that_is_not_there_fails_and_says_so(shell: ProcessBench) -> None:
    (shell.folder / "file").write_text("")

    missing = failure_of(await shell.run("true", workdir=shell.folder / "nowhere"))
    wrong = failure_of(await shell.run("true", workdir=shell.folder / "file"))

    assert missing.message == f"there is no folder {shell.folder}/nowhere, which is the workdir of the task"
    assert wrong.message == f"the workdir {shell.folder}/file is not a folder"


async def test_a_variable_with_an_impossible_name_fails_and_the_next_task_runs(shell: ProcessBench) -> None:
    assert failure_of(await shell.run("true", env={"A=B": "c"})).type == "builtins:ValueError"
    assert value_of(await shell.run("true")) is None


# --- where and how


async def test_text_goes_through_the_shell_and_a_list_does_not(shell: ProcessBench) -> None:
    text = shell.start("echo $((1 + 1)) | tr 2 two")
    given = shell.start(["echo", "$((1 + 1))", "|", "a  b", "*"])
    await shell.wait_for_reports(2)

    assert shell.texts_of(text) == ["t"]
    assert shell.texts_of(given) == ["$((1 + 1)) | a  b *"]


@pytest.mark.parametrize("name", ["plain", "it's a 'folder' $HOME", "-n", "ü"])
async def test_a_task_runs_in_its_workdir(shell: ProcessBench, name: str) -> None:
    folder = shell.folder / name
    folder.mkdir()
    script = folder / "here.sh"
    script.write_text("#!/bin/sh\npwd\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)

    attempts = [
        shell.start("pwd", workdir=folder),
        shell.start(["pwd"], workdir=folder),
        shell.start("./here.sh", workdir=folder),
        shell.start(["./here.sh"], workdir=folder),
    ]
    await shell.wait_for_reports(4)

    assert [shell.texts_of(attempt) for attempt in attempts] == [[str(folder)]] * 4


async def test_the_nodes_own_folder_needs_no_shell_to_get_to(
    shell: ProcessBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shell.folder)

    attempt = shell.start(["sh", "-c", "tr '\\0' ' ' < /proc/$$/cmdline; pwd"])
    await shell.outcome_of(attempt)

    assert shell.texts_of(attempt) == [f"sh -c tr '\\0' ' ' < /proc/$$/cmdline; pwd {shell.folder}"]


@pytest.mark.parametrize(
    "script", ["# only a comment", "", "\n\n", "cat <<END\nx\nEND", "nope\nnope", "  true"]
)
async def test_a_script_means_in_its_workdir_what_it_means_elsewhere(
    shell: ProcessBench, script: str
) -> None:
    here = shell.start(script)
    plain = shell.start(["/bin/sh", "-c", script])
    await shell.wait_for_reports(2)

    assert shell.texts_of(here) == shell.texts_of(plain)
    assert await shell.outcome_of(here) == await shell.outcome_of(plain)


async def test_a_program_is_found_on_the_path_of_the_task(shell: ProcessBench) -> None:
    for name, word in (("one", "first"), ("two", "second")):
        program = shell.folder / name / "tool"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\necho {word}\n")
        program.chmod(0o755)

    attempts = [
        shell.start(["tool"], env={"PATH": f"{shell.folder}/one:/usr/bin:/bin"}),
        shell.start(["tool"], env={"PATH": f"{shell.folder}/two:/usr/bin:/bin"}),
        shell.start(["tool"], env={"PATH": "two:/usr/bin:/bin"}),
    ]
    await shell.wait_for_reports(3)

    assert [shell.texts_of(attempt) for attempt in attempts] == [["first"], ["second"], ["second"]]


async def test_a_program_that_moves_is_found_where_it_went(shell: ProcessBench) -> None:
    path = {"PATH": f"{shell.folder}/a:{shell.folder}/b:/usr/bin:/bin"}
    old, new = shell.folder / "a" / "tool", shell.folder / "b" / "tool"
    for program in (old, new):
        program.parent.mkdir()
    old.write_text("#!/bin/sh\necho $0\n")
    old.chmod(0o755)
    await shell.run(["tool"], env=path)

    old.rename(new)
    attempt = shell.start(["tool"], env=path)
    await shell.outcome_of(attempt)

    assert shell.texts_of(attempt) == [str(new)]


# --- heartbeats


async def test_a_touched_file_is_a_heartbeat_and_what_is_in_it_are_the_details(shell: ProcessBench) -> None:
    attempt = shell.start(
        'touch "$HOLDFAST_HEARTBEAT_FILE"; sleep 0.3; '
        'echo \'{"page": 1}\' > new; mv new "$HOLDFAST_HEARTBEAT_FILE"; sleep 0.3; '
        'echo \'{"page": \' > new; mv new "$HOLDFAST_HEARTBEAT_FILE"; sleep 0.3',
        options=BEATING,
    )

    await shell.outcome_of(attempt)

    assert shell.beats[attempt] == [None, {"page": 1}, None]


async def test_a_file_that_is_not_touched_again_is_no_second_heartbeat(shell: ProcessBench) -> None:
    attempt = shell.start('echo 1 > "$HOLDFAST_HEARTBEAT_FILE"; sleep 0.5', options=BEATING)

    await shell.outcome_of(attempt)

    assert shell.beats[attempt] == [1]


async def test_what_was_said_last_is_heard_before_the_failure_that_followed_it(shell: ProcessBench) -> None:
    heard: list[Any] = []
    shell.on_report = lambda attempt, outcome: heard.extend(shell.beats.get(attempt, []))

    await shell.run('echo 7 > "$HOLDFAST_HEARTBEAT_FILE"; exit 1', options=BEATING)

    assert heard == [7]


async def test_nobody_looks_after_a_task_that_need_not_give_a_sign(shell: ProcessBench) -> None:
    attempt = shell.start('echo 7 > "$HOLDFAST_HEARTBEAT_FILE"')

    await shell.outcome_of(attempt)

    assert shell.beats == {}
    assert shell.executor._resources is not None
    assert shell.executor._resources.heartbeats._timer is None
    assert value_of(await shell.outcome_of(attempt)) is None


async def test_many_are_looked_after_by_one_timer(shell: ProcessBench) -> None:
    slow = TaskOptions(heartbeat=dt.timedelta(seconds=60))
    waiting = [shell.start("sleep 10", options=slow) for _ in range(5)]
    quick = shell.start('touch "$HOLDFAST_HEARTBEAT_FILE"; sleep 0.2', options=BEATING)

    await shell.outcome_of(quick)

    assert shell.beats == {quick: [None]}
    for attempt in waiting:
        shell.executor.cancel(attempt)
    await shell.wait_for_reports(6)


# --- many


async def test_attempts_run_at_once_and_each_gets_its_own_output(shell: ProcessBench) -> None:
    attempts = [
        shell.start('sleep 0.1; cat "$HOLDFAST_INPUT_FILE" > "$HOLDFAST_OUTPUT_FILE"', {"n": number})
        for number in range(40)
    ]

    outcomes: list[Outcome] = await asyncio.gather(*map(shell.outcome_of, attempts))

    assert [value_of(outcome)["n"] for outcome in outcomes] == list(range(40))
