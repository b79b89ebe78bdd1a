"""One broker, and the experiment on every release side by side: each a group of its own, all watched at once.

`HOLDFAST_LIVE_…` repeats it with other figures: `RELEASES` and `FIRST` (process IDs), both comma-separated, `JOINS`, `LAST`,
`PARTITIONS`, `THREADS`, `WARMUPS`, `PROBING_MS`; and `STATIC_RELEASES`, for the group of static members.
"""

import os
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.live import static_group
from tests.live.experiment import Experiment, Record, perform, perform_all

DEFAULT_RELEASES = ("2.7.2", "3.9.1", "4.3.1")
STATIC_RELEASES = tuple(os.environ.get("HOLDFAST_LIVE_STATIC_RELEASES", "3.9.1").split(","))


def releases() -> tuple[str, ...]:
    given = os.environ.get("HOLDFAST_LIVE_RELEASES")
    return tuple(given.split(",")) if given else DEFAULT_RELEASES


def experiment(release: str) -> Experiment:
    """The published experiment, with what the environment says instead."""
    published = Experiment.beside_others(release)

    def given(name: str, otherwise: object) -> str:
        return os.environ.get(f"HOLDFAST_LIVE_{name}") or str(otherwise)

    return replace(
        published,
        first=tuple(given("FIRST", ",".join(published.first)).split(",")),
        joins=given("JOINS", published.joins),
        last=given("LAST", published.last),
        partitions=int(given("PARTITIONS", published.partitions)),
        threads=int(given("THREADS", published.threads)),
        max_warmup_replicas=int(given("WARMUPS", published.max_warmup_replicas)),
        probing_rebalance_interval_ms=int(given("PROBING_MS", published.probing_rebalance_interval_ms)),
    )


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Record | Exception]:
    """What each release's group did; or why there is no record, for that release's tests to raise."""
    performances = [(experiment(release), perform) for release in releases()]
    performances += [(static_group.experiment(release), static_group.perform) for release in STATIC_RELEASES]
    found = perform_all(performances, tmp_path_factory.mktemp("live"))
    return dict(zip((*releases(), *map(static_group.name, STATIC_RELEASES)), found, strict=True))


@pytest.fixture(params=releases())
def record(request: pytest.FixtureRequest, records: Mapping[str, Record | Exception]) -> Record:
    """The record of one release."""
    return _found(records[request.param])


@pytest.fixture(params=STATIC_RELEASES)
def static_record(request: pytest.FixtureRequest, records: Mapping[str, Record | Exception]) -> Record:
    """That of a group of static members."""
    return _found(records[static_group.name(request.param)])


def _found(record: Record | Exception) -> Record:
    if isinstance(record, Exception):
        raise record
    return record
