"""From documents to answers: what the leader would decide now, and what a change will do. One answer a document, or a refusal."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from holdfast.errors import CannotPredict, HoldfastError, InvalidInput
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment, LeaderFailure
from holdfast.rollout.consumer.forecast.json import consumer_forecast_to_json
from holdfast.rollout.consumer.snapshot.json import is_consumer_classic
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.strict import Fields, loads
from holdfast.rollout.streams.change import named_json
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.assignment_json import assignment_to_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.json import forecast_to_json
from holdfast.rollout.streams.forecast.outcomes import Forecast
from holdfast.rollout.streams.forecast.work import allowed
from holdfast.rollout.streams.snapshot import groups
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.workflows import consumer_groups
from holdfast.workflows.naming import Named, read_named


def decide(snapshot: Snapshot) -> Assignment | LeaderFailure:
    """The leader's decision now. Without a release: that of every release it may be, or CannotPredict where they differ."""
    releases = groups.releases_of(snapshot)
    answers = [(release, leader.assign(groups.group_of(snapshot, release, newer_members=True))) for release in releases]
    first = answers[0][1]
    different = [release for release, answer in answers if answer != first]
    if different:
        alike = ", ".join(release for release, answer in answers if answer == first)
        raise CannotPredict(
            f"The Kafka Streams release is not known, and it matters here: {alike} decide one thing, {', '.join(different)}"
            " another. Say which one with --kafka-release."
        )
    return first


def assign_document(document: object, release: str | None, settings: tuple[tuple[str, ConfigValue], ...]) -> dict[str, object]:
    """A Snapshot's JSON → an Assignment's. `release` and `settings` are put over its own."""
    if is_consumer_classic(document):
        return consumer_groups.assign_document(document, release, settings)
    snapshot = snapshot_from_json(document).with_config(settings)
    return assignment_to_json(decide(replace(snapshot, kafka_release=release or snapshot.kafka_release)))


def read_forecast(snapshot: Named, change: Named, times: int = 1) -> tuple[Snapshot, Forecast]:
    """A Snapshot's and a Change's JSON, each with its name → the Snapshot and the Forecast. A problem says in which it is.

    `times`: so many times the usual work is allowed.
    """
    group = read_named(snapshot, snapshot_from_json)
    meant = read_named(change, lambda document: change_from_json(named_json.resolved(document, group)))
    return group, read_named(change, lambda _: forecast(group, meant, work=allowed(group, times)))


def forecast_case(case: object, detail: Detail, times: int = 1) -> dict[str, object]:
    """`{"snapshot": …, "change": …}` → a Forecast's JSON."""
    fields = Fields(case)
    snapshot = fields.need("snapshot", lambda document: document)
    change = fields.need("change", lambda document: document)
    fields.finish()
    if is_consumer_classic(snapshot):
        answer = consumer_groups.read_forecast(("snapshot", snapshot), ("change", change))[1]
        return consumer_forecast_to_json(answer, detail)
    return forecast_to_json(read_forecast(("snapshot", snapshot), ("change", change), times)[1], detail)


def answer_lines(
    lines: Iterable[tuple[int, bytes | InvalidInput]], answer: Callable[[object], dict[str, object]]
) -> Iterator[tuple[dict[str, object], bool]]:
    """An answer a line, in order, and whether it is one: a bad line gives `{"error": …, "line": N}`, the others are answered."""
    for number, line in lines:
        try:
            if isinstance(line, InvalidInput):
                raise line
            yield answer(loads(line)), True
        except HoldfastError as refusal:
            yield {"error": str(refusal), "line": number}, False
