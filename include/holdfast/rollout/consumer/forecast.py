"""What Kafka will do about a Change to a plain consumer group, rebalance by rebalance, until nothing is pending.

Each rebalance is the leader's own decision (`kafka.consumer.leader`); what members report from one to the next is `memory`. Where
evidence is missing, or releases that nobody has told apart would differ, it is CannotPredict.
"""

from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.consumer import leader
from holdfast.kafka.consumer.group import Assignment, LeaderFailure, NextRebalance
from holdfast.kafka.consumer.release import LINES, behaviour
from holdfast.rollout.change import Wait
from holdfast.rollout.consumer import events, memory, ownership
from holdfast.rollout.consumer.change import (
    AddPartitions,
    AddTopic,
    ConsumerChange,
    RemoveConsumer,
    ReplaceConsumer,
    RestartConsumer,
    SetAssignors,
)
from holdfast.rollout.consumer.events import Scene
from holdfast.rollout.consumer.outcomes import ConsumerForecast, ConsumerOutcome, ConsumerRound, ConsumerSummary
from holdfast.rollout.consumer_snapshot import ConsumerSnapshot
from holdfast.rollout.outcomes import Trigger
from holdfast.rollout.snapshot import Unknown
from holdfast.rollout.wording import printable

MOST_ROUNDS = 1_000
"""Without a marker or an end. A cooperative group needs two."""


def forecast(snapshot: ConsumerSnapshot, change: ConsumerChange) -> ConsumerForecast:
    """The Forecast of the contract. Raise CannotPredict, Unsupported, or InvalidInput for a change that does not fit the group."""
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
                f"The release of the Kafka clients is not known, and it matters here: with {releases[0]} one thing comes about,"
                f" with {', '.join(different)} another. Say which one: kafka_release in the Snapshot."
            )
        unknown.append(Unknown("kafka_release", f"not given; {', '.join(releases)} all come to the same"))
    unknown.extend(Unknown("forecast", note) for note in outcome.notes)
    return ConsumerForecast(change, outcome, tuple(unknown))


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
    return outcome.stable, decisions, outcome.summary


def _outcome(snapshot: ConsumerSnapshot, change: ConsumerChange) -> ConsumerOutcome:
    """Carry out the change, lot by lot, each with the rebalances that it causes."""
    stage = _Stage(snapshot)
    trouble = None
    for lot in change.lots():
        stage.scene = events.apply(stage.scene, lot)
        trouble = stage.rebalance(until=lot.wait or Wait.STABLE)
        if trouble is not None:
            break
    return stage.outcome(change, trouble)


class _Stage:
    """The one mutable thing of a forecast: where the group is now, and how it came there."""

    def __init__(self, snapshot: ConsumerSnapshot) -> None:
        self._snapshot = snapshot
        self._before = ownership.readers_now(snapshot.group(_release(snapshot)))
        self._reads = self._before
        self._rounds: list[ConsumerRound] = []
        self._generation = memory.first_generation(snapshot.generation, snapshot.members)
        self.scene = Scene(snapshot.members, snapshot.topics, snapshot.leader_member_id)

    def rebalance(self, until: Wait) -> str | None:
        """Rebalance once, or until nothing is pending. Returns why that does not come about (None: it does)."""
        if not self.scene.members:
            raise CannotPredict("No consumer is left in the group: nobody reads its topics until one joins.")
        trigger = Trigger.CHANGE
        seen: dict[object, None] = {}
        for _ in range(MOST_ROUNDS):
            state = self._state()
            if state in seen:
                return "The group does not settle: it is where it was some rebalances ago, and rebalances on."
            seen[state] = None
            decision = self._decide(trigger)
            if isinstance(decision, LeaderFailure):
                return f"The leader itself fails: {decision.error}"
            pending = any(one.next_rebalance is NextRebalance.IMMEDIATE for one in decision.members)
            if not pending or until is Wait.REBALANCE:
                return None
            trigger = Trigger.IMMEDIATE
        return f"The group does not settle within {MOST_ROUNDS:,} rebalances."

    def _state(self) -> object:
        """What the next decision depends on. Generations are only compared with one another."""
        newest = self._generation
        return tuple(
            (member.owned, "newest" if member.owned_generation == newest else member.owned_generation)
            for member in self.scene.members
        )

    def _decide(self, trigger: Trigger) -> Assignment | LeaderFailure:
        """One rebalance, and what the members have of it."""
        members = self.scene.members
        group = replace(
            self._snapshot, members=members, topics=self.scene.topics, leader_member_id=self.scene.leader_member_id
        ).group(_release(self._snapshot))
        decision = leader.assign(group)
        stopped = None if self._reads is None else ownership.standing_still(self._reads, members)
        unread = 0
        if isinstance(decision, Assignment):
            self._generation += 1
            self.scene = replace(self.scene, members=memory.after_round(members, decision, self._generation))
            self._reads = ownership.readers_after(decision)
            unread = sum(len(one.withheld) for one in decision.members)
        self._rounds.append(ConsumerRound(trigger, 0, decision, stopped, unread))
        return decision

    def outcome(self, change: ConsumerChange, trouble: str | None) -> ConsumerOutcome:
        notes = (*self.scene.notes, *_notes(self._snapshot, change), *(() if trouble is None else (trouble,)))
        return ConsumerOutcome(trouble is None, tuple(self._rounds), self._summary(change, trouble), self.scene.members, notes)

    def _summary(self, change: ConsumerChange, trouble: str | None) -> ConsumerSummary:
        moved = None
        if trouble is None and self._before is not None and self._reads is not None:
            before, after = (
                frozenset(one.member_id for one in members) for members in (self._snapshot.members, self.scene.members)
            )
            staying = (before & after) - frozenset(_begun_anew(change))
            moved = ownership.difference(self._before, self._reads, staying)
        stops = [None if one.stopped is None else one.stopped + one.unread for one in self._rounds]
        return ConsumerSummary(
            partitions=ownership.subscribed(self.scene.members, self.scene.topics),
            moved=None if moved is None else moved.moved,
            needless=None if moved is None else moved.needless,
            rebalances=len(self._rounds),
            stops=None if None in stops or trouble else sum(one or 0 for one in stops),
            seconds_to_stable=0 if trouble is None else None,
        )


def _release(snapshot: ConsumerSnapshot) -> str:
    assert snapshot.kafka_release is not None, "a forecast is for one release"
    return snapshot.kafka_release


def _begun_anew(change: ConsumerChange) -> list[str]:
    """Members that the change itself takes away, replaces or restarts."""
    found: list[str] = []
    for item in change.events:
        match item:
            case RemoveConsumer(member_id) | ReplaceConsumer(member_id) | RestartConsumer(member_id):
                found.append(member_id)
            case SetAssignors(_, member_ids):
                found.extend(old for old, _ in member_ids)
    return found


def _notes(snapshot: ConsumerSnapshot, change: ConsumerChange) -> tuple[str, ...]:
    """What is taken for granted without evidence."""
    if not behaviour(_release(snapshot)).racks or not any(member.rack for member in snapshot.members):
        return ()
    return tuple(
        f"Where the new partitions of '{printable(item.topic)}' will stand is not said; it is taken that no consumer is near them."
        for item in change.events
        if isinstance(item, AddPartitions | AddTopic) and item.replica_racks is None
    )
