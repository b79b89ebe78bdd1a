"""The published experiment on real Streams clients: a group is changed step by step, and everything it did is recorded.

Before each change a snapshot is taken and the forecast is made from it; after it the group is awaited. What the record says is
judged by the tests. Process IDs, partition count, threads and settings are the fields of `Experiment`.
"""

import math
import string
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from uuid import UUID

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic
from tests.harness.kafka.broker import Broker
from tests.harness.kafka.maven import kafka_streams
from tests.harness.kafka.streams_app import Application, StreamsClient
from tests.live import observe

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Forecast
from holdfast.rollout.streams.snapshot import replay
from holdfast.rollout.streams.snapshot.snapshot import Generation, Snapshot

WORDS = tuple(string.ascii_lowercase)
"""Each once: 26 records of the repartition topic and as many of the changelog; 2, 2, 8, 6, 4, 4 over six, as published."""
_STEADY_S = 3
_DATA_TIMEOUT_S = 300
_FIRST_DEPLOY_DELAY_MS = 3_000  # the members of a first deploy, started together, shall meet in one rebalance


@dataclass(frozen=True, slots=True)
class Experiment:
    """The published one by default. `first` start the group, `joins` joins, `last` replaces the member that sorts first."""

    release: str
    first: tuple[str, ...] = ("4b61083e-57d0-457d-951f-d06556c148ca", "7156cef1-307e-49c0-a5bb-0f11d26a4933")
    joins: str = "bbb83e43-b1af-4b2d-a60a-94a7091684d0"
    last: str = "7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21"
    partitions: int = 6
    threads: int = 2
    max_warmup_replicas: int = 6
    probing_rebalance_interval_ms: int = 60_000
    application_id: str = "streams-wordcount"
    input_topic: str = "streams-plaintext-input"
    static: bool = False
    """Whether each client has a `group.instance.id`."""
    others: Mapping[str, str] = field(default_factory=dict)
    """More of the application's settings, which are Kafka's defaults otherwise."""

    @classmethod
    def beside_others(cls, release: str) -> Self:
        """Under names of its own, so that several releases can share a broker."""
        return cls(release, application_id=f"streams-wordcount-{release}", input_topic=f"streams-plaintext-input-{release}")

    @property
    def settings(self) -> Mapping[str, str]:
        """The application's settings that decide its assignment, under Kafka's names."""
        return {
            "acceptable.recovery.lag": "0",
            "num.standby.replicas": "0",
            "max.warmup.replicas": str(self.max_warmup_replicas),
            "probing.rebalance.interval.ms": str(self.probing_rebalance_interval_ms),
        } | dict(self.others)

    @property
    def settle_timeout_s(self) -> float:
        """Long enough for every task to move in probing rebalances, on a slow machine."""
        rounds = math.ceil(self.partitions / self.max_warmup_replicas) + 2
        return 120 + rounds * self.probing_rebalance_interval_ms / 1000

    @property
    def running_within_s(self) -> float:
        """In which a client has restored all that it is given at once, on a slow machine."""
        return 300


@dataclass(frozen=True, slots=True)
class Step:
    """One change, what was known and forecast before it, what the group did, and its state afterwards."""

    name: str
    change: dict[str, object]
    before: Snapshot
    forecast: Forecast
    generations: tuple[Generation, ...]
    after: Snapshot
    seconds: float

    @property
    def rebalances(self) -> tuple[Generation, ...]:
        """Those that the change made: from the first in which all the members of the end took part."""
        members = process_ids(self.generations[-1])
        complete = [process_ids(generation) == members for generation in self.generations]
        return self.generations[complete.index(True) :]


@dataclass(frozen=True, slots=True)
class Record:
    """All that one group did."""

    experiment: Experiment
    started: tuple[Generation, ...]
    """The rebalances of the first deploy, when no changelog had a record."""
    steps: tuple[Step, ...]

    def step(self, name: str) -> Step:
        return next(step for step in self.steps if step.name == name)


class Run:
    """A group in progress: its clients by process ID, each in a folder of its own below `folder`."""

    def __init__(self, experiment: Experiment, bootstrap: str, folder: Path) -> None:
        self.experiment = experiment
        self.folder = folder
        self.application = Application(
            experiment.release,
            experiment.application_id,
            bootstrap,
            experiment.input_topic,
            experiment.settings,
        )
        self.clients: dict[str, StreamsClient] = {}
        self._ever: list[StreamsClient] = []

    def start(self) -> tuple[Generation, ...]:
        """The first clients join together; once they are settled, the words are written and counted."""
        self._create_input()
        for process_id in self.experiment.first:
            self.clients[process_id] = self.loaded(process_id)
        for client in self.clients.values():
            client.go()
        generations = self._settled(since=0)
        self._count_words()
        return generations

    def step(self, name: str, *events: dict[str, object], leaves: str | None = None, comes: str | None = None) -> Step:
        """`leaves` closes cleanly just before `comes` joins with an empty disk."""
        newcomer = self.loaded(comes) if comes else None

        def change_hands() -> None:
            if newcomer:
                newcomer.wait_loaded()
            if leaves:
                self.clients.pop(leaves).stop()
            if newcomer and comes:
                newcomer.go()
                self.clients[comes] = newcomer

        return self.observed(name, events, change_hands)

    def observed(
        self,
        name: str,
        events: Sequence[dict[str, object]],
        change_hands: Callable[[], None],
        *,
        undisturbed_s: float | None = None,
    ) -> Step:
        """Snapshot, forecast, change, await, snapshot. `undisturbed_s`: no rebalance is awaited, but this time in which one would
        come."""
        before = self.snapshot()
        change: dict[str, object] = {"format_version": "1.0", "events": list(events)}
        foretold = forecast.forecast(before, change_from_json(change))
        since = self.generations()[-1].number
        began = time.monotonic()
        change_hands()
        generations = self._settled(since) if undisturbed_s is None else self._undisturbed(since, undisturbed_s)
        return Step(name, change, before, foretold, generations, self.snapshot(), time.monotonic() - began)

    def snapshot(self) -> Snapshot:
        return observe.snapshot(self.application, [client.state_directory for client in self.clients.values()], self.folder)

    def generations(self) -> tuple[Generation, ...]:
        return observe.generations(self.application.bootstrap, self.application.application_id)

    def first_in_order(self) -> str:
        """The process ID that sorts first, as Java sorts."""
        return str(min(ProcessId.of(UUID(process_id)) for process_id in self.clients))

    def stop(self) -> None:
        """Leave no process, whatever state the clients are in."""
        for client in (*self._ever, *self.clients.values()):
            client.kill()

    def logs(self) -> str:
        """The ends of the logs of the running clients, for a failure's message."""
        return "\n".join(client.log_tail() for client in self.clients.values())

    def loaded(self, process_id: str, before: StreamsClient | None = None) -> StreamsClient:
        """`before`: the client whose disk and instance ID it takes over."""
        folder = self.folder / f"client-{len(self._ever) + 1}-{process_id[:8]}"
        threads = before.threads if before else self.experiment.threads
        instance = before.instance if before else f"host-{len(self._ever) + 1}" if self.experiment.static else None
        disk = before.disk if before else None
        client = StreamsClient(self.application, folder, threads=threads, process_id=process_id, disk=disk, instance=instance)
        self._ever.append(client)
        client.load()
        return client

    def _settled(self, since: int) -> tuple[Generation, ...]:
        """The generations after number `since`, once the last has all clients' threads and asks no member to rejoin."""
        expected = {process_id: client.threads for process_id, client in self.clients.items()}
        for client in self.clients.values():
            client.wait_running(self.experiment.running_within_s)
        deadline = time.monotonic() + self.experiment.settle_timeout_s
        steady_since, seen = time.monotonic(), 0
        while True:
            found = tuple(generation for generation in self.generations() if generation.number > since)
            if found and found[-1].number != seen:
                steady_since, seen = time.monotonic(), found[-1].number
            if found and process_ids(found[-1]) == expected and replay.leaders_decision(found[-1]).settled:
                if time.monotonic() - steady_since >= _STEADY_S:
                    return found
            elif time.monotonic() > deadline:
                last = f"the last was {found[-1].number}, with {process_ids(found[-1])}" if found else "there was none"
                raise TimeoutError(
                    f"{self.experiment.release}: no settled generation after {since} with {expected} within "
                    f"{self.experiment.settle_timeout_s:g} s; {last}.\n{self.logs()}"
                )
            time.sleep(1)

    def _undisturbed(self, since: int, seconds: float) -> tuple[Generation, ...]:
        """The generations after number `since`, once every member runs and this time has passed."""
        for client in self.clients.values():
            client.wait_running(self.experiment.running_within_s)
        time.sleep(seconds)
        return tuple(generation for generation in self.generations() if generation.number > since)

    def _create_input(self) -> None:
        admin = KafkaAdminClient(bootstrap_servers=self.application.bootstrap)
        try:
            topic = NewTopic(self.application.input_topic, num_partitions=self.experiment.partitions, replication_factor=1)
            admin.create_topics([topic])
        finally:
            admin.close()

    def _count_words(self) -> None:
        """Write the words, and return once each is in the changelog and its offset committed."""
        producer = KafkaProducer(bootstrap_servers=self.application.bootstrap, enable_idempotence=False)  # KRaft of 2.8 has none
        try:
            for word in WORDS:
                producer.send(self.application.input_topic, key=word.encode(), value=word.encode())
        finally:
            producer.close()
        consumer = KafkaConsumer(
            bootstrap_servers=self.application.bootstrap, group_id=self.application.application_id, enable_auto_commit=False
        )
        partitions = range(self.experiment.partitions)
        changelogs = [TopicPartition(self.application.changelog_topic, number) for number in partitions]
        repartition = [TopicPartition(self.application.repartition_topic, number) for number in partitions]
        deadline = time.monotonic() + _DATA_TIMEOUT_S
        try:
            while True:
                counted = sum(consumer.end_offsets(changelogs).values())
                committed = sum(consumer.committed(one) or 0 for one in repartition)
                if (counted, committed) == (len(WORDS), len(WORDS)):
                    return
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{counted} words counted and {committed} committed of {len(WORDS)}.\n{self.logs()}")
                time.sleep(0.5)
        finally:
            consumer.close()


def process_ids(generation: Generation) -> dict[str, int]:
    """The process IDs of a generation's members and how many members each has."""
    members = (observe.process_id(member) for member in generation.members)
    return dict(Counter(str(process_id) for process_id in members))


def perform(experiment: Experiment, bootstrap: str, folder: Path) -> Record:
    """The whole experiment on a broker. Leaves no process behind, whatever happens."""
    run = Run(experiment, bootstrap, folder)
    try:
        started = run.start()
        steps = [_own_metadata(run, "own metadata"), _join(run), _sorts_last(run), _own_metadata(run, "own metadata again")]
    finally:
        run.stop()
    return Record(experiment, started, tuple(steps))


Performance = Callable[[Experiment, str, Path], Record]


def perform_all(performances: Sequence[tuple[Experiment, Performance]], folder: Path) -> list[Record | Exception]:
    """All of them side by side on one broker. Where one fails, its error replaces its record."""
    for experiment, _ in performances:
        kafka_streams(experiment.release)  # one after the other: Maven's repository takes one writer

    def attempt(performance: tuple[Experiment, Performance]) -> Record | Exception:
        experiment, perform = performance
        try:
            return perform(experiment, broker.bootstrap, folder / experiment.application_id)
        except Exception as trouble:  # noqa: BLE001 - the other records are wanted all the same
            return trouble

    delay = {"group.initial.rebalance.delay.ms": str(_FIRST_DEPLOY_DELAY_MS)}
    with Broker(folder / "broker", properties=delay) as broker, ThreadPoolExecutor(len(performances)) as pool:
        return list(pool.map(attempt, performances))


def _join(run: Run) -> Step:
    joins, threads = run.experiment.joins, run.experiment.threads
    return run.step("join", {"add_client": {"process_id": joins, "threads": threads}}, comes=joins)


def _sorts_last(run: Run) -> Step:
    return _replace(run, "sorts last", run.first_in_order(), run.experiment.last)


def _own_metadata(run: Run, name: str) -> Step:
    first = run.first_in_order()
    return _replace(run, name, first, first)


def _replace(run: Run, name: str, old: str, new: str) -> Step:
    by = {"process_id": new, "threads": run.experiment.threads}
    event: dict[str, object] = {"replace_client": {"process_id": old, "by": by, "state": "empty"}}
    return run.step(name, event, leaves=old, comes=new)
