"""`set_release`: from then on every client runs another release of Kafka Streams."""

from dataclasses import replace

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka.release import RELEASES, behaviour
from holdfast.kafka.streams.group import Consumer
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json.kafka_codecs import RELEASE
from holdfast.rollout.json.record import member, record
from holdfast.rollout.streams.events.event import Before, Event, Name, StepContext
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.drafts import ONE_BY_ONE, Draft, Pace, StepOrder
from holdfast.rollout.streams.steps.steps import RollOutRelease
from holdfast.rollout.text.format import many


@record
class SetRelease(Event):
    """Who leads decides as that release does, and disks report as it does."""

    kafka_release: str = member(RELEASE)

    VERB = "set_release"
    CARRIED = True

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no client
        return f"go to Kafka Streams {self.kafka_release}"

    def title(self, host: Name) -> tuple[str, str]:  # noqa: ARG002 - names no client
        return "upgrade to", f"Kafka Streams {self.kafka_release}"

    def reads_disks_as(self) -> str | None:
        return self.kafka_release if self.kafka_release in RELEASES else None

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:  # noqa: ARG002 - as every event
        """Every member writes the metadata version of the release from now on, and counts what is on its disk as that does."""
        try:
            counts = behaviour(self.kafka_release).closed_copy_counts_last_record
        except Unsupported as refusal:
            raise InvalidInput(str(refusal), "kafka_release") from None
        taken_over = counts and not (scene.kafka_release and behaviour(scene.kafka_release).closed_copy_counts_last_record)

        def upgraded(one: Consumer) -> Consumer:
            sums = tuple((task, reports.taken_over(task, total)) for task, total in one.task_offset_sums) if taken_over else None
            return replace(one, metadata_version=None, task_offset_sums=one.task_offset_sums if sums is None else sums)

        clients = tuple(replace(client, consumers=tuple(map(upgraded, client.consumers))) for client in scene.clients)
        return replace(scene, clients=clients, kafka_release=self.kafka_release)

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:
        return (draft(context.snapshot, self.kafka_release),)


def draft(snapshot: Snapshot, kafka_release: str, pace: Pace = ONE_BY_ONE) -> Draft:
    """A rolling upgrade of all clients."""
    was = snapshot.kafka_release or "the present release"
    return Draft(
        StepOrder.CONFIGURE,
        RollOutRelease(kafka_release, snapshot.kafka_release),
        Who.OPERATOR,
        f"The group is stable, and Kafka's upgrade notes from {was} to {kafka_release} require nothing else."
        f" {pace.to_do(len(snapshot.clients), ' on the new release')}",
        f"Every client has logged Kafka version: {kafka_release} at its start.",
        f"Return to {was} by a rolling restart, if the upgrade notes allow it: it may be unable to read the state that"
        f" {kafka_release} wrote.",
        f"{many(len(snapshot.clients), 'restart')}, {pace.expected(len(snapshot.clients))}, each with its own disk and process ID.",
    )
