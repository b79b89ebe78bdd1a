"""`set_threads`: threads are added to a running client, or removed (`addStreamThread`, `removeStreamThread`; KIP-663)."""

import re
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.release import behaviour
from holdfast.kafka.streams.group import Client, Consumer
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json.kafka_codecs import PROCESS_ID, THREADS
from holdfast.rollout.json.record import member, record
from holdfast.rollout.streams.events.event import About, Before, Event, Name, StepContext
from holdfast.rollout.streams.events.parts import members
from holdfast.rollout.streams.events.parts.fields import MEMBER_IDS
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.scene.static_members import is_static
from holdfast.rollout.streams.steps.drafts import Draft, StepOrder
from holdfast.rollout.streams.steps.steps import ChangeThreads
from holdfast.rollout.text.format import host_or, many

_NUMBER = re.compile(r"-StreamThread-([0-9]{1,9})-consumer")


@record(defaults=True)
class SetThreads(Event):
    """Until it has this many (from 2.8). `member_ids`: those of the threads that come, or of those that go. None: new threads are
    numbered on, and those with the lowest numbers go first."""

    process_id: ProcessId = member(PROCESS_ID)
    threads: int = member(THREADS)
    member_ids: tuple[str, ...] | None = member(MEMBER_IDS, default=None, omit=True)

    # JSON.

    VERB = "set_threads"
    ABOUT = About.ONE_CLIENT

    def threads_made(self) -> int:
        return self.threads

    # In words.

    def sentence(self, name: Name) -> str:
        members = f" ({', '.join(self.member_ids)})" if self.member_ids else ""
        return f"give {name(self.process_id)} {many(self.threads, 'thread')}{members} while it runs"

    def title(self, host: Name) -> tuple[str, str]:
        return "give", f"{host(self.process_id)} {many(self.threads, 'thread')}"

    def moves_tasks(self) -> bool:
        return True

    # Its effect.

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:  # noqa: ARG002 - as every event
        client = members.client_of(scene, self.process_id)
        more = self.threads - len(client.consumers)
        if scene.kafka_release is not None and not behaviour(scene.kafka_release).threads_can_change:
            raise InvalidInput(
                f"Kafka Streams {scene.kafka_release} cannot add or remove threads while it runs (KIP-663 came with 2.8); use"
                " restart_client with `threads`",
                "threads",
            )
        if not more:
            raise InvalidInput(f"{self.process_id} has {self.threads} threads already", "threads")
        changed = self._with_more(scene, client, more) if more > 0 else self._with_fewer(client, reports)
        return replace(scene, clients=tuple(changed if one is client else one for one in scene.clients))

    def _with_more(self, scene: Scene, client: Client, more: int) -> Client:
        numbers = _free_numbers(client, more)
        came = self.member_ids or tuple(members.member_id_of(scene.group_id, self.process_id, number) for number in numbers)
        if len(came) != more:
            raise InvalidInput(f"{more} member IDs are needed, those of the new threads; {len(came)} were found", "member_ids")
        members.refuse_members_present(scene, came)
        instance = members.ITS_OWN if is_static(client) else None  # Kafka Streams names each thread's after the client's
        return replace(client, consumers=(*client.consumers, *members.new_members(came, instance)))

    def _with_fewer(self, client: Client, reports: Reports) -> Client:
        """Who stays owns and reports what it did. A thread that goes leaves the group and closes its copies: from then on the first
        member in member-ID order reports them."""
        gone = self._leaving(client)
        stay = tuple(one for one in client.consumers if one.member_id not in gone)
        known = {task for one in stay for task, _ in one.task_offset_sums}
        left: dict[TaskId, int] = {}
        for one in client.consumers:
            if one.member_id in gone:
                found = ((task, reports.left(task, total)) for task, total in one.task_offset_sums if task not in known)
                left |= {task: total for task, total in found if total is not None}
        first = min(stay, key=lambda one: java.string_order(one.member_id))
        heir = replace(first, task_offset_sums=tuple(sorted((dict(first.task_offset_sums) | left).items())))
        return replace(client, consumers=tuple(heir if one is first else one for one in stay))

    def _leaving(self, client: Client) -> tuple[str, ...]:
        """Kafka takes the thread that it started first; the numbers show which, unless a thread was added later."""
        count = len(client.consumers) - self.threads
        if self.member_ids is None:
            oldest = sorted(client.consumers, key=lambda one: (_number(one), java.string_order(one.member_id)))
            return tuple(one.member_id for one in oldest[:count])
        members = [one.member_id for one in client.consumers]
        missing = [member_id for member_id in self.member_ids if member_id not in members]
        if missing or len(self.member_ids) != count:
            raise InvalidInput(
                f"{count} of the client's members must be named, those that go; found: {', '.join(self.member_ids)}", "member_ids"
            )
        return self.member_ids

    # Its steps.

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:
        client = context.snapshot.client(self.process_id)
        host = client.host if client else None
        was = len(client.consumers) if client else 1
        method = "addStreamThread" if self.threads > was else "removeStreamThread"
        times = many(abs(self.threads - was), "time")
        draft = Draft(
            StepOrder.START,
            ChangeThreads(self.process_id, host, self.threads, was),
            Who.OPERATOR,
            f"The group is stable, and {self.process_id} has {many(was, 'stream thread')}.",
            f"{self.process_id} on {host_or(host, 'its host')} has {many(self.threads, 'stream thread')}, all of them running.",
            f"Return to {many(was, 'stream thread')} with the opposite call: tasks that moved return, rebalance by rebalance.",
            f"KafkaStreams#{method} is called {times} in the running process. Its share of the tasks depends on its threads.",
        )
        return (draft,)


def _free_numbers(client: Client, count: int) -> tuple[int, ...]:
    """The numbers that Kafka gives to `count` more threads: the lowest ones that no thread has."""
    taken = [_number(one) for one in client.consumers]
    return tuple(number for number in range(1, len(taken) + count + 1) if number not in taken)[:count]


def _number(consumer: Consumer) -> int:
    """A thread's number; one whose name does not say it counts as the last."""
    found = _NUMBER.search(consumer.client_id) or _NUMBER.search(consumer.member_id)
    return int(found[1]) if found else java.INT_MAX
