"""`remove_client`: a client leaves permanently."""

from collections.abc import Mapping

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.json.codec import BOOLEAN, nullable
from holdfast.rollout.json.kafka_codecs import PROCESS_ID
from holdfast.rollout.json.record import member, record
from holdfast.rollout.streams.events.event import About, Before, Event, Name, StepContext
from holdfast.rollout.streams.events.parts import fields as shared
from holdfast.rollout.streams.events.parts import members
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot.named_clients import Known
from holdfast.rollout.streams.steps import client_drafts
from holdfast.rollout.streams.steps.drafts import Draft


@record(defaults=True)
class RemoveClient(Event):
    """`leaves` false: it ends without leaving, as a classic client does, and is removed when its session times out. None: not
    given; a Forecast takes it to leave, a Plan to do what Kafka Streams does (`usual`)."""

    process_id: ProcessId = member(PROCESS_ID)
    leaves: bool | None = member(
        nullable(BOOLEAN),
        "False: it ends, and the group notices after its session timeout. Null: a Forecast assumes that it leaves, a Plan does"
        " not.",
        default=None,
        omit=True,
    )

    VERB = "remove_client"
    ABOUT = About.ONE_CLIENT

    @classmethod
    def known_after(cls, content: Mapping[str, object], present: list[Known]) -> list[Known]:
        return shared.without(present, content)

    def sentence(self, name: Name) -> str:
        how = "which leaves the group as it closes" if self.leaves else "which the group notices after the session timeout"
        return f"remove {name(self.process_id)}, {how}"

    def title(self, host: Name) -> tuple[str, str]:
        return "remove", host(self.process_id)

    def loses_disk(self) -> bool:
        return True

    def displaced(self) -> tuple[ProcessId, ...]:
        return (self.process_id,)

    def moves_tasks(self) -> bool:
        return True

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:  # noqa: ARG002 - as every event
        gone = members.still_there(scene, self.process_id, before.scene)
        after = outage.stopped(scene, (gone,), outage.session_timeout_s(scene)) if self.leaves is False else scene
        return members.without(after, gone)

    def gone_and_came(self) -> tuple[tuple[ProcessId, ...], tuple[ProcessId | None, ...]]:
        return (self.process_id,), ()

    def session_ends(self) -> bool:
        return not self.leaves

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:
        stop = client_drafts.stop(context.snapshot, self.process_id, has_successor=False)
        return (client_drafts.leaving(context.snapshot, stop) if self.leaves else stop,)
