"""What is done to runs, over HTTP."""

from __future__ import annotations

import pytest
from tests.patience import until
from tests.server.v1.asking import Asker


async def test_a_run_is_cancelled_and_another_terminated(api: Asker):
    first, second = await api.start("waiting", []), await api.start("waiting", [])

    await api.post(f"/runs/{first}/cancel", {"reason": "no more"})
    await api.post(f"/runs/{second}/terminate")

    ended = [await api.get(f"/runs/{run}", wait=20) for run in (first, second)]
    assert [run["status"] for run in ended] == ["cancelled", "cancelled"]
    assert "no more" in ended[0]["failure"]["message"]
    assert (await api.post(f"/runs/{first}/cancel", code=409))["code"] == "run_ended"
    assert (await api.post(f"/runs/{second}/terminate", code=409))["code"] == "not_running"


async def test_a_run_is_paused_and_resumed(api: Asker):
    run = await api.start("waiting", [])

    await api.post(f"/runs/{run}/pause", {"note": "lunch"})

    async def paused() -> bool:
        return (await api.get(f"/runs/{run}"))["status"] == "paused"

    await until(paused)
    await api.post(f"/runs/{run}/signals", {"name": "go", "value": [1]}, code=204)
    assert (await api.post(f"/runs/{run}/resume", {"timers": "wait"}))["status"] != "paused"
    assert (await api.get(f"/runs/{run}", wait=20))["output"] == [1]
    assert (await api.post(f"/runs/{run}/resume", code=409))["code"] == "not_parked"


async def test_a_failed_run_is_retried(api: Asker):
    run = await api.start("failing", ["x"])
    await api.get(f"/runs/{run}", wait=20)

    await api.post(f"/runs/{run}/retry", {"deadline": None})

    assert (await api.get(f"/runs/{run}", wait=20))["status"] == "failed"
    assert [each["kind"] for each in (await api.get(f"/runs/{run}/messages"))["items"]] == ["retry"]
    good = await api.start("doubled", [1])
    await api.get(f"/runs/{good}", wait=20)
    assert (await api.post(f"/runs/{good}/retry", code=409))["code"] == "not_ended"


async def test_a_signal_that_is_repeated_with_its_id_comes_once(api: Asker):
    run = await api.start("counting", [1])
    body = {"name": "note", "value": "x", "message_id": "m1"}

    for _ in range(3):
        await api.post(f"/runs/{run}/signals", body, code=204)
    problem = await api.post(f"/runs/{run}/signals", body | {"value": "y"}, code=409)

    assert problem["code"] == "message_id_taken"
    assert len((await api.get(f"/runs/{run}/messages"))["items"]) == 1


async def test_an_update_is_answered_once(api: Asker):
    run = await api.start("counting", [1])
    body = {"name": "add", "args": [4], "message_id": "u1"}

    answers = [await api.post(f"/runs/{run}/updates", body) for _ in range(2)]
    failed = await api.post(
        f"/runs/{run}/updates", {"name": "add", "args": [13], "message_id": "u2"}, code=422
    )
    await api.post(f"/runs/{run}/signals", {"name": "end"}, code=204)

    assert answers == [{"message_id": "u1", "is_answered": True, "answer": 5}] * 2
    assert failed["code"] == "update_failed"
    assert "13 is bad luck" in failed["detail"]
    assert (await api.get(f"/runs/{run}", wait=20))["output"] == 5


async def test_an_update_that_is_not_answered_in_time_may_be_asked_for_again(api: Asker):
    run = await api.start("slow_to_answer", [])

    body = {"name": "add", "args": [4], "message_id": "u1", "wait": 0.05}
    answer = await api.post(f"/runs/{run}/updates", body, code=202)

    await api.post(f"/runs/{run}/signals", {"name": "go"}, code=204)
    again = await api.post(f"/runs/{run}/updates", body | {"wait": 20})

    assert answer == {"message_id": "u1", "is_answered": False, "answer": None}
    assert again["is_answered"]


async def test_a_question_is_listed_and_answered(api: Asker):
    runs = [await api.start("asking", [f"Ship {number}?"]) for number in range(3)]

    async def asked() -> bool:
        return len((await api.get("/questions"))["items"]) == 3

    await until(asked)
    page = await api.get("/questions", limit=2)
    rest = await api.get("/questions", limit=2, after=page["next"])
    titles = [each["title"] for each in page["items"] + rest["items"]]
    assert sorted(titles) == ["Ship 0?", "Ship 1?", "Ship 2?"]
    assert page["items"][0]["schema"] == {"type": "boolean"}

    wrong = await api.post(f"/runs/{runs[0]}/answers", {"question": "verdict", "value": "maybe"}, code=400)
    await api.post(f"/runs/{runs[0]}/answers", {"question": "verdict", "value": True}, code=204)
    again = await api.post(f"/runs/{runs[0]}/answers", {"question": "verdict", "value": True}, code=409)
    await api.post(f"/runs/{runs[1]}/answers", {"question": 0, "reject": "nobody knows"}, code=204)

    assert wrong["code"] == "bad_answer"
    assert again["code"] in ("promise_settled", "run_ended")
    assert (await api.get(f"/runs/{runs[0]}", wait=20))["output"] is True
    answered = (await api.get("/questions/answered"))["items"]
    assert [(each["run"], each["answer"]) for each in answered] == [(runs[1], "no"), (runs[0], "yes")]
    assert (await api.get(f"/runs/{runs[1]}", wait=20))["status"] == "failed"


@pytest.mark.parametrize("act", ["cancel", "terminate", "pause", "resume", "retry", "try-now"])
async def test_an_act_on_no_run_and_an_act_with_a_mistake_are_refused(small_api: Asker, act: str):
    run = await small_api.start("waiting", [])

    assert (await small_api.post(f"/runs/nobody/{act}", code=404))["code"] == "run_not_found"
    assert "unknown field 'x'" in (await small_api.post(f"/runs/{run}/{act}", {"x": 1}, code=400))["detail"]
    assert (await small_api.get(f"/runs/{run}"))["status"] in ("pending", "running")
