"""`add_client`: one more client joins."""

from dataclasses import replace
from typing import Self

from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import clients, new_client, words
from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.record import record, spread


@record
class AddClient(BrokerEvent):
    client: NewClient = spread(new_client.ADDED)

    VERB = "add_client"

    ACTIONS = (ActionName.START_CLIENT,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - as every event
        return f"add {words.newcomer(self.client)}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return "add", words.short_newcomer(self.client)

    def step(self, of: StepOf) -> StepWords:
        says = f"Start {words.newcomer(self.client)}"
        return StepWords(says, "", "Stop it.", words.LISTED, check_command=words.members(of.group_id))

    def host(self) -> str | None:
        return self.client.host

    def applied(self, scene: Scene) -> Scene:
        return clients.started(scene, self.client, "")

    def comes(self) -> tuple[NewClient, str | None] | None:
        return self.client, None

    def drawn(self, client: NewClient) -> Self:
        return replace(self, client=client)
