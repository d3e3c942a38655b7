"""The graph of a run, over HTTP."""

from __future__ import annotations

from tests.server.v1.asking import Asker


async def test_the_graph_of_a_run_has_its_nodes_and_where_they_are(api: Asker):
    run = await api.start("doubled", {"number": 1, "times": 2})
    done = await api.get(f"/runs/{run}", wait=20)

    graph = await api.get(f"/runs/{run}/graph")
    before = await api.get(f"/runs/{run}/graph", at="2020-01-01T00:00:00Z")

    [node] = graph["nodes"]
    assert (node["id"], node["name"], node["state"], node["count"]) == ("task:double", "double", "success", 2)
    assert node["states"]["success"] == 2
    assert [each["id"] for each in graph["layout"]["nodes"]] == ["task:double"]
    assert (graph["source"], graph["version"], graph["is_all"]) == ("journal", done["version"], True)
    assert (before["nodes"], before["steps_read"]) == ([], 0)
    assert (await api.get("/runs/nobody/graph", code=404))["code"] == "run_not_found"
    assert (await api.get(f"/runs/{run}/graph", at="soon", code=400))["status"] == 400


async def test_the_graph_of_a_published_dag_is_that_of_its_version(api: Asker):
    await api.ask("PUT", "/workflows/nap", {"text": "name: nap\ntasks:\n  wait: {sleep: 0s}\n"})
    run = await api.start("nap", {})
    await api.get(f"/runs/{run}", wait=20)

    graph = await api.get(f"/runs/{run}/graph")

    assert (graph["source"], graph["version"]) == ("definition", "1")
    assert [(node["id"], node["state"]) for node in graph["nodes"]] == [("wait", "success")]
    assert graph["graph"] == (await api.get("/workflows/nap/graph"))["graph"]


async def test_the_document_says_what_the_graph_of_a_run_has(small_api: Asker):
    schemas = (await small_api.get("/openapi.json"))["components"]["schemas"]

    fields = schemas["RunGraph"]["properties"]
    assert fields["graph"] == {"$ref": "#/components/schemas/Graph"}
    assert fields["layout"] == {"$ref": "#/components/schemas/GraphLayout"}
    assert fields["nodes"]["items"] == {"$ref": "#/components/schemas/NodeState"}
