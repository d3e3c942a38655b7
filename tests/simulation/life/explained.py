"""Whether the reasons that `explain` gives for a run are so, compared with its rows and its own notes."""

from __future__ import annotations

from collections.abc import Iterator

from tests.simulation.life.mail import all_messages

from holdfast.core.explanations import Explanation, Reason, ReasonKind
from holdfast.core.records import History, MessageKind
from holdfast.core.run_options import read_run_options
from holdfast.core.values import RunStatus, instant
from holdfast.testing.simulation.database import run_inline
from holdfast.testing.simulation.simulation import Simulation


def false_reasons(
    explanation: Explanation, history: History, simulation: Simulation, asked_at: int
) -> Iterator[str]:
    """For a run whose rows did not change while it was explained."""
    store, namespace = simulation.store, simulation.namespace
    state = run_inline(store.read_state(namespace, history.run.key))
    facts = _Facts(history, list(state), simulation, asked_at)
    for reason in explanation.reasons:
        if not facts.are_so(reason):
            yield f"explain says that {reason.what}, and that is not so: {sorted(state)}"
    named = {(reason.kind, reason.name) for reason in explanation.reasons}
    if history.run.owner is None and history.run.status is RunStatus.RUNNING:
        for kind, name in facts.waits():
            is_unread = any(it.taken is None and it.name == name for it in history.messages)
            if (ReasonKind(kind), name) not in named and not is_unread:
                yield f"it waits for {kind} {name!r}, and explain does not say so: {explanation.summary}"


class _Facts:
    def __init__(self, history: History, state: list[str], simulation: Simulation, asked_at: int) -> None:
        self._history = history
        self._run = history.run
        self._state = state
        self._simulation = simulation
        self._asked_at = asked_at
        self._kinds = {it.kind for it in all_messages(simulation, history.run.key)}

    def waits(self) -> list[tuple[str, str]]:
        """The signals and promises that the code has asked for and not got, as it says itself."""
        keys = [key.split(":") for key in self._state if key.startswith("wait:")]
        return [(kind, name) for _, kind, name, _ in keys if kind in ("signal", "promise")]

    def are_so(self, reason: Reason) -> bool:
        run, kind, name = self._run, reason.kind, reason.name
        # A clock that was wrong when its process began is wrong again when it is set right.
        is_later = not self._simulation.safety.clocks_agree
        is_later = is_later or reason.until is None or instant(reason.until) >= self._asked_at
        open_tasks = {task.name for task in self._history.tasks if not task.status.is_final}
        match kind:
            case ReasonKind.SIGNAL | ReasonKind.PROMISE:
                # Of a run that is in memory or due only the journal is known, not what its code has given up.
                is_known = run.owner is None and run.wake_at is None and not self._was_cancelled()
                is_known = is_known and not self._was_retried()
                return (kind.value, name) in self.waits() or not is_known
            case ReasonKind.UPDATE:
                is_asked = any(key.startswith(f"wait:update:{name}:") for key in self._state)
                return is_asked or MessageKind.UPDATE in self._kinds
            case ReasonKind.TIMER:
                is_due = run.wake_at is not None and run.wake_at <= self._asked_at
                if is_due or self._was_retried() or self._was_cancelled():
                    return True  # the journal does not say which timers its code has given up
                return any(key.startswith("wait:timer:") for key in self._state)
            case ReasonKind.RETRY:
                return name in open_tasks and is_later
            case ReasonKind.TASK | ReasonKind.SLOT:
                return not name or bool(open_tasks)
            case ReasonKind.CHILD:
                return not name or any(not child.status.is_final for child in self._history.children)
            case ReasonKind.PAUSED:
                return run.status is RunStatus.PAUSED
            case ReasonKind.NODE:
                return run.owner in (name or None, None)
            case ReasonKind.START:
                return run.started_at is None or run.status is RunStatus.PENDING
            case ReasonKind.MESSAGE:
                return any(it.taken is None and it.name == name for it in self._history.messages)
            case ReasonKind.CANCEL:
                return self._was_cancelled()
            case ReasonKind.DEADLINE:
                return read_run_options(run.options).deadline is not None
            case ReasonKind.TURN:
                return run.parent is not None
            case ReasonKind.END:
                return run.status.is_final
            case _:
                return False

    def _was_retried(self) -> bool:
        """Then its state is as it was before the steps that are made again, until they are."""
        return MessageKind.RETRY in self._kinds

    def _was_cancelled(self) -> bool:
        return MessageKind.CANCEL in self._kinds
