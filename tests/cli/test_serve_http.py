"""The HTTP API of `holdfast serve`: where it is, and what happens if it cannot be there."""

from __future__ import annotations

import json
import signal
import socket
import ssl
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.cli.processes import SECONDS, Project, json_lines, read_until

JOB = "name: job\ntasks:\n  work: {command: 'echo done'}\nschedule: '@yearly'\n"


@contextmanager
def serving(project: Project, *words: str, **variables: str) -> Generator[subprocess.Popen[str]]:
    with project.start("serve", *words, **variables) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def taken_port() -> Generator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_without_targets_it_serves_published_flows_and_says_where_the_api_is(project: Project):
    with serving(project, "--port", "0") as process:
        where, serves = read_until(process.stderr, "serving")
        url = where.split()[-1]

        answer = httpx.get(f"{url}/tasks")
        code, said, told = project.finish(process, signal.SIGINT)

    assert where.split(" ", 1)[1].startswith("pages at http://127.0.0.1:")
    assert serves.split(" ", 1)[1] == "serving published workflows; Ctrl-C stops in order\n"
    assert (answer.status_code, answer.json()["total"]) == (200, 0)
    assert (code, said) == (0, "")
    assert told.endswith(" stopped\n")


def test_programs_are_told_where_it_is(project: Project):
    with serving(project, "--host", "::1", "--port", "0", "--json") as process:
        lines = read_until(process.stdout, "serving")
        _, said, told = project.finish(process, signal.SIGTERM)

    http, serves, stopped = json_lines("".join(lines) + said)
    assert http["event"] == "http"
    assert http["url"].startswith("http://[::1]:")
    assert http["problem"] is None
    assert (serves["event"], serves["workflows"], stopped["event"]) == ("serving", [], "stopped")
    assert told == ""


def test_an_address_that_was_asked_for_and_cannot_be_had_is_refused_and_nothing_is_changed(project: Project):
    project.write("job.yaml", JOB)

    with taken_port() as port:
        taken = project.run("serve", "job.yaml", "--port", str(port))
    nowhere = project.run("serve", "job.yaml", "--host", "nowhere.invalid")
    empty = project.run("serve", "job.yaml", "--host", "")
    large = project.run("serve", "job.yaml", "--port", "65536")
    neither = project.run("serve", "job.yaml", "--no-http", "--port", "0")

    assert [each.returncode for each in (taken, nowhere, empty, large, neither)] == [2] * 5
    assert f"--port is {port}, but must be one that is free on 127.0.0.1" in taken.stderr
    assert "--host is 'nowhere.invalid', but must be an address of this machine" in nowhere.stderr
    assert "--host is ''" in empty.stderr
    assert "--port is 65536, but must be a number from 0 to 65535" in large.stderr
    assert "--no-http" in neither.stderr
    assert project.ask("schedules", "list") == []


def test_a_node_for_which_the_usual_port_is_taken_goes_on_without_and_says_so(project: Project):
    project.write("job.yaml", JOB)
    # Whoever has it, this test or another program: two nodes cannot both have it.
    with serving(project, "job.yaml", "--json") as one, serving(project, "job.yaml", "--json") as two:
        first = json.loads(read_until(one.stdout, '"http"')[-1])
        read_until(one.stdout, '"serving"')
        second = json.loads(read_until(two.stdout, '"http"')[-1])
        read_until(two.stdout, '"serving"')
        codes = [project.finish(each, signal.SIGTERM)[0] for each in (one, two)]

    without = [each for each in (first, second) if each["url"] is None]
    assert without
    assert all("one that is free on 127.0.0.1" in each["problem"] for each in without)
    assert codes == [0, 0]


@pytest.mark.parametrize(("words", "code"), [(("--port", "0"), 2), (("--host", "127.0.0.1"), 2), ((), 0)])
def test_without_the_extra_it_works_on_unless_the_api_was_asked_for(
    project: Project, words: tuple[str, ...], code: int
):
    project.write("hidden/litestar/__init__.py", "raise ModuleNotFoundError(name='litestar')\n")
    with serving(project, *words, PYTHONPATH=str(project.folder / "hidden")) as process:
        lines = read_until(process.stderr, "holdfast[server]")
        if code == 0:
            lines += read_until(process.stderr, "serving")
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=SECONDS)

    assert "litestar is not installed: pip install 'holdfast[server]'" in lines[0]
    assert process.returncode == code


def test_a_request_under_way_is_waited_for_and_whoever_insists_does_not_wait(project: Project):
    half = (
        b"POST /api/flows HTTP/1.1\r\nHost: localhost\r\nContent-Length: 14\r\nExpect: 100-continue\r\n\r\n"
    )
    body = b'{"Name": "me"}'

    with serving(project, "--port", "0") as process:
        url = httpx.URL(read_until(process.stderr, "HTTP API at")[-1].split()[-1])
        with socket.create_connection(("127.0.0.1", url.port or 0)) as asking:
            asking.sendall(half)
            assert asking.recv(4096).startswith(b"HTTP/1.1 100 ")  # it waits for the body
            process.send_signal(signal.SIGTERM)
            read_until(process.stderr, "stopping in order")
            asking.sendall(body)
            answer = asking.recv(4096)
        code = process.wait(SECONDS)
        last = process.stderr.read() if process.stderr else ""

    with serving(project, "--port", "0") as process:
        url = httpx.URL(read_until(process.stderr, "HTTP API at")[-1].split()[-1])
        with socket.create_connection(("127.0.0.1", url.port or 0)) as asking:
            asking.sendall(half)
            assert asking.recv(4096).startswith(b"HTTP/1.1 100 ")
            process.send_signal(signal.SIGINT)
            read_until(process.stderr, "stopping in order")
            process.send_signal(signal.SIGINT)
            insisted = process.wait(SECONDS)

    assert answer.split(b"\r\n", 1)[0] in (b"HTTP/1.1 200 OK", b"HTTP/1.1 201 Created")
    assert (code, insisted) == (0, 130)
    assert last.endswith(" stopped\n")


def test_an_address_for_other_machines_needs_a_key_or_a_word(project: Project):
    refused = project.run("serve", "--host", "0.0.0.0", "--port", "0")
    assert refused.returncode == 2
    assert "holdfast keys create" in refused.stderr

    with serving(project, "--host", "0.0.0.0", "--port", "0", "--insecure") as process:
        where = read_until(process.stderr, "serving")[0]
        answer = httpx.get(f"http://127.0.0.1:{where.rpartition(':')[2].strip()}/v1/me")
        project.finish(process, signal.SIGTERM)
    assert "HTTP API for everybody, without keys, at" in where
    assert answer.json()["role"] == "admin"


def test_with_an_identity_provider_the_server_asks_who_one_is_also_without_keys(project: Project):
    oidc = {"issuer": "https://id.example", "client_id": "hf", "roles": {"staff": "viewer"}}
    variables = {"HOLDFAST_OIDC": json.dumps(oidc)}
    refused = project.run("serve", "--port", "0", **variables)
    with serving(project, "--port", "0", HOLDFAST_PUBLIC_URL="https://hf.example", **variables) as process:
        url = read_until(process.stderr, "HTTP API for holders of keys at")[-1].split()[-1]
        answers = [httpx.get(f"{url}/v1/{path}") for path in ("runs", "login")]

    assert (refused.returncode, "public_url" in refused.stderr) == (2, True)
    assert [each.status_code for each in answers] == [401, 200]


def test_once_there_is_a_key_the_server_asks_for_keys(project: Project):
    key = project.run("keys", "create", "ada", "--role", "viewer").stdout.strip()

    with serving(project, "--host", "0.0.0.0", "--port", "0") as process:
        where = read_until(process.stderr, "serving")[0]
        url = f"http://127.0.0.1:{where.rpartition(':')[2].strip()}/v1"
        nobody = httpx.get(f"{url}/me")
        ada = httpx.get(f"{url}/me", headers={"Authorization": f"Bearer {key}"})
        project.finish(process, signal.SIGTERM)

    assert "HTTP API for holders of keys at" in where
    assert (nobody.status_code, ada.status_code) == (401, 200)
    assert (ada.json()["name"], ada.json()["role"]) == ("ada", "viewer")


def test_it_speaks_https(project: Project):
    folder = Path(__file__).parents[1] / "server" / "tls"
    cert = str(folder / "cert.pem")
    half = project.run("serve", "--tls-cert", cert)
    wrong = project.run("serve", "--port", "0", "--tls-cert", "none.pem", "--tls-key", "none.pem")

    with serving(project, "--port", "0", "--tls-cert", cert, "--tls-key", str(folder / "key.pem")) as process:
        where = read_until(process.stderr, "serving")[0]
        answer = httpx.get(
            f"{where.split()[-1]}/v1/me", verify=ssl.create_default_context(cafile=cert), trust_env=False
        )
        project.finish(process, signal.SIGTERM)

    assert where.split()[-1].startswith("https://127.0.0.1:")
    assert answer.status_code == 200
    assert (half.returncode, wrong.returncode) == (2, 2)
    assert "--tls-key" in half.stderr
    assert "--tls-cert is 'none.pem'" in wrong.stderr
