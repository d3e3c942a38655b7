"""Statements that are sent to Postgres together: their answers, their errors, and what is left after one."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import nullcontext

import psycopg
import pytest
from psycopg import errors, pq

from holdfast.stores.postgres.pipeline import PatientConnection, Pipeline, Sent

_COUNT = b"SELECT generate_series(1, $1::int4)"
_DIVIDE = b"SELECT 100 / $1::int4"


def number(value: int) -> bytes:
    return struct.pack(">i", value)


@pytest.fixture
def connection(postgres_url: str) -> Iterator[PatientConnection]:
    with PatientConnection.connect(postgres_url, autocommit=True, prepare_threshold=None) as connection:
        yield connection


@pytest.fixture
def pipeline(connection: PatientConnection) -> Pipeline:
    return Pipeline(connection)


def prepared(connection: PatientConnection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM pg_prepared_statements")}


def test_answers_come_in_order_also_those_that_nobody_waited_for(pipeline: Pipeline) -> None:
    with pipeline:
        first = pipeline.send(b"count", _COUNT, [number(2)])
        second = pipeline.send(b"count", _COUNT, [number(3)])
        assert second.rows() == [(1,), (2,), (3,)]
        assert first.result is not None
        third = pipeline.send(b"count", _COUNT, [number(0)])
        assert third.changed == -1

    assert (first.rows(), third.rows()) == ([(1,), (2,)], [])


def test_outside_of_a_block_each_statement_is_answered_at_once(pipeline: Pipeline) -> None:
    assert pipeline.send(b"count", _COUNT, [number(2)]).changed == 2
    assert pipeline.send(b"null", b"SELECT $1::int4", [None]).rows() == [(None,)]


def test_nothing_is_sent_before_an_answer_is_wanted(
    pipeline: Pipeline, connection: PatientConnection, postgres_url: str
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as other, pipeline:
        state = b"SELECT state, query FROM pg_stat_activity WHERE pid = %d" % connection.info.backend_pid
        before = other.execute(state).fetchone()
        sent = pipeline.send(b"count", _COUNT, [number(1)])
        time.sleep(0.05)
        assert other.execute(state).fetchone() == before
        sent.wait()


def test_rows_are_the_same_with_pauses(pipeline: Pipeline) -> None:
    sent = pipeline.send(b"count", _COUNT, [number(120)])

    assert sent.rows(has_pauses=True) == sent.rows() == [(each,) for each in range(1, 121)]


def test_a_statement_is_prepared_once(pipeline: Pipeline, connection: PatientConnection) -> None:
    for _ in range(3):
        pipeline.send(b"count", _COUNT, [number(1)])
    with pipeline:
        pipeline.send(b"count", _COUNT, [number(1)])
        pipeline.send(b"divide", _DIVIDE, [number(1)])
        pipeline.send(b"divide", _DIVIDE, [number(2)])

    assert prepared(connection) == {"count", "divide"}


@pytest.mark.parametrize("waits", ["for the one that fails", "for a later one", "for none"])
def test_the_first_error_is_raised_and_the_rest_is_skipped(
    pipeline: Pipeline, connection: PatientConnection, waits: str
) -> None:
    def transaction() -> Iterator[Sent]:
        with pipeline:
            pipeline.send(b"BEGIN", b"BEGIN")
            wrong = pipeline.send(b"divide", _DIVIDE, [number(0)])
            later = pipeline.send(b"count", _COUNT, [number(1)])
            yield pipeline.send(b"COMMIT", b"COMMIT")
            if waits == "for the one that fails":
                wrong.wait()
            elif waits == "for a later one":
                later.wait()

    steps = transaction()
    committed = next(steps)
    with pytest.raises(errors.DivisionByZero):
        next(steps)

    assert not committed.has_committed
    assert connection.info.transaction_status == pq.TransactionStatus.INERROR
    connection.execute("ROLLBACK")
    # What was to be prepared after the error was skipped, and is prepared when it is needed again.
    assert prepared(connection) == {"BEGIN", "divide"}
    assert pipeline.send(b"count", _COUNT, [number(1)]).rows() == [(1,)]


def test_a_statement_that_cannot_be_prepared_is_prepared_again(pipeline: Pipeline) -> None:
    for _ in range(2):
        with pytest.raises(errors.UndefinedTable):
            pipeline.send(b"missing", b"SELECT * FROM no_such_table")
    pipeline.send(b"create", b"CREATE TABLE no_such_table ()")

    assert pipeline.send(b"missing", b"SELECT * FROM no_such_table").rows() == []


def test_an_error_of_the_caller_leaves_a_connection_that_can_be_used(
    pipeline: Pipeline, connection: PatientConnection
) -> None:
    def transaction() -> None:
        with pipeline:
            pipeline.send(b"BEGIN", b"BEGIN")
            pipeline.send(b"count", _COUNT, [number(1)])
            raise KeyError

    with pytest.raises(KeyError):
        transaction()

    assert connection.info.transaction_status == pq.TransactionStatus.INTRANS
    assert pipeline.send(b"count", _COUNT, [number(1)]).rows() == [(1,)]


def test_a_message_larger_than_all_buffers_is_sent_while_answers_are_read(pipeline: Pipeline) -> None:
    large = b"x" * 20_000_000
    with pipeline:
        sent = [pipeline.send(b"echo", b"SELECT $1::bytea", [large]) for _ in range(3)]
        assert [each.rows()[0][0] == large for each in sent] == [True, True, True]


@pytest.mark.parametrize("is_open", [True, False])
def test_a_connection_that_is_lost_is_told_and_closed(
    pipeline: Pipeline, connection: PatientConnection, postgres_url: str, is_open: bool
) -> None:
    pid = connection.info.backend_pid

    def lose() -> None:
        with psycopg.connect(postgres_url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])

    def transaction() -> None:
        with pipeline if is_open else nullcontext():
            pipeline.send(b"BEGIN", b"BEGIN").wait()
            lose()
            pipeline.send(b"count", _COUNT, [number(1)]).wait()

    with pytest.raises(psycopg.OperationalError):
        transaction()

    assert connection.closed


def test_a_statement_that_was_skipped_or_failed_has_no_rows(pipeline: Pipeline) -> None:
    def swallow_the_error() -> Iterator[Sent]:
        with pipeline:
            wrong = pipeline.send(b"divide", _DIVIDE, [number(0)])
            later = pipeline.send(b"count", _COUNT, [number(1)])
            yield pipeline.send(b"count", _COUNT, [number(1)])
            for each in (later, wrong):
                with pytest.raises(errors.DivisionByZero):
                    each.rows()
            with pytest.raises(errors.PipelineAborted):
                later.rows()

    steps = swallow_the_error()
    last = next(steps)
    with pytest.raises(errors.PipelineAborted):
        next(steps)
    with pytest.raises(errors.PipelineAborted):
        last.rows()


def test_what_was_answered_before_the_connection_was_lost_is_known(
    pipeline: Pipeline, connection: PatientConnection, postgres_url: str
) -> None:
    answered: list[Sent] = []

    def transaction() -> None:
        with psycopg.connect(postgres_url, autocommit=True) as other, pipeline:
            answered.append(pipeline.send(b"count", _COUNT, [number(2)]))
            answered[0].wait()
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [connection.info.backend_pid])

    with pytest.raises(psycopg.OperationalError):
        transaction()

    assert answered[0].rows() == [(1,), (2,)]
    assert connection.closed


def test_an_error_at_the_sync_is_raised_and_the_connection_stays(
    pipeline: Pipeline, connection: PatientConnection
) -> None:
    connection.execute("CREATE TABLE once (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
    pipeline.send(b"insert", b"INSERT INTO once VALUES (1)")

    with pytest.raises(errors.UniqueViolation):
        pipeline.send(b"insert", b"INSERT INTO once VALUES (1)")

    assert pipeline.send(b"select", b"SELECT a FROM once").rows() == [(1,)]


def test_an_interrupted_answer_is_not_taken_for_that_to_the_next_statement(
    pipeline: Pipeline, connection: PatientConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Pipeline, *, is_sending: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Pipeline, "_wait", interrupt)

    with pytest.raises(KeyboardInterrupt):
        pipeline.send(b"sleep", b"SELECT pg_sleep(0.1)")

    assert connection.closed


def test_rows_that_were_read_are_not_kept(pipeline: Pipeline) -> None:
    assert len(pipeline.send(b"count", _COUNT, [number(1000)]).rows()) == 1000
    assert pipeline._transformer.pgresult is None


def test_a_server_that_does_not_answer_is_given_up(pipeline: Pipeline, connection: PatientConnection) -> None:
    connection.patience = 0.2

    with pytest.raises(psycopg.OperationalError, match=r"no answer for 0\.2 s"):
        pipeline.send(b"sleep", b"SELECT pg_sleep(10)")

    assert connection.closed


def test_a_line_that_is_cut_is_told(pipeline: Pipeline, connection: PatientConnection) -> None:
    with socket.socket(fileno=connection.pgconn.socket) as line:
        line.shutdown(socket.SHUT_RDWR)
        line.detach()

    with pytest.raises(psycopg.OperationalError), pipeline:
        pipeline.send(b"count", _COUNT, [number(1)])

    assert connection.closed
