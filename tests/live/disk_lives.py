"""A client with every kind of store lives on one disk, again and again: it is started, fed, ended, and its disk is read.

Before each new start `holdfast snapshot` says what the client would report of that disk; the broker has what it then reported.
"""

import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.harness.kafka.broker import Broker
from tests.harness.kafka.maven import kafka_streams
from tests.harness.kafka.stores_app import Kind, StoresClient
from tests.live import observe

from holdfast.kafka.streams import membership
from holdfast.rollout.disks.state_directory import StateDirectory

STOP, KILL = "stop", "kill"
_AT_ONCE = 3  # clients side by side: each is a JVM
_JOIN_TIMEOUT_S = 300
_OF_KAFKA = re.compile(r"\.checkpoint.*|[0-9]+\.(sst|log|dbtmp)|(MANIFEST|OPTIONS)-[0-9]+(\.dbtmp)?|LOG.*|CURRENT|IDENTITY")

Sums = dict[str, int]
"""Task to offset sum, as a member reports it."""


@dataclass(frozen=True, slots=True)
class Life:
    """One start on the disk and its end, `STOP` or `KILL`. `fed`: whether records were written while it ran."""

    release: str
    end: str
    fed: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """Lives on one disk, one after the other; after each but the last a report is foretold and compared."""

    name: str
    guarantee: str
    lives: tuple[Life, ...]
    last_release: str

    @property
    def title(self) -> str:
        lives = ", ".join(f"{life.release} {life.end}{'' if life.fed else ' (not fed)'}" for life in self.lives)
        return f"{self.guarantee}: {lives}, {self.last_release} starts"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was foretold from the disk and what was reported then. `running` and `ended`: what was read of the disk.

    `left_behind`: files that are not Kafka's and were new after the disk of the running client was read. `errors`: what it logged
    as errors from then on until it ended.
    """

    title: str
    stores: Mapping[int, tuple[str, ...]]
    pid: int
    running: StateDirectory
    ended: StateDirectory
    foretold: Sums
    reported: Sums
    left_behind: tuple[str, ...]
    errors: tuple[str, ...]


def live(case: Case, bootstrap: str, folder: Path) -> list[Comparison]:
    """All lives of one case. Leaves no process behind."""
    client = StoresClient(Kind(case.lives[0].release, case.guarantee), case.name, bootstrap, folder)
    found: list[Comparison] = []
    releases = [*(life.release for life in case.lives[1:]), case.last_release]
    fed = 0
    try:
        client.create_topics()
        client.start()
        for number, (life, following) in enumerate(zip(case.lives, releases, strict=True), 1):
            client.wait_running()
            if life.fed:
                fed += 1
                client.feed(fed)
            pid, stores = client.pid, client.stores()
            before, logged = _files(client), len(client.errors())
            running = _read(client, folder, life.release, case.guarantee)
            left_behind = tuple(sorted(_files(client) - before))
            joined = observe.generations(bootstrap, client.application_id)[-1].number
            client.stop() if life.end == STOP else client.kill()
            errors = client.errors()[logged:]
            ended = _read(client, folder, following, case.guarantee)
            assert ended.first_report is not None
            foretold = {str(task): total for task, total in ended.first_report.task_offset_sums}
            client.start(following)
            client.wait_running()
            reported = _reported(bootstrap, client.application_id, joined)
            title = f"{case.title}; after life {number}"
            found.append(Comparison(title, stores, pid, running, ended, foretold, reported, left_behind, errors))
    finally:
        client.kill()
    return found


def live_all(cases: Sequence[Case], folder: Path) -> dict[str, list[Comparison] | Exception]:
    """Side by side on one broker, by name. Where one fails, its error replaces its comparisons."""
    for release in dict.fromkeys(life.release for case in cases for life in case.lives):
        kafka_streams(release)  # one after the other: Maven's repository takes one writer

    def attempt(case: Case) -> list[Comparison] | Exception:
        try:
            return live(case, broker.bootstrap, folder / case.name)
        except Exception as trouble:  # noqa: BLE001 - the other cases are wanted all the same
            return trouble

    at_once = {"group.initial.rebalance.delay.ms": "0"}
    with Broker(folder / "broker", properties=at_once) as broker, ThreadPoolExecutor(_AT_ONCE) as pool:
        done = list(pool.map(attempt, cases))
    return {case.name: found for case, found in zip(cases, done, strict=True)}


def _files(client: StoresClient) -> set[str]:
    """All that is on its disk and is not written by Kafka Streams and RocksDB themselves, at times of their own."""
    files = (file.relative_to(client.state_directory) for file in client.state_directory.rglob("*"))
    return {str(file) for file in files if not _OF_KAFKA.fullmatch(file.name)}


def _read(client: StoresClient, folder: Path, release: str, guarantee: str) -> StateDirectory:
    """The disk, through the command that an operator has. `release`: of the application that is to be started on it."""
    properties = folder / "application.properties"
    properties.write_text(f"processing.guarantee={guarantee}\n", encoding="utf-8")
    given = ["--bootstrap-server", client.bootstrap, "--group", client.application_id, "--kafka-release", release]
    given += ["--app-config", str(properties), "--state-dir", str(client.state_directory)]
    (directory,) = observe.snapshot_of(given, folder).state_directories
    return directory


def _reported(bootstrap: str, group_id: str, since: int) -> Sums:
    """The report of the only member of the first generation after number `since`."""
    ends_at = time.monotonic() + _JOIN_TIMEOUT_S
    while True:
        later = [one for one in observe.generations(bootstrap, group_id) if one.number > since and one.members]
        if later:
            (member,) = later[0].members
            decoded = membership.decode(member.member_id, member.subscription, member.assignment)
            return {str(task): total for task, total in sorted(decoded.joined_sums)}
        if time.monotonic() > ends_at:
            raise TimeoutError(f"{group_id}: no generation after {since} within {_JOIN_TIMEOUT_S} s")
        time.sleep(0.3)
