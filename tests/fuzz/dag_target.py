"""DAGs and conditions: whatever the text is, it is understood or refused, and nothing else comes of it."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.outcomes import refusing

from holdfast.authoring.dag.expressions import BadExpression, CannotEvaluate, Expression
from holdfast.authoring.dag.loader import definition_hash, load_text
from holdfast.authoring.dag.model import Dag
from holdfast.authoring.dag.references import BadReference, parse_reference
from holdfast.authoring.documents.references import Missing, Ref, follow
from holdfast.errors import BadDag

WHOLE: Final[dict[str, Any]] = {
    "name": "nightly_etl",
    "description": "moves things",
    "schedule": {
        "cron": "0 2 * * *",
        "timezone": "Europe/Berlin",
        "overlap": "skip",
        "catchup": {"all": 3},
        "input": {"tags": ["{date}"]},
    },
    "input": {"day": "date", "limit": "int = 100", "tags": ["str"]},
    "output": {"files": "discover.files", "n": {"ref": "process[0]"}},
    "defaults": {"retries": 2, "timeout": "10m", "env": {"A": 1}, "queue": "q", "executor": "shell"},
    "types": {"Found": {"files": ["str"], "count": "int", "note": "str?"}, "Many": ["Found"]},
    "timeout": "1h30m",
    "max_parallel": 5,
    "tasks": {
        "discover": {
            "file": "etl.py",
            "function": "discover",
            "inputs": {"day": {"ref": "input.day"}, "x": {"const": [1, {"a": None}]}},
            "output_type": "types.Found",
        },
        "process": {
            "depends_on": ["discover"],
            "foreach": "discover.files",
            "concurrency": 4,
            "command": ["./process.sh", "-v"],
            "inputs": {"path": {"ref": "item"}, "n": {"ref": "parallel_index"}},
            "retries": {"max_attempts": 5, "first_delay": 1, "factor": 2, "never_on": ["ValueError"]},
            "heartbeat": 60,
            "output_type": {"ok": "bool"},
        },
        "check": {"depends_on": "process", "approval": {"message": "ok?"}, "timeout": "2d"},
        "publish": {
            "depends_on": ["check", "discover"],
            "workflow": "publish",
            "when": "discover.count > 0 and tasks.check.status == 'success' and exists(discover.note)",
            "parallel": "discover.count",
        },
        "report": {
            "description": "tells people",
            "executor": "python",
            "module": "shop.report",
            "input_type": {"day": "date", "found": "Found"},
            "inputs": {"day": {"const": "2026-01-31"}, "found": {"ref": "discover"}},
            "depends_on": "discover",
            "start_timeout": 60,
            "priority": -1,
            "queue": "slow",
            "env": {"B": True},
            "secrets": ["API_KEY"],
            "workdir": "reports",
        },
        "wait": {"wait_for_signal": True, "depends_on": "check"},
        "pause": {"sleep": 5, "on_failure": "run", "depends_on": ["wait"]},
    },
}

_words = st.sampled_from(
    [
        *(
            "name",
            "tasks",
            "command",
            "depends_on",
            "input",
            "types",
            "foreach",
            "parallel",
            "when",
            "inputs",
            "ref",
        ),
        *(
            "const",
            "output_type",
            "input_type",
            "schedule",
            "cron",
            "every",
            "start",
            "retries",
            "sleep",
            "approval",
        ),
        *(
            "str",
            "int",
            "[str]",
            "{a: int}",
            "any?",
            "int = 5",
            "types.Found",
            "Found",
            "Many",
            "str = = ",
            "[?]",
        ),
        *(
            "discover",
            "discover.files",
            "discover.files[0]",
            "input.day",
            "tasks.x.status",
            "item.a",
            "a.b-c",
            "0",
        ),
        *(
            "true",
            "null",
            "~",
            "<<",
            "*a",
            "&a",
            "!!int",
            "!x",
            ".inf",
            "0x1F",
            "1e400",
            "12:30",
            "2026-01-31",
            "\t",
        ),
        *(
            "5m",
            "0s",
            "9" * 50,
            "-1",
            "* * * * *",
            "@daily",
            "0 0 30 2 *",
            "a > 1",
            "not exists(a.b)",
            "(",
            "'",
            "%",
        ),
        *(
            "HOLDFAST_X",
            "x.py",
            "../x",
            "\x85",
            "\u2028",
            "é",
            "\U0001f600",
            "\ud800",
            "\0",
            "\ufeff",
            "|",
            ">",
            "? ",
        ),
    ]
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | _words,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4) | _words, inner, max_size=4)
    ),
    max_leaves=6,
)


@st.composite
def broken_documents(draw: st.DrawFn) -> Any:
    """A DAG that was right, with a few things in it replaced, left out, renamed or added."""
    document = json.loads(json.dumps(WHOLE))
    for _ in range(draw(st.integers(0, 4))):
        place = document
        while draw(st.integers(0, 3)) and isinstance(place, (dict, list)) and place:
            keys = sorted(place) if isinstance(place, dict) else range(len(place))
            key = draw(st.sampled_from(list(keys)))
            if draw(st.booleans()) or not isinstance(place[key], (dict, list)):
                match draw(st.sampled_from(["replace", "drop", "rename", "add"])):
                    case "replace":
                        place[key] = draw(_json)
                    case "drop":
                        del place[key]
                    case "rename" if isinstance(place, dict):
                        place[draw(_words)] = place.pop(key)
                    case _:
                        if isinstance(place, dict):
                            place[draw(_words)] = draw(_json)
                break
            place = place[key]
    return document


_pieces = st.sampled_from(
    [
        *(
            "\n",
            "\n  ",
            "\n    ",
            ": ",
            ", ",
            "- ",
            "[",
            "]",
            "{",
            "}",
            "#",
            "---\n",
            "...\n",
            "%TAG ! x\n",
            '"',
            "'",
        ),
        *(
            "&a ",
            "*a",
            "<<: *a",
            "!!str ",
            "? ",
            "|\n",
            ">\n",
            "\\",
            "[" * 100,
            "{a: " * 100,
            "- " * 200,
            "\r\n",
        ),
        *(
            "name: t\n",
            "tasks:\n",
            "  a: {command: x}\n",
            "  b:\n    when: ",
            "    depends_on: [a]\n",
            "input: {a: ",
        ),
    ]
)
texts = st.lists(_pieces | _words | st.text(max_size=5), max_size=25).map("".join) | st.text(max_size=60)


@given(texts)
def any_text_is_a_dag_or_refused(text: str) -> None:
    with refusing(BadDag):
        _check_loaded(load_text(text), text)


@given(broken_documents())
def any_document_is_a_dag_or_refused(document: Any) -> None:
    text = json.dumps(document)
    with refusing(BadDag):
        _check_loaded(load_text(text), text)


def _check_loaded(dag: Dag, text: str) -> None:
    """What was accepted can be written down, and read again as the same."""
    assert msgspec.json.decode(msgspec.json.encode(dag), type=Dag) == dag
    again = load_text(f"# a comment\n{text}" if not text.startswith(("%", "\ufeff")) else text)
    assert definition_hash(again) == definition_hash(dag)


_TOKENS: Final = [
    *(
        "a.b",
        "input.x",
        "tasks.a.status",
        "item",
        "true",
        "false",
        "null",
        "1",
        "2.5",
        "1e30",
        "9" * 18,
        "''",
    ),
    *(
        "'text'",
        '"t"',
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "not",
        "and",
        "or",
        "+",
        "-",
        "*",
        "/",
    ),
    *(
        "%",
        "(",
        ")",
        "[",
        "]",
        ",",
        "len(",
        "exists(",
        "lower(",
        "upper(",
        "starts_with(",
        "ends_with(",
        ".",
        "=",
        "&",
    ),
    *(
        "(" * 50,
        "not " * 50,
        "- " * 50,
        "'",
        "a[0]",
        'a["k"]',
        "\\",
        "é",
        "\0",
        "0x1",
        "exists(a.b)",
        "len(input.x)",
    ),
]
conditions = st.lists(st.sampled_from(_TOKENS), max_size=15).map(" ".join) | st.text(max_size=30)


@given(conditions, _json)
def any_condition_is_true_or_false_or_refused(text: str, value: Any) -> None:
    with refusing(BadExpression, CannotEvaluate):
        expression = Expression.parse(text)
        assert expression.references() == Expression.parse(text).references()
        assert isinstance(expression.evaluate(lambda ref: follow(value, ref.path[3:])), bool)


@given(
    st.lists(st.sampled_from([".", "a", "b-c", "[0]", "[", "]", '["x y"]', "tasks", "input", "item", "1"])),
    _json,
)
def any_reference_is_followed_or_refused(parts: list[str], value: Any) -> None:
    with refusing(BadReference, Missing):
        ref = parse_reference("".join(parts)).ref
        assert parse_reference(str(ref)).ref == ref
        follow(value, Ref(ref.path).path[1:])
