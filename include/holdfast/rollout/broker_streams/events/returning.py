"""What the events share by which a client that was stopped starts again, with or without its process ID and its state."""

from dataclasses import replace
from typing import Self

from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts.new_client import NewClient


class Returning(BrokerEvent):
    """`new_process_id` None with `keeps_process_id` false: a new random one. Who inherits declares these fields with their JSON."""

    __slots__ = ()

    process_id: str
    keeps_process_id: bool
    keeps_state: bool
    new_process_id: str | None
    threads: int | None
    member_ids: tuple[str, ...] | None
    first_thread_alone: bool | None

    def _starts_with(self) -> str | None:
        return self.process_id if self.keeps_process_id else self.new_process_id

    def _client(self) -> NewClient:
        return NewClient(self._starts_with(), self.threads, member_ids=self.member_ids, first_thread_alone=self.first_thread_alone)

    def comes(self) -> tuple[NewClient, str | None] | None:
        return self._client(), self.process_id

    def drawn(self, client: NewClient) -> Self:
        new = None if self.keeps_process_id else client.process_id
        alone = client.first_thread_alone
        return replace(self, new_process_id=new, threads=client.threads, member_ids=client.member_ids, first_thread_alone=alone)  # type: ignore[type-var]  # a record is a dataclass

    def copied_disks(self) -> tuple[tuple[str, str], ...]:
        new = self._starts_with()
        return ((new, self.process_id),) if self.keeps_state and new is not None else ()

    def lost_disks(self) -> tuple[str, ...]:
        return () if self.keeps_state else (self.process_id,)
