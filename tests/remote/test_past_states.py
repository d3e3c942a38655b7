"""The state at an earlier step, over HTTP: the same answer and the same refusals."""

from __future__ import annotations

import pytest
from tests.remote.conftest import Pair

from holdfast import context, workflow
from holdfast.core.past_states import NotKept, PastState
from holdfast.errors import BadOption, RunNotFound


async def test_the_state_at_a_step_is_the_same_over_http(pair: Pair):
    @workflow(catalog=pair.catalog)
    async def counted() -> None:
        for number in range(2):
            context().state.set("number", number)
            context().state.set("name", "n")
            await context().run("nothing", lambda: None)

    run = await pair.remote.start(counted, id="counted")
    await run.result()

    found = await pair.remote.state_at(run, 0)
    assert found == PastState(0, {"name": "n"}, [NotKept("number", 0, 1)], ["name", "number"], [], True)
    assert found == await pair.local.state_at("counted", 0)
    last = len((await pair.local.journal(run)).items) - 1
    for step in (-1, last + 1):
        with pytest.raises(BadOption, match="step is") as here:
            await pair.local.state_at(run, step)
        with pytest.raises(BadOption) as there:
            await pair.remote.state_at(run, step)
        assert str(here.value) == str(there.value)
    with pytest.raises(RunNotFound):
        await pair.remote.state_at("nobody", 0)
