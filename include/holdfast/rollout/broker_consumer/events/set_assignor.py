"""`set_assignor`: most members ask for another assignor (`group.remote.assignor`) from now on.

Java: `ConsumerGroup.computePreferredServerAssignor`. Up to 4.3 that raises no epoch: the next target is computed with it. From 4.4
on it does, by one, unless it comes with a member that joins. Members that ended without leaving have votes until their sessions
are over.
"""

from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.group import Assignor
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import BOOLEAN, either
from holdfast.rollout.json.record import member, record
from holdfast.rollout.text import kafka_commands


@record(defaults=True)
class SetAssignor(ConsumerEvent):
    """`once_back`: consumers that restart in the same batch ask for it when they are back."""

    assignor: Assignor = member(either(Assignor))
    once_back: bool = member(
        BOOLEAN.described("True: those that restart together with it ask for it when they are back."), default=False, omit=True
    )

    VERB = "set_assignor"
    ACTIONS = (ActionName.SET_CONFIG,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - as every event
        return f"have most members ask for the assignor {self.assignor} (group.remote.assignor)"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return "set", f"the assignor to {self.assignor}"

    def step(self, of: StepOf) -> StepWords:
        says = f"Have most members ask for the assignor {self.assignor} (group.remote.assignor={self.assignor})"
        before = "The members that restart have the setting: the group changes when more of them ask for it than for another one."
        shows = kafka_commands.describe_consumer_group(of.group_id, "--state", "--verbose")
        return StepWords(says, before, "Have them ask for the assignor from before.", "ASSIGNMENT-STRATEGY says so.", "", shows)

    def assignor_afterwards(self) -> Assignor:
        return self.assignor

    def applied(self, scene: Scene) -> Scene:
        return scene if self.once_back else self._asked(scene)

    def returned(self, scene: Scene) -> Scene:
        return self._asked(scene) if self.once_back else scene

    def _asked(self, scene: Scene) -> Scene:
        if scene.members and 2 * scene.alive() <= len(scene.members):
            raise InvalidInput(
                "most members have ended without leaving, and keep their votes until their sessions are over: let the event come"
                ' after {"then": "stable"}',
                "assignor",
            )
        asked = scene.asked or (scene.facts.assignor_raises_epoch and self.assignor is not scene.assignor)
        return replace(scene, assignor=self.assignor, asked=asked)
