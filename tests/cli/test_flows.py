"""Flows at the command line: run and taken up again, answered, watched, shown, checked and drawn."""

from __future__ import annotations

import json
import re
import signal

import httpx
import pytest
from tests.cli.processes import SECONDS, Project, eventually, json_lines, read_until
from tests.cli.terminal import Terminal

TASKS = """
from pathlib import Path
from holdfast import task

@task
def double(number: int) -> int:
    with Path("done").open("a") as file:
        file.write(f"{number}\\n")
    return number * 2

@task
def left(number): return "L"

@task
def right(number): return "R"

@task
def count(number):
    number = (number or 0) + 1
    return {"number": number, "go": "again" if number < 300 else "done"}

@task
def break_unless_mended(number):
    if not Path("mended").exists():
        raise ValueError("no luck")
"""
ORDER = """
name: order
start: init
nodes:
  init:
    kind: executor
    exec_type: local_func
    func: double
    prep: {input_key: $params.x}
    post: {output_key: doubled}
  size:
    kind: choice
    choice_cases: [{action: big, expr: {gt: [$shared.doubled, 8]}}]
    default_action: small
  both: {kind: parallel, exec_type: local_func, parallel_services: [left, right], post: {output_key: sides}}
  checkout:
    kind: subflow
    subflow:
      start: confirm
      nodes:
        confirm: {kind: approval}
        paid: {kind: wait_event, params: {signal_key: money}, post: {output_key: paid}}
      edges: [{from: confirm, action: approved, to: paid}]
    post: {output_key: checkout}
edges:
  - {from: init, to: size}
  - {from: size, action: big, to: both}
  - {from: both, action: "", to: checkout}
"""
LOOP = """
name: loop
start: again
nodes:
  again:
    kind: executor
    exec_type: local_func
    func: count
    prep: {input_key: number}
    post: {output_map: {number: number}, action_key: go}
edges: [{from: again, action: again, to: again}]
"""


@pytest.fixture
def shop(project: Project) -> Project:
    project.write("tasks.py", TASKS)
    project.write("order.yaml", ORDER)
    project.write("loop.yaml", LOOP)
    return project


def start(shop: Project, *words: str) -> tuple[str, ...]:
    return ("run", "order.yaml", "-i", '{"x": 5}', "--also", "tasks.py", "--id", "mine", *words)


def test_a_flow_that_was_left_is_taken_up_again_and_answered_node_by_node(shop: Project):
    process = shop.start(*start(shop))
    asked = read_until(process.stderr, "waits for approval")
    code, _, told = shop.finish(process, signal.SIGINT)
    process = shop.start("run", "--resume", "mine", "--also", "tasks.py")
    again = read_until(process.stderr, "waits for approval")

    approved = shop.run("approve", "mine", "checkout/confirm")
    signalled = read_until(process.stderr, "waits for signal 'money'")
    shop.run("signal", "mine", "money", '{"amount": 3}')
    said, _ = process.communicate(timeout=SECONDS)

    assert asked[-1].endswith(
        "checkout/confirm waits for approval; answer with: holdfast approve mine checkout/confirm\n"
    )
    assert code == 130
    assert told.endswith("the run goes on with: holdfast run --resume mine --also tasks.py\n")
    assert again[-1].endswith(asked[-1].partition(" ")[2])
    assert approved.returncode == 0
    assert signalled[-1].endswith("; answer with: holdfast signal mine money true\n")
    assert process.returncode == 0
    assert json.loads(said) == {
        "doubled": 10,
        "sides": ["L", "R"],
        "confirm": True,
        "money": {"amount": 3},
        "checkout": {"paid": {"amount": 3}},
    }
    assert (shop.folder / "done").read_text() == "5\n", "what was done is not done again"


def test_a_flow_that_is_told_no_goes_where_rejected_leads(shop: Project):
    process = shop.start(*start(shop))
    read_until(process.stderr, "waits for approval")

    answer = shop.ask("approve", "mine", "checkout/confirm", "--reject")
    said, _ = process.communicate(timeout=SECONDS)

    assert answer == {"run": "mine", "task": "checkout/confirm", "value": False}
    assert process.returncode == 0
    assert json.loads(said)["checkout"] == {}
    assert shop.ask("runs", "show", "mine")["cursor"] == {"node": "", "action": "", "steps": 5}


def test_an_answer_that_nobody_waits_for_and_a_signal_without_a_value_are_refused(shop: Project):
    process = shop.start(*start(shop))
    read_until(process.stderr, "waits for approval")

    unasked = shop.run("approve", "mine", "confirm")
    empty = shop.run("signal", "mine", "money")
    shop.finish(process, signal.SIGTERM)

    assert (unasked.returncode, empty.returncode) == (2, 2)
    assert "task 'confirm' of run 'mine' does not wait for approval" in unasked.stderr
    assert "to a flow, null means that nothing has come yet" in empty.stderr


def test_runs_show_has_a_row_for_each_node_in_the_order_of_visits_and_tells_where_it_is(shop: Project):
    process = shop.start(*start(shop))
    read_until(process.stderr, "waits for approval")

    shown = shop.run("runs", "show", "mine").stdout
    facts = shop.ask("runs", "show", "mine")
    shop.finish(process, signal.SIGTERM)

    lines = shown.splitlines()
    table = [line.split() for line in lines[lines.index("") + 1 :] if line]
    assert table[0][:4] == ["NODE", "STATUS", "TIMES", "ACTION"]
    assert [row[:3] for row in table[1:7]] == [
        ["init", "success", "1"],
        ["size", "success", "1"],
        ["both", "success", "1"],
        ["both/branch", "success", "2"],
        ["checkout", "running", "1"],
        ["checkout/confirm", "running", "1"],
    ]
    assert table[2][3] == "big"
    assert re.search(r"^node +checkout/confirm$", shown, re.MULTILINE)
    assert re.search(r"^steps +5$", shown, re.MULTILINE)
    assert lines[-1] == "checkout/confirm waits for approval: holdfast approve mine checkout/confirm"
    assert facts["cursor"]["node"] == "checkout/confirm"
    assert [(each["name"], each["action"]) for each in facts["tasks"][:2]] == [("init", ""), ("size", "big")]


def test_branches_and_items_have_their_numbers(shop: Project):
    service = "f" * 200
    functions = "from holdfast import task\n\n@task\ndef left(number): print(number)\n"
    shop.write("sides.py", functions + f"\n@task(name={service!r})\ndef longest(number): ...\n")
    shop.write(
        "sides.yaml",
        "name: sides\nstart: both\nnodes:\n"
        f"  both: {{kind: parallel, exec_type: local_func, parallel_services: [left, {service}]}}\n"
        "  each: {kind: foreach, exec_type: local_func, func: left, prep: {input_key: $params.items}}\n"
        "edges: [{from: both, to: each}]\n",
    )

    plain = shop.execute(
        "run", "sides.yaml", "-i", '{"items": [5, 6, 7]}', "--also", "sides.py", "--id", "it"
    )
    full = shop.run("runs", "show", "it", "--full").stdout
    tasks = [(each["name"], each["index"]) for each in shop.ask("runs", "show", "it")["tasks"]]

    numbered = {"both/branch[0]", "both/branch[1]", "each/item[0]", "each/item[1]", "each/item[2]"}
    assert plain.returncode == 0, plain.stderr
    assert {label for label in numbered if f" {label} success" in plain.stderr} == numbered
    assert {
        label for label in numbered if re.search(rf"^{re.escape(label)} +success", full, re.M)
    } == numbered
    assert tasks == [
        *(("both", None), ("both/branch", 0), ("both/branch", 1)),
        *(("each", None), ("each/item", 0), ("each/item", 1), ("each/item", 2)),
    ]


def test_a_loop_is_one_row_and_few_lines_however_often_it_goes_round(shop: Project):
    plain = shop.execute("run", "loop.yaml", "--also", "tasks.py", "--id", "mine")
    shown = shop.run("runs", "show", "mine").stdout
    full = shop.run("runs", "show", "mine", "--full").stdout

    assert plain.returncode == 0, plain.stderr
    told = [line for line in plain.stderr.splitlines() if " again " in line]
    assert len(told) <= 101
    assert told[-1].endswith(" again visited 300 times")
    [row] = [line.split() for line in shown.splitlines() if line.startswith("again ")]
    assert row[:4] == ["again", "success", "300", "done"]
    assert row[-1] == '{"number":300,"go":"done"}'
    assert len([line for line in full.splitlines() if line.startswith("again ")]) == 300


def test_in_a_terminal_a_flow_is_drawn_in_place_with_what_it_asks_and_where_it_is(shop: Project):
    with Terminal(shop.folder, *start(shop)) as terminal:
        terminal.see(
            "step 5 at checkout/confirm",
            re.compile(r"✓ both/branch +success +\d\.\d s  2 done$", re.MULTILINE),
            re.compile(r"\? checkout/confirm  asks +\d+(\.\d)? s  waits for approval$", re.MULTILINE),
            "      holdfast approve mine checkout/confirm\n",
        )
        terminal.press("\x03")
        terminal.see("[d]etach")
        terminal.press("\n")
        shop.run("approve", "mine", "checkout/confirm")
        terminal.see("step 6 at checkout/paid, after 'approved'", "      holdfast signal mine money true\n")
        shop.run("signal", "mine", "money", "3")
        code = terminal.end()

    assert code == 0
    assert re.search(r"✓ checkout/paid +success", terminal.screen.text)
    assert "    6 steps\n" in terminal.screen.text


def test_json_lines_have_each_visit_by_the_path_of_its_node(shop: Project):
    process = shop.start(*start(shop, "--json"))
    lines = read_until(process.stdout, '"checkout/confirm"')
    shop.run("approve", "mine", "checkout/confirm", "--reject")
    said, _ = process.communicate(timeout=SECONDS)

    events = json_lines("".join(lines) + said)
    ended = [each["task"] for each in events if each["event"] == "task" and each["status"] == "success"]
    assert ended[:3] == ["init", "size", "both/branch"]
    assert {"checkout/confirm", "checkout"} <= set(ended)
    assert (events[-1]["event"], events[-1]["output"]["confirm"]) == ("result", False)


def test_a_failed_flow_is_tried_again_from_where_it_failed(shop: Project):
    shop.write(
        "bad.json",
        json.dumps(
            {
                "start": "a",
                "nodes": {
                    "a": {
                        "kind": "executor",
                        "exec_type": "local_func",
                        "func": "double",
                        "prep": {"input_key": "$params.x"},
                    },
                    "b": {"kind": "executor", "exec_type": "local_func", "func": "break_unless_mended"},
                },
                "edges": [{"from": "a", "action": "", "to": "b"}],
            }
        ),
    )
    failed = shop.run("run", "bad.json", "--also", "tasks.py", "-i", '{"x": 1}', "--id", "mine")
    shown = shop.run("runs", "show", "mine").stdout
    (shop.folder / "mended").touch()

    retried = shop.run("run", "--retry", "mine", "--also", "tasks.py")

    assert failed.returncode == 1
    assert "holdfast run --retry mine --also tasks.py" in failed.stderr
    assert re.search(r"^node +b$", shown, re.MULTILINE)
    assert re.search(r"^b +failed +1 +error .*ValueError: no luck$", shown, re.MULTILINE)
    assert retried.returncode == 0, retried.stderr
    assert (shop.folder / "done").read_text() == "1\n"


def test_a_function_that_is_not_known_here_is_asked_for_before_anything_runs(shop: Project):
    done = shop.run("run", "order.yaml", "-i", '{"x": 5}')

    assert done.returncode == 2
    assert "a function of order is 'double', but must be a task that is known here" in done.stderr
    assert "--also" in done.stderr
    assert not (shop.folder / ".holdfast").exists()


def start_published(url: str, name: str, **definition: str) -> None:
    """Publish a flow, and start a run of it."""
    flow = httpx.post(f"{url}/flows", json={"Name": name}).json()["id"]
    published = httpx.post(f"{url}/flows/version", json={"FlowID": flow, **definition}).json()["id"]
    task = {"FlowVersionID": published, "ParamsJSON": {"x": 5}, "RequestID": "mine"}
    httpx.post(f"{url}/tasks", json=task).raise_for_status()


def test_a_run_of_a_published_flow_is_taken_up_without_a_file_and_needs_its_functions(shop: Project):
    node = shop.start("serve", "tasks.py", "--port", "0", "--json")
    url = json.loads(read_until(node.stdout, '"http"')[-1])["url"]
    start_published(url, "shop", DefinitionYAML=ORDER)
    eventually(lambda: (shop.ask("runs", "show", "mine")["cursor"] or {}).get("node") == "checkout/confirm")
    shop.finish(node, signal.SIGTERM)

    without = shop.run("run", "--resume", "mine")
    process = shop.start("run", "--resume", "mine", "--also", "tasks.py")
    read_until(process.stderr, "waits for approval")
    shop.run("approve", "mine", "checkout/confirm", "--reject")
    said, _ = process.communicate(timeout=SECONDS)

    assert without.returncode == 2
    assert "a function of shop is 'double'" in without.stderr
    assert process.returncode == 0
    assert json.loads(said)["doubled"] == 10


def test_what_a_worker_has_done_is_shown_with_its_name_and_is_no_problem(shop: Project):
    queued = {"start": "a", "nodes": {"a": {"kind": "executor", "exec_type": "queue", "service": "pack"}}}
    process = shop.start("serve", "--port", "0", "--json")
    url = json.loads(read_until(process.stdout, '"http"')[-1])["url"]
    start_published(url, "queued", DefinitionJSON=json.dumps(queued))
    waits = eventually(
        lambda: re.search(r"^a +queued +1 .*$", shop.run("runs", "show", "mine").stdout, re.MULTILINE)
    )
    httpx.post(
        f"{url}/workers/register", json={"ID": "w7", "URL": "queue", "Services": ["pack"], "Type": "async"}
    )
    item = eventually(lambda: _poll(url))
    httpx.post(f"{url}/queue/complete", json={"queue_id": item["id"], "result": 7}).raise_for_status()
    eventually(lambda: shop.last_run()["status"] == "success")

    shown = shop.run("runs", "show", "mine").stdout
    facts = shop.ask("runs", "show", "mine")
    shop.finish(process, signal.SIGTERM)

    assert waits[0].endswith("waits for a worker of service 'pack'")
    assert re.search(r"^ATTEMPT OF +STATUS +NUMBER +ENDED +NODE +WORKER +PROBLEM$", shown, re.MULTILINE)
    assert re.search(r"^a +success +1 .* w7$", shown, re.MULTILINE)
    assert [(each["status"], each["worker"]) for each in facts["attempts"]] == [("success", "w7")]


def _poll(url: str) -> dict[str, str] | None:
    answer = httpx.post(f"{url}/queue/poll", json={"worker_id": "w7", "services": ["pack"]})
    return answer.json() if answer.status_code == 200 else None
