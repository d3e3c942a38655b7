"""What there is of a run, over HTTP."""

from __future__ import annotations

from tests.server.v1.asking import Asker


async def test_the_tasks_of_a_run_come_in_pages(api: Asker):
    run = await api.start("doubled", {"number": 1, "times": 7})
    await api.get(f"/runs/{run}", wait=20)

    first = await api.get(f"/runs/{run}/tasks", limit=5)
    second = await api.get(f"/runs/{run}/tasks", limit=5, after=first["next"])

    assert [each["seq"] for each in first["items"] + second["items"]] == list(range(7))
    assert second["next"] is None
    assert {each["status"] for each in first["items"]} == {"success"}


async def test_a_task_has_its_input_its_output_and_its_attempts(api: Asker):
    good, bad = await api.start("doubled", [21]), await api.start("failing", ["why not"])
    await api.get(f"/runs/{good}", wait=20)
    await api.get(f"/runs/{bad}", wait=20)

    done = await api.get(f"/runs/{good}/tasks/0")
    failed = await api.get(f"/runs/{bad}/tasks/0")
    attempts = await api.get(f"/runs/{bad}/attempts", task=[0, 1])

    assert (done["input"], done["output"], done["attempts"]) == ({"number": 21}, 42, [])
    assert failed["failure"]["message"] == "why not"
    assert failed["attempts"] == attempts["items"] != []
    assert "why not" in attempts["items"][0]["problem"]
    assert (await api.get(f"/runs/{good}/tasks/1", code=404))["detail"] == f"run {good!r} has no task 1"
    assert (await api.get(f"/runs/{good}/tasks/99999999999", code=404))["code"] == "not_found"


async def test_a_run_says_why_it_waits(api: Asker):
    run = await api.start("waiting", [])
    await api.hf.signal(run, "another", by="ada")

    async def signals() -> bool:
        found = await api.get(f"/runs/{run}/explanation")
        return "signal" in found["summary"]

    from tests.patience import until

    await until(signals)
    [message] = (await api.get(f"/runs/{run}/messages"))["items"]
    assert (message["kind"], message["name"], message["by"]) == ("signal", "another", "ada")


async def test_chapters_streams_and_state_are_read(api: Asker):
    run = await api.start("counting", [5])

    from tests.patience import until

    async def published() -> bool:
        return bool((await api.get(f"/runs/{run}/streams"))["items"])

    await until(published)
    [item] = (await api.get(f"/runs/{run}/streams/progress"))["items"]
    assert item["value"] == {"begin": 5}
    after = await api.get(f"/runs/{run}/streams/progress", after=item["offset"])
    assert (after["items"], after["next"]) == ([], str(item["offset"]))
    [chapter] = (await api.get(f"/runs/{run}/chapters"))["items"]
    assert (chapter["number"], chapter["input"]) == (1, {"begin": 5})
    assert await api.get(f"/runs/{run}/state") == {}
    for part in (
        "tasks",
        "chapters",
        "messages",
        "state",
        "streams",
        "streams/x",
        "explanation",
        "attempts?task=1",
    ):
        assert (await api.get(f"/runs/nobody/{part}", code=404))["code"] == "run_not_found"
