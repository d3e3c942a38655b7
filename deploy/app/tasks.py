"""Replace this module by yours: `command` of the workers in compose.yaml names it."""

from holdfast import task, workflow


@task
async def greeting(name: str) -> str:
    return f"Hello, {name}!"


@workflow
async def greet(name: str) -> str:
    return await greeting(name)
