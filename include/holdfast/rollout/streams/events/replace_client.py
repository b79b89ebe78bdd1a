"""`replace_client`: a client is stopped, and another one started in its place."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, Self, assert_never

from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.contract.batches import FromOld
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.kafka_codecs import PROCESS_ID
from holdfast.rollout.json.record import codec_of, gathered, member, record, record_of
from holdfast.rollout.json.shapes import Shape
from holdfast.rollout.streams.events.event import About, Before, Event, Name, Statement, StepContext
from holdfast.rollout.streams.events.parts import fields as shared
from holdfast.rollout.streams.events.parts import members, new_client
from holdfast.rollout.streams.events.parts.fields import LATE
from holdfast.rollout.streams.events.parts.new_client import NewClient
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.scene.static_members import is_static
from holdfast.rollout.streams.snapshot import named_clients
from holdfast.rollout.streams.snapshot.named_clients import Known
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.snapshot.stores import keeps_ids
from holdfast.rollout.streams.steps import client_drafts
from holdfast.rollout.streams.steps.client_drafts import PROCESS_FILE, in_time
from holdfast.rollout.streams.steps.drafts import Draft
from holdfast.rollout.streams.steps.identity import Identity
from holdfast.rollout.streams.steps.steps import CopyStateDirectory, StartClient


class _Copied(NamedTuple):
    copied_from: ProcessId


_COPIED = record_of(_Copied, copied_from=member(PROCESS_ID))


def _disk(value: object) -> Disk:
    if value in (Disk.EMPTY.value, Disk.KEPT.value):
        return Disk(value)
    if not isinstance(value, dict):
        raise strict.mismatch('"empty", "kept" or {"copied_from": "<process id>"}', value)
    _COPIED.read(value)
    return Disk.COPIED


def _state() -> Shape:
    by_name = shapes.closed({"copied_from_client": shared.NAMED})
    return shapes.either(shapes.one_of((Disk.EMPTY, Disk.KEPT)), _COPIED.shape(), by_name)


def _state_to_json(event: "ReplaceClient") -> object:
    return str(event.disk) if event.copied_from is None else _COPIED.write(_Copied(event.copied_from))


def _copied_from(content: object) -> ProcessId | None:
    state = content.get("state") if isinstance(content, dict) else None
    return shared.unchecked_id(state.get("copied_from")) if isinstance(state, dict) else None


@record(defaults=True)
class ReplaceClient(Event):
    """`copied_from` says whose disk was copied, where `disk` is COPIED. `late`: as in `RestartClient`."""

    process_id: ProcessId = member(PROCESS_ID)
    by: NewClient = member(
        codec_of(NewClient), "What is left out of host, rack, client_tags and threads is that of the old client."
    )
    disk: Disk = member(Codec(_disk, str, _state), name="state", default=Disk.EMPTY, write=_state_to_json)
    copied_from: ProcessId | None = gathered(_copied_from, default=None)
    late: bool = member(LATE, default=False, omit=True)

    # JSON.

    VERB = "replace_client"
    ABOUT = About.ONE_CLIENT

    @classmethod
    def known_after(cls, content: Mapping[str, object], present: list[Known]) -> list[Known]:
        by = content.get("by")
        if not isinstance(by, dict):
            return present
        old = shared.unchecked_id(content.get("process_id"))
        host = next((one.host for one in present if one.process_id == old), None)
        new = named_clients.coming(shared.unchecked_id(by.get("process_id")), shared.unchecked_text(by.get("host")) or host)
        return [*shared.without(present, content), new]

    def threads_made(self) -> int:
        return self.by.threads or 1

    # In words.

    def sentence(self, name: Name) -> str:
        copied = f"a copy of the disk of {name(self.copied_from)}" if self.copied_from is not None else "a copied disk"
        disk = {Disk.EMPTY: "an empty disk", Disk.KEPT: "the old disk", Disk.COPIED: copied}[self.disk]
        at = new_client.at_host(self.by)
        return f"replace {name(self.process_id)} by a new client{at} with {disk}{new_client.given(self.by)}"

    def title(self, host: Name) -> tuple[str, str]:
        old, new = host(self.process_id), new_client.short_host(self.by)
        return "replace", f"{old} by {new if new and new != old else 'a new client'}"

    # Process IDs.

    def draws_id(self) -> bool:
        return self.by.process_id is None

    def with_id(self, process_id: ProcessId) -> Self:
        return replace(self, by=replace(self.by, process_id=process_id))

    def without_disk(self) -> Statement:
        drawn = None if self.by.process_id == self.process_id else self.by.process_id
        return replace(self, by=replace(self.by, process_id=drawn), disk=Disk.EMPTY, copied_from=None)

    def keeping_id(self) -> Statement:
        return replace(self, by=replace(self.by, process_id=self.process_id))

    def keeping_disk(self) -> Statement:
        return replace(self, by=replace(self.by, process_id=self.process_id), disk=Disk.KEPT) if self.loses_disk() else self

    def wiped(self) -> Statement:
        return replace(self, disk=Disk.EMPTY, copied_from=None)

    def returning_late(self) -> Statement:
        return replace(self, late=True)

    def returning_unseen(self, snapshot: Snapshot) -> Statement:
        old = snapshot.client(self.process_id)
        if self.late or self.disk is Disk.COPIED or self.by.member_ids is not None or old is None or not is_static(old):
            return self
        if self.by.threads not in (None, len(old.consumers)):
            return self
        same = self.by.process_id == self.process_id
        return RestartClient(
            self.process_id,
            keeps_process_id=same,
            new_process_id=None if same else self.by.process_id,
            keeps_state=self.disk is Disk.KEPT,
            within_session=True,
        )

    def loses_disk(self) -> bool:
        return self.disk is Disk.EMPTY

    def new_ids(self) -> tuple[ProcessId | None, ...]:
        return (self.by.process_id,)

    def displaced(self) -> tuple[ProcessId, ...]:
        return (self.process_id,)

    def gone_and_came(self) -> tuple[tuple[ProcessId, ...], tuple[ProcessId | None, ...]]:
        return (self.process_id,), (self.by.process_id,)

    # Its effect.

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:
        old = members.still_there(scene, self.process_id, before.scene)
        assert self.by.process_id is not None, "random IDs are drawn before"
        rest = members.without(outage.missed(scene, old, self.by.process_id), old)
        members.refuse_present(rest, self.by.process_id)
        return members.joined(rest, new_client.made(rest, self.by, old, self._disk(old, before, reports)))

    def _disk(self, old: Client, before: Before, reports: Reports) -> members.OffsetSums:
        """What the new client finds on its disk."""
        match self.disk:
            case Disk.EMPTY:
                return ()
            case Disk.KEPT:
                return reports.on_disk(old)
            case Disk.COPIED:
                assert self.copied_from is not None, "a copy has a source"
                return reports.on_disk(members.client_of(before.scene, self.copied_from, "state.copied_from"))
            case _:
                assert_never(self.disk)

    def begins_anew(self, clients: tuple[Client, ...]) -> tuple[ProcessId, ...]:  # noqa: ARG002 - as every event
        return () if self.by.process_id is None else (self.by.process_id,)

    def moves_tasks(self) -> bool:
        return True

    # As it takes time.

    def comes_back(self) -> ProcessId | None:
        return self.process_id

    def is_late(self) -> bool:
        return self.late

    def may_be_late(self) -> bool:
        return True

    def session_ends(self) -> bool:
        return True

    def starts(self) -> int:
        return 1

    # What it costs.

    def joining(self) -> NewClient | None:
        return self.by

    def on_another_disk(self) -> tuple[ProcessId | None, ...]:
        return () if self.disk is Disk.KEPT else (self.by.process_id,)

    # Its steps.

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:
        snapshot, old = context.snapshot, context.snapshot.client(self.process_id)
        old_host = old.host if old else None
        host = old_host if isinstance(self.by.host, FromOld) else self.by.host
        threads = self.by.threads or (len(old.consumers) if old else 1)
        start = StartClient(self.by.process_id, threads, host)
        soon = client_drafts.soon(snapshot, "the stop of the old client")
        undo = f"Stop it, delete {PROCESS_FILE} on its disk (not on the old one), and start the old client again on the old disk."
        if self.late:
            soon = client_drafts.missed(snapshot)
        stop = client_drafts.stop(snapshot, self.process_id, has_successor=not self.late)
        drafts = [stop, client_drafts.start(start, soon, undo)]
        if context.identity is Identity.DISK:
            drafts.append(client_drafts.copy(CopyStateDirectory(self.process_id, old_host, host), in_time(snapshot)))
        elif self.by.process_id is not None and self.disk is not Disk.KEPT and keeps_ids(snapshot):
            source = self.process_id if self.by.process_id == self.process_id else None
            drafts.append(client_drafts.write(WriteProcessMetadata(self.by.process_id, host, source)))
        return tuple(drafts)
