"""What there is of a run, over HTTP."""

from __future__ import annotations

from typing import Any

from tests.server.v1.asking import Asker


async def test_the_tasks_of_a_run_come_in_pages(api: Asker):
    run = await api.start("doubled", {"number": 1, "times": 7})
    await api.get(f"/runs/{run}", wait=20)

    first = await api.get(f"/runs/{run}/tasks", limit=5)
    second = await api.get(f"/runs/{run}/tasks", limit=5, after=first["next"])

    assert [each["seq"] for each in first["items"] + second["items"]] == list(range(7))
    assert second["next"] is None
    assert {each["status"] for each in first["items"]} == {"success"}


async def test_tasks_are_filtered_by_name_and_state_and_any_place_is_jumped_to(api: Asker):
    run = await api.start("doubled", {"number": 1, "times": 7})
    await api.get(f"/runs/{run}", wait=20)

    async def found(**query: Any) -> list[int]:
        return [each["seq"] for each in (await api.get(f"/runs/{run}/tasks", **query))["items"]]

    assert await found(name="double", status=["failed", "success"], after=4) == [5, 6]
    assert await found(name="another") == await found(status="failed") == []
    assert await found(after=2**31 - 1) == []
    await api.get(f"/runs/{run}/tasks", status="broken", code=400)
    assert (await api.get(f"/runs/{run}/tasks", name="", code=400))["code"] == "bad_option"


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
    found = await api.get(f"/runs/{run}/explanation")
    assert "".join(part["text"] for part in found["parts"]).startswith("Waits for the signal go")
    assert {"text": "go", "kind": "signal", "ref": "go"} in found["parts"]
    assert (found["facts"]["tasks"], found["facts"]["children"], found["facts"]["took"]) == (0, 0, None)
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


async def test_the_journal_is_read_page_by_page_across_chapters(api: Asker):
    run = await api.start("chaptered", [3])
    await api.get(f"/runs/{run}", wait=20)

    steps: list[Any] = []
    after: dict[str, Any] = {}
    while True:
        page = await api.get(f"/runs/{run}/journal", limit=2, **after)
        assert len(page["items"]) <= 2
        steps += page["items"]
        if page["next"] is None:
            break
        after = {"after": page["next"]}

    assert [step["position"] for step in steps] == list(range(len(steps)))
    asked = [each["kind"] for step in steps for each in step["requests"]]
    assert asked.count("schedule_task") == 4
    assert asked.count("continue_run") == 3
    assert asked[-1] == "end_run"
    assert [each["kind"] for step in steps for each in step["events"]] == ["task_ended"] * 4
    assert (await api.get("/runs/nobody/journal", code=404))["code"] == "run_not_found"
    assert (await api.get(f"/runs/{run}/journal", after=10_000))["items"] == []


async def test_children_are_listed_newest_first(api: Asker):
    run = await api.start("parent", [3])
    await api.get(f"/runs/{run}", wait=20)

    first = await api.get(f"/runs/{run}/children", limit=2, payloads=True)
    second = await api.get(f"/runs/{run}/children", limit=2, after=first["next"])
    listed = await api.get("/runs", parent=run)

    found = [*first["items"], *second["items"]]
    assert sorted(each["output"] for each in first["items"]) == [2, 4]
    assert [each["workflow"] for each in found] == ["doubled"] * 3
    assert [each["key"] for each in found] == [each["key"] for each in listed["items"]]
    assert second["next"] is None
    assert await api.get(f"/runs/{found[0]['key']}/children") == {"items": [], "next": None}
    assert (await api.get("/runs/nobody/children", code=404))["code"] == "run_not_found"


async def test_the_state_at_a_step_is_read(api: Asker):
    run = await api.start("counting", [5])

    from tests.patience import until

    async def begun() -> bool:
        return bool((await api.get(f"/runs/{run}/journal"))["items"])

    await until(begun)

    assert await api.get(f"/runs/{run}/state/0") == {
        "step": 0, "values": {}, "not_kept": [], "changed": [], "removed": [], "is_all": True
    }  # fmt: skip
    refused = await api.get(f"/runs/{run}/state/77", code=400)
    assert refused["detail"] == "step is 77, but must be a step of the run's journal: 0 to 0"
    for bad in ("-1", "2147483648", "99999999999999999999"):
        assert (await api.get(f"/runs/{run}/state/{bad}", code=400))["code"] == "bad_option"
    assert (await api.get("/runs/nobody/state/0", code=404))["code"] == "run_not_found"
