"""The Forecast of a Change to a consumer group: Kafka's decisions, rebalance by rebalance, until none is pending.

Each rebalance is the leader's own decision; `kafka.consumer.rebalances` has what follows from one to the next. Where evidence is
missing, or releases that are not distinguished would differ, it is CannotPredict.
"""

import math
from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.consumer import config, rebalances
from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Assignment, Group, LeaderFailure, Member
from holdfast.kafka.consumer.rebalances import Readers, Rebalance, Unsettled
from holdfast.kafka.consumer.release import LINES, behaviour
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.events import batches
from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.consumer.events.parts import timing
from holdfast.rollout.consumer.events.parts.scene import Scene
from holdfast.rollout.consumer.events.parts.timing import Span
from holdfast.rollout.consumer.forecast.outcomes import ConsumerForecast, ConsumerOutcome, ConsumerRound, ConsumerSummary
from holdfast.rollout.consumer.snapshot import ownership
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Batch, Wait
from holdfast.rollout.contract.group_state import refuse_unsettled
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.contract.times import METADATA_MAX_AGE_S, TimedBatch
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.offsets import positions
from holdfast.rollout.text.format import printable


def forecast(snapshot: ConsumerSnapshot, change: ConsumerChange) -> ConsumerForecast:
    """The Forecast of the contract. Raise CannotPredict, Unsupported, or InvalidInput for a change that does not fit the group."""
    refuse_unsettled(snapshot.group_id, snapshot.group_state, members=len(snapshot.members))
    unknown = list(snapshot.unknown)
    if snapshot.kafka_release is not None:
        outcome = _outcome(snapshot, change)
    else:
        releases = [line.releases[-1] for line in reversed(LINES)]
        answers = [(release, _outcome(replace(snapshot, kafka_release=release), change)) for release in releases]
        outcome = answers[0][1]
        different = [release for release, one in answers if _whatever_order(one) != _whatever_order(outcome)]
        if different:
            raise CannotPredict(
                f"The release of the Kafka clients is unknown, and it matters here: {releases[0]} gives one result,"
                f" {', '.join(different)} another. Give it with --kafka-release, or as kafka_release in the Snapshot."
            )
        unknown.append(Unknown("kafka_release", f"not given; {', '.join(releases)} all give the same result"))
    unknown.extend(note.as_unknown() for note in outcome.notes)
    return ConsumerForecast(change, outcome, tuple(unknown))


def refuse_misfit(snapshot: ConsumerSnapshot, change: ConsumerChange) -> None:
    """Raise InvalidInput for a change that does not fit the group: its events are carried out once, without rebalances."""
    settings = settings_of(snapshot)
    scene = Scene(snapshot.members, snapshot.topics, snapshot.leader_member_id)
    for batch in change.numbered_batches():
        scene = batches.returned(batches.apply(scene, batch, settings), batch)


def _whatever_order(outcome: ConsumerOutcome) -> object:
    """The order in which a leader lists partitions is not in the contract, and neither is what members would report at the end."""
    decisions = [
        one.decision
        if isinstance(one.decision, LeaderFailure)
        else replace(
            one.decision,
            members=tuple(replace(each, partitions=tuple(sorted(each.partitions))) for each in one.decision.members),
        )
        for one in outcome.rounds
    ]
    summary = outcome.summary  # (how long a session lasts is another thing than who gets what)
    return outcome.stable, decisions, (summary.partitions, summary.moved, summary.needless, summary.rebalances, summary.stops)


def _outcome(snapshot: ConsumerSnapshot, change: ConsumerChange) -> ConsumerOutcome:
    """Carry out the change, batch by batch, each with the rebalances that it causes."""
    stage = _Stage(snapshot)
    trouble = None
    for batch in change.numbered_batches():
        stage.carry_out(batch)
        if batches.causes_no_rebalance(batch):
            stage.close_act(batch)
            continue
        trouble = stage.without_those_away(batch) or stage.rebalance(until=batch.wait or Wait.STABLE)
        stage.close_act(batch)
        if trouble is not None:
            break
    return stage.outcome(change, trouble)


class _Stage:
    """The one mutable thing of a forecast: where the group is now, and how it came there."""

    def __init__(self, snapshot: ConsumerSnapshot) -> None:
        self._snapshot = snapshot
        self._before = ownership.readers_now(snapshot.group(_release(snapshot)), snapshot.assigned)
        self._reads = self._before
        self._rounds: list[ConsumerRound] = []
        self._acts: list[TimedBatch] = []
        self._generation = rebalances.first_generation(snapshot.generation, snapshot.members)
        self._at_seconds: float = 0
        self._pending = False
        self._noticed_s: float = 0
        self._away = False
        self._from_empty = False
        self._taken: dict[TopicPartition, bool] = {}
        """What some member began to read, and whether the one before it had committed how far it had come."""
        self._given_up: dict[TopicPartition, None] = {}
        """What cooperative members had to give up and no member has taken yet."""
        self._config = settings_of(snapshot)
        self.scene = Scene(snapshot.members, snapshot.topics, snapshot.leader_member_id)

    def carry_out(self, batch: Batch[ConsumerEvent]) -> None:
        """Let events take effect. Raise InvalidInput for one that does not fit the group."""
        if self._pending and batches.causes_no_rebalance(batch):
            raise InvalidInput(
                "the group still rebalances; what follows from a return in the middle of that is not modelled: wait until it is"
                ' stable ({"then": "stable"})',
                f"events[{batch.events[0][0]}].restart_consumer.within_session",
            )
        before = self.scene.members
        self.scene = batches.apply(self.scene, batch, self._config)
        self._from_empty = not any(one is member or member.group_instance_id for member in before for one in self.scene.members)
        self._noticed_s, self._away = self.scene.noticed_s, False
        self._at_seconds += int(self.scene.noticed_s) if self.scene.noticed_s == int(self.scene.noticed_s) else self.scene.noticed_s

    def without_those_away(self, batch: Batch[ConsumerEvent]) -> str | None:
        """Rebalance without those that are away, where there are any, and have them back. Their processes take longer to start than
        the others to be stable. Returns why it does not become stable (None: it does)."""
        if not self.scene.away:
            return None
        others = self._away = bool(self.scene.members)
        if others and (trouble := self.rebalance(until=Wait.STABLE)) is not None:
            return trouble
        if others:
            self.scene = replace(self.scene, noticed_s=0, abrupt=())
        self._from_empty = not others
        self.scene = batches.returned(self.scene, batch)
        return None

    def close_act(self, batch: Batch[ConsumerEvent]) -> None:
        """Keep what was done as it takes time, and how many rebalances followed."""
        unseen = batches.causes_no_rebalance(batch)
        grown = any(event.topic_changed() is not None for _, event in batch.events)
        self._acts.append(
            TimedBatch(
                rebalances=len(self._rounds) - sum(one.rebalances for one in self._acts),
                starts=sum(any(new is not None for _, new in event.swaps()) for _, event in batch.events),
                noticed_s=0 if unseen else math.ceil(self._noticed_s),
                refresh_s=METADATA_MAX_AGE_S if grown else 0,
                unseen=unseen,
                away=self._away,
            )
        )

    def rebalance(self, until: Wait) -> str | None:
        """Rebalance once, or until nothing is pending. Returns why that does not come about (None: it does)."""
        if not self.scene.members:
            raise CannotPredict("No consumer is left in the group: its topics are not read until one joins.")
        trigger = Trigger.CHANGE
        try:
            for found in rebalances.until_stable(self._group(), self._generation):
                self._take(trigger, found)
                if until is Wait.REBALANCE and isinstance(found.decision, Assignment):
                    return None
                trigger = Trigger.IMMEDIATE
        except Unsettled as why:
            return str(why)
        return None

    def _group(self) -> Group:
        members, topics, leader = self.scene.members, self.scene.topics, self.scene.leader_member_id
        return replace(self._snapshot, members=members, topics=topics, leader_member_id=leader).group(_release(self._snapshot))

    def _take(self, trigger: Trigger, found: Rebalance) -> None:
        """One rebalance, and what the members have of it."""
        decision = found.decision
        stopped = None if self._reads is None else len(rebalances.unavailable(self._reads, found.joined))
        unread = 0
        if isinstance(decision, Assignment):
            self._generation, self._pending = found.generation, not found.is_last
            self._take_up(found.joined, decision)
            self.scene = replace(self.scene, members=found.members)
            self._reads = rebalances.readers_after(decision)
            unread = sum(len(one.withheld) for one in decision.members)
        first = trigger is Trigger.CHANGE
        lasts = timing.round_span(self._config, from_empty=first and self._from_empty)
        noticed_s = self.scene.noticed_s if first else 0
        self._rounds.append(ConsumerRound(trigger, self._at_seconds, decision, stopped, unread, noticed_s, lasts))

    def _take_up(self, members: tuple[Member, ...], decision: Assignment) -> None:
        """A member that did not read a partition until now, or gave it up before it joined, begins where the group has committed.

        An eager member commits before it gives up everything (`enable.auto.commit`). A cooperative one commits before it joins,
        reads on, and then receives what to give up: it commits no more (`ConsumerCoordinator.onJoinPrepare`, `onJoinComplete`).
        """
        abrupt = frozenset(self.scene.abrupt)
        reads = self._reads or {}
        for member, part in zip(members, decision.members, strict=True):
            kept = frozenset(member.owned) if member.cooperative else frozenset[TopicPartition]()
            for one in part.partitions:
                if one not in kept:
                    committed = reads.get(one) not in abrupt and one not in self._given_up
                    self._taken[one] = committed and self._taken.get(one, True)
                    self._given_up.pop(one, None)
            self._given_up |= dict.fromkeys(part.revoked)

    def outcome(self, change: ConsumerChange, trouble: str | None) -> ConsumerOutcome:
        notes = (
            *self.scene.notes,
            *_notes(self._snapshot, change),
            *(() if trouble is None else (Note(NoteKind.UNSETTLED, trouble),)),
        )
        found = positions.positions(self._taken, self.scene.topics, self._config)
        return ConsumerOutcome(
            stable=trouble is None,
            rounds=tuple(self._rounds),
            summary=self._summary(change, trouble),
            members=self.scene.members,
            positions=found,
            config=self._config,
            warnings=positions.warnings(found, self._config),
            notes=notes,
            unsettled=trouble,
            acts=tuple(self._acts),
        )

    def _summary(self, change: ConsumerChange, trouble: str | None) -> ConsumerSummary:
        moved = None
        if trouble is None and self._before is not None and self._reads is not None:
            before, after = (
                frozenset(one.member_id for one in members) for members in (self._snapshot.members, self.scene.members)
            )
            staying = (before & after) - frozenset(begun_anew(change))
            moved = ownership.difference(self._renamed(self._before, change), self._renamed(self._reads, change), staying)
        stops = [None if one.stopped is None else one.stopped + one.unread for one in self._rounds]
        known = trouble is None and None not in stops
        spans = [span for index in range(len(self._rounds)) for span in self._stops(index)] if known else []
        return ConsumerSummary(
            partitions=ownership.subscribed(self.scene.members, self.scene.topics),
            moved=None if moved is None else moved.moved,
            needless=None if moved is None else moved.needless,
            rebalances=len(self._rounds),
            stops=sum(one or 0 for one in stops) if known else None,
            seconds_to_stable=self._at_seconds if trouble is None else None,
            longest_stop=timing.longest([span for span, count in spans if count]) if known else None,
            partition_seconds=sum((span.times(count) for span, count in spans), timing.NOTHING) if known else None,
        )

    def _renamed(self, reads: Readers, change: ConsumerChange) -> Readers:
        """With the IDs that the readers have at the end."""
        present = frozenset(member.member_id for member in self.scene.members)
        names = {one: one if one in present else name_at_the_end(one, change) for one in dict.fromkeys(reads.values())}
        return {partition: names[reader] for partition, reader in reads.items()}

    def _stops(self, index: int) -> tuple[tuple[Span, int], ...]:
        """How long partitions are unavailable because of this round, and how many. What is withheld waits for the next one."""
        one = self._rounds[index]
        following = self._rounds[index + 1].lasts if index + 1 < len(self._rounds) else timing.NOTHING
        unnoticed = Span(one.noticed_s, one.noticed_s)
        return (one.lasts + unnoticed, one.stopped or 0), (following, one.unread)


def _release(snapshot: ConsumerSnapshot) -> str:
    assert snapshot.kafka_release is not None, "a forecast is for one release"
    return snapshot.kafka_release


def settings_of(snapshot: ConsumerSnapshot) -> ConsumerConfig:
    """Without a release as the newest reads them. Raise InvalidInput for one that Kafka refuses, Unsupported for the release."""
    try:
        return config.read(snapshot.kafka_release or LINES[-1].releases[-1], dict(snapshot.config))
    except InvalidInput as problem:
        raise InvalidInput(problem.problem, f"config.{problem.where}") from None


def name_at_the_end(member_id: str, change: ConsumerChange) -> str:
    """The ID under which a consumer comes back that restarts: it is still the same one."""
    for item in change.statements():
        member_id = dict(item.renamed()).get(member_id, member_id)
    return member_id


def begun_anew(change: ConsumerChange) -> list[str]:
    """Members that the change itself takes away, replaces or restarts."""
    return [old for item in change.statements() for old in item.olds()]


def _notes(snapshot: ConsumerSnapshot, change: ConsumerChange) -> tuple[Note, ...]:
    """The assumptions without evidence."""
    if not behaviour(_release(snapshot)).racks or not any(member.rack for member in snapshot.members):
        return ()
    return tuple(
        Note(
            NoteKind.RACKS,
            f"Where the new partitions of '{printable(item.topic_changed() or '')}' will be placed is unknown; assumed: no"
            " consumer is near them.",
        )
        for item in change.statements()
        if item.racks_not_given()
    )
