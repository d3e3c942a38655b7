"""`holdfast questions`, `resolve` and `approve --by`, and what `runs show` tells about answers."""

from __future__ import annotations

import json

from tests.cli.processes import SECONDS, Project, eventually, json_lines

ASKING = """\
name: asking
tasks:
  review:
    approval: {title: 'Ship it?', facts: {order: {const: 7}}, answer: bool, by: [ann, bob]}
  again: {depends_on: [review], approval: {title: 'Really?', by: ann}}
output: {review: review, again: again}
"""


def test_a_question_is_listed_answered_and_shown(project: Project):
    project.write("asking.yaml", ASKING)
    process = project.start("run", "asking.yaml", "--id", "mine", "--json")
    database = project.folder / ".holdfast" / "holdfast.db"
    eventually(lambda: database.exists() and "Ship it?" in project.run("questions").stdout)

    listed = project.run("questions").stdout
    of_others = project.run("questions", "--by", "eve")
    explained = project.run("explain", "mine").stdout
    commands = [line for line in project.run("runs", "show", "mine").stdout.splitlines() if "approve" in line]
    refused = project.run("resolve", "mine", "#0", "true", "--by", "eve")
    unfit = project.run("approve", "mine", "review", "--value", '"maybe"', "--by", "ann")
    unknown = project.run("resolve", "mine", "reviw", "true")
    project.run("resolve", "mine", "#0", "true", "--by", "bob", "--comment", "a regular")
    eventually(lambda: "Really?" in project.run("questions").stdout)
    project.run("approve", "mine", "again", "--by", "ann")
    said, _ = process.communicate(timeout=SECONDS)

    assert [line.split() for line in listed.splitlines()] == [
        ["RUN", "#", "NAME", "FOR", "ANSWER", "QUESTION", "FACTS"],
        ["mine", "#0", "review", "ann,", "bob", "boolean", "Ship", "it?", '{"order":7}'],
    ]
    assert (of_others.stdout, of_others.stderr) == ("", "no open questions\n")
    assert "review waits for approval: Ship it?" in explained
    assert commands
    assert all(line.endswith("holdfast approve mine review --by ann") for line in commands)
    assert "holdfast approve mine review --by ann" in explained
    assert "'eve' may not answer 'review' of run 'mine'; allowed: 'ann', 'bob'" in refused.stderr
    assert "cannot be answered with this" in unfit.stderr
    assert "asks for nothing called 'reviw'; open: 'review'" in unknown.stderr
    assert [it.returncode for it in (refused, unfit, unknown)] == [2, 2, 2]
    assert json_lines(said)[-1]["output"] == {"review": True, "again": True}
    shown = project.run("runs", "show", "mine").stdout
    row = next(line for line in shown.splitlines() if "a regular" in line)
    assert row.split()[:5] == ["resolved", "review", "#0", "true", "bob"]
    [first, second] = json.loads(project.run("runs", "show", "mine", "--json").stdout)["messages"]
    assert (first["question"], first["comment"]) == (0, "a regular")
    assert (second["question"], second["by"]) == (1, "ann")


def test_a_question_that_yes_does_not_answer_says_that_it_needs_a_value(project: Project):
    project.write(
        "asking.yaml", "name: a\ntasks: {size: {approval: {title: 'Which?', answer: {cm: int}, by: ann}}}\n"
    )
    process = project.start("run", "asking.yaml", "--id", "mine", "--json")
    database = project.folder / ".holdfast" / "holdfast.db"
    eventually(lambda: database.exists() and "Which?" in project.run("questions").stdout)

    command = "holdfast approve mine size --value JSON --by ann"
    assert command in project.run("explain", "mine").stdout
    assert f"size waits for approval: Which?: {command}" in project.run("runs", "show", "mine").stdout

    project.run("approve", "mine", "size", "--value", '{"cm": 5}', "--by", "ann")
    said, _ = process.communicate(timeout=SECONDS)
    assert json_lines(said)[-1]["output"] == {"size": {"cm": 5}}


LISTENING = """\
name: listening
tasks:
  first: {wait_for_signal: go}
  review: {depends_on: first, approval: true}
"""


def test_runs_show_tells_who_did_what(project: Project):
    project.write("listening.yaml", LISTENING)
    process = project.start("run", "listening.yaml", "--id", "mine", "--json")
    database = project.folder / ".holdfast" / "holdfast.db"
    eventually(lambda: database.exists() and "first waits" in project.run("explain", "mine").stdout)

    project.run("runs", "pause", "mine", "--by", "ann", "--note", "lunch")
    eventually(lambda: "paused by ann: lunch" in project.run("explain", "mine").stdout)
    process.communicate(timeout=SECONDS)  # it ends when its run is paused
    project.run("runs", "resume", "mine", "--by", "bob")
    process = project.start("run", "--resume", "mine", "--json")
    project.run("signal", "mine", "go", "1", "--by", "cleo")
    eventually(lambda: "review waits for approval" in project.run("explain", "mine").stdout)
    project.run("approve", "mine", "review", "--by", "dora")
    process.communicate(timeout=SECONDS)

    shown = project.run("runs", "show", "mine").stdout
    facts = json.loads(project.run("runs", "show", "mine", "--json").stdout)
    rows = [line.split() for line in shown.splitlines()]
    acts = [row for row in rows if row[:1] in (["pause"], ["resume"])]
    assert [row[:2] for row in acts] == [["pause", "ann"], ["resume", "bob"]]
    assert acts[0][-1] == "lunch"
    assert (acts[0].count("ann"), facts["messages"][0]["name"]) == (1, "")
    assert [(it["kind"], it["by"]) for it in facts["messages"]] == [
        ("pause", "ann"),
        ("resume", "bob"),
        ("signal", "cleo"),
        ("resolved", "dora"),
    ]


WONDERING = """\
from holdfast import context, workflow


@workflow
async def wonder() -> str:
    try:
        return await context().promise("price", str)
    except ValueError as error:
        return f"no price: {error}"
"""


def test_a_question_is_rejected_with_a_reason(project: Project):
    project.write("wonder.py", WONDERING)
    process = project.start("run", "wonder.py:wonder", "--id", "mine")
    database = project.folder / ".holdfast" / "holdfast.db"
    eventually(lambda: database.exists() and "price" in project.run("questions").stdout)

    both = project.run("resolve", "mine", "price", "5", "--reject", "sold out")
    done = project.run("resolve", "mine", "price", "--reject", "sold out", "--json")

    assert both.returncode == 2
    assert "left out with --reject" in both.stderr
    assert json.loads(done.stdout) == {"run": "mine", "question": "price", "rejected": "sold out"}
    assert process.communicate(timeout=SECONDS)[0] == '"no price: sold out"\n'
