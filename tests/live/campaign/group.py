"""A drawn application on a broker of its own, as one `Run`: its clients, what each was started with, its records."""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic
from tests.harness.kafka.broker import Broker
from tests.harness.kafka.streams_app import StreamsClient, drawn_program
from tests.live import observe
from tests.live.campaign import slow_restores
from tests.live.campaign.drawing import Case
from tests.live.experiment import Experiment, Run

from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.snapshot.snapshot import Generation, Snapshot

_KEYS = 50
_QUIET_S = 3
_DATA_TIMEOUT_S = 180


class _Slow(Experiment):
    """Whose restores are slow: tasks of one client wait for each other."""

    @property
    def settle_timeout_s(self) -> float:
        return super().settle_timeout_s + slow_restores.WAITS_S

    @property
    def running_within_s(self) -> float:
        return super().running_within_s + slow_restores.WAITS_S


class DrawnRun(Run):
    """`started_with`: the settings of each running client, by process ID. `gone`: clients that ended, whose disks are there.
    `topology`: a file with what the application prints of it; None: it was not needed."""

    def __init__(self, case: Case, broker: Broker, folder: Path) -> None:
        experiment = (_Slow if case.slow else Experiment)(
            case.release,
            case.process_ids,
            partitions=sum(case.topics.values()),
            threads=case.threads,
            max_warmup_replicas=int(case.settings["max.warmup.replicas"]),
            application_id=case.application_id,
            input_topic=next(iter(case.topics)),
            static=case.static,
            others=case.settings,
        )
        super().__init__(experiment, broker.bootstrap, folder)
        self.case, self.broker = case, broker
        self.application = replace(self.application, program=drawn_program(case.parts))
        self.policy = Policy()
        self.started_with: dict[str, Mapping[str, str]] = {}
        self.gone: dict[str, StreamsClient] = {}
        self.topology: Path | None = None

    def roll_out(self, settings: Mapping[str, str]) -> None:
        """What clients are started with from now on."""
        self.application = replace(self.application, settings=dict(self.application.settings) | dict(settings))

    def loaded(self, process_id: str, before: StreamsClient | None = None) -> StreamsClient:
        self.started_with[process_id] = self.application.settings
        return super().loaded(process_id, before)

    def snapshot(self) -> Snapshot:
        """With the disks of clients that are gone: one that comes back brings its own. Where it stays unknown which tasks keep
        state, the application's topology is given, as the answer asks for."""
        disks = [one.state_directory for one in (*self.clients.values(), *self.gone.values())]
        given = list(dict.fromkeys(disks))
        found = observe.snapshot(self.application, given, self.folder, self.topology)
        if self.topology is None and any(task.changelogs is None for task in found.tasks):
            self.topology = next(iter(self.clients.values())).folder / "streams.properties.topology"
            found = observe.snapshot(self.application, given, self.folder, self.topology)
        return found

    def settled(self, since: int) -> tuple[Generation, ...]:
        return self._settled(since)

    def feed(self, generator: random.Random, records: int, *, once: bool = False) -> None:
        """Write as many records into each topic, and return once the group has committed them and is quiet. `once`: no key comes
        twice."""
        producer = KafkaProducer(bootstrap_servers=self.application.bootstrap, enable_idempotence=False)
        try:
            for topic in self.case.topics:
                for number in range(records):
                    key, value = (b"k%d" % (_KEYS + number if once else generator.randrange(_KEYS)) for _ in range(2))
                    producer.send(topic, key=key, value=value)
        finally:
            producer.close()
        self._await_quiet()

    def _create_input(self) -> None:
        admin = KafkaAdminClient(bootstrap_servers=self.application.bootstrap)
        try:
            admin.create_topics(
                [NewTopic(name, num_partitions=many, replication_factor=1) for name, many in self.case.topics.items()]
            )
        finally:
            admin.close()

    def _count_words(self) -> None:
        """The first records, once the group is there."""
        self.feed(self.case.generator, self.case.records)
        if self.case.slow:
            self.feed(self.case.generator, slow_restores.RECORDS, once=True)
            self.policy = slow_restores.slow_down(self.broker, self.case.broker, self.snapshot(), self.case.generator)

    def _await_quiet(self) -> None:
        """Everything that was written is committed, and neither end nor committed offsets change for some seconds."""
        application = self.application
        consumer = KafkaConsumer(
            bootstrap_servers=application.bootstrap, group_id=application.application_id, enable_auto_commit=False
        )
        deadline, seen, since = time.monotonic() + _DATA_TIMEOUT_S, None, time.monotonic()
        try:
            while time.monotonic() < deadline:
                now = self._offsets(consumer)
                if now != seen:
                    seen, since = now, time.monotonic()
                elif time.monotonic() - since >= _QUIET_S and self._read(now):
                    return
                time.sleep(0.5)
        finally:
            consumer.close()
        raise TimeoutError(f"the group has not read its topics within {_DATA_TIMEOUT_S} s\n{self.logs()}")

    def _offsets(self, consumer: KafkaConsumer) -> Mapping[TopicPartition, tuple[int, int]]:
        """End and committed offset of each partition of its topics, changelogs among them."""
        own = f"{self.application.application_id}-"
        topics = sorted(name for name in consumer.topics() if name in self.case.topics or name.startswith(own))
        partitions = [TopicPartition(name, one) for name in topics for one in sorted(consumer.partitions_for_topic(name) or ())]
        ends = consumer.end_offsets(partitions)
        changelogs = {one for one in partitions if one.topic.endswith("-changelog")}
        return {one: (ends[one], 0 if one in changelogs else consumer.committed(one) or 0) for one in partitions}

    def _read(self, offsets: Mapping[TopicPartition, tuple[int, int]]) -> bool:
        """A global table's topic is read by each client alone, and committed by none."""
        globals_ = {name for name in self.case.topics if name.endswith("-global-other")}
        own = (one for one in offsets if one.topic in self.case.topics and one.topic not in globals_)
        return all(offsets[one][0] == offsets[one][1] for one in own)


def newest(generations: Sequence[Generation]) -> int:
    return generations[-1].number if generations else 0
