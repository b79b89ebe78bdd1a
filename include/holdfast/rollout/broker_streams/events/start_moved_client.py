"""`start_moved_client`: a client that was stopped as one of a classic group starts with `group.protocol=streams`."""

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.events.parts import clients, words
from holdfast.rollout.broker_streams.events.parts.new_client import FIRST_ALONE, MEMBER_IDS, NEW_PROCESS_ID, NewClient, threads_fit
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.broker_streams.events.returning import Returning
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated import event_words
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import BOOLEAN, NAME, nullable
from holdfast.rollout.json.kafka_codecs import THREADS
from holdfast.rollout.json.record import member, record


def _fits_together(event: "StartMovedClient") -> None:
    if event.keeps_process_id and event.new_process_id not in (None, event.process_id):
        raise InvalidInput("a client that keeps its process ID takes no new one: set keeps_process_id to false", "new_process_id")
    threads_fit(NewClient(threads=event.threads, member_ids=event.member_ids))


@record(check=_fits_together, defaults=True)
class StartMovedClient(Returning):
    """`process_id`: that of the classic client. `new_process_id` None with `keeps_process_id` false: a new random one."""

    process_id: str = member(NAME)
    keeps_process_id: bool = member(BOOLEAN, default=True, omit=True)
    keeps_state: bool = member(BOOLEAN, default=True, omit=True)
    new_process_id: str | None = member(NEW_PROCESS_ID, default=None, omit=True)
    threads: int | None = member(nullable(THREADS), default=None, omit=True)
    member_ids: tuple[str, ...] | None = member(MEMBER_IDS, default=None, omit=True)
    first_thread_alone: bool | None = member(FIRST_ALONE, default=None, omit=True, unsaid=True)

    VERB = "start_moved_client"

    ACTIONS = (ActionName.START_MOVED_CLIENT,)

    def sentence(self, name: Name) -> str:
        return f"start {name(self.process_id)} with group.protocol=streams{event_words.given(self._given())}"

    def title(self, name: Name) -> tuple[str, str]:
        return "start", name(self.process_id)

    def _given(self) -> tuple[str, ...]:
        new = "a new random process ID" if self.new_process_id is None else f"the process ID {self.new_process_id}"
        found = (
            (not self.keeps_process_id, new),
            (not self.keeps_state, "an empty state directory"),
            (self.threads is not None, f"{self.threads} threads"),
        )
        return tuple(text for is_so, text in found if is_so)

    def step(self, of: StepOf) -> StepWords:
        before = "The classic group is empty."
        if self.new_process_id is not None:
            before = f"{before} {self.new_process_id} is in its kafka-streams-process-metadata (processId)."
        undo = (
            "Going back is offline too: stop all clients, wait until the group is empty, and start all with group.protocol=classic."
            " Committed offsets stay."
        )
        return StepWords(
            f"Start {of.name(self.process_id)} with group.protocol=streams{event_words.given(self._given())}",
            before,
            undo,
            words.LISTED,
            check_command=words.members(of.group_id),
        )

    def was_classic(self) -> str | None:
        return self.process_id

    def seeds(self) -> bool:
        return self.new_process_id is not None

    def applied(self, scene: Scene) -> Scene:
        return clients.started(scene, self._client(), "new_" if self.new_process_id is not None else "")
