"""Commands that work on runs outlive a database that is away for some seconds, as their node does."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from tests.cli.processes import SECONDS, Project, eventually, read_until

JOB = """\
name: job
tasks:
  work: {command: 'echo at first; touch began; until test -e go; do sleep 0.1; done && echo at last'}
"""
_AWAY = 3.0
"""Seconds: longer than any command waits between two looks."""


@contextmanager
def nobody_gets_into(url: str) -> Generator[None]:
    """Whoever is connected is thrown out, and nobody is let in before the end."""
    name = conninfo_to_dict(url)["dbname"]
    with psycopg.connect(make_conninfo(url, dbname="postgres"), autocommit=True) as server:
        server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'.encode())
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        try:
            yield
        finally:
            server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true'.encode())


@contextmanager
def started(project: Project, *words: str) -> Generator[subprocess.Popen[str]]:
    """It is not left behind by a test that fails."""
    with project.start(*words) as process:
        try:
            yield process
        finally:
            process.kill()


def test_serve_goes_on_to_work_and_to_tell_of_runs(project: Project, postgres_url: str) -> None:
    project.write("job.yaml", JOB.replace("until test -e go; do sleep 0.1; done", "test -e go"))
    assert project.run("run", "job.yaml", "--id", "mine", "--db", postgres_url).returncode == 1
    (project.folder / "go").touch()
    with started(project, "serve", "--no-http", "job.yaml", "--db", postgres_url) as process:
        read_until(process.stderr, "serving job")

        with nobody_gets_into(postgres_url):
            time.sleep(_AWAY)
        assert project.run("runs", "retry", "mine", "--db", postgres_url).returncode == 0

        lines = read_until(process.stderr, "mine of job success")
        code, _, told = project.finish(process, signal.SIGTERM)
        assert code == 0
        assert "Traceback" not in told + "".join(lines)


def test_run_goes_on_to_the_end_of_its_run(project: Project, postgres_url: str) -> None:
    project.write("job.yaml", JOB)
    with started(project, "run", "job.yaml", "--plain", "--db", postgres_url) as process:
        eventually((project.folder / "began").exists)

        with nobody_gets_into(postgres_url):
            time.sleep(_AWAY)
        (project.folder / "go").touch()
        _, told = process.communicate(timeout=SECONDS)

        assert process.returncode == 0, told
        assert "Traceback" not in told
        assert "work | at last" in told


def test_a_log_is_followed_on_to_the_end_of_the_run(project: Project, postgres_url: str) -> None:
    project.write("job.yaml", JOB)
    words = ("--db", postgres_url)
    with started(project, "run", "job.yaml", "--id", "mine", *words) as process:
        eventually((project.folder / "began").exists)
        with started(project, "logs", "mine", "--follow", *words) as following:
            first = read_until(following.stdout, "at first")

            with nobody_gets_into(postgres_url):
                time.sleep(_AWAY)
            (project.folder / "go").touch()
            process.communicate(timeout=SECONDS)
            said, told = following.communicate(timeout=SECONDS)

            assert following.returncode == 0, told
            assert [line.rpartition(" | ")[2] for line in first] == ["at first\n"]
            assert [line.rpartition(" | ")[2] for line in said.splitlines()] == ["at last"]
            assert "Traceback" not in told
            assert "still following the log" in told
