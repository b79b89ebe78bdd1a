"""Does a client report what its disk let us foretell? Real clients with every kind of store, stopped and killed, on one broker.

Always: three releases, with and without exactly-once, killed after their first life and after a clean stop, and one upgrade. The
whole matrix of docs/state-directory.md, and its table: `HOLDFAST_DISK_RELEASES=2.7.2,3.1.2,… pytest tests/live/test_disk_reports.py
-s`; each release (2.7 or later) is then also killed first, and upgraded to 4.3.1.
"""

import os
from collections.abc import Mapping

import pytest
from tests.live import disk_lives
from tests.live.disk_lives import KILL, STOP, Case, Comparison, Life

from holdfast.kafka.release import behaviour
from holdfast.kafka.vocabulary import OFFSET_UNKNOWN

pytestmark = pytest.mark.live

RELEASES = ("2.7.2", "3.9.1", "4.3.1")
NEWEST = "4.3.1"
GIVEN = os.environ.get("HOLDFAST_DISK_RELEASES")


def guarantees(release: str) -> tuple[str, ...]:
    """Exactly-once has had its present name since 3.0."""
    return ("at_least_once", "exactly_once_beta" if release.startswith("2.") else "exactly_once_v2")


def case(name: str, guarantee: str, *lives: Life, last: str) -> Case:
    kind = "eos" if guarantee.startswith("exactly_once") else "alos"
    return Case(f"{name}-{lives[0].release}-{kind}", guarantee, lives, last)


def always(release: str) -> list[Case]:
    """Ended cleanly, then killed with more records than its files know."""
    return [case("stop-kill", each, Life(release, STOP), Life(release, KILL), last=release) for each in guarantees(release)]


def further(release: str) -> list[Case]:
    """Killed before any clean end; and upgraded, after a clean end and after none."""
    found = [case("kill-stop", each, Life(release, KILL), Life(release, STOP), last=release) for each in guarantees(release)]
    if behaviour(release).closed_copy_counts_last_record or release.startswith("2."):
        return found
    for each in guarantees(release):
        found.append(case("upgrade", each, Life(release, STOP), Life(NEWEST, KILL), last=NEWEST))
        found.append(case("upgrade-killed", each, Life(release, KILL), Life(NEWEST, STOP, fed=False), last=NEWEST))
    return found


def cases() -> list[Case]:
    if GIVEN:
        return [each for release in GIVEN.split(",") for each in (*always(release), *further(release))]
    upgrades = [case("upgrade-killed", "exactly_once_v2", Life("3.9.1", KILL), Life(NEWEST, KILL, fed=False), last=NEWEST)]
    return [each for release in RELEASES for each in always(release)] + upgrades


CASES = cases()


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Comparison] | Exception]:
    return disk_lives.live_all(CASES, tmp_path_factory.mktemp("disks"))


@pytest.fixture(params=[each.name for each in CASES])
def comparisons(request: pytest.FixtureRequest, lived: Mapping[str, list[Comparison] | Exception]) -> list[Comparison]:
    found = lived[request.param]
    if isinstance(found, Exception):
        raise found
    return found


def test_a_client_reports_what_its_disk_foretold(comparisons: list[Comparison]) -> None:
    """Task by task: on disk, in segments, in memory, both, and a source topic that is its own changelog."""
    for one in comparisons:
        print(f"{one.title}: {one.reported}")
        assert one.reported == one.foretold, one.title
        assert one.ended.first_report is not None
        assert one.ended.first_report.doubts == (), one.title


def test_who_holds_the_lock_is_seen_and_when_nobody_does(comparisons: list[Comparison]) -> None:
    for one in comparisons:
        assert one.running.lock is not None
        assert (one.running.lock.held, one.running.lock.pid) == (True, one.pid), one.title
        assert one.running.first_report is not None
        assert any("a client runs on this disk" in doubt for doubt in one.running.first_report.doubts)
        assert one.ended.lock is not None
        assert (one.ended.lock.held, one.ended.lock.pid) == (False, None), one.title


def test_a_running_client_is_not_disturbed(comparisons: list[Comparison]) -> None:
    """Its open stores are read while it runs; it goes on, closes, and the next start finds what it left (the other tests)."""
    for one in comparisons:
        assert one.left_behind == (), one.title
        # Stores that a killed client left are thrown away under exactly-once, which Kafka Streams logs when it is up.
        assert not [line for line in one.errors if "TaskCorruptedException" not in line], one.title


def test_until_2_8_each_task_has_a_lock_of_its_own(comparisons: list[Comparison]) -> None:
    for one in comparisons:
        has_locks = "-2." in one.running.url.rpartition("/")[2]
        for task in one.running.tasks:
            assert (task.lock is not None) == has_locks, (one.title, task.task_id)
            if task.lock:
                assert (task.lock.held, task.lock.pid) == (True, one.pid)
        assert not any(task.lock and task.lock.held for task in one.ended.tasks)


def test_what_is_in_memory_only_leaves_nothing_to_report(comparisons: list[Comparison]) -> None:
    for one in comparisons:
        (memory,) = [number for number, stores in one.stores.items() if stores == ("memory",)]
        assert f"{memory}_0" not in one.reported
        assert not any(task.non_empty for task in one.ended.tasks if task.task_id.subtopology == memory)


def test_the_files_of_running_tasks_are_older_than_their_stores(comparisons: list[Comparison]) -> None:
    """Why evidence is compared: while a client runs, no file and no store on its disk says how far it is."""
    for one in comparisons:
        stopped = {task.task_id: dict(task.checkpoint or ()) for task in one.ended.tasks}
        for task in one.running.tasks:
            for changelog, offset in task.checkpoint or ():
                assert offset <= stopped[task.task_id].get(changelog, OFFSET_UNKNOWN), (one.title, changelog)
