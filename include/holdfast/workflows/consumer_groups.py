"""From documents to answers for plain consumer groups."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.consumer import leader
from holdfast.kafka.consumer.group import Assignment, LeaderFailure
from holdfast.kafka.consumer.release import LINES
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.change.json import consumer_change_from_json, consumer_change_to_json
from holdfast.rollout.consumer.execution import drift
from holdfast.rollout.consumer.forecast.assignment_json import consumer_assignment_to_json
from holdfast.rollout.consumer.forecast.forecast import forecast, settings_of
from holdfast.rollout.consumer.forecast.outcomes import ConsumerForecast
from holdfast.rollout.consumer.options import ways
from holdfast.rollout.consumer.options.evaluation import WayForecast, evaluate
from holdfast.rollout.consumer.plan.json import relied_on, with_id
from holdfast.rollout.consumer.plan.plan import ConsumerPlan, assemble
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.group_state import refuse_unsettled
from holdfast.rollout.execution.drift import Drift, Kind
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.policy.json import policy_to_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.execution.staleness import Staleness
from holdfast.workflows.naming import Named, read_named


def decide(snapshot: ConsumerSnapshot) -> Assignment | LeaderFailure:
    """The leader's decision now. Without a release: that of every release, or CannotPredict where they differ."""
    refuse_unsettled(snapshot.group_id, snapshot.group_state, members=len(snapshot.members))
    if snapshot.kafka_release is not None:
        return leader.assign(snapshot.group(snapshot.kafka_release))
    answers = [(line.releases[-1], leader.assign(snapshot.group(line.releases[-1]))) for line in reversed(LINES)]
    first = _whatever_order(answers[0][1])
    different = [release for release, answer in answers if _whatever_order(answer) != first]
    if different:
        raise CannotPredict(
            f"The release of the Kafka clients is not known, and it matters here: {answers[0][0]} decides one thing,"
            f" {', '.join(different)} another. Say which one with --kafka-release."
        )
    return answers[0][1]


def _whatever_order(answer: Assignment | LeaderFailure) -> Assignment | LeaderFailure:
    """The order in which a leader lists partitions is not in the contract."""
    if isinstance(answer, LeaderFailure):
        return answer
    return replace(answer, members=tuple(replace(one, partitions=tuple(sorted(one.partitions))) for one in answer.members))


def assign_document(document: object, release: str | None, settings: tuple[tuple[str, ConfigValue], ...]) -> dict[str, object]:
    """A Snapshot's JSON → an Assignment's. `release` is put over its own."""
    if settings:
        raise InvalidInput(
            f"--set {settings[0][0]!r}: no setting affects the assignment of a consumer group without Kafka Streams; leave it out"
        )
    snapshot = consumer_snapshot_from_json(document)
    return consumer_assignment_to_json(decide(replace(snapshot, kafka_release=release or snapshot.kafka_release)))


def read_forecast(snapshot: Named, change: Named) -> tuple[ConsumerSnapshot, ConsumerForecast]:
    """A Snapshot's and a Change's JSON, each with its name → the Snapshot and the Forecast. A problem says in which it is."""
    group = read_named(snapshot, consumer_snapshot_from_json)
    read_named(snapshot, lambda _: settings_of(group))
    meant = read_named(change, consumer_change_from_json)
    return group, read_named(change, lambda _: forecast(group, meant))


def make_plan(
    snapshot: Named,
    change: Named,
    policy: Policy,
    now: datetime,
    tell: Callable[[str], None] = lambda _: None,
    requested_by: str | None = None,
) -> ConsumerPlan:
    """Search and assemble. A problem says in which document it is."""
    group = read_named(snapshot, consumer_snapshot_from_json)
    read_named(snapshot, lambda _: settings_of(group))
    meant = read_named(change, consumer_change_from_json)
    foreseen = read_named(change, lambda _: _foreseen(group, meant, tell))
    return assembled(group, meant, foreseen, policy, now, requested_by)


def _foreseen(snapshot: ConsumerSnapshot, change: ConsumerChange, tell: Callable[[str], None]) -> list[WayForecast]:
    found = []
    for way in ways.propose(snapshot, change):
        tell(way.name)
        found.append(evaluate(snapshot, way))
    return found


def assembled(
    snapshot: ConsumerSnapshot,
    change: ConsumerChange,
    foreseen: Iterable[WayForecast],
    policy: Policy,
    now: datetime,
    requested_by: str | None = None,
) -> ConsumerPlan:
    """The plan with its ID, from the forecast of every way, in the order in which they are proposed."""
    fingerprints = CreatedFrom(
        snapshot=fingerprint(relied_on(snapshot)),
        change=fingerprint(consumer_change_to_json(change)),
        policy=fingerprint(policy_to_json(policy)),
        captured_at=snapshot.captured_at,
    )
    made = assemble(snapshot, change, foreseen, policy, now, fingerprints)
    return with_id(replace(made, requested_by=requested_by))


def drifts(plan: ConsumerPlan, fresh: ConsumerSnapshot) -> Staleness:
    """Whether the plan still holds for the group as it is now."""
    found = list(drift.drifts(plan.basis, fresh))
    late = fresh.captured_at is not None and datetime.fromisoformat(fresh.captured_at) > datetime.fromisoformat(plan.expires_at)
    if late:
        sentence = f"The plan was valid until {plan.expires_at}; the snapshot was taken at {fresh.captured_at}."
        found.append(Drift(Kind.TIME, sentence, True, "The policy was checked for an earlier time."))
    return Staleness(plan.plan_id, tuple(sorted(found, key=lambda one: not one.matters)))
