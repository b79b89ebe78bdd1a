"""Records the groups that the examples and the tests use, from real brokers and real Streams clients:

    python -m tests.live.record example      examples/streams-wordcount: the published group, C having joined A and B
    python -m tests.live.record generations  tests/unit/recorded: all that the groups of the live experiment did

Names of this machine do not get in: the clients' hosts are called app-0, app-1, …, in the order in which they joined.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tests.harness.kafka.broker import Broker
from tests.harness.kafka.streams_app import PROCESS_METADATA, StreamsClient
from tests.live.experiment import Experiment, Record, Run, perform, perform_all

from holdfast.rollout.json.strict import FORMAT_VERSION, dumps
from holdfast.rollout.streams.snapshot.json import snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

CHECKOUT = Path(__file__).resolve().parents[2]
EXAMPLE = CHECKOUT / "examples" / "streams-wordcount"
RECORDED = CHECKOUT / "tests" / "unit" / "recorded"
RELEASES = ("2.7.2", "3.9.1", "4.3.1")
_CLUSTER = "local"
_ASSIGNOR = {"internal.task.assignor.class": "org.apache.kafka.streams.processor.internals.assignment.HighAvailabilityTaskAssignor"}
"""Kafka's default, written out, so that the recorded group is explicit."""
_KEPT_FILES = (PROCESS_METADATA, ".checkpoint", "CURRENT")
"""Small and text: who the client is, where its stores are, and one file of RocksDB, so that a store is seen to be there."""


def example() -> None:
    """The stable group of three clients, its hosts' state directories, and the change that `bin/try` plans for."""
    experiment = Experiment("2.7.2", max_warmup_replicas=2, others=_ASSIGNOR)
    with tempfile.TemporaryDirectory(prefix="holdfast-record-") as folder, Broker(Path(folder) / "broker") as broker:
        run = Run(experiment, broker.bootstrap, Path(folder))
        try:
            run.start()
            joined = run.step("join", {"add_client": {"process_id": experiment.joins, "threads": 2}}, comes=experiment.joins)
            _copy_state_directories(run.clients.values())
        finally:
            run.stop()
    snapshot = _renamed(joined.after, run.clients.values())
    by = {"process_id": experiment.last, "threads": 2, "host": f"app-{len(run.clients)}"}
    event = {"replace_client": {"process_id": experiment.joins, "by": by, "state": "empty"}}
    _write(EXAMPLE / "snapshot.json", snapshot_to_json(snapshot))
    _write(EXAMPLE / "change.json", {"format_version": FORMAT_VERSION, "events": [event]})


def generations() -> None:
    """Every rebalance of the experiment's steps, each release's next to the group at the end."""
    experiments = [Experiment.beside_others(release) for release in RELEASES]
    with tempfile.TemporaryDirectory(prefix="holdfast-record-") as folder:
        records = perform_all([(experiment, perform) for experiment in experiments], Path(folder))
    for record in records:
        if isinstance(record, Exception):
            raise record
        _write_generations(record)


def _write_generations(record: Record) -> None:
    """The end offsets are the same in all of them: those of the first deploy, before any record, are left out."""
    done = tuple(generation for step in record.steps for generation in step.generations)
    end = record.steps[-1].after
    kept = replace(end, cluster=_CLUSTER, generations=done, state_directories=(), unknown=(), topics=())
    RECORDED.mkdir(parents=True, exist_ok=True)
    (RECORDED / f"streams-{record.experiment.release}.json").write_text(dumps(snapshot_to_json(kept)), encoding="utf-8")


def _renamed(snapshot: Snapshot, clients: Iterable[StreamsClient]) -> Snapshot:
    """With `app-0`, … for the hosts and `hosts/app-0/…` for the state directories: all ran on one machine, in a passing folder."""
    names = {client.process_id: f"app-{number}" for number, client in enumerate(clients)}
    return replace(
        snapshot,
        cluster=_CLUSTER,
        clients=tuple(replace(client, host=names[str(client.process_id)]) for client in snapshot.clients),
        state_directories=tuple(
            replace(directory, url=f"hosts/{names[str(directory.process_id)]}/{snapshot.group_id}")
            for directory in snapshot.state_directories
        ),
    )


def _copy_state_directories(clients: Iterable[StreamsClient]) -> None:
    hosts = EXAMPLE / "hosts"
    shutil.rmtree(hosts, ignore_errors=True)
    for number, client in enumerate(clients):
        here = hosts / f"app-{number}" / client.application.application_id
        for path in sorted(client.state_directory.rglob("*")):
            if path.is_file() and path.name in _KEPT_FILES:
                kept = here / path.relative_to(client.state_directory)
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, kept)


def _write(path: Path, document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    {"example": example, "generations": generations}[sys.argv[1]]()
