"""`replace_client`: a client leaves, and another one is started in its place, before the coordinator computes a target."""

from dataclasses import replace
from typing import Self

from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import clients
from holdfast.rollout.broker_streams.events.parts import scene as scenes
from holdfast.rollout.broker_streams.events.parts.fields import EMPTY, STATE, State
from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import codec_of, member, record


@record(defaults=True)
class ReplaceClient(BrokerEvent):
    """`state`: what the new client finds on its disk."""

    process_id: str = member(NAME)
    by: NewClient = member(codec_of(NewClient), "Without threads and member IDs it has as many threads as the old client.")
    state: State = member(STATE, default=EMPTY, omit=True)

    VERB = "replace_client"

    def applied(self, scene: Scene) -> Scene:
        left = scenes.gone(scene, scenes.members_of(scene, self.process_id))
        return clients.started(left, self.by, "by.")

    def comes(self) -> tuple[NewClient, str | None] | None:
        return self.by, self.process_id

    def drawn(self, client: NewClient) -> Self:
        return replace(self, by=client)

    def copied_disks(self) -> tuple[tuple[str, str], ...]:
        source = self.process_id if self.state.disk is Disk.KEPT else self.state.copied_from
        return () if source is None or self.by.process_id is None else ((self.by.process_id, source),)

    def lost_disks(self) -> tuple[str, ...]:
        return (self.process_id,) if self.state.disk is Disk.EMPTY and self.by.process_id == self.process_id else ()
