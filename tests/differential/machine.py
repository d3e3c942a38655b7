"""A state machine that sends calls of nodes and clients, in any order, to all stores."""

from __future__ import annotations

from collections.abc import Coroutine
from itertools import count
from random import Random
from typing import Any, TypeVar

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from tests.differential.access_deeds import ACCESS_DEEDS, AccessDeeds
from tests.differential.alert_deeds import ALERT_DEEDS, AlertDeeds
from tests.differential.deeds import REMOTE_DEEDS, RemoteDeeds
from tests.differential.drawing import CLAIMS, SCHEDULES, SECOND, STREAMS, UIDS, WORKFLOWS, Dice, Drawing
from tests.differential.promises import check_burial, check_firing, check_promises
from tests.differential.session_deeds import SESSION_DEEDS, SessionDeeds
from tests.differential.side_by_side import OpenPostgres, SideBySide, run_inline, short
from tests.differential.tables import AlreadyThere
from tests.differential.views import LONG

from holdfast.core.backlogs import BacklogRows
from holdfast.core.records import Definition, MessageKind, RunRecord
from holdfast.core.run_points import ListedColumns, RunColumns
from holdfast.core.values import Instant, NodeId, RunKey, RunStatus, TaskStatus, key_text
from holdfast.ports.commits import ClaimRequest, Commit, NewMessage
from holdfast.ports.nodes import Stall, StallRecord
from holdfast.ports.retention import EndedRange, PageOfFamilies, RootSeen
from holdfast.ports.runs import Act, PostResult, UpdateAnswer

T = TypeVar("T")

START = Instant(1_750_000_000 * SECOND + 123_456)
"""An instant whose microseconds a value in milliseconds would lose."""

RANDOM = st.randoms(use_true_random=False)
"""Random numbers from hypothesis, which can repeat and shrink them."""

DEEDS = ["tick"] * 12 + ["create", "post", "look"] * 2 + ["signal_or_start"] + ["reopen", "cancel_parked"] * 2
DEEDS += ["renew_lease", "end_lease", "delete", "act", "restart", "act", "drop_items"]
DEEDS += ["unpark", "leave", "expire_nodes", "register", "schedule"] + ["fire"] * 4 + REMOTE_DEEDS
DEEDS += ACCESS_DEEDS
DEEDS += SESSION_DEEDS
DEEDS += ALERT_DEEDS
"""The deeds. A deed that is listed more often happens more often."""

SPACES = ("default", "elsewhere")


class Node:
    """A node as the store knows it: an id, a count of its commits, and perhaps an unanswered commit."""

    def __init__(self, id: str, namespace: str) -> None:
        self.id = NodeId(id)
        self.namespace = namespace
        self.tick = 0
        self.in_doubt: Commit | None = None


class StoreMachine(RemoteDeeds, AccessDeeds, SessionDeeds, AlertDeeds, RuleBasedStateMachine):
    def __init__(self, postgres: OpenPostgres) -> None:
        super().__init__()
        self.stores = SideBySide(postgres, START)
        self.clock = self.stores.clock
        self.nodes = [Node("first", "default"), Node("second", "default"), Node("third", "elsewhere")]
        self.numbers = count(1)
        self.sent: list[tuple[str, list[RunRecord]]] = []
        self.signalled: list[tuple[str, RunRecord, NewMessage]] = []

    def teardown(self) -> None:
        self.stores.close()

    @rule(deed=st.sampled_from(DEEDS), random=RANDOM)
    def do(self, deed: str, random: Random) -> None:
        """Do a deed. The clock advances before each, so that few things happen at the same instant."""
        dice = Dice(random)
        now = self.clock.advance(dice.pick([1, SECOND, 4 * SECOND, 11 * SECOND]))
        getattr(self, f"_{deed}")(dice, Drawing(dice, self.stores.tables, now, self.numbers))

    # --- nodes

    def _tick(self, dice: Dice, drawing: Drawing) -> None:
        """Commit for a node. It first asks what became of its last commit, if that has no answer."""
        node = dice.pick([*self.nodes, *self.nodes[:2]])
        if node.in_doubt is not None:
            self._ask_what_became_of(node, dice)
            return
        node.tick += 1
        commit = drawing.commit(node.id, node.namespace, node.tick)
        fate = dice.pick(["heard"] * 8 + ["answer lost", "never arrived"])
        if fate != "heard":
            node.in_doubt = commit
        if fate != "never arrived":
            self._commit(commit)

    def _commit(self, commit: Commit) -> None:
        due = self._settle_ties(commit)
        before = self.stores.tables
        receipt = self.stores.ask(f"commit {short(commit)}", lambda store: store.commit(commit), due=due)
        check_promises(before, self.stores.tables, commit, receipt)
        self._look_for_stranded(commit.namespace, commit.now)

    def _settle_ties(self, commit: Commit) -> dict[RunKey, Instant]:
        """Since when each claimable run is due. If runs of one claim are due at the same instant, each store
        may choose differently between them, so the node asks for runs by their keys."""
        if commit.claim is None:
            return {}
        claims, limit, runs, _ = commit.claim
        model, before = self.stores.model, self.stores.model.tables
        ticks = dict(model._ticks)
        try:
            run_inline(model.commit(msgspec.structs.replace(commit, claim=ClaimRequest(claims, 0, runs))))
            due = [
                (at, run)
                for at, run in model.tables.claimable(commit.namespace, claims, runs)
                if at <= commit.now
            ]
        except AlreadyThere:
            return {}  # the commit itself will be refused too
        finally:
            model.tables, model._ticks = before, ticks
        if runs is None and len({(at, run.claim) for at, run in due}) < len(due):
            commit.claim = ClaimRequest(claims, limit, [run.key for _, run in due])
        return {run.key: at for at, run in due}

    def _ask_what_became_of(self, node: Node, dice: Dice) -> None:
        """Ask whether the commit was done, and send it again if not, as the engine does. Now and then a
        faulty node sends it again without asking."""
        commit, node.in_doubt = node.in_doubt, None
        assert commit is not None
        receipt = None
        if not dice.chance(10):
            receipt = self.stores.ask(f"recover {short(commit)}", lambda store: store.recover_commit(commit))
        if receipt is None:
            commit.is_retry = True
            self._commit(commit)

    def _leave(self, dice: Dice, drawing: Drawing) -> None:
        node = dice.pick(self.nodes)
        what = f"leave {node.id}"
        self.stores.ask(what, lambda store: store.remove_node(node.namespace, node.id), tells=True)

    def _expire_nodes(self, dice: Dice, drawing: Drawing) -> None:
        """Expire nodes. A node that is still alive loses its runs."""
        space = dice.pick(SPACES)
        dead = [NodeId(node) for node in dice.some([*self._known_nodes(space), "never seen"], 2)]
        before = self.stores.tables
        self.stores.ask(f"expire {dead}", lambda store: store.expire_nodes(space, dead), tells=True)
        check_burial(before, self.stores.tables, dead)

    def _renew_lease(self, dice: Dice, drawing: Drawing) -> None:
        """Renew a lease, now and then one that another node has ended."""
        node = dice.pick(self.nodes)
        lease = self.stores.tables.nodes.get(node.id)
        since = self.clock.now if lease is None or dice.chance(10) else lease.started_at
        until = Instant(self.clock.now + 5 * SECOND)
        what = f"renew the lease of {node.id} since {since}"
        self.stores.ask(what, lambda store: store.renew_lease(node.id, since, until))

    def _end_lease(self, dice: Dice, drawing: Drawing) -> None:
        """A node whose event loop stands still gives up, and charges a run with it, mostly one of its own."""
        node, now = dice.pick(self.nodes), self.clock.now
        runs = [run for run in self.stores.tables.runs.values() if run.owner == node.id or dice.chance(10)]
        stall = Stall(dice.pick(runs).key, dice.pick([None, "charge"]), "a stack") if runs else None
        what = f"end the lease of {node.id} for {stall}"
        self.stores.ask(what, lambda store: store.end_lease(node.namespace, node.id, stall, now), tells=True)
        asked = [run.key for run in runs]

        async def find(store: Any) -> list[StallRecord]:
            return sorted(await store.find_stalls(asked))

        self.stores.look("stalls", find)

    def _known_nodes(self, space: str) -> list[NodeId]:
        return [node.id for node in self.nodes if node.namespace == space]

    def _fire(self, dice: Dice, drawing: Drawing) -> None:
        """Fire a schedule. If there is none, put one."""
        known = [*self.stores.tables.schedules]
        if not known:
            self._schedule(dice, drawing)
            return
        space, name = dice.pick(known)
        firing = drawing.firing(space, name if dice.chance(90) else dice.pick(SCHEDULES))
        before = self.stores.tables
        fired = self.stores.ask(
            f"fire in {space} {firing}", lambda store: store.fire_schedule(space, firing), tells=bool
        )
        check_firing(before, self.stores.tables, space, firing, fired)

    def _register(self, dice: Dice, drawing: Drawing) -> None:
        origin = dice.pick(["", "", "here.yaml", "there.yaml"])
        definitions = [
            Definition(
                name,
                version,
                "code",
                dice.pick(["hash", "hash", "other"]),
                "def it(): ...",
                origin,
                input_schema=dice.pick([None, "{}", '{"schema": {}}']),
            )
            for name in dice.some(WORKFLOWS, 2)
            for version in dice.some(["1", "2"], 2)
        ]
        space, now = dice.pick(["default", *SPACES]), self.clock.now
        self.stores.ask(
            f"register {definitions}", lambda store: store.register_definitions(space, definitions, now)
        )

    # --- clients

    def _create(self, dice: Dice, drawing: Drawing) -> None:
        known = self.stores.tables.runs
        # A client that did not get the answer sends them again. Watchers are told of them again, too, so none
        # of them has gone on.
        again = [sent for sent in self.sent if all(known.get(run.key) == run for run in sent[1])]
        if again and dice.chance(10):
            space, runs = dice.pick(again)
        else:
            space = dice.pick(SPACES)
            runs = [drawing.new_run(space) for _ in range(dice.number(1, 3))]
            self.sent.append((space, runs))
        self.stores.ask(f"create {runs}", lambda store: store.create_runs(space, runs), tells=True)

    def _restart(self, dice: Dice, drawing: Drawing) -> None:
        """Give ids to new runs that other runs may have. All are asked for by name."""
        space, now = dice.pick(SPACES), self.clock.now
        drawn = [drawing.new_run(space) for _ in range(dice.number(1, 3))]
        runs = list({run.id: run for run in drawn if run.id is not None and run.owner is None}.values())
        replaces, by = dice.chance(60), dice.pick(["", "ann"])
        what = f"restart {runs}, replaces: {replaces}"
        self.stores.ask(what, lambda store: store.restart_runs(space, runs, replaces, by, now), tells=True)
        node = dice.pick(self.nodes).id
        if dice.chance(50):
            what = f"lost runs of {node}"
            self.stores.ask(what, lambda store: _sorted(store.collect_lost_runs(node)))

    def _post(self, dice: Dice, drawing: Drawing) -> None:
        messages = [drawing.posted_message() for _ in range(dice.number(1, 3))]
        if dice.chance(20):
            messages.append(messages[0])
        space, now = self._space_of(dice, messages[0].run), self.clock.now
        what = f"post in {space} {messages}"
        named = any(message.uid is not None for message in messages)  # then it may have been sent before
        self.stores.ask(
            what,
            lambda store: store.post_messages(space, messages, now),
            tells=lambda results: PostResult.POSTED in results and not named,
        )

    def _signal_or_start(self, dice: Dice, drawing: Drawing) -> None:
        space, now = dice.pick(SPACES), self.clock.now
        if self.signalled and dice.chance(20):
            space, run, message = dice.pick(self.signalled)  # a client that did not get the answer
        else:
            run, message = drawing.new_run(space), drawing.posted_message()
            self.signalled.append((space, run, message))
        what = f"signal_or_start in {space} {run} {message}"
        self.stores.ask(what, lambda store: store.signal_or_start(space, run, message, now))

    # --- operators

    def _schedule(self, dice: Dice, drawing: Drawing) -> None:
        space, name = dice.pick(["default", *SPACES]), dice.pick(SCHEDULES)
        if dice.chance(20):
            what = f"delete_schedule in {space} {name}"
            self.stores.ask(what, lambda store: store.delete_schedule(space, name))
            return
        decided_on = drawing.revision_of(space, name)
        schedule = drawing.schedule(name, (decided_on or 0) + 1)
        what = f"write_schedule in {space} on {decided_on} {schedule}"
        self.stores.ask(what, lambda store: store.write_schedule(space, schedule, decided_on), tells=True)

    def _reopen(self, dice: Dice, drawing: Drawing) -> None:
        drawn = [drawing.reopening() for _ in range(dice.pick([1, 1, 2, 3]))]
        family = list({reopening.run: reopening for reopening in drawn}.values())
        space = self._space_of(dice, family[0].run)
        what = f"reopen_runs in {space} {family}"
        self.stores.ask(what, lambda store: store.reopen_runs(space, family), tells=bool)

    def _drop_items(self, dice: Dice, drawing: Drawing) -> None:
        now = self.clock.now
        self.stores.ask("drop old items", lambda store: store.drop_old_items(now, 10_000))

    def _unpark(self, dice: Dice, drawing: Drawing) -> None:
        runs, now = sorted({drawing.idle(), *drawing.keys(2)}), self.clock.now
        space = self._space_of(dice, runs[0])
        what = f"unpark_runs in {space} {runs}"
        by, moves = dice.pick(["", "ann"]), dice.chance(50)
        self.stores.ask(
            what, lambda store: _sorted(store.unpark_runs(space, runs, now, by, moves)), tells=True
        )

    def _act(self, dice: Dice, drawing: Drawing) -> None:
        space, now = dice.pick(["default", *SPACES]), self.clock.now
        kinds = [MessageKind.TERMINATE, MessageKind.PAUSE, MessageKind.PAUSE, MessageKind.TRY_NOW]
        acts = [
            Act(
                run,
                dice.pick(kinds),
                dice.pick(["", "why"]),
                dice.pick(["", "ann"]),
                dice.pick(["", "0", "charge"]),
            )
            for run in dict.fromkeys(drawing.keys(3))
        ]
        acts = [act._replace(task=act.task if act.kind is MessageKind.TRY_NOW else "") for act in acts]
        self.stores.ask(f"act in {space} {acts}", lambda store: store.act_on_runs(space, acts, now))

    def _cancel_parked(self, dice: Dice, drawing: Drawing) -> None:
        cancellation = drawing.parked_run_cancellation()
        space = self._space_of(dice, cancellation.run)
        what = f"cancel_parked_run in {space} {cancellation}"
        self.stores.ask(what, lambda store: store.cancel_parked_run(space, cancellation), tells=bool)

    def _delete(self, dice: Dice, drawing: Drawing) -> None:
        """Delete runs, mostly some that have ended. Now and then one of them was opened again since."""
        known = [run for run in self.stores.tables.runs.values() if run.finished_at is not None]
        runs = [dice.pick(known) for _ in range(dice.pick([1, 1, 2, 3]))] if known else []
        space = self._space_of(dice, runs[0].key if runs else drawing.key())
        seen = [RootSeen(run.key, Instant((run.finished_at or 0) + dice.chance(10))) for run in runs]
        roots = list({root.run: root for root in seen}.values())
        families = [*roots, RootSeen(drawing.key(), self.clock.now)]
        ranges = [
            EndedRange(name, status, Instant(self.clock.now + dice.pick([0, -5 * SECOND])), drawing.key())
            for name in WORKFLOWS
            for status in (RunStatus.SUCCESS, RunStatus.FAILED)
        ]
        limit = dice.pick([1, 2, 100])
        look = self.stores.look
        look(f"workflows in {space}", lambda store: store.ended_workflows(space))
        look(f"ended families {ranges}", lambda store: _in_order(store, space, ranges, limit))
        look(f"families of {families}", lambda store: _families(store, space, [it.run for it in families]))
        rows = dice.pick([500, 1, 3])
        self.stores.ask(f"delete in {space} {roots}", lambda store: _bury(store, space, roots, rows))

    # --- looking

    def _look(self, dice: Dice, drawing: Drawing) -> None:
        self._look_at_runs(dice, drawing)
        self._look_around(dice, drawing)
        self.look_at_flows(dice, drawing)
        self.look_at_access(dice, drawing)
        self.look_at_sessions(dice, drawing)
        self.look_at_alerts(dice, drawing)

    def _look_at_runs(self, dice: Dice, drawing: Drawing) -> None:
        run, runs = drawing.key(), drawing.keys(3)
        space = self._space_of(dice, run)
        look = self.stores.look
        look(
            f"load_histories in {space} {runs}", lambda store: store.load_histories(space, [*runs, run, run])
        )
        rows = dice.pick([100, 3, 1])
        look(
            f"load_short_histories in {space} {runs}, {rows}",
            lambda store: store.load_short_histories(space, [*runs, run, run], rows),
        )
        look(f"list_tasks in {space} {run}", lambda store: store.list_tasks(space, run))
        look(f"list_attempts in {space} {run}", lambda store: store.list_attempts(space, run))
        look(f"attempts of {run}", lambda store: store.list_attempts(space, run, [3, 1, 0, 1]))
        look(f"read_state in {space} {run}", lambda store: store.read_state(space, run))
        since, limit = dice.pick([0, 1]), dice.pick([100, 1, 2])
        what = f"in {space} {run} from {since}, {limit}"
        look(f"list_task_summaries {what}", lambda store: store.list_task_summaries(space, run, since, limit))
        then = dice.pick([None, Instant(self.clock.now - 5 * SECOND)])
        look(f"tally_tasks {what}, {then}", lambda store: store.tally_tasks(space, run, then, limit))
        look(f"list_heard_messages {what}", lambda store: store.list_heard_messages(space, run, limit))
        hexes = [each.hex() for each in dict.fromkeys([*runs, run])]
        look(f"task times of {hexes}, {limit}", lambda store: store.read_task_times(space, hexes, 2, limit))
        task, states = dice.pick([None, "charge", "ship"]), dice.pick([None, [*TaskStatus][:3], []])
        look(
            f"summaries of {task} in {states} {what}",
            lambda store: store.list_task_summaries(space, run, since, limit, task, states),
        )
        look(f"logs of {task} {what}", lambda store: store.read_logs(space, run, since, task, limit))
        stream, most = dice.pick(STREAMS), dice.pick([1_000_000, 40, 0])
        look(
            f"stream {stream} {what}, {most} bytes",
            lambda store: store.read_stream(space, run, stream, since, limit, most),
        )
        look(f"streams {what}", lambda store: store.list_streams(space, run))
        look(f"chapters {what}", lambda store: store.list_chapters(space, run, since, limit))
        look(f"next_due_time in {space} {runs}", lambda store: store.next_due_time(space, runs))
        look(f"ended_runs in {space} {runs}", lambda store: _sorted_runs(store.ended_runs(space, runs)))
        after, limit = dice.pick([0, 1]), dice.pick([100, 1])
        look(f"messages of {run}", lambda store: store.list_messages(space, run, after, limit))
        asked = [(each, uid) for each in runs for uid in UIDS]
        look(f"answers in {space} {asked}", lambda store: _sorted_answers(store.find_answers(space, asked)))
        wanted = drawing.questions_wanted()
        look(f"questions in {space} {wanted}", lambda store: store.list_questions(space, wanted))
        look(f"questions in {space} by workflow", lambda store: store.count_questions(space, limit))
        look(f"closed questions in {space}", lambda store: store.list_closed_questions(space, limit))
        look(f"find_runs in {space} {runs}", lambda store: _sorted_runs(store.find_runs(space, runs)))
        ids = [key_text(run), "b", "nobody", "a", "b"]
        look(f"find_keys in {space} {ids}", lambda store: store.find_keys(space, ids))
        for id in (run, key_text(run), dice.pick(["a", "b", "nobody"])):
            look(f"find_run in {space} {id!r}", lambda store, id=id: store.find_run(space, id))

    def _look_around(self, dice: Dice, drawing: Drawing) -> None:
        node, space, now = dice.pick(self.nodes), dice.pick(["default", *SPACES]), self.clock.now
        claims = dice.some(CLAIMS, 3)
        which = drawing.runs_wanted()
        look = self.stores.look
        look(f"count_listed {which}", lambda store: store.count_listed(space, which))
        since, most = drawing.key(), dice.pick([100, 1])
        look(f"group_failures from {since}, {most}", lambda store: store.group_failures(space, since, most))
        workflows = dice.some(WORKFLOWS, 2)
        look(
            f"next_work {node.id} {claims} {workflows}",
            lambda store: store.next_work(node.namespace, node.id, claims, workflows),
        )
        due_at = Instant(now + dice.pick([0, 5 * SECOND]))
        most = dice.pick([100, 1])
        what = f"{most} due in {space} at {due_at}"
        look(what, lambda store: store.due_schedules(space, workflows, due_at, most))
        name = dice.pick([None, *SCHEDULES])
        look(f"schedules in {space} {name}", lambda store: store.list_schedules(space, name))
        names, first, last = dice.some(SCHEDULES, 2), drawing.key(), dice.pick([None, drawing.key()])
        look(
            f"{most} runs of {names} in {space} from {first} to {last}",
            lambda store: store.list_scheduled_runs(space, names, first, last, most),
        )
        look(f"nodes in {space}", lambda store: _sorted(store.list_nodes(space)))
        which_ones = [(name, version) for name in workflows for version in ("1", "2", "3")]
        newest = dice.pick(workflows) if workflows else "none"
        look(f"the newest {newest} in {space}", lambda store: store.find_newest_definition(space, newest))
        look(f"definitions in {space}", lambda store: _sorted(store.find_definitions(space, which_ones)))
        look(f"list_runs in {space} {which}", lambda store: store.list_runs(space, which))
        look(f"list_points in {space} {which}", lambda store: _points(store.list_points(space, which)))
        look(f"open runs in {space}", lambda store: store.count_open_runs(space, [*workflows, "none"], 2))
        look("now", lambda store: store.now())
        look(f"due claims in {space}", lambda store: _sorted(store.list_due_claims(space)))
        claim = dice.pick(claims) if claims else "none@1"
        what = f"due runs of {claim} in {space}"
        look(what, lambda store: _sorted(store.list_due_runs(space, claim, now, "due", 1000)))
        what = f"backlog in {space} at {due_at}"
        look(what, lambda store: _sorted_backlog(store.read_backlog(space, due_at, 1000)))
        self._look_for_stranded(space, Instant(now + LONG))

    def _look_for_stranded(self, space: str, now: Instant) -> None:
        self.stores.look(f"stranded in {space} at {now}", lambda store: store.stranded_runs(space, now))

    def _space_of(self, dice: Dice, run: RunKey) -> str:
        """The namespace of the run; now and then another, as from a client of that one."""
        known = self.stores.tables.runs.get(run)
        return known.namespace if known is not None and not dice.chance(10) else dice.pick(SPACES)


async def _points(listed: Coroutine[Any, Any, ListedColumns]) -> RunColumns:
    """Where to go on is not compared: a store may stop looking before the model does."""
    return (await listed).columns


async def _sorted(found: Coroutine[Any, Any, list[T]]) -> list[T]:
    return sorted(await found)  # pyright: ignore[reportArgumentType]


async def _bury(store: Any, space: str, roots: list[RootSeen], rows: int) -> list[RunKey]:
    buried = (await store.bury_runs(space, roots)).buried
    while not (await store.clear_buried(rows, 1000)).is_over:
        pass
    return sorted(buried)


async def _in_order(store: Any, space: str, ranges: list[EndedRange], limit: int) -> PageOfFamilies:
    page = await store.find_ended_families(space, ranges, limit)
    return page._replace(found=sorted(page.found))


async def _families(store: Any, space: str, roots: list[RunKey]) -> list[tuple[Any, ...]]:
    """Any of several open runs may be named."""
    found = await store.find_families(space, roots)
    return sorted((it.root, it.ended_at, it.size, it.open is None) for it in found)


async def _sorted_backlog(found: Coroutine[Any, Any, BacklogRows]) -> BacklogRows:
    return BacklogRows(*[sorted(rows) for rows in await found])  # pyright: ignore[reportArgumentType]


async def _sorted_answers(found: Coroutine[Any, Any, list[UpdateAnswer]]) -> list[UpdateAnswer]:
    return sorted(await found, key=lambda row: (row.run, row.uid))


async def _sorted_runs(runs: Coroutine[Any, Any, list[RunRecord]]) -> list[RunRecord]:
    return sorted(await runs, key=lambda run: run.key)
