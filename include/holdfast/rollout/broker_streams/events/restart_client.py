"""`restart_client`: a client is stopped and started again, with new members: every start makes new member IDs."""

from dataclasses import replace
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import clients, fields
from holdfast.rollout.broker_streams.events.parts import scene as scenes
from holdfast.rollout.broker_streams.events.parts.fields import LEAVES
from holdfast.rollout.broker_streams.events.parts.new_client import MEMBER_IDS, NEW_PROCESS_ID, NewClient, threads_fit
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.json.codec import BOOLEAN, NAME, nullable
from holdfast.rollout.json.kafka_codecs import THREADS
from holdfast.rollout.json.record import member, record


def _fits_together(event: "RestartClient") -> None:
    if event.keeps_process_id and event.new_process_id not in (None, event.process_id):
        raise InvalidInput("a client that keeps its process ID takes no new one: set keeps_process_id to false", "new_process_id")
    threads_fit(NewClient(threads=event.threads, member_ids=event.member_ids))
    fields.needs_to_leave(event.leaves, event.within_interval)


@record(check=_fits_together, defaults=True)
class RestartClient(BrokerEvent):
    """`new_process_id` None with `keeps_process_id` false: a new random one."""

    process_id: str = member(NAME)
    leaves: bool = member(LEAVES, default=True, omit=True)
    within_interval: bool = member(
        BOOLEAN.described("True: it leaves and is back before the coordinator computes the next target."), default=False, omit=True
    )
    keeps_process_id: bool = member(BOOLEAN, default=True, omit=True)
    keeps_state: bool = member(BOOLEAN, default=True, omit=True)
    new_process_id: str | None = member(NEW_PROCESS_ID, default=None, omit=True)
    threads: int | None = member(nullable(THREADS), default=None, omit=True)
    member_ids: tuple[str, ...] | None = member(MEMBER_IDS, default=None, omit=True)

    VERB = "restart_client"

    def applied(self, scene: Scene) -> Scene:
        found = scenes.members_of(scene, self.process_id)
        if not self.leaves:
            return self._started(scenes.ended(scene, found))
        left = scenes.gone(scene, found)
        return self._started(left) if self.within_interval else left

    def returned(self, scene: Scene) -> Scene:
        return self._started(scene) if self.leaves and not self.within_interval else scene

    def _started(self, scene: Scene) -> Scene:
        return clients.started(scene, self._client(), "new_" if self.new_process_id is not None else "")

    def _client(self) -> NewClient:
        process_id = self.process_id if self.keeps_process_id else self.new_process_id
        return NewClient(process_id=process_id, threads=self.threads, member_ids=self.member_ids)

    def comes(self) -> tuple[NewClient, str | None] | None:
        return self._client(), self.process_id

    def drawn(self, client: NewClient) -> Self:
        new = None if self.keeps_process_id else client.process_id
        return replace(self, new_process_id=new, threads=client.threads, member_ids=client.member_ids)

    def copied_disks(self) -> tuple[tuple[str, str], ...]:
        new = self.process_id if self.keeps_process_id else self.new_process_id
        return ((new, self.process_id),) if self.keeps_state and new is not None else ()

    def lost_disks(self) -> tuple[str, ...]:
        return () if self.keeps_state else (self.process_id,)
