"""`set_group_protocol`: clients that run as classic ones are configured with `group.protocol=streams`, for their next start."""

from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import scene as scenes
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import NAMES
from holdfast.rollout.json.record import member, record
from holdfast.rollout.text.format import many, some_of


@record
class SetGroupProtocol(BrokerEvent):
    """`process_ids`: of all clients of the group. They read the setting when they start, so it changes nothing by itself."""

    process_ids: tuple[str, ...] = member(NAMES)

    VERB = "set_group_protocol"

    ACTIONS = (ActionName.SET_GROUP_PROTOCOL,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no client
        return f"set group.protocol=streams for {many(len(self.process_ids), 'client')}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return "set", "group.protocol=streams"

    def step(self, of: StepOf) -> StepWords:
        clients, names = many(len(self.process_ids), "client"), some_of([of.name(one) for one in self.process_ids])
        return StepWords(
            f"Set group.protocol=streams in the configuration of all {clients} ({names}), and restart none",
            "No rollout restarts clients when their configuration changes (Kubernetes: updateStrategy OnDelete, or a ConfigMap that"
            " is read at the start). One that restarts with it before all have stopped fails.",
            "Set group.protocol=classic again, or remove the setting.",
            "The configuration that the next start of each client reads has group.protocol=streams.",
        )

    def applied(self, scene: Scene) -> Scene:
        """Raise InvalidInput for a group that is not classic."""
        scenes.refuse_streams(scene, "process_ids")
        return scene

    def prepares(self) -> bool:
        return True
