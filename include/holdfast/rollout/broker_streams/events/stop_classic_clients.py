"""`stop_classic_clients`: all clients of a group that is still classic stop, and it is empty once their sessions are over."""

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import scene as scenes
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated.roster import quoted
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import NAMES
from holdfast.rollout.json.record import member, record
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import many, some_of


@record
class StopClassicClients(BrokerEvent):
    """`process_ids`: of all clients of the group."""

    process_ids: tuple[str, ...] = member(NAMES)

    VERB = "stop_classic_clients"

    ACTIONS = (ActionName.STOP_CLASSIC_CLIENTS,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no client
        return f"stop all {many(len(self.process_ids), 'client')} of the classic group"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return "move", f"{many(len(self.process_ids), 'client')} to group.protocol=streams"

    def step(self, of: StepOf) -> StepWords:
        names = some_of([of.name(one) for one in self.process_ids])
        return StepWords(
            f"Stop all {many(len(self.process_ids), 'client')} of the classic group ({names}), and wait until it is empty",
            "The application may be down until all clients have started again and restored.",
            "Start all clients as they were, with group.protocol=classic.",
            "The group is Empty: clients do not leave the classic group when they stop, so it takes their session timeout. A client"
            " that starts with group.protocol=streams earlier fails (GROUP_ID_NOT_FOUND).",
            check_command=kafka_commands.describe_consumer_group(of.group_id, "--state"),
        )

    def stops(self) -> tuple[str, ...]:
        return self.process_ids

    def applied(self, scene: Scene) -> Scene:
        """Raise InvalidInput where clients are missing, and for a group that is not classic."""
        scenes.refuse_streams(scene, "process_ids")
        there = dict.fromkeys(scene.present())
        if strangers := [one for one in self.process_ids if one not in there]:
            known = some_of([quoted(one) for one in there])
            raise InvalidInput(f"{quoted(strangers[0])} is no client of the group; there are: {known}", "process_ids")
        if missing := [one for one in there if one not in self.process_ids]:
            raise InvalidInput(
                f"all clients stop: {quoted(missing[0])} is missing. Members of both protocols are never in one group",
                "process_ids",
            )
        return scenes.emptied(scene)
