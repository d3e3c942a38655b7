"""Statements in libpq's pipeline mode: many are sent together, and their answers are read in order.

psycopg has pipelines as well. But a cursor of it talks to the server for each statement that is added, and
needs 50 to 130 µs of Python for that. A short run takes about ten statements. Here a statement is prepared
once for each connection and its parameters are already encoded, so little is left to do. Nothing is sent
before an answer is wanted, or a buffer of libpq is full.
"""

from __future__ import annotations

import math
import select
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import errors, pq
from psycopg.adapt import Transformer

from holdfast.stores import gil_pauses
from holdfast.stores.database import Row

if TYPE_CHECKING:
    from types import TracebackType

    from psycopg.pq.abc import PGresult

_OK: Final = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)


class PatientConnection(psycopg.Connection[Row]):
    """Waits for an answer with a timeout. A firewall that has dropped the connection, or a pooler that hangs,
    sends no error."""

    patience: float = 15.0
    """In seconds. A connection on which nothing comes for this long, although an answer is wanted, is closed.
    Its transaction may still have been committed; `recover_commit` finds that out."""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        limit = None if self.patience == math.inf else self.patience
        try:
            return super().wait(gen, interval, timeout or limit)
        except errors._WaitTimeout:  # pyright: ignore[reportPrivateUsage]
            raise self.give_up() from None

    def give_up(self) -> psycopg.OperationalError:
        self.pgconn.finish()
        return psycopg.OperationalError(f"no answer for {self.patience:g} s")


class Sent:
    """A statement that is on its way, or answered."""

    __slots__ = ("_pipeline", "prepares", "result")

    def __init__(self, pipeline: Pipeline, prepares: bytes | None = None) -> None:
        self._pipeline = pipeline
        self.prepares = prepares
        """The name of the statement that this prepares. None: it executes one."""
        self.result: PGresult | None = None

    @property
    def changed(self) -> int:
        """How many rows it has changed; -1 if it is not answered yet."""
        return -1 if self.result is None else self.result.command_tuples or 0

    @property
    def has_committed(self) -> bool:
        return self.result is not None and self.result.command_status == b"COMMIT"

    def wait(self) -> PGresult:
        return self._pipeline.answer(self)

    def rows(self, *, has_pauses: bool = False) -> list[Row]:
        return self._pipeline.rows(self.wait(), has_pauses=has_pauses)


class Pipeline:
    """In a `with` block statements are sent without waiting for the answers, all of which have come when it
    ends. Outside of one each is answered at once. Raises psycopg.Error; the connection stays usable, unless
    it is lost."""

    def __init__(self, connection: PatientConnection) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        self._transformer = Transformer(connection)
        self._socket = select.poll()
        self._unanswered: deque[Sent] = deque()
        self._prepared: set[bytes | None] = set()
        self._is_open = self._is_synced = False

    def __enter__(self) -> None:
        self._pgconn.enter_pipeline_mode()
        self._is_open, self._is_synced = True, False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._is_open = False
        try:
            if error is None:
                self._sync()
                while self._unanswered:
                    self._read()
        except BaseException:
            self._leave()
            raise
        refusal = self._leave()
        if error is None and refusal is not None:
            raise refusal

    def send(self, name: bytes, text: bytes, params: Sequence[bytes | None] = ()) -> Sent:
        """The parameters are in Postgres's binary format. A name stands for one text."""
        if not self._is_open:
            with self:
                return self.send(name, text, params)
        if name not in self._prepared:
            self._pgconn.send_prepare(name, text)
            self._unanswered.append(Sent(self, name))
            self._prepared.add(name)
        self._pgconn.send_query_prepared(name, params, [1] * len(params), 1)
        sent = Sent(self)
        self._unanswered.append(sent)
        return sent

    def answer(self, sent: Sent) -> PGresult:
        """Wait for the answer to a statement, and read all before it."""
        if sent.result is None:
            if not self._is_open:
                raise errors.PipelineAborted("skipped, because an earlier statement failed")
            self._pgconn.send_flush_request()
            while sent.result is None:
                self._read()
        elif sent.result.status not in _OK:
            raise self._error_of(sent.result)
        return sent.result

    def rows(self, result: PGresult, *, has_pauses: bool) -> list[Row]:
        transformer, count = self._transformer, result.ntuples
        if not count:
            return []
        read = 0

        def some(most: int) -> list[Row]:
            nonlocal read
            first, read = read, min(read + most, count)
            return transformer.load_rows(first, read, tuple)

        transformer.set_pgresult(result)
        try:
            return gil_pauses.fetch(some) if has_pauses else some(count)
        finally:
            transformer.set_pgresult(None)  # it lives as long as the connection, and so would the result

    # --- answers

    def _read(self) -> None:
        """Read the next answer. Raises the error, if it is one."""
        result = self._receive()
        sent = self._unanswered.popleft()
        sent.result = result
        if result.status not in _OK:
            self._prepared.discard(sent.prepares)
            raise self._error_of(result)

    def _error_of(self, result: PGresult) -> psycopg.Error:
        if result.status == pq.ExecStatus.PIPELINE_ABORTED:
            return errors.PipelineAborted("skipped, because an earlier statement failed")
        error = errors.error_from_result(result)
        if self._is_lost and not isinstance(error, psycopg.OperationalError):
            return psycopg.OperationalError(str(error))
        return error

    def _sync(self) -> None:
        self._pgconn.pipeline_sync()
        self._is_synced = True

    def _leave(self) -> psycopg.Error | None:
        """Leave the pipeline mode. After an error the server skips statements up to the next sync.

        Returns the error that the sync itself was answered with. The sync ends the transaction of what is
        sent outside of one, such as a notification. And a server that shuts down tells its sessions then.
        """
        refusal: psycopg.Error | None = None
        try:
            if not self._is_synced:
                self._sync()
            while (result := self._receive()).status != pq.ExecStatus.PIPELINE_SYNC:
                if not self._unanswered:
                    refusal = self._error_of(result)
                elif result.status not in _OK:
                    self._prepared.discard(self._unanswered.popleft().prepares)
                else:
                    self._unanswered.popleft()
            self._pgconn.exit_pipeline_mode()
        except BaseException as error:
            # Whatever it is: answers that were not read would be taken for those to the next statements.
            self._connection.close()
            if not isinstance(error, psycopg.Error):
                raise
            refusal = refusal or error
        finally:
            self._unanswered.clear()
        return refusal

    @property
    def _is_lost(self) -> bool:
        return self._pgconn.status != pq.ConnStatus.OK

    def _receive(self) -> PGresult:
        result = self._next()
        if result is None:
            raise psycopg.OperationalError("the connection is lost")
        if result.status != pq.ExecStatus.PIPELINE_SYNC:
            self._next()  # the end of this answer
        return result

    def _next(self) -> PGresult | None:
        pgconn = self._pgconn
        while pgconn.is_busy():
            self._wait(is_sending=bool(pgconn.flush()))
            pgconn.consume_input()
        return pgconn.get_result()

    def _wait(self, *, is_sending: bool) -> None:
        """Until the server has read or sent something."""
        patience = self._connection.patience
        self._socket.register(self._pgconn.socket, select.POLLIN | (select.POLLOUT if is_sending else 0))
        if not self._socket.poll(None if patience == math.inf else patience * 1000):
            raise self._connection.give_up()
