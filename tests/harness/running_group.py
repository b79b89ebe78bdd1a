"""A group whose processes are started and stopped by a run, in time that passes only when the run sleeps; and a run's death.

The group is the article's. A process that starts joins `JOINS_S` later with members of its own; one that has ended is listed for
`LISTED_S` more, as the broker does until its session times out.
"""

import copy
import json
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta

from tests.fakes.lake import MemoryLake
from tests.harness.article import AFTER, Document, group
from tests.harness.operators_hands import approved
from tests.harness.plans import NOON, read

from holdfast.errors import ClusterTrouble, HostTrouble
from holdfast.kafka.vocabulary import ProcessId
from holdfast.ports import LakePath, ProcessMetadataFiles
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState
from holdfast.rollout.journal.journal import Journal
from holdfast.rollout.journal.lease import LeaseOwner
from holdfast.workflows import plan as plans
from holdfast.workflows.apply import Hands
from holdfast.workflows.running import run as running
from holdfast.workflows.running.acting import Clocks
from holdfast.workflows.running.progress import Progress

JOINS_S = 4.0
LISTED_S = 6.0
TAKES_S = 3.0
"""As `RunningGroup.takes_s`, for most tests."""


class Killed(BaseException):
    """The process of the run was killed."""


class Life:
    """How many operations a run has left; None: as many as it likes."""

    def __init__(self, left: int | None = None) -> None:
        self.left = left

    def lives(self) -> None:
        """One operation of a run: a write, an act, a look."""
        if self.left is None:
            return
        if self.left <= 0:
            raise Killed
        self.left -= 1


class MortalLake(MemoryLake):
    """The lake of a run that may be killed before any write."""

    def __init__(self) -> None:
        super().__init__()
        self.life = Life()

    def write(self, path: LakePath, content: bytes) -> None:
        self.life.lives()
        super().write(path, content)

    def create(self, path: LakePath, content: bytes) -> bool:
        self.life.lives()
        return super().create(path, content)


class Process:
    """One client's: `identity` counts its starts."""

    def __init__(self) -> None:
        self.identity = 1
        self.runs = True
        self.changed_at = -1_000.0
        self.listed = True
        """Whether the group listed it when it changed."""

    def shown(self) -> ClientProcess:
        return ClientProcess(ProcessState.RUNNING, f"start-{self.identity}") if self.runs else ClientProcess(ProcessState.STOPPED)


class RunningGroup:
    """The group, its processes (an `Actor`), its cluster, and the time."""

    limit_s = unseen_write_s = 30.0

    @property
    def unseen_s(self) -> float:
        return 0.0 if self.records is not None else self.limit_s

    def __init__(self, document: Document | None = None) -> None:
        self.document = document or group(AFTER)
        self.time = 0.0
        self.wall_ahead = timedelta()
        self.processes = {client: Process() for client in self.document["clients"]}
        self.lake = MortalLake()
        self.done: list[tuple[Does, str]] = []
        """What took effect, in order."""
        self.later: list[tuple[float, Does, str]] = []
        self.configs: dict[str, dict[str, str]] = {client: {} for client in self.document["clients"]}
        """What the next start of each client reads."""
        self.reads = True
        """Whether something reads that."""
        self.written: list[tuple[str, dict[str, str | None]]] = []
        """What took effect of it, in order."""
        self.runs_with: dict[str, dict[str, str]] = {client: {} for client in self.document["clients"]}
        """What each client has read at its last start."""
        self.written_later: list[tuple[float, str, dict[str, str | None]]] = []
        self.cannot_write: dict[str, str] = {}
        self.fails: dict[str, str] = {}
        self.breaks: list[str] = []
        """Clients to whose host the connection breaks once, the command going on."""
        self.loses: list[str] = []
        """The same, before anything of the command has arrived."""
        self.records: dict[str, int] | None = None
        """The newest command that was begun on each client's host. None: no host shows that."""
        self.takes_s = TAKES_S
        """A command that outlives its run, or its connection, takes effect so much later."""
        self.refuses: dict[str, int] = {}
        """Clients whose host is not reached for an act, and how often."""
        self.unknown: set[str] = set()
        self.away_until = -1.0
        self.state = "Stable"
        self.lag: int | None = 0
        self.told: list[Progress] = []
        self.on_sleep: Callable[[], None] = lambda: None
        self.strangers: Document = {}
        self.files: ProcessMetadataFiles = _NoFiles()
        self.state_dirs: Mapping[ProcessId, str] = {}
        self.extra = 0
        """Rebalances besides one for each act."""
        self.turns = 0
        """How often a run waited for another turn."""
        self.owners = 0
        self.asks = False
        """Whether its runs ask people after a halt."""

    def away_after_the_first_act(self, seconds: float) -> None:
        """The cluster does not answer for so long, once."""

        def goes() -> None:
            if len(self.done) == 1 and self.away_until < 0:
                self.away_until = self.time + seconds

        self.on_sleep = goes

    # The actor.

    def lacks(self, act: Act) -> str | None:
        return None if act.client in self.processes or act.does is Does.START else "It has no commands for it."

    def process(self, act: Act) -> ClientProcess:
        if act.client in self.unknown:
            raise HostTrouble("no route to host", begun=False)
        if self.records is not None and any(client == act.client for _, _, client in self.later):
            return ClientProcess(ProcessState.CHANGING)
        return self.processes[act.client].shown()

    def was_given(self, act: Act) -> bool | None:
        return None if self.records is None or not act.number else self.records.get(act.client, 0) >= act.number

    def perform(self, does: Does, act: Act) -> str | None:
        self.lake.life.lives()
        if act.client in self.fails:
            return self.fails[act.client]
        if act.client in self.loses:
            self.loses.remove(act.client)
            raise HostTrouble("connection lost", begun=True)
        if act.client in self.breaks:
            self.breaks.remove(act.client)
            self._record(act)
            self.later.append((self.time + self.takes_s, does, act.client))
            raise HostTrouble("connection lost", begun=True)
        if self.refuses.get(act.client, 0) > 0:
            self.refuses[act.client] -= 1
            raise HostTrouble("no route to host", begun=False)
        self._record(act)
        try:
            self.lake.life.lives()
        except Killed:
            self.later.append((self.time + self.takes_s, does, act.client))
            raise
        self.take_effect(does, act.client)
        self.lake.life.lives()
        return None

    def _record(self, act: Act) -> None:
        if self.records is not None:
            assert act.number > self.records.get(act.client, 0), "each command has a number of its own"
            self.records[act.client] = act.number

    def outcome(self, _act: Act) -> str | None:
        return None

    def lacks_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:
        return None if act.client in self.configs and settings else "Nothing writes its settings."

    def read_config(self, act: Act, keys: Collection[str]) -> Mapping[str, str | None] | None:
        if act.client in self.unknown:
            raise HostTrouble("no route to host", begun=False)
        return {key: self.configs[act.client].get(key) for key in keys} if self.reads else None

    def is_writing(self, _act: Act) -> bool:
        return False

    def write_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:
        self.lake.life.lives()
        if act.client in self.cannot_write:
            return self.cannot_write[act.client]
        if act.client in self.breaks:
            self.breaks.remove(act.client)
            self.written_later.append((self.time + self.takes_s, act.client, dict(settings)))
            raise HostTrouble("connection lost", begun=True)
        try:
            self.lake.life.lives()
        except Killed:
            self.written_later.append((self.time + self.takes_s, act.client, dict(settings)))
            raise
        self.write(act.client, settings)
        self.lake.life.lives()
        return None

    def write(self, client: str, settings: Mapping[str, str | None]) -> None:
        self.written.append((client, dict(settings)))
        found = self.configs[client] | settings
        self.configs[client] = {key: value for key, value in found.items() if value is not None}

    def take_effect(self, does: Does, client: str) -> None:
        process = self.processes[client]
        if does is not Does.STOP and not (does is Does.START and process.runs):
            self.runs_with[client] = dict(self.configs[client])
        self.done.append((does, client))
        process.listed = process.runs or self.time - process.changed_at < LISTED_S
        process.runs = does is not Does.STOP
        process.identity += does is not Does.STOP
        process.changed_at = self.time

    # The cluster.

    def look(self, _limit_s: float) -> AnySnapshot:
        self.lake.life.lives()
        if self.time < self.away_until:
            raise ClusterTrouble("no answer")
        found = copy.deepcopy(self.document) | {"captured_at": self.now().isoformat(), "group_state": self.state}
        for client, process in self.processes.items():
            since = self.time - process.changed_at
            if process.runs and since >= JOINS_S:
                found["clients"][client] = self._anew(client, process.identity)
            elif since >= LISTED_S or not process.listed:
                del found["clients"][client]
        found["clients"] |= self.strangers
        if found.get("leader_process_id") not in found["clients"]:
            found["leader_process_id"] = None
        if "generations" in self.document:
            found["generations"][-1]["number"] += len(self.done) + self.extra
        return read(found)

    def _anew(self, client: str, identity: int) -> Document:
        text = json.dumps(self.document["clients"][client])
        anew: Document = json.loads(text if identity == 1 else text.replace("0f6d8a3e-0000", f"{identity:08d}-0000"))
        return anew

    # The time.

    def now(self) -> datetime:
        return NOON + timedelta(minutes=1, seconds=self.time)

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        for one in [one for one in self.later if one[0] <= self.time]:
            self.later.remove(one)
            self.take_effect(one[1], one[2])
        for when, client, settings in [one for one in self.written_later if one[0] <= self.time]:
            self.written_later.remove((when, client, settings))
            self.write(client, settings)
        self.on_sleep()

    # Runs.

    def run(self, plan: AnyPlan, *, dies_after: int | None = None, accept: bool = False, back: bool = False) -> running.Ran:
        """One run, in a process of its own. `dies_after`: the number of operations after which it is killed; raise Killed then."""
        self.lake.life = Life(dies_after)
        try:
            return running.run(plan, approved(plan), self.means(), accept=accept, back=back)
        finally:
            self.lake.life = Life()

    def run_in_turns(
        self,
        plan: AnyPlan,
        *,
        dies_after: int | None = None,
        accept: bool = False,
        pause_s: int = 15,
        run: str = "run 1",
        back: bool = False,
    ) -> running.Ran:
        """One run whose turns are processes of their own, on machines that know nothing of one another."""
        self.lake.life = Life(dies_after)
        try:
            ended = running.turn(plan, approved(plan), self.means(run), None, accept=accept, back=back)
            while isinstance(ended, running.LeftForNextTurn):
                self.turns += 1
                self.sleep(pause_s)
                ended = running.turn(plan, approved(plan), self.means(run), ended.after(pause_s, min(pause_s, 15)), back=back)
            return ended
        finally:
            self.lake.life = Life()

    def means(self, run: str | None = None) -> running.Means:
        """`run`: its turns are processes of their own; None: it is one process."""
        self.owners += 1
        hands = Hands(
            self.lake,
            self.files,
            self.state_dirs,
            self.now,
            me=LeaseOwner("ann", "here", 1, f"{self.owners}", run),
            has_ended=lambda _: run is None,
            same_run=run is not None,
        )
        clocks = Clocks(lambda: self.time, self.sleep, lambda: self.now() + self.wall_ahead)
        return running.Means(hands, self, self.look, lambda: self.lag, self.told.append, clocks, asks=self.asks)

    def journal(self, plan: AnyPlan) -> Journal:
        return plans.journal_of(self.lake, plan.plan_id)


class _NoFiles:
    def read(self, state_dir: str) -> ProcessId | None:
        raise AssertionError(f"no directory is read: {state_dir}")

    def write(self, state_dir: str, process_id: ProcessId, replaces: ProcessId | None = None) -> None:
        raise AssertionError(f"nothing is written: {state_dir}, {process_id}, {replaces}")

    def remove(self, state_dir: str, process_id: ProcessId) -> None:
        raise AssertionError(f"nothing is removed: {state_dir}, {process_id}")
