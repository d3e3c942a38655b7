"""How often what happens in the differential test."""
import collections, os
from hypothesis import HealthCheck, settings, Phase
from hypothesis.stateful import run_state_machine_as_test
from tests.differential.machine import StoreMachine
from tests.differential import side_by_side as s
seen = collections.Counter()
orig = s.SideBySide.ask
def ask(self, what, call, **k):
    r = orig(self, what, call, **k)
    name = what.split()[0]
    if name in ("poll_queue","complete_item","renew_item","heartbeat","create_flow","write_version","mark_offline"):
        kind = (f"attempt>1={r.attempt>1}" if r is not None else "None") if name=="poll_queue" else (r.id if name=="create_flow" else str(r))
        seen[name, kind] += 1
        if name == "poll_queue":
            seen["lost messages"] += 0
    return r
s.SideBySide.ask = ask
def test_quick(open_postgres):
    class Machine(StoreMachine):
        def __init__(self): super().__init__(open_postgres)
        def teardown(self):
            for m in self.stores.tables.messages.values():
                if b"TaskLost" in m.payload: seen["TaskLost"] += 1
            super().teardown()
    run_state_machine_as_test(Machine, settings=settings(max_examples=60, stateful_step_count=50, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None))
    print(sorted(seen.items(), key=str))
