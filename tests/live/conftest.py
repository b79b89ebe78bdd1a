"""One broker, and the experiment on every release side by side: each a group of its own, all watched at once.

`HOLDFAST_LIVE_…` repeats it with other figures: `RELEASES` and `FIRST` (process IDs), both comma-separated, `JOINS`, `LAST`,
`PARTITIONS`, `THREADS`, `WARMUPS`, `PROBING_MS`.
"""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.harness.broker import Broker
from tests.harness.maven import kafka_streams
from tests.live.experiment import Experiment, Record, perform

DEFAULT_RELEASES = ("2.7.2", "3.9.1", "4.3.1")
_FIRST_DEPLOY_DELAY_MS = 3_000  # the members of a first deploy, started together, shall meet in one rebalance


def releases() -> tuple[str, ...]:
    given = os.environ.get("HOLDFAST_LIVE_RELEASES")
    return tuple(given.split(",")) if given else DEFAULT_RELEASES


def experiment(release: str) -> Experiment:
    """The published experiment, with what the environment says instead."""
    published = Experiment(release, application_id=f"streams-wordcount-{release}")
    given = {name: os.environ.get(f"HOLDFAST_LIVE_{name}") for name in ("FIRST", "JOINS", "LAST", "PARTITIONS", "THREADS")}
    return Experiment(
        release=release,
        application_id=published.application_id,
        first=tuple((given["FIRST"] or ",".join(published.first)).split(",")),
        joins=given["JOINS"] or published.joins,
        last=given["LAST"] or published.last,
        partitions=int(given["PARTITIONS"] or published.partitions),
        threads=int(given["THREADS"] or published.threads),
        max_warmup_replicas=int(os.environ.get("HOLDFAST_LIVE_WARMUPS") or published.max_warmup_replicas),
        probing_rebalance_interval_ms=int(os.environ.get("HOLDFAST_LIVE_PROBING_MS") or published.probing_rebalance_interval_ms),
    )


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Record | Exception]:
    """What each release's group did; or why there is no record, for that release's tests to raise."""
    folder = tmp_path_factory.mktemp("live")
    for release in releases():
        kafka_streams(release)  # one after the other: Maven's repository takes one writer

    def attempt(release: str) -> Record | Exception:
        try:
            return perform(experiment(release), broker.bootstrap, folder / release)
        except Exception as trouble:  # noqa: BLE001 - the other releases' records are wanted all the same
            return trouble

    delay = {"group.initial.rebalance.delay.ms": str(_FIRST_DEPLOY_DELAY_MS)}
    with Broker(Path(folder) / "broker", properties=delay) as broker, ThreadPoolExecutor(len(releases())) as pool:
        return dict(zip(releases(), pool.map(attempt, releases()), strict=True))


@pytest.fixture(params=releases())
def record(request: pytest.FixtureRequest, records: Mapping[str, Record | Exception]) -> Record:
    """The record of one release."""
    found = records[request.param]
    if isinstance(found, Exception):
        raise found
    return found
