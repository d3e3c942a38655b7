"""Random workflows, and the proof that holdfast runs each of them as plain asyncio would.

    generate(dice, size) -> Program      a random program of about `size` statements    language, generator
    script(program) -> [Message]         what a client must send it, and when           rules
    describe(program) -> str             the program as pseudo-Python                   describing
    shrink(program) -> Iterator          programs that are a little smaller             shrinking
    run_plain(program) -> Expected       how it ends, on asyncio alone                  plain
    register(catalog) -> workflow        runs it on holdfast; the program is its input  durable

One interpreter serves both (interpreter, lanes). `Prover` (proving) runs a program on a whole holdfast,
crashes it, and compares; `python -m tests.programs --seeds 1000` does that for many programs.

Whoever runs programs in another way should know that a task may hang until it is cancelled or times out,
so that time must pass while one runs; and that a task which was under way at more than ten crashes is given
up by holdfast (TaskLost), but not by asyncio.
"""

from tests.programs.describing import describe
from tests.programs.durable import register
from tests.programs.generator import generate
from tests.programs.language import Program
from tests.programs.plain import Ending, Expected, run_plain
from tests.programs.rules import Message, script
from tests.programs.shrinking import shrink

__all__ = [
    "Ending",
    "Expected",
    "Message",
    "Program",
    "describe",
    "generate",
    "register",
    "run_plain",
    "script",
    "shrink",
]
