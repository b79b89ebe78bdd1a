"""`add_client`: one more client joins."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Self

from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.json.record import record, spread
from holdfast.rollout.streams.events.event import Before, Event, Name, StepContext
from holdfast.rollout.streams.events.parts import fields as shared
from holdfast.rollout.streams.events.parts import members, new_client
from holdfast.rollout.streams.events.parts.new_client import NewClient
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot import named_clients
from holdfast.rollout.streams.snapshot.named_clients import Known
from holdfast.rollout.streams.snapshot.stores import keeps_ids
from holdfast.rollout.streams.steps import client_drafts
from holdfast.rollout.streams.steps.drafts import Draft
from holdfast.rollout.streams.steps.identity import Identity
from holdfast.rollout.streams.steps.steps import StartClient


@record
class AddClient(Event):
    client: NewClient = spread(new_client.ADDED)

    VERB = "add_client"

    @classmethod
    def known_after(cls, content: Mapping[str, object], present: list[Known]) -> list[Known]:
        process_id, host = shared.unchecked_id(content.get("process_id")), shared.unchecked_text(content.get("host"))
        return [*present, named_clients.coming(process_id, host)]

    def threads_made(self) -> int:
        return self.client.threads or 1

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no present client
        return f"add a client{new_client.at_host(self.client)}{new_client.given(self.client)}"

    def title(self, host: Name) -> tuple[str, str]:  # noqa: ARG002 - names no present client
        return "add", new_client.short_host(self.client) or "a client"

    def draws_id(self) -> bool:
        return self.client.process_id is None

    def with_id(self, process_id: ProcessId) -> Self:
        return replace(self, client=replace(self.client, process_id=process_id))

    def new_ids(self) -> tuple[ProcessId | None, ...]:
        return (self.client.process_id,)

    def moves_tasks(self) -> bool:
        return True

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:  # noqa: ARG002 - as every event
        members.refuse_present(scene, self.client.process_id)
        disk = () if self.client.process_id is None else dict(scene.disks).get(self.client.process_id, ())
        return members.joined(scene, new_client.made(scene, self.client, None, disk))

    def gone_and_came(self) -> tuple[tuple[ProcessId, ...], tuple[ProcessId | None, ...]]:
        return (), (self.client.process_id,)

    def begins_anew(self, clients: tuple[Client, ...]) -> tuple[ProcessId, ...]:  # noqa: ARG002 - as every event
        return () if self.client.process_id is None else (self.client.process_id,)

    def starts(self) -> int:
        return 1

    def joining(self) -> NewClient | None:
        return self.client

    def on_another_disk(self) -> tuple[ProcessId | None, ...]:
        return (self.client.process_id,)

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:
        client = self.client
        host = client.host if isinstance(client.host, str) else None
        action = StartClient(client.process_id, client.threads or 1, host)
        start = client_drafts.start(action, "", "Stop it: the group returns to its present clients, with one more rebalance.")
        reads_id = keeps_ids(context.snapshot)
        if client.process_id is None or context.identity is Identity.DISK or not reads_id:
            return (start,)
        return (client_drafts.write(WriteProcessMetadata(client.process_id, host, None)), start)
