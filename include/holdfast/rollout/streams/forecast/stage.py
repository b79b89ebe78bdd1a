"""Where a group is in one course of a forecast: the events of a batch, and the rebalances that they cause.

Each rebalance is the leader's own decision (`kafka.streams.leader`); what members report from one to the next is `scene.reports`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment, Client, Group, LeaderFailure, Task
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.events import batches
from holdfast.rollout.streams.events.batches import Batch
from holdfast.rollout.streams.forecast.compiled import one_by_one, walks
from holdfast.rollout.streams.forecast.compiled.one_by_one import ToKeep
from holdfast.rollout.streams.forecast.compiled.restarts import Restarted, Restarting, Restarts, Rests, Running
from holdfast.rollout.streams.forecast.compiled.walk_result import Walk
from holdfast.rollout.streams.forecast.compiled.walks import Due
from holdfast.rollout.streams.forecast.next_rebalance import until_then, what_is_requested
from holdfast.rollout.streams.forecast.open_copies import left_behind
from holdfast.rollout.streams.forecast.outcomes import Length
from holdfast.rollout.streams.forecast.restoring import as_before
from holdfast.rollout.streams.forecast.segments import Decisions, Fingerprints, Passed, Segment, Segments, Start
from holdfast.rollout.streams.forecast.work import Work, of_a_rebalance, of_events, size_of
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.assumptions import Assume
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot import groups
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

MOST_ROUNDS = 20_000
"""At ten minutes each, four months."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What the courses of one forecast have in common; `decisions` are of one position of new random process IDs."""

    snapshot: Snapshot
    work: Work
    segments: Segments = field(default_factory=Segments)
    rests: Rests = field(default_factory=Rests)
    decisions: Decisions = field(default_factory=Decisions)
    most_rounds: int = MOST_ROUNDS
    walks_due: Due = walks.is_due


class Stage:
    """The one mutable thing of a course. It counts rebalances and follows known segments; `course.Recorded` keeps more."""

    def __init__(self, ground: Ground, assume: Assume, *, as_seen: bool) -> None:
        self._ground = ground
        self._assume = assume
        self._as_seen = as_seen
        self._group = groups.group_of(ground.snapshot)
        self._closed_in_doubt: dict[TaskId, None] = {}
        self._reports = self._rules()
        self.scene = Scene.of(ground.snapshot)
        self._triggers: list[Trigger] = []
        self._at_seconds: float = 0
        self._ends_s: float = 0
        self._open_copies: set[tuple[ProcessId, TaskId]] = set()
        self._unstarted = 0
        self.pending: Trigger | None = None
        """What the last rebalance asked for."""
        self._decided: Assignment | None = None
        self._memory: tuple[Group, list[object], leader.Memory] | None = None
        """The group without what members report, its members likewise, and what is remembered of it."""
        self._members: dict[ProcessId, tuple[Client, object]] = {}
        self._fingerprints = Fingerprints()
        self._to_keep: ToKeep | None = None
        """What is restarted next, if nothing else happens."""
        self._counted: tuple[tuple[Task, ...], int] = ((), 0)
        """The tasks of the group, and how many of them are stateful."""

    def length(self, trouble: str | None) -> Length:
        return Length(
            rebalances=len(self._triggers),
            follow_ups=self._triggers.count(Trigger.IMMEDIATE),
            probing=self._triggers.count(Trigger.PROBING),
            ends_s=self._ends_s,
            open_copies=len(self._open_copies),
            unstarted=self._unstarted,
            trouble=trouble,
        )

    # What a stage that keeps more has to note.

    def close_act(self, batch: Batch) -> None:
        """The batch is over, with all rebalances that it caused."""

    def came_back_unseen(self, batch: Batch) -> None:
        """Clients came back without a rebalance."""

    def _entered(self, acceptable_lag: int) -> None:
        """Events have taken effect."""

    def _started(self, process_ids: tuple[ProcessId, ...]) -> None:
        """These clients were started again."""

    def _rebalanced(self, trigger: Trigger, group: Group, decision: Assignment | LeaderFailure) -> None:
        """One rebalance more."""

    def _walked(self, running: Running) -> None:
        """All the rebalances of a walk more, of which a stage that keeps more has noted `_rebalanced_in_a_walk`; what runs then."""

    def _rebalanced_in_a_walk(self, trigger: Trigger, walk: Walk | Restarted, number: int) -> None:
        """One of them."""

    def _stopped_for(self, tasks: Iterable[tuple[TaskId, bool]], seconds: float) -> None:
        """Tasks that ran nowhere meanwhile, and whether no client that ran has a caught-up copy."""

    def _restarted(self) -> Restarted:
        """What is known of the restart that has just been worked out, after one rebalance that asked for nothing."""
        return Restarted((), (None,), (), (), ())

    RECORDS = False
    """Whether a walk has to keep its decisions and restores."""

    def _runs(self) -> Mapping[ProcessId, Mapping[TaskId, None]]:
        """What clients run already, for a walk that records."""
        return {}

    def _known(self, start: Start) -> Segment | None:
        """What is known to follow."""
        found = None if self.scene.failure is not None else self._ground.segments.find(start)
        return found if found is not None and len(self._triggers) + len(found.asked) < self._ground.most_rounds else None

    # Events.

    def miss(self, batch: Batch, until: Wait) -> str | None:
        """Let the group rebalance without the clients that return late. Returns why it does not converge (None: it does)."""
        without = batches.missed(self.scene, batch)
        if without is None:
            return None
        self.scene = without
        self._pass(without.delay_s)
        self._group = replace(self._group, clients=without.clients, leader_process_id=without.leader_process_id)
        self._entered(self._group.config.acceptable_recovery_lag)
        return self.rebalance(until=until) if without.clients else None

    def carry_out(self, batch: Batch) -> None:
        """Let events take effect. Raise InvalidInput for one that does not fit the group, or a setting that Kafka would refuse."""
        self._ground.work.take(of_events(size_of(self.scene), batch))
        before, self.scene = self.scene, batches.apply(self.scene, batch, self._reports)
        self._started(batches.started(batch, self.scene.clients))
        self._pass(self.scene.delay_s)
        if self.scene.kafka_release != self._group.release or self.scene.tasks != self._group.tasks:
            self._take_up()
        self._read_settings(before, batch)
        self._group = replace(self._group, clients=self.scene.clients, leader_process_id=self.scene.leader_process_id)
        self._entered(self._group.config.acceptable_recovery_lag)

    def _pass(self, seconds: float) -> None:
        self._at_seconds += int(seconds) if seconds == int(seconds) else seconds

    def _take_up(self) -> None:
        """From now on disks report as the new release does, of the tasks that there are now."""
        assert self.scene.kafka_release is not None, "a forecast is for one release"
        self._group = replace(self._group, release=self.scene.kafka_release, tasks=self.scene.tasks)
        self._reports = self._rules()

    def _rules(self) -> Reports:
        rules = Reports.of(self._ground.snapshot, self._group, self._assume, as_seen=self._as_seen)
        rules.closed_in_doubt = self._closed_in_doubt
        return rules

    def _read_settings(self, before: Scene, batch: Batch) -> None:
        """Settings are read anew where they, or the release that reads them, are other ones than `before`."""
        if self.scene.config is before.config and self.scene.kafka_release == before.kafka_release:
            return
        changed = [f"events[{index}].{event.VERB}" for index, event in batch.events if event.settings_set()]
        try:
            settings = groups.settings_of(replace(self._ground.snapshot, config=self.scene.config), self._group.release)
        except InvalidInput as problem:
            raise InvalidInput(problem.problem, changed[-1] if changed else problem.where) from None
        self._group = replace(self._group, config=settings)

    def restart_in_turn(self, batches: Sequence[Batch], restarting: Sequence[Restarting]) -> int:
        """Carry out as many of the batches as can be walked, or are known; `restarting`: who just restarts in each. How many."""
        self._to_keep = None
        scene, leads = self.scene, self.scene.leader_process_id
        present = {client.process_id for client in scene.clients} if restarting else set()
        fits = all(map(present.issuperset, restarting)) and (leads is None or leads in present)
        if not restarting or not fits or scene.failure is not None or scene.away:
            return 0
        size = size_of(scene)
        most = min(
            self._ground.most_rounds - len(self._triggers),
            self._ground.work.left // of_a_rebalance(size, anew=False) + 1,
        )
        group = self._group = replace(self._group, clients=scene.clients, leader_process_id=leads)
        running, fingerprint = self._runs() if self.RECORDS else None, self._fingerprints.of(scene.clients)
        rests, rules = self._ground.rests, self._reports
        if group.config.goes_by_lags_alone and self._ground.walks_due(len(restarting) - 1, self._rebalance_us()):
            found = walks.restarts(rests, fingerprint, group, rules, restarting, most, running=running)
        else:
            rest = rests.of(fingerprint, group, rules.assume, running, walked=False)
            found = one_by_one.known(rest, rules, restarting, most, records=self.RECORDS)
            self._to_keep = ToKeep(rest, restarting[0], scene.clients, len(self._triggers))
        if found.batches:
            self._take_restarts(batches, found, size)
        return len(found.batches)

    def _take_restarts(self, batches: Sequence[Batch], found: Restarts, size: int) -> None:
        timeout_s, anew = outage.session_timeout_s(self.scene), self._remember(self._group)
        for batch, one in zip(batches, found.batches, strict=False):
            self._ground.work.take(of_events(size, batch))
            self._stopped_for(one.stopped, timeout_s)
            self._take_asked(one, size, Trigger.CHANGE, anew=anew)
            self.close_act(batch)
            anew = False
        self._closed_in_doubt |= dict.fromkeys(task for one in found.batches for task in one.in_doubt)
        self._open_copies |= found.open_copies
        self._unstarted += found.unstarted
        self.scene = replace(self.scene, clients=found.clients, delay_s=0, stopped=(), down=())
        self._decided = None
        if found.running is not None:
            self._walked(found.running)

    # Rebalances.

    def rebalance(self, until: Wait) -> str | None:
        """Rebalance once, or until nothing is pending. Returns why that does not come about (None: it does)."""
        if not self.scene.clients:
            raise CannotPredict("No client is left in the group: its tasks run nowhere until one joins.")
        passed = Passed(self._reports)
        trouble = self._go_on(until, passed, anew=self._remember(self._group))
        passed.close(self.scene.clients)
        for start, segment in passed.segments:
            self._add(segment)
            if trouble is None:
                self._ground.segments.keep(start, segment)
        self._keep_restart(trouble)
        return trouble

    def _keep_restart(self, trouble: str | None) -> None:
        """If this was one: its first rebalance asked for nothing, so that it was the last."""
        to_keep, self._to_keep = self._to_keep, None
        if to_keep is not None and trouble is None and self.pending is None and len(self._triggers) == to_keep.rebalances + 1:
            running = self._runs() if self.RECORDS else None
            to_keep.keep(self._reports, self.scene.clients, running, self._restarted())

    def _go_on(self, until: Wait, passed: Passed, *, anew: bool) -> str | None:
        group, members = self._group, size_of(self.scene)
        trigger = Trigger.CHANGE
        seen: dict[int, float] = {}
        each_us = self._rebalance_us()
        walks_due = self._ground.walks_due if until is Wait.STABLE and self.scene.failure is None else walks.never
        while True:
            start = Start(self._fingerprints.of(group.clients), group, until, self._assume, self._as_seen)
            if start.fingerprint in seen:
                since = seen[start.fingerprint]
                return (
                    f"The group does not become stable: after {self._at_seconds:g} s it is as it was at {since:g} s,"
                    f" and keeps rebalancing.{left_behind(group, self._decided, self._reports)}"
                )
            seen[start.fingerprint] = self._at_seconds
            known = self._known(start)
            walk = None
            if known is None and walks_due(len(seen) - 1, each_us):
                walk = self._walk(group)
                walks_due = walks.never  # what could not be walked is worked out one by one to its end
            if walk is not None:
                passed.close(group.clients)
                passed.segments.append((start, self._take_walk(walk, members, trigger, anew=anew)))
            elif known is None:
                self._take(members, trigger, anew=anew)
                failure = self._once(start, trigger, passed)
                if failure is not None:
                    return failure
            else:
                passed.close(group.clients)
                self._follow(known, until, members, trigger, anew=anew)
            anew = False
            if self.pending is None or until is Wait.REBALANCE:
                return None
            if len(self._triggers) >= self._ground.most_rounds:
                return f"The group does not become stable within {self._ground.most_rounds:,} rebalances."
            group = replace(group, clients=self.scene.clients)
            trigger = self.pending

    def _take(self, members: int, trigger: Trigger, *, anew: bool) -> None:
        """What a rebalance takes, worked out or known: so what is refused depends on the change alone."""
        self._ground.work.take(of_a_rebalance(members, anew=anew))
        self._triggers.append(trigger)
        self._ends_s = self._at_seconds

    def _once(self, start: Start, trigger: Trigger, passed: Passed) -> str | None:
        """One rebalance, and the time until the next one. Returns why the leader fails (None: it does not)."""
        group, decision = self._decide(start)
        self._rebalanced(trigger, group, decision)
        if isinstance(decision, LeaderFailure):
            return f"The leader itself fails at {self._at_seconds:g} s: {decision.error}"
        self.pending = what_is_requested(decision)
        pause, seconds = until_then(self.pending, group, start.until)
        passed.note(start, decision, self.pending)
        self.scene = replace(self.scene, clients=self._reports.after(group.clients, decision, pause, seconds))
        self._at_seconds += seconds
        return None

    def _rebalance_us(self) -> float:
        """Tasks are counted where they are other ones than before."""
        tasks = self._group.tasks
        if self._counted[0] is not tasks:
            self._counted = tasks, sum(task.stateful for task in tasks)
        return walks.rebalance_us(self._group, self._counted[1])

    def _follow(self, segment: Segment, until: Wait, members: int, trigger: Trigger, *, anew: bool) -> None:
        """Rebalances that are known."""
        for asked in segment.asked:
            self._take(members, trigger, anew=anew)
            self._passed(asked, until)
            anew, trigger = False, asked or trigger
        self.scene = replace(self.scene, clients=segment.clients)
        self._add(segment)

    def _walk(self, group: Group) -> Walk | None:
        """The rest of the rebalances by the compiled functions, if they can."""
        each = of_a_rebalance(size_of(self.scene), anew=False)
        most = min(self._ground.most_rounds - len(self._triggers), self._ground.work.left // each + 1)
        return walks.walk(self._ground.rests, group, self._reports, most, running=self._runs() if self.RECORDS else None)

    def _take_walk(self, walk: Walk, members: int, trigger: Trigger, *, anew: bool) -> Segment:
        self._take_asked(walk, members, trigger, anew=anew)
        self.scene = replace(self.scene, clients=walk.clients)
        self._decided = None
        self._closed_in_doubt |= dict.fromkeys(walk.in_doubt)
        self._walked(walk.running)
        return Segment(walk.asked, walk.clients, walk.open_copies, walk.unstarted)

    def _take_asked(self, walk: Walk | Restarted, members: int, trigger: Trigger, *, anew: bool) -> None:
        """The rebalances of a batch that were walked."""
        for number, asked in enumerate(walk.asked):
            self._take(members, trigger, anew=anew)
            self._rebalanced_in_a_walk(trigger, walk, number)
            self._passed(asked, Wait.STABLE)
            anew, trigger = False, asked or trigger

    def _passed(self, asked: Trigger | None, until: Wait) -> None:
        """A rebalance that asked for this, and the time until then."""
        self.pending = asked
        self._at_seconds += until_then(asked, self._group, until)[1]

    def _add(self, segment: Segment) -> None:
        self._open_copies |= segment.open_copies
        self._unstarted += segment.unstarted

    def _decide(self, start: Start) -> tuple[Group, Assignment | LeaderFailure]:
        """Who is handed the same as before is handed the same objects; and a group that was there before is the same object."""
        if self.scene.failure is not None:
            return start.group, LeaderFailure(self.scene.failure)
        known = self._ground.decisions.find(start)
        if known is not None:
            self._decided = known[1]
            return known
        assert self._memory is not None, "remembered before"
        decision = leader.assign(start.group, self._memory[2])
        if isinstance(decision, Assignment):
            _refuse_what_is_not_determined(decision)
            decision = self._decided = as_before(decision, self._decided)
            self._ground.decisions.keep(start, decision)
        return start.group, decision

    def _remember(self, group: Group) -> bool:
        """What the leader may remember of `group` is all, as long as nothing but reports has changed. Returns whether more has."""
        known = self._members
        self._members = {
            one.process_id: before
            if (before := known.get(one.process_id)) is not None and before[0] is one
            else (one, self._without_reports(one))
            for one in group.clients
        }
        members = [member for _, member in self._members.values()]
        bare = replace(group, clients=(), leader_process_id=None)
        if self._memory is not None and self._memory[:2] == (bare, members):
            return False
        self._memory = bare, members, leader.Memory()
        return True

    def _without_reports(self, client: Client) -> object:
        """What the leader's decisions depend on besides reports."""
        return client.process_id, client.rack, client.client_tags, self._ground.rests.members.of(client)


def _refuse_what_is_not_determined(decision: Assignment) -> None:
    """What members report next depends on where every task went."""
    if decision.undetermined_tasks:
        raise CannotPredict(f"The rest cannot be predicted. {decision.undetermined[-1].text}")
