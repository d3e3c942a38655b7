"""Attempts at tasks with secrets: values are read before the attempt begins, and masked in what it reports.

A value is in the attempt, in memory, and nowhere else. What is on its way from an executor to the store is
masked: an outcome and a heartbeat here, log lines and items where the executor collects them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from holdfast.core.failures import capture
from holdfast.core.log_lines import OURS, OutputLine
from holdfast.core.masking import AttemptSecrets
from holdfast.core.values import Cancelled, Failed, Instant, Outcome, Succeeded
from holdfast.errors import SecretNotFound
from holdfast.ports.executor import Attempt, Executor, Log, Report
from holdfast.ports.secrets import SecretReader

_MASKED_OUTPUT = "the output had the value of a secret in it; what is stored has ***NAME*** there instead"


class SecretAttempts:
    def __init__(
        self, reader: SecretReader | None, report: Report, log: Log, now: Callable[[], Instant]
    ) -> None:
        self._reader = reader
        self._report = report
        self._log = log
        self._now = now
        self._reading: dict[Attempt, asyncio.Task[None]] = {}

    def start(self, executor: Executor, attempt: Attempt) -> None:
        """Have the executor start the attempt, once its secrets are read. If they cannot be read, the attempt
        has failed."""
        reader = self._reader
        try:
            if reader is None:
                raise SecretNotFound("secret", attempt.options.secrets[0], (), "secrets")
            values = reader.read_at_once(attempt.options.secrets)
        except Exception as error:
            # Reported later: a report never comes before `start` returns.
            outcome = Failed(capture(error.with_traceback(None)))
            asyncio.get_running_loop().call_soon(self._report, attempt, outcome)
            return
        if values is None:
            self._reading[attempt] = asyncio.create_task(self._read_and_start(reader, executor, attempt))
        else:
            attempt.secrets = AttemptSecrets(values)
            executor.start(attempt)

    async def _read_and_start(self, reader: SecretReader, executor: Executor, attempt: Attempt) -> None:
        outcome: Outcome | None = None
        try:
            attempt.secrets = AttemptSecrets(await asyncio.to_thread(reader.read, attempt.options.secrets))
        except asyncio.CancelledError:
            outcome = Cancelled()
        except Exception as error:
            outcome = Failed(capture(error.with_traceback(None)))
        # Gone already, if `stop` was called.
        if self._reading.pop(attempt, None) is None:
            return
        if outcome is None:
            executor.start(attempt)
        else:
            self._report(attempt, outcome)

    def cancel(self, attempt: Attempt) -> bool:
        """False if its secrets are read, so that its executor has it."""
        reading = self._reading.get(attempt)
        return reading is not None and reading.cancel()

    def stop(self) -> None:
        reading, self._reading = self._reading, {}
        for task in reading.values():
            task.cancel()

    def masked(self, attempt: Attempt, secrets: AttemptSecrets, outcome: Outcome) -> Outcome:
        """The outcome as it is to be stored. If that changes an output, the log of the attempt says so."""
        masked = secrets.mask.outcome(outcome)
        if masked is not outcome and isinstance(masked, Succeeded):
            self._log(attempt, [OutputLine(self._now(), OURS, _MASKED_OUTPUT)])
        return masked
