"""The deploys that are priced, as scripts for the whole coordinators: the group before its move, the move, and one deploy, with the
IDs of a draw; and what the coordinator's targets moved."""

import itertools
import random
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tests.conformance.coordinator.changes import named
from tests.conformance.coordinator.targets import Case

from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.kafka.coordinator.consumer.release import behaviour as of_consumers
from holdfast.kafka.coordinator.release import behaviour as of_streams
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.events import add_consumer, remove_consumer, restart_consumer
from holdfast.rollout.broker_streams.events import add_client, remove_client, restart_client
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedTopic, ConsumerSnapshot
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.kinds.moving.prevented import standbys_of
from holdfast.rollout.kinds.protocols.comparison import Applied, DeployKind
from holdfast.rollout.kinds.protocols.consumers_by_broker import ConsumersByBroker
from holdfast.rollout.kinds.protocols.groups_by_broker import GroupByBroker
from holdfast.rollout.kinds.protocols.side import Drawn
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

LONG_MS, SHORT_MS = 15_000, 1_000
SESSION_MS, BEAT_MS = 45_000, 15_000
LOG = 50_000
"""Records in each changelog."""


class Script:
    """What members do, one after the other."""

    def __init__(self, interval_ms: int) -> None:
        self.steps: list[Case] = []
        self.alive: dict[str, None] = {}
        self._interval_ms = interval_ms

    def do(self, what: str, **more: Any) -> None:
        self.steps.append({"do": what, **more})

    def beat(self) -> None:
        """So that what is revoked is handed over, and reported."""
        for _ in range(6):
            for member in self.alive:
                self.do("heartbeat", id=member)

    def calm(self) -> None:
        """The assignment interval is over."""
        self.do("sleep", ms=self._interval_ms + 1)

    def target(self) -> None:
        self.calm()
        self.beat()

    def leave(self, members: Sequence[str], *, static: bool = False) -> None:
        for one in members:
            self.do("stop" if static else "leave", id=one)
            del self.alive[one]

    def expire(self, members: Sequence[str]) -> None:
        """They are stopped permanently: their sessions end, and those of the others go on."""
        self.leave(members, static=True)
        for _ in range(SESSION_MS // BEAT_MS + 1):
            self.do("sleep", ms=BEAT_MS)
            for one in self.alive:
                self.do("heartbeat", id=one)

    def join(self, member: str, **more: Any) -> None:
        self.do("join", id=member, **more)
        self.alive[member] = None


class PricedConsumers:
    """`clients`: the instance ID that each member has at the end of the move; None: it is dynamic."""

    def __init__(self, chance: random.Random, release: str, deploy: DeployKind, *applied: Applied) -> None:
        self._release, self._deploy, self._applied, self._draw = release, deploy, applied, chance.randrange(1_000)
        self._topics = {f"t{number}": chance.randint(4, 30) for number in range(chance.choice((1, 1, 3)))}
        self._ids = [f"app-{uuid.UUID(int=chance.getrandbits(128), version=4)}" for _ in range(chance.choice((3, 4, 5, 6, 9)))]
        self._apart = len(self._topics) > 1 and chance.random() < 0.7
        self._subscribed = [self._topics_of(chance) for _ in self._ids]
        static, self._on_host = chance.choice((0, 0, 0.5, 1)), chance.choice((1, 1, 2))
        self._instances = [f"i-{number}" if chance.random() < static else None for number in range(len(self._ids))]
        long = Applied.LONG_INTERVAL in applied
        self._interval_ms = LONG_MS if long else SHORT_MS
        self._play(self._side(dict.fromkeys(self._ids, ()), {}))

    def _topics_of(self, chance: random.Random) -> tuple[str, ...]:
        """What a consumer subscribes to."""
        if not self._apart:
            return tuple(self._topics)
        return tuple(sorted(chance.sample(list(self._topics), chance.randint(1, len(self._topics)))))

    def _side(self, owned: Mapping[str, tuple[TopicPartition, ...]], topic_ids: Mapping[str, int]) -> ConsumersByBroker:
        members = tuple(
            Member(
                one,
                (Assignor.COOPERATIVE_STICKY,),
                self._subscribed[number],
                owned[one],
                1,
                group_instance_id=self._instances[number],
                client_id="app",
                host=f"host-{number // self._on_host}",
            )
            for number, one in enumerate(self._ids)
        )
        topics = tuple(
            ConsumedTopic(name, tuple(ConsumedPartition((None,), 0, 1, 1) for _ in range(count)))
            for name, count in self._topics.items()
        )
        snapshot = ConsumerSnapshot("", "shop", None, "consumer-classic", "Stable", "4.3.1", "4.3.1", 1, None, members, topics)
        return ConsumersByBroker(snapshot, self._release, Policy(), 5, *self._applied, topic_ids=topic_ids)

    def _play(self, side: ConsumersByBroker) -> None:
        script = self._script = Script(self._interval_ms)
        assignor = str(side.applied[0])
        more: Case = {"assignor": assignor, "regex": None, "rack": "r1"}
        self._reads = dict(zip(self._ids, self._subscribed, strict=True))
        for one in self._ids:
            script.join(one, instance=None, topics=list(self._reads[one]), **more)
        script.target()
        script.target()
        self.begins = len(script.steps) - 1
        _, moving = side.moving(side.start_of(self._draw))
        settled, change = side.deployed(self._deploy, self._draw)
        instances = {one.member_id: one.instance_id for one in settled.members}
        self._same: dict[str, str] = {}
        for event in moving.statements():
            assert isinstance(event, restart_consumer.RestartConsumer)
            self._restart(event, instances, more, static=False)
        script.target()
        self.settled = len(script.steps) - 1
        self._same = {}
        for rests, events in itertools.groupby(change.events, key=lambda one: one == Then(Wait.STABLE)):
            if not rests:
                self._at_once(list(events), instances, more)
        script.target()

    def _restart(
        self, event: restart_consumer.RestartConsumer, instances: Mapping[str, str | None], more: Case, *, static: bool
    ) -> None:
        script, new = self._script, str(event.new_member_id)
        self._same[new] = self._same.get(event.member_id, event.member_id)
        self._reads[new] = self._reads[event.member_id]
        script.leave([event.member_id], static=static)
        instance = instances.get(event.member_id) if static else instances.get(new)
        if not (event.within_interval or static):
            script.target()
            script.calm()
        script.join(new, instance=instance, topics=list(self._reads[new]), **more)
        script.target()

    def _at_once(self, events: Sequence[object], instances: Mapping[str, str | None], more: Case) -> None:
        """Those that go, then those that come."""
        script = self._script
        gone = [one.member_id for one in events if isinstance(one, remove_consumer.RemoveConsumer)]
        script.leave([one for one in gone if instances.get(one) is None])
        if any(instances.get(one) is not None for one in gone):
            script.target()
            script.expire([one for one in gone if instances.get(one) is not None])
        script.calm()
        for event in events:
            if isinstance(event, restart_consumer.RestartConsumer):
                self._restart(event, instances, more, static=instances.get(event.member_id) is not None)
            elif isinstance(event, add_consumer.AddConsumer):
                new = event.consumer
                assert isinstance(new.subscription, tuple)
                script.join(str(new.member_id), instance=new.instance_id, topics=list(new.subscription), **more)
        script.target()

    def __str__(self) -> str:
        reads, static = self._subscribed if self._apart else "all", sum(one is not None for one in self._instances)
        of_each = f"{len(self._ids)} consumers ({static} static) that read {reads}, {self._on_host} on a host"
        return f"{self._deploy}, {[str(one) for one in self._applied]}, {of_each}, {self._topics}"

    @property
    def script(self) -> Case:
        key = "group.consumer.assignment.interval.ms"
        config = {key: self._interval_ms} if of_consumers(self._release).has_interval else {}
        return {"config": config, "topics": [list(one) for one in self._topics.items()], "steps": self._script.steps}

    def price(self, shown: Sequence[Case], ids: Mapping[str, str]) -> Drawn:
        """Holdfast's, from who read what before the move."""
        from holdfast.rollout.json.kafka_codecs import TOPIC_ID

        before = shown[self.begins]["members"]
        owned = {name: tuple(TopicPartition(*one) for one in _each(before[name]["target"])) for name in self._ids}
        side = self._side(owned, {name: TOPIC_ID.read(one) for name, one in ids.items()})
        (found,) = side.drawn(self._deploy, self._draw)
        return found

    def counted(self, shown: Sequence[Case]) -> tuple[int, int]:
        """The moves and the targets of the deploy."""
        targets = [_readers(one, self._same) for one in _after_targets(shown[self.settled :])]
        return _moves(_readers(shown[self.settled], self._same), targets), len(targets)


def _each(owned: list[Any]) -> Iterator[tuple[str, int]]:
    return ((topic, number) for topic, numbers in owned for number in numbers)


def _readers(shown: Case, same: Mapping[str, str]) -> dict[object, str]:
    return {part: same.get(name, name) for name, one in shown["members"].items() for part in _each(one["target"])}


def _after_targets(shown: Sequence[Case]) -> Iterator[Case]:
    """What was described after each step that computed one."""
    for before, after in itertools.pairwise(shown):
        if after["members"] and after["assignment epoch"] != before["assignment epoch"]:
            yield after


def _moves(before: dict[object, str], targets: Sequence[dict[object, str]]) -> int:
    courses = [before, *targets]
    return sum(one.get(part, owner) != owner for one, other in itertools.pairwise(courses) for part, owner in other.items())


class Counted(NamedTuple):
    """As the fields of `Drawn`."""

    moves: int
    rebalances: int
    cold_moves: int
    restored_records: int


class PricedStreams:
    """A classic group that moves, and one deploy of it."""

    def __init__(self, chance: random.Random, snapshot: Snapshot, release: str, deploy: DeployKind, *applied: Applied) -> None:
        self._draw = chance.randrange(1_000)
        self._subtopologies, self._deploy = _subtopologies(snapshot), deploy
        self._has_interval = of_streams(release).has_interval
        self._side = GroupByBroker(snapshot, release, Policy(), 5, *applied)
        self._interval_ms = LONG_MS if Applied.LONG_INTERVAL in applied else SHORT_MS
        self._standbys = standbys_of(snapshot) + (Applied.MORE_STANDBYS in applied)
        self._members: dict[str, list[str]] = {}
        self._processes: dict[str, None] = {}
        self._reports = of_streams(release).offsets_count
        self._play()

    def _play(self) -> None:
        script = self._script = Script(self._interval_ms)
        settled, change = self._side.deployed(self._deploy, self._draw)
        before = self._side.moved(self._draw)
        script.do("classic", members=["classic"])
        script.do("classic", members=[])
        self._instances = {one.member_id: one.instance_id for one in settled.members if one.instance_id is not None}
        for client in before.starts():
            self._start(str(client.process_id), client.member_ids or ())
        script.do("sleep", ms=3_001)
        script.beat()
        script.target()
        self.settled = len(script.steps) - 1
        for item in change.events:
            if not isinstance(item, Then):
                self._event(item)
        script.target()

    def _start(self, process: str, members: Sequence[str], *, alone: bool = False) -> None:
        self._members[process] = list(members)
        self._processes[process] = None
        for number, one in enumerate(members):
            more = {"reports": "disk"} if self._reports else {}
            if one in self._instances:
                more["instance"] = self._instances[one]
            self._script.join(one, process=process, **more)
            if alone and number == 0:
                self._script.beat()

    def _event(self, event: object) -> None:
        script = self._script
        if isinstance(event, restart_client.RestartClient):
            old, new = self._members.pop(event.process_id), event.member_ids or ()
            static = old[0] in self._instances
            self._instances |= {one: self._instances[before] for one, before in zip(new, old, strict=True) if static}
            script.leave(old, static=static)
            if not event.within_interval:
                script.target()
            if event.first_thread_alone:
                script.calm()
            self._start(event.process_id, new, alone=bool(event.first_thread_alone))
        elif isinstance(event, add_client.AddClient):
            client = event.client
            script.calm()
            self._start(str(client.process_id), client.member_ids or (), alone=bool(client.first_thread_alone))
        else:
            assert isinstance(event, remove_client.RemoveClient)
            gone = self._members.pop(event.process_id)
            (script.expire if gone[0] in self._instances else script.leave)(gone)
        script.target()

    def __str__(self) -> str:
        of_each = f"{self._side.members()} clients ({len(self._instances)} static threads), {self._standbys} standbys"
        return f"{self._deploy}, {[str(one) for one in self._side.applied]}, {of_each}, {self._subtopologies}"

    @property
    def script(self) -> Case:
        config: Case = {"group.streams.initial.rebalance.delay.ms": 3_000, "group.streams.num.standby.replicas": self._standbys}
        if self._has_interval:
            config["group.streams.assignment.interval.ms"] = self._interval_ms
        script = {"config": config, "subtopologies": self._subtopologies, "steps": self._script.steps}
        if self._reports:
            script |= {"disks": {process: {} for process in self._processes}, "end offset": LOG, "offsets after": self.settled}
        return script

    def price(self) -> Drawn:
        (found,) = self._side.drawn(self._deploy, self._draw)
        return found

    def counted(self, shown: Sequence[Case]) -> Counted:
        """What the targets of the deploy move, and what is restored for them: copies that a disk has never had, in full."""
        stateful = frozenset(name for name, _, has_state in self._subtopologies if has_state)
        first, *targets = (_copies(one, stateful) for one in (shown[self.settled], *_after_targets(shown[self.settled :])))
        has = {*first[0], *first[1]}
        runs, moves, cold, restored = dict(first[0]), 0, 0, 0
        for running, others in targets:
            moved = {(task, process) for task, process in running if runs.get(task, process) != process}
            moves, cold = moves + len(moved), cold + len(moved - has)
            restored += LOG * len({*running, *others} - has)
            has |= {*running, *others}
            runs = dict(running)
        return Counted(moves, len(targets), cold, restored)


def _copies(shown: Case, stateful: frozenset[str]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Who is to run each stateful task, and who has a standby of it."""

    def of(role: str) -> list[tuple[str, str]]:
        each = ((task, one["process"]) for one in shown["members"].values() for task in named(one["target"])[role])
        return [(task, process) for task, process in each if task.split("_")[0] in stateful]

    return of("active"), of("standby")


def _subtopologies(snapshot: Snapshot) -> list[list[Any]]:
    found: dict[int, list[Any]] = {}
    for one in snapshot.tasks:
        number = one.id.subtopology
        found[number] = [str(number), found.get(number, ["", 0])[1] + 1, one.stateful]
    return list(found.values())
