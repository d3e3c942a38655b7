"""Edits find their place in the syntax tree, change that alone, and say why if they cannot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.faults.code_edits import Code
from tests.faults.fault import Fault
from tests.faults.query_edits import Query
from tests.faults.source import Disarmed, Edit, Source

MODULE = '''\
SETTINGS = """
PRAGMA a = 1;
PRAGMA b = 2;
"""
KINDS = ("one", "two")


class Tick:
    def park(self, run, *, wait=None):
        """Park the run."""
        if run.is_open and self.has_lease(now=self.now):  # else it is another's
            self.hold(
                run,
                [row for row in run.rows],  # all of them
                until=self.now + 1,
            )
        elif wait is not None:
            return False
        for each in run:
            each.close()
        return True


class Tock:
    def tock(self):
        return 1

    def park(self):
        pass
'''
QUERIES = """\
-- name: find_lost
SELECT key FROM runs
WHERE owner = ?2  -- not epoch = ?9
    AND epoch = ?4;

-- name: lock_run
SELECT key FROM runs WHERE key = ?1 FOR UPDATE;
"""
PARK = Code("tick:Tick.park")
SETTINGS = MODULE[MODULE.index('"""') : MODULE.index("KINDS")].rstrip()
HOLD = MODULE[MODULE.index("self.hold(") : MODULE.index("        elif")].rstrip()
QUERY_FILE = "stores/sqlite/sql/runs.sql"


@pytest.fixture
def source(tmp_path: Path) -> Source:
    (tmp_path / QUERY_FILE).parent.mkdir(parents=True)
    (tmp_path / QUERY_FILE).write_text(QUERIES)
    (tmp_path / "tick.py").write_text(MODULE)
    (tmp_path / "tock.py").write_text("def strike(): ...\n")
    return Source(tmp_path)


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (PARK.replace("A is not None", "A is None"), "wait is not None", "(wait is None)"),
        (PARK.replace("A + 1", "A * (A + 1)"), "self.now + 1", "(self.now * (self.now + 1))"),
        (PARK.replace("return True", "raise Lost"), "return True", "raise Lost"),
        (PARK.replace("A.close()", "break"), "each.close()", "break"),
        (PARK.replace("for A in B: ...", "for A in B.rows: ..."), "in run:", "in run.rows:"),
        (
            PARK.replace("A.hold(R, ...)", "A.drop(R, ...)"),
            HOLD,
            "self.drop(run, [row for row in run.rows], until=self.now + 1)",
        ),
        (PARK.replace("[... for A in B]", "[... for A in B[:0]]"), "in run.rows]", "in run.rows[:0]]"),
        (
            PARK.replace("for A in B: ...\nreturn True", "return all(B)"),
            "for each in run:\n            each.close()\n        return True",
            "return all(run)",
        ),
        (PARK.remove("A.close()"), "each.close()", "pass"),
        (PARK.remove("for A in run: ..."), "for each in run:\n            each.close()", "pass"),
        (PARK.remove("A.has_lease(...)"), "run.is_open and self.has_lease(now=self.now)", "(run.is_open)"),
        (PARK.remove("A.now + 1"), HOLD, "self.hold(run, [row for row in run.rows])"),
        (
            PARK.insert_before("return True", "x = 1; y = 2"),
            "return True",
            "x = 1\n        y = 2\n        return True",
        ),
        (PARK.insert_after("A.close()", "A.open()"), "each.close()", "each.close()\n            each.open()"),
        (Code("tick:tock").replace("1", "2"), "return 1", "return 2"),
        (Code("tick:KINDS").remove("'one'"), '("one", "two")', "('two',)"),
        (
            Code("tick:SETTINGS").replace("'...b = 2...'", "'...b = 3...'"),
            SETTINGS,
            repr("\nPRAGMA a = 1;\nPRAGMA b = 3;\n"),
        ),
        (Code("tick").replace("return 1", "return 2"), "return 1", "return 2"),
    ],
)
def test_only_the_place_that_a_pattern_matches_is_changed(
    edit: Edit, old: str, new: str, source: Source
) -> None:
    edit.apply(source)

    assert source.changed == {"tick.py": MODULE.replace(old, new)}


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (PARK.remove("self.release()"), "`self.release()` is 0 times in tick:Tick.park"),
        (PARK.replace("wait is not nothing", "x"), "the nearest is `wait is not None`"),
        (PARK.replace("run", "x"), "`run` is 4 times in tick:Tick.park"),
        (PARK.remove("self.now"), "`self.now` is 2 times"),
        (PARK.remove("A + 1 if B else C"), "0 times"),
        (PARK.remove("wait"), "`wait` cannot be left out of `wait is not None`"),
        (PARK.replace("wait", "break"), "`wait` in tick:Tick.park is not a statement"),
        (PARK.remove("if wait is not None: ..."), "an `elif` cannot be changed as a statement"),
        (Code("tick:park").remove("pass"), "park is 2 times in tick.py"),
        (
            Code("tick:strike").remove("pass"),
            "tick.py, and not once; strike is in tock.py",
        ),
        (Code("tick:Tick.parked").remove("pass"), "the nearest is `Tick.park`"),
        (Code("toll:strike").remove("pass"), "there is no toll.py; strike is in tock.py"),
        (Query("sqlite:find_lost").remove("owner = ?3"), "`owner = ?3` is 0 times in sqlite:find_lost"),
        (Query("sqlite:find_lost").remove("A = B"), "2 times"),
        (
            Query("sqlite:find").remove("owner"),
            "0 queries named find, and not one; the nearest is `find_lost`",
        ),
    ],
)
def test_an_edit_that_does_not_find_its_place_once_is_refused_and_changes_nothing(
    edit: Edit, reason: str, source: Source
) -> None:
    fault = Fault("forgetful", "none", [edit], [])

    with pytest.raises(Disarmed, match=f"^forgetful cannot be planted: .*{re.escape(reason)}"):
        fault.plant(source)

    assert not source.changed


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (Query("sqlite:find_lost").replace("AND epoch = A", "AND A >= 0"), "AND epoch = ?4", "AND ?4 >= 0"),
        (Query("sqlite:lock_run").remove("FOR UPDATE"), "FOR UPDATE", ""),
        (
            Query("sqlite:find_lost").replace("owner = A AND epoch = B", "epoch = B AND A <> ''"),
            "owner = ?2  -- not epoch = ?9\n    AND epoch = ?4",
            "epoch = ?4 AND ?2 <> ''",
        ),
    ],
)
def test_a_clause_of_a_query_is_changed_however_it_is_laid_out(
    edit: Edit, old: str, new: str, source: Source
) -> None:
    edit.apply(source)

    assert source.changed == {QUERY_FILE: QUERIES.replace(old, new)}
