"""The schedules of files that are served, when several nodes begin at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast import Catalog, Holdfast, load_dag
from holdfast.authoring.dag.workflow import DagWorkflow
from holdfast.cli.serving import EventPrinter, put_schedules
from holdfast.client.schedules import ScheduleInfo


def written(file: Path, text: str, catalog: Catalog) -> DagWorkflow:
    file.write_text(text)
    return load_dag(file, catalog=catalog)


async def test_two_nodes_that_begin_at_the_same_time_may_delete_the_same_schedule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog = Catalog()
    job = "name: job\ntasks: {work: {command: 'true'}}\n"
    scheduled = written(tmp_path / "job.yaml", job + "schedule: '@daily'\n", catalog)
    other_job = job.replace("job", "other") + "schedule: '@yearly'\n"
    other = written(tmp_path / "other.yaml", other_job, catalog)
    url, events = f"sqlite:///{tmp_path}/holdfast.db", EventPrinter(as_json=False)
    async with (
        Holdfast(url, catalog=catalog, engine=False) as one,
        Holdfast(url, catalog=catalog, engine=False) as two,
    ):
        await put_schedules(one, [scheduled], events)
        taken_out = written(tmp_path / "job.yaml", job, Catalog())
        look = one.schedules.list

        async def look_and_then_be_slower() -> list[ScheduleInfo]:
            found = await look()
            await put_schedules(two, [taken_out], events)
            return found

        monkeypatch.setattr(one.schedules, "list", look_and_then_be_slower)
        await put_schedules(one, [taken_out, other], events)

        assert [each.name for each in await look()] == ["other"]
    assert capsys.readouterr().err.count("schedule job is deleted: it is not in its file any more") == 2
