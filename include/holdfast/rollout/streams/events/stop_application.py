"""`stop_application`: all clients are stopped, and after a time started again, together, with what their disks hold."""

from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches_json import LONGEST_STOP
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json import shapes
from holdfast.rollout.json.codec import number
from holdfast.rollout.json.record import member, record
from holdfast.rollout.streams.events.event import Before, Event, Name, StepContext
from holdfast.rollout.streams.events.parts import members
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.steps.drafts import Draft, StepOrder
from holdfast.rollout.streams.steps.steps import StopAllClients
from holdfast.rollout.text.format import many

_MINUTES = number(f"a number of minutes above 0, at most {LONGEST_STOP:,}", 0, LONGEST_STOP, above=True)


@record
class StopApplication(Event):
    minutes: float = member(_MINUTES.shaped(shapes.number(0, LONGEST_STOP)))

    VERB = "stop_application"
    ALL_DOWN = True

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no client
        return f"stop every client for {self.minutes:g} minutes"

    def title(self, host: Name) -> tuple[str, str]:  # noqa: ARG002 - names no client
        return "stop", f"every client for {self.minutes:g} minutes"

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:  # noqa: ARG002 - as every event
        return members.all_started_again(outage.down(scene, self.minutes), reports)

    def begins_anew(self, clients: tuple[Client, ...]) -> tuple[ProcessId, ...]:
        return tuple(client.process_id for client in clients)

    def stopped_minutes(self) -> float:
        return self.minutes

    def restarts(self, clients: int) -> int:
        return clients

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:
        draft = Draft(
            StepOrder.START,
            StopAllClients(self.minutes),
            Who.OPERATOR,
            "The group is stable, and the application may be down for this time.",
            f"{many(len(context.snapshot.clients), 'client')} have returned, each on its own disk and with its own process ID.",
            "Not needed: the clients run as before.",
            f"Every task is unavailable for {self.minutes:g} minutes, until all clients are started again.",
        )
        return (draft,)
