"""`add_client`: one more client joins."""

from dataclasses import replace
from typing import Self

from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import clients, new_client
from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.json.record import record, spread


@record
class AddClient(BrokerEvent):
    client: NewClient = spread(new_client.ADDED)

    VERB = "add_client"

    def applied(self, scene: Scene) -> Scene:
        return clients.started(scene, self.client, "")

    def comes(self) -> tuple[NewClient, str | None] | None:
        return self.client, None

    def drawn(self, client: NewClient) -> Self:
        return replace(self, client=client)
