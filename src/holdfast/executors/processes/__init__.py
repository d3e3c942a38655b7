"""Tasks that run in processes, and everything about child processes.

Read `shell.py` first: the executor of commands. It extends `process_executor.py`, which takes an attempt from
its start to its report. `contract.py` is what a process is told and how it answers, with its files in
`scratch.py` and `heartbeat_files.py` and its lines of output in `line_reader.py`.

Below that, `children.py` starts, reads, ends and reaps processes: `spawners.py` and `spawning.py` start them,
`readiness.py` notices output and exits, `reaping.py` ends what a process leaves behind. `keeper.py` is a
script that does so after the node has died, and `keeper_link.py` is the node's side of it.
"""
