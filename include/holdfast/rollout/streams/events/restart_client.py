"""`restart_client`: a client is stopped and started again where it was.

With static membership (KIP-345) it may return before its session times out: no rebalance, and the assignment it had. The broker
answers its JoinGroup with what it has stored; its new report, and a new process ID, wait for the next rebalance.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.group import Client, Consumer
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.json.codec import BOOLEAN, nullable
from holdfast.rollout.json.kafka_codecs import PROCESS_ID, THREADS
from holdfast.rollout.json.record import member, record
from holdfast.rollout.streams.events.event import About, Before, Event, Name, Statement, StepContext
from holdfast.rollout.streams.events.parts import fields as shared
from holdfast.rollout.streams.events.parts import members
from holdfast.rollout.streams.events.parts.fields import (
    LATE,
    MEMBER_IDS,
    NEW_ID,
    WITHIN_SESSION,
    not_late_in_time,
    one_member_a_thread,
)
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.scene.static_members import is_static, static_in
from holdfast.rollout.streams.snapshot import named_clients
from holdfast.rollout.streams.snapshot.named_clients import Known
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.snapshot.stores import keeps_ids
from holdfast.rollout.streams.steps import client_drafts
from holdfast.rollout.streams.steps.client_drafts import in_time
from holdfast.rollout.streams.steps.drafts import Draft
from holdfast.rollout.streams.steps.identity import Identity
from holdfast.rollout.streams.steps.steps import CopyStateDirectory, RestartInPlace, StartClient
from holdfast.rollout.text.format import many


def _fits_together(event: "RestartClient") -> None:
    if event.keeps_process_id and event.new_process_id not in (None, event.process_id):
        raise InvalidInput("a client that keeps its process ID takes no new one: set keeps_process_id to false", "new_process_id")
    one_member_a_thread(event.member_ids, event.threads)
    not_late_in_time(late=event.late, within_session=event.within_session)


@record(check=_fits_together, defaults=True)
class RestartClient(Event):
    """`new_process_id` None with `keeps_process_id` false: a fresh random one.

    `within_session`: its members are static and return before their session times out, so that no rebalance happens: they get the
    assignment that the broker has of them. None: not given; a Forecast counts the rebalance, a Plan assumes that static members
    return in time (`usual`), and both say what happens otherwise. `late`: it is away for longer than its session lasts, so that the
    group rebalances without it until it is stable, and again when it is back.
    """

    process_id: ProcessId = member(PROCESS_ID)
    keeps_process_id: bool = member(BOOLEAN, default=True)
    keeps_state: bool = member(BOOLEAN, default=True)
    new_process_id: ProcessId | None = member(NEW_ID, default=None, omit=lambda event: event.keeps_process_id)
    threads: int | None = member(nullable(THREADS), default=None, omit=True)
    member_ids: tuple[str, ...] | None = member(MEMBER_IDS, default=None, omit=True)
    within_session: bool | None = member(WITHIN_SESSION, default=None, omit=True)
    late: bool = member(LATE, default=False, omit=True)

    # JSON.

    VERB = "restart_client"
    ABOUT = About.ONE_CLIENT

    @classmethod
    def known_after(cls, content: Mapping[str, object], present: list[Known]) -> list[Known]:
        if content.get("keeps_process_id") is not False:
            return present
        old, new = (shared.unchecked_id(content.get(field)) for field in ("process_id", "new_process_id"))
        return [named_clients.coming(new, one.host, one.names) if one.process_id == old else one for one in present]

    def threads_made(self) -> int:
        return self.threads or 1

    # In words.

    def sentence(self, name: Name) -> str:
        drawn = ", its process ID lost" if self.new_process_id is None else f", under process ID {self.new_process_id}"
        given = [] if self.threads is None else [f" with {many(self.threads, 'thread')}"]
        given += [] if self.keeps_process_id else [drawn]
        given += [] if self.keeps_state else [", its state lost"]
        given += [", back within its session"] if self.within_session else []
        given += [f", as {', '.join(self.member_ids)}"] if self.member_ids else []
        return f"restart {name(self.process_id)}{''.join(given)}"

    def title(self, host: Name) -> tuple[str, str]:
        return "restart", host(self.process_id)

    # Process IDs.

    def comes_back_as(self) -> ProcessId | None:
        """The ID under which it returns. None: a new random one."""
        return self.process_id if self.keeps_process_id else self.new_process_id

    def draws_id(self) -> bool:
        return self.comes_back_as() is None

    def restarts_as_it_was(self) -> ProcessId | None:
        as_it_was = self.keeps_process_id and self.keeps_state and self.threads is None and self.member_ids is None
        return self.process_id if as_it_was and not self.within_session and not self.late else None

    def keeps_ids_and_threads(self) -> bool:
        return self.keeps_process_id and self.threads is None and self.member_ids is None

    def with_id(self, process_id: ProcessId) -> Self:
        return replace(self, new_process_id=process_id)

    def without_disk(self) -> Statement:
        new = None if self.keeps_process_id else self.new_process_id
        return replace(self, keeps_process_id=False, new_process_id=new, keeps_state=False)

    def keeping_id(self) -> Statement:
        return replace(self, keeps_process_id=True, new_process_id=None)

    def keeping_disk(self) -> Statement:
        return self if self.keeps_state else replace(self, keeps_process_id=True, new_process_id=None, keeps_state=True)

    def wiped(self) -> Statement:
        return replace(self, keeps_state=False)

    def returning_late(self) -> Statement:
        return replace(self, within_session=None, late=True)

    def returning_unseen(self, snapshot: Snapshot) -> Statement:
        as_it_was = not self.late and self.threads is None and self.member_ids is None
        if not as_it_was or self.within_session or not static_in(snapshot, self.process_id):
            return self
        return replace(self, within_session=True)

    def loses_disk(self) -> bool:
        return not self.keeps_state

    def new_ids(self) -> tuple[ProcessId | None, ...]:
        return (self.comes_back_as(),)

    def displaced(self) -> tuple[ProcessId, ...]:
        return () if self.keeps_process_id and self.keeps_state else (self.process_id,)

    def gone_and_came(self) -> tuple[tuple[ProcessId, ...], tuple[ProcessId | None, ...]]:
        return ((), ()) if self.keeps_process_id else ((self.process_id,), (self.new_process_id,))

    def renamed(self) -> tuple[tuple[ProcessId, ProcessId], ...]:
        kept = self.keeps_state and not self.keeps_process_id and self.new_process_id is not None
        return ((self.new_process_id, self.process_id),) if kept and self.new_process_id is not None else ()

    # Its effect.

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:
        old = members.still_there(scene, self.process_id, before.scene)
        process_id = self.comes_back_as()
        assert process_id is not None, "random IDs are drawn before"
        if process_id != old.process_id and process_id not in before.left:
            members.refuse_present(scene, process_id)
        if self.within_session:
            back = self._returned(old, process_id, reports, scene)
            leads = process_id if scene.leader_process_id == old.process_id else scene.leader_process_id  # the broker keeps it
            clients = tuple(back if client is old else client for client in scene.clients)
            return replace(scene, clients=clients, leader_process_id=leads)
        consumers = self._members(scene, old, process_id)
        if self.keeps_state:
            consumers = members.with_disk(consumers, reports.on_disk(old))
        restarted = replace(old, process_id=process_id, consumers=consumers)
        clients = tuple(restarted if client is old else client for client in scene.clients)
        return replace(outage.missed(scene, old, process_id), clients=clients)

    def _members(self, scene: Scene, old: Client, process_id: ProcessId) -> tuple[Consumer, ...]:
        """The old member IDs unless others are given, or are needed for other threads. Nothing is on their disk yet."""
        named = self.member_ids
        if self.threads is not None and named is None and self.threads != len(old.consumers):
            named = members.member_ids_of(scene.group_id, process_id, self.threads)
        if named is None:
            found = tuple(replace(consumer, owned=(), task_offset_sums=()) for consumer in old.consumers)
        else:
            found = self._renamed_members(scene, old, process_id, named)
        if self.threads is not None and self.threads != len(found):
            raise InvalidInput(f"{self.threads} threads need as many member IDs, {len(found)} were found", "member_ids")
        return found

    def _renamed_members(self, scene: Scene, old: Client, process_id: ProcessId, named: tuple[str, ...]) -> tuple[Consumer, ...]:
        count = len(old.consumers)
        if len(named) != count and named != members.member_ids_of(scene.group_id, process_id, len(named)):
            raise InvalidInput(
                f"one member ID a thread is needed ({count}), {len(named)} were found; `threads` changes that", "member_ids"
            )
        members.refuse_members_present(members.without(scene, old), named)
        return members.new_members(named, members.ITS_OWN if is_static(old) else None)

    def _returned(self, old: Client, process_id: ProcessId, reports: Reports, scene: Scene) -> Client:
        """The client as it would report once it runs what it ran: those tasks are running again.

        A copy that was there for another reason stays as it was; without the state it is gone, for which of them were standbys, and
        how far those have come again, cannot be observed.
        """
        dynamic = [consumer.member_id for consumer in old.consumers if consumer.group_instance_id is None]
        if dynamic:
            raise InvalidInput(
                f"{dynamic[0]} has no group.instance.id: a dynamic member rejoins, which is a rebalance", "within_session"
            )
        if self.threads not in (None, len(old.consumers)) or self.member_ids is not None:
            raise InvalidInput("it returns with the members it had; leave `threads` and `member_ids` out", "within_session")
        stateful = {task.id: task.partitions for task in scene.tasks if task.stateful}
        consumers = []
        for consumer in old.consumers:
            running = {task for task, partitions in stateful.items() if any(one in consumer.owned for one in partitions)}
            sums: dict[TaskId, int] = dict.fromkeys(running, LATEST_OFFSET)
            if self.keeps_state:
                kept = ((task, total) for task, total in consumer.task_offset_sums if not reports.is_lost(task))
                sums = {task: reports.closed(task, total) for task, total in kept} | sums
            consumers.append(replace(consumer, task_offset_sums=tuple(sorted(sums.items()))))
        return replace(old, process_id=process_id, consumers=tuple(consumers))

    def begins_anew(self, clients: tuple[Client, ...]) -> tuple[ProcessId, ...]:  # noqa: ARG002 - as every event
        if self.within_session and self.keeps_state:
            return ()
        return (self.comes_back_as() or self.process_id,)

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
        return not self.within_session

    def returns_unseen(self) -> bool:
        return bool(self.within_session)

    def unseen_returns(self, endpoints: frozenset[ProcessId]) -> frozenset[ProcessId]:  # noqa: ARG002 - as every event
        return frozenset({self.process_id}) if self.within_session else frozenset()

    def starts(self) -> int:
        return 1

    def restarts(self, clients: int) -> int:  # noqa: ARG002 - as every event
        return 1

    # Its steps.

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:
        snapshot, old = context.snapshot, context.snapshot.client(self.process_id)
        host = old.host if old else None
        start = StartClient(self.comes_back_as(), self.threads or (len(old.consumers) if old else 1), host)
        as_before = "Not needed: the client runs as before."
        if self.late:
            stop = client_drafts.stop(snapshot, self.process_id, has_successor=False)
            return (stop, client_drafts.start(start, client_drafts.missed(snapshot), as_before))
        if context.identity is Identity.AS_IT_COMES:
            in_place = RestartInPlace(self.process_id, host, self.comes_back_as(), self.keeps_state)
            return (client_drafts.restart(in_place, in_time(snapshot)),)
        soon = client_drafts.soon(snapshot, "its stop")
        stop = client_drafts.stop(snapshot, self.process_id, has_successor=True)
        drafts = [stop, client_drafts.start(start, soon, as_before)]
        back = self.comes_back_as()
        if context.identity is Identity.DISK:
            drafts.append(client_drafts.copy(CopyStateDirectory(self.process_id, host, host), in_time(snapshot)))
        elif back is not None and keeps_ids(snapshot):
            replaces = self.process_id if self.keeps_state and back != self.process_id else None
            drafts.append(client_drafts.write(WriteProcessMetadata(back, host, self.process_id, replaces)))
        return tuple(drafts)
