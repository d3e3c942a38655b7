"""A random DAG played to its end without an engine: one thing after the other, in the order of dice."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import msgspec
from tests.authoring.dag.playing import Play, failure
from tests.dags.interpreter import Broken, work

from holdfast.core.commands import Command, StartChild

_MOST_MOVES = 1000
_PLACES = ("plan", "parallel_index", "parallel_count")


class _Stage(Play):
    """Remembers what children were given."""

    def __init__(self, text: str) -> None:
        self.given: dict[str, dict[str, Any]] = {}
        super().__init__(text, called=True)

    def _obey(self, command: Command) -> None:
        super()._obey(command)
        if isinstance(command, StartChild):
            assert command.id is not None
            self.given[command.id] = msgspec.json.decode(command.input)


class Player:
    def __init__(self, dag: dict[str, Any], dice: Random) -> None:
        self.dag = dag
        self._tasks: dict[str, Any] = dag["tasks"]
        self._dice = dice
        self._round = 1
        self.play = _Stage(json.dumps(dag))

    def play_on(self) -> None:
        """Until the run has ended."""
        for _ in range(_MOST_MOVES):
            if self.play.has_ended:
                return
            self._move()
        raise AssertionError(f"the run has not ended; what is open: {self.play.open}")

    def retry(self) -> None:
        self._round += 1
        self.play.retry()

    @property
    def status(self) -> str:
        return "failed" if any(status == "failed" for status in self.states.values()) else "success"

    @property
    def states(self) -> dict[str, str]:
        """By task, what became of it: failed if any of its items has."""
        found: dict[str, str] = {}
        for (name, _), status in self._last_of_items().items():
            if found.get(name) != "failed":
                found[name] = status
        return found

    def _last_of_items(self) -> dict[tuple[str, Any], str]:
        """By task and place. What a task became before it had items counts only if it never had any."""
        items: dict[tuple[str, Any], str] = {}
        for id, seq in self.play.child_ids.items():
            # One that was begun anew has the number of the round at the end of its id.
            items[_task_of(id), id.partition("#")[0]] = str(self.play.children[seq].status)
        for row in self.play.rows.values():
            index = msgspec.json.decode(row.input).get("parallel_index")
            if index is not None:
                items[row.name, index] = str(row.status)
        with_items = {name for name, _ in items}
        whole = {(row.name, None): str(row.status) for row in self.play.rows.values()}
        return items | {key: status for key, status in whole.items() if key[0] not in with_items}

    def _move(self) -> None:
        """One thing that could happen next."""
        rows = [row for row in self.play.rows.values() if not row.status.is_final]
        begun = [row for row in rows if row.seq not in self.play.held]
        moves = [row for row in begun if "sleep" not in self._tasks[row.name]]
        if self.play.timers and (not moves or self._dice.random() < 0.2):
            first = min(self.play.timers.values())
            self.play.pass_time((first - self.play.now) / 1_000_000)
            return
        row = self._dice.choice(moves)
        task = self._tasks[row.name]
        given = msgspec.json.decode(row.input)
        if "approval" in task:
            self.play.answer(given["promise"], True)
        elif "wait_for_signal" in task:
            self.play.signal(task["wait_for_signal"], f"signal for {row.name}")
        elif "workflow" in task:
            self._end_child(row.name)
        else:
            index = given.get("parallel_index")
            self.play.end(row.name, self._outcome(given, index or 0), index)

    def _end_child(self, task: str) -> None:
        ids = [id for id, seq in self.play.child_ids.items() if not self.play.children[seq].status.is_final]
        id = self._dice.choice([each for each in ids if _task_of(each) == task])
        place = id.partition("#")[0].split("/")[2:]
        self.play.end_child(id, self._outcome(self.play.given[id], int(place[0]) if place else 0))

    def _outcome(self, given: dict[str, Any], index: int) -> Any:
        values = {name: value for name, value in given.items() if name not in _PLACES}
        try:
            return work(given["plan"], values, index, is_retried=self._round > 1)
        except Broken as error:
            return failure(str(error))


def _task_of(child: str) -> str:
    """Its id is that of the run, the task, and its place if it is one of several."""
    return child.partition("#")[0].split("/")[1]
