"""The Forecast of a Change: Kafka's decisions, rebalance by rebalance, until the group is stable.

Each rebalance is the leader's own decision (`kafka.streams.leader`); what members report from one to the next is `evolution`.
Nothing here is a guess: where evidence is missing, or releases that nobody has told apart would differ, it is CannotPredict.
"""

from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import About, Assignment, Client, Group, LeaderFailure
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.contract.times import Act
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.streams.change import in_memory, shorthands
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events import batches
from holdfast.rollout.streams.events.batches import Batch
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.forecast import broker_reads, releases_apart, sampling, static_returns
from holdfast.rollout.streams.forecast.acts import act_of
from holdfast.rollout.streams.forecast.final_owners import owners_at_the_end
from holdfast.rollout.streams.forecast.next_rebalance import until_then, what_is_asked_for
from holdfast.rollout.streams.forecast.outcomes import Course, Forecast, Outcome, Round, Stopped, Summary, also
from holdfast.rollout.streams.forecast.restoring import Restoring, as_before, waiting
from holdfast.rollout.streams.forecast.work import Work, allowed, of_a_rebalance, of_events, size_of
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.process_ids.chances import Chance
from holdfast.rollout.streams.scene.assume import Assume, CatchUp
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot import changelog_sizes, groups, ownership
from holdfast.rollout.streams.snapshot.changelog_sizes import total_or_none
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.wording import listed, many

CLOSED_IN_DOUBT = (
    "Copies of {} are closed during the change, with exactly-once and a release up to 2.7: a copy without pending commits then"
    " reports the offset of its start, and may have to be restored again."
)
MOST_ROUNDS = 20_000
"""At ten minutes each, four months."""


def forecast(snapshot: Snapshot, change: Change, most_outcomes: int | None = None, work: Work | None = None) -> Forecast:
    """The Forecast of the contract. Raise CannotPredict, Unsupported, or InvalidInput for a change that does not fit the group.

    `most_outcomes`: where new random process IDs can fall in more ways, that many stand for all (`positions`). None: every way.
    `work`: what it may take (`allowed`). Where that is not enough for every way, fewer stand for all; else raise TooMuchWork.
    """
    meant = in_memory.as_stored(snapshot, change)
    change = in_memory.started_again(snapshot, shorthands.written_out(snapshot, meant))
    releases = groups.releases_of(snapshot)
    work = work or allowed(snapshot)
    answers = []
    for number, release in enumerate(releases):
        part = work.part(len(releases) - number)
        answers.append((release, _outcomes(groups.with_release(snapshot, release), change, meant, most_outcomes, part)))
        work.used(part)
    unknown = [*snapshot.unknown, *releases_apart.unknown_release(answers)]
    outcomes = answers[-1][1]
    notes = dict.fromkeys(note for outcome in outcomes for note in outcome.notes)
    unknown.extend(note.as_unknown() for note in notes)
    unknown.extend(static_returns.may_return(snapshot, change))
    return Forecast(change, outcomes, tuple(unknown))


def _outcomes(snapshot: Snapshot, change: Change, meant: Change, most: int | None, work: Work) -> tuple[Outcome, ...]:
    """`meant`: the change before its shorthands were written out."""
    earlier = [
        (batch, in_memory.started_again(snapshot, shorthands.written_out(snapshot, meant, counted_from=batch)))
        for batch in shorthands.counts_earlier(snapshot, meant)
    ]

    def of_one(way: Chance) -> Outcome:
        before = work.taken
        found = _outcome(snapshot, change.with_process_ids(way.process_ids), way, work)
        one_took, others = 2 * (work.taken - before), []
        for batch, other in earlier:
            if work.left >= one_took:
                others.append(_outcome(snapshot, other.with_process_ids(way.process_ids), way, work, batch))
        return also(found, others, len(earlier) - len(others))

    return sampling.outcomes(snapshot, change, most, work, of_one)


def _outcome(snapshot: Snapshot, change: Change, way: Chance, work: Work, counted_from: int | None = None) -> Outcome:
    change = shorthands.written_out(snapshot, change, counted_from=counted_from)
    course = carried_out(snapshot, change, change.assume, work=work)
    quick = _quicker(snapshot, change, course, work)
    doubts = (doubt for one in course.rounds if isinstance(one.decision, Assignment) for doubt in one.decision.undetermined)
    undetermined = (Note(NoteKind.LEADER if one.about is About.LEADER else NoteKind.DECISION, one.text) for one in doubts)
    unsettled = () if course.trouble is None else (Note(NoteKind.UNSETTLED, course.trouble),)
    return Outcome(
        probability=float(way.probability),
        process_ids=tuple(sorted(client.process_id for client in course.clients)),
        stable=course.trouble is None,
        rounds=course.rounds,
        summary=_summary(snapshot, course, quick),
        clients=course.clients,
        notes=(*dict.fromkeys((*undetermined, *course.notes)), *unsettled),
        drawn=way.process_ids,
        unsettled=course.trouble,
        latent=course.latent,
        acts=course.acts,
        probes_more=course.unstarted if quick else 0,
    )


def _quicker(snapshot: Snapshot, change: Change, course: Course, work: Work) -> tuple[Course, ...]:
    """What may come instead of a course with immediate follow-ups, which come after some 2 s: copies are caught up by then, or what
    was handed out before is not open yet (`Reports.as_seen`). And what comes if clients that are late come back as soon as can be.
    """
    late = any(isinstance(item, Event) and item.is_late() for item in change.events)
    if change.assume.catch_up is CatchUp.PROBING_REBALANCE and any(one.trigger is Trigger.IMMEDIATE for one in course.rounds):
        assume = replace(change.assume, catch_up=CatchUp.NEXT_REBALANCE)
        before = work.taken
        caught_up = carried_out(snapshot, change, assume, work=work, back_soon=late)
        if work.left < 2 * (work.taken - before):
            return (caught_up,)
        return caught_up, carried_out(snapshot, change, change.assume, work=work, back_soon=late, as_seen=True)
    return (carried_out(snapshot, change, change.assume, work=work, back_soon=True),) if late else ()


def carried_out(
    snapshot: Snapshot,
    change: Change,
    assume: Assume,
    most_rounds: int = MOST_ROUNDS,
    *,
    work: Work | None = None,
    back_soon: bool = False,
    as_seen: bool = False,
) -> Course:
    """A change that leaves nothing to chance, batch by batch, each with the rebalances that it causes; one course of a forecast.

    `back_soon`: who is late comes back after one rebalance without it, not once the group is stable. `as_seen`: see `Reports`.
    """
    stage = _Stage(snapshot, assume, most_rounds, work or allowed(snapshot), as_seen=as_seen)
    for batch in change.numbered_batches():
        trouble = stage.miss(batch, Wait.REBALANCE if back_soon else Wait.STABLE)
        if trouble is not None:
            return stage.course(trouble)
        stage.carry_out(batch)
        if batches.causes_no_rebalance(batch):
            if stage.pending is not None:
                index = batch.events[0][0]
                raise InvalidInput(
                    "the group still rebalances; what follows from a return in the middle of that is not modelled: wait until it is"
                    ' stable ({"then": "stable"})',
                    f"events[{index}].restart_client.within_session",
                )
            stage.came_back_unseen(batch)
            stage.close_act(batch)
            continue
        trouble = stage.rebalance(until=batch.wait or Wait.STABLE)
        stage.close_act(batch)
        if trouble is not None:
            return stage.course(trouble)
    return stage.course(None)


class _Stage:
    """The one mutable thing of a forecast: where the group is now, and how it came there."""

    def __init__(self, snapshot: Snapshot, assume: Assume, most_rounds: int, work: Work, *, as_seen: bool) -> None:
        group = groups.group_of(snapshot)
        self._work = work
        self._snapshot = snapshot
        self._assume = assume
        self._as_seen = as_seen
        self._most_rounds = most_rounds
        self._group = group
        self._closed_in_doubt: dict[TaskId, None] = {}
        self._reports = self._rules()
        self.scene = Scene.of(snapshot)
        self._rounds: list[Round] = []
        self._at_seconds: float = 0
        self._stopped: dict[TaskId, Stopped] = {}
        self.pending: Trigger | None = None
        """What the last rebalance asked for."""
        self._restoring = Restoring(self._reports, changelog_sizes.task_logs(snapshot))
        self._decided: Assignment | None = None
        self._memory: tuple[Group, object, leader.Memory] | None = None
        """The group without what members report, its members likewise, and what is remembered of it."""
        self._fingerprints: dict[ProcessId, tuple[Client, int]] = {}
        self._latent: tuple[TaskId, ...] = ()
        self._waiting_settings: dict[str, None] = {}
        self._acts: list[Act] = []

    def close_act(self, batch: Batch) -> None:
        """Keep what was done, and how many rebalances followed."""
        self._acts.append(act_of(batch, self.scene, len(self._rounds) - sum(one.rebalances for one in self._acts)))

    def course(self, trouble: str | None) -> Course:
        books = self._restoring
        counts = books.waiting_records, books.open_copies, books.unstarted
        notes = self.scene.notes
        if self._latent:
            what = f"{many(len(self._latent), 'stateful task')} ({listed(self._latent)})"
            note = f"The group only looks stable: the next rebalance, whatever causes it, sets out to move {what}"
            notes = (*notes, Note(NoteKind.LATENT, f"{note}, because process IDs have changed without one."))
        if self._waiting_settings:
            waits = static_returns.WAITS.format(listed(list(self._waiting_settings)))
            notes = (*notes, Note(NoteKind.SETTINGS_WAIT, waits))
        if self._closed_in_doubt:
            notes = (*notes, Note(NoteKind.CLOSED_COPIES, CLOSED_IN_DOUBT.format(listed(sorted(self._closed_in_doubt)))))
        stopped = tuple(self._stopped.values())
        acts = tuple(self._acts)
        return Course(tuple(self._rounds), self.scene.clients, *counts, stopped, notes, len(self._latent), acts, trouble)

    def came_back_unseen(self, batch: Batch) -> None:
        """Clients came back without a rebalance: note what waits for the next one, settings and process IDs."""
        self._waiting_settings |= {key: None for _, one in batch.events for key, _ in one.settings_set()}
        runs = dict(ownership.owners_among(self.scene.clients, self.scene.tasks))
        self._latent = tuple(task for task, owner in order.target(self._group) if runs.get(task, owner) != owner)

    def miss(self, batch: Batch, until: Wait) -> str | None:
        """Let the group rebalance without the clients that return late. Returns why it does not converge (None: it does)."""
        without = batches.missed(self.scene, batch)
        if without is None:
            return None
        self._enter(without)
        return self.rebalance(until=until) if without.clients else None

    def _enter(self, scene: Scene) -> None:
        self.scene = scene
        self._pass(scene.delay_s)
        self._group = replace(self._group, clients=scene.clients, leader_process_id=scene.leader_process_id)
        self._note_stopped(self._group.config.acceptable_recovery_lag)

    def _pass(self, seconds: float) -> None:
        self._at_seconds += int(seconds) if seconds == int(seconds) else seconds

    def carry_out(self, batch: Batch) -> None:
        """Let events take effect. Raise InvalidInput for one that does not fit the group, or a setting that Kafka would refuse."""
        self._work.take(of_events(self.scene, batch))
        self.scene = batches.apply(self.scene, batch, self._reports)
        self._restoring.begins_anew(batches.started(batch, self.scene.clients))
        self._pass(self.scene.delay_s)
        if self.scene.kafka_release != self._group.release or self.scene.tasks != self._group.tasks:
            self._take_up()
        changed = [f"events[{index}].{event.VERB}" for index, event in batch.events if event.settings_set()]
        try:
            settings = groups.settings_of(replace(self._snapshot, config=self.scene.config), self._group.release)
        except InvalidInput as problem:
            raise InvalidInput(problem.problem, changed[-1] if changed else problem.where) from None
        self._group = replace(
            self._group, config=settings, clients=self.scene.clients, leader_process_id=self.scene.leader_process_id
        )
        self._note_stopped(settings.acceptable_recovery_lag)

    def _note_stopped(self, acceptable_lag: int) -> None:
        """Tasks that stood still until now, and whether somebody who ran meanwhile has a copy of them."""
        if not self.scene.stopped:
            return
        ran = [client for client in self.scene.clients if client.process_id not in self.scene.down]
        copied = self._restoring.copied(ran, acceptable_lag)
        for task, seconds in self.scene.stopped:
            alone = task not in copied and self._reports.log_end(task) > 0
            before = self._stopped.get(task, Stopped(task, 0, 0))
            without = before.seconds_without_copy + (seconds if alone else 0)
            self._stopped[task] = Stopped(task, before.seconds + seconds, without)

    def _take_up(self) -> None:
        """From now on disks report as the new release does, of the tasks that there are now."""
        assert self.scene.kafka_release is not None, "a forecast is for one release"
        self._group = replace(self._group, release=self.scene.kafka_release, tasks=self.scene.tasks)
        self._reports = self._restoring.reports = self._rules()

    def _rules(self) -> Reports:
        exactly_once = groups.transactional(self._snapshot)
        rules = Reports(self._group, self._assume, transactional=exactly_once, as_seen=self._as_seen)
        rules.closed_in_doubt = self._closed_in_doubt
        return rules

    def rebalance(self, until: Wait) -> str | None:
        """Rebalance once, or until nothing is pending. Returns why that does not come about (None: it does)."""
        if not self.scene.clients:
            raise CannotPredict("No client is left in the group: its tasks run nowhere until one joins.")
        group = self._group
        trigger = Trigger.CHANGE
        seen: dict[int, float] = {}
        remembered = self._memory
        memory = self._remembered(group)
        anew, members = self._memory is not remembered, size_of(self.scene)
        self._latent = ()
        self._waiting_settings = {}
        while True:
            state = self._fingerprint(group.clients)
            if state in seen:
                return (
                    f"The group does not become stable: after {self._at_seconds:g} s it is as it was at {seen[state]:g} s,"
                    f" and keeps rebalancing.{self._what_holds_it_up(group)}"
                )
            seen[state] = self._at_seconds
            self._work.take(of_a_rebalance(members, anew=anew))
            anew, failure = False, self.scene.failure
            decision = leader.assign(group, memory) if failure is None else LeaderFailure(failure)
            if isinstance(decision, Assignment):
                _refuse_what_is_not_determined(decision)
                decision = self._decided = as_before(decision, self._decided)
            self._rounds.append(self._restoring.round(trigger, self._at_seconds, group, decision))
            if isinstance(decision, LeaderFailure):
                return f"The leader itself fails at {self._at_seconds:g} s: {decision.error}"
            pending = self.pending = what_is_asked_for(decision)
            if pending is Trigger.IMMEDIATE:
                self._restoring.note_open_copies(group, decision)
            pause, seconds = until_then(pending, group, until)
            self.scene = replace(self.scene, clients=self._reports.after(group.clients, decision, pause, seconds))
            if pending is None or until is Wait.REBALANCE:
                return None
            group = replace(group, clients=self.scene.clients)
            if len(self._rounds) >= self._most_rounds:
                return f"The group does not become stable within {self._most_rounds:,} rebalances."
            trigger = pending
            self._at_seconds += seconds

    def _remembered(self, group: Group) -> leader.Memory:
        """What the leader may remember of `group`: all, as long as nothing but reports has changed."""
        members = [
            (
                client.process_id,
                client.rack,
                client.client_tags,
                [replace(one, owned=(), task_offset_sums=()) for one in client.consumers],
            )
            for client in group.clients
        ]
        if self._memory is None or self._memory[:2] != (replace(group, clients=(), leader_process_id=None), members):
            self._memory = replace(group, clients=(), leader_process_id=None), members, leader.Memory()
        return self._memory[2]

    def _what_holds_it_up(self, group: Group) -> str:
        """The copies that never catch up, where it is they."""
        handed = {} if self._decided is None else {one.member_id: one.standby for one in self._decided.consumers}
        behind = dict.fromkeys(
            task
            for client in group.clients
            for consumer in client.consumers
            for task, total in consumer.task_offset_sums
            if task in handed.get(consumer.member_id, ())
            and total < self._reports.log_end(task) - group.config.acceptable_recovery_lag
        )
        if not behind:
            return ""
        return (
            f" {many(len(behind), 'copy', 'copies')} ({listed(sorted(behind))}) stay more than acceptable.recovery.lag"
            f" ({group.config.acceptable_recovery_lag:,} records) behind and never become active."
        )

    def _fingerprint(self, clients: tuple[Client, ...]) -> int:
        """The same for clients that report the same. (Two that differ agree once in 2^64; only clients that changed are read.)"""
        known = self._fingerprints
        self._fingerprints = {
            one.process_id: before if (before := known.get(one.process_id)) is not None and before[0] is one else (one, hash(one))
            for one in clients
        }
        return hash(tuple(self._fingerprints[one.process_id][1] for one in clients))


def _refuse_what_is_not_determined(decision: Assignment) -> None:
    """What members report next depends on where every task went."""
    if decision.undetermined_tasks:
        raise CannotPredict(f"The rest cannot be predicted. {decision.undetermined[-1].text}")


def _summary(snapshot: Snapshot, course: Course, quick: tuple[Course, ...]) -> Summary:
    stateful = tuple(task.id for task in snapshot.tasks if task.stateful)
    before = dict(ownership.owners(snapshot))
    after = owners_at_the_end(course, before, snapshot.tasks)
    by_client: dict[ProcessId, int] = {}
    for one in course.rounds:
        for process_id, records in one.restoring:
            by_client[process_id] = by_client.get(process_id, 0) + records
    seconds = None if course.trouble else course.ends_s
    quick_seconds = [one.ends_s for one in (course, *quick) if not one.trouble]
    return Summary(
        stateful_tasks=len(stateful),
        active_moved=sum(before.get(task) != after.get(task) for task in stateful),
        rebalances=len(course.rounds),
        rebalances_at_least=min(len(one.rounds) for one in (course, *quick)),
        rebalances_at_most=max(
            len(course.rounds) + (max(course.open_copies, 2 * course.unstarted) if quick else 0),
            *(len(one.rounds) for one in (course, *quick)),
        ),
        seconds_to_stable=seconds,
        seconds_to_stable_at_least=None if seconds is None else min(quick_seconds),
        restore_records=sum(by_client.values()),
        restore_records_by_client=tuple(sorted(by_client.items())),
        without_caught_up_copy=waiting(course.rounds, course.waiting_records),
        restore_bytes=total_or_none(size for one in course.rounds for _, size in one.restoring_bytes),
        stopped=course.stopped,
        reads=broker_reads.reads(snapshot, course.rounds),
    )
