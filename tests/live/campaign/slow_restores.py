"""Restores that take a minute or more: a quota makes them slow, so that probing rebalances find warm-ups still restoring.

With it a case also measures what is known of time: at a speed that is known, the number of rebalances and their times.
"""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from random import Random

from tests.harness.kafka.broker import Broker, java

from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.policy.rates import RateSource
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

OFTEN = 0.15
RECORDS = 3_000
"""Into each topic, each with a key of its own: as many updates of each store, whatever its cache holds back."""
SETTINGS: Mapping[str, str] = {
    "acceptable.recovery.lag": "10",
    "producer.batch.size": "1024",
    "restore.consumer.fetch.max.bytes": "4096",
    "restore.consumer.max.partition.fetch.bytes": "4096",
}
"""Small batches: the quota acts on whole ones."""
LONGEST_S, WAITS_S = 300, 600
_FASTER, _SLOWER = 1.5, 3
"""The quota is an average of ten seconds, and counts all of a response: how many times as high, and as low, the speed may be."""
_READER, _READS_AS_IT_LIKES = "holdfast", 2**30
"""The client ID of snapshots: what they read is no part of the group."""
_SECONDS = (40, 70, 90, 120)
"""That the largest task restores for."""


def drawn(seed: int, number: int) -> bool:
    """By a generator of its own: the same seed draws the same cases otherwise."""
    return Random(f"{seed}/{number}/slow").random() < OFTEN


def slow_down(broker: Broker, release: str, snapshot: Snapshot, generator: Random) -> Policy:
    """Set the quota; and a policy with the speed that follows: of one thread, so of a client with one."""
    logs = [log for task in snapshot.tasks for log in task.changelogs or ()]
    records = sum(log.end_offset or 0 for log in logs)
    of_disk = sum(_bytes(broker.folder / "data" / f"{log.topic}-{log.partition}") for log in logs)
    largest = max(sum(log.end_offset or 0 for log in task.changelogs or ()) for task in snapshot.tasks)
    speed = max(1, largest // generator.choice(_SECONDS))
    quota = max(1, round(speed * of_disk / max(1, records)))
    _limit(broker, release, _READS_AS_IT_LIKES, "--entity-name", _READER)
    _limit(broker, release, quota, "--entity-default")
    return Policy(
        restore_records_per_second=speed,
        restore_rate_source=RateSource.POLICY,
        restore_slowest=max(1, round(speed / _SLOWER)),
        restore_fastest=round(speed * _FASTER),
    )


def _limit(broker: Broker, release: str, bytes_per_second: int, *clients: str) -> None:
    command = [*java(release), "kafka.admin.ConfigCommand", "--bootstrap-server", broker.bootstrap, "--alter"]
    command += ["--add-config", f"consumer_byte_rate={bytes_per_second}", "--entity-type", "clients", *clients]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)


def _bytes(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.glob("*.log"))
