"""What the courses of a forecast share: segments of rebalances, and decisions, by the group that they are for."""

from dataclasses import replace

import pytest
from tests.harness.article import AFTER, group
from tests.harness.plans import read

from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment, Client, Group
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.forecast import segments
from holdfast.rollout.streams.forecast.segments import Decisions, Fingerprints, Passed, Segments, Start
from holdfast.rollout.streams.scene.assumptions import Assume, CatchUp
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.snapshot.groups import group_of


@pytest.fixture
def stable() -> Group:
    return group_of(read(group(AFTER)))


def at(here: Group, fingerprint: int = 1) -> Start:
    return Start(fingerprint, here, Wait.STABLE, Assume(), as_seen=False)


def decided(here: Group) -> Assignment:
    decision = leader.assign(here)
    assert isinstance(decision, Assignment)
    return decision


def passed(here: Group, rebalances: int) -> Passed:
    """The given number of immediate rebalances of the same group, and a last one."""
    found, decision = Passed(Reports(here, Assume())), decided(here)
    for number in range(rebalances):
        found.note(at(here, number), decision, None if number + 1 == rebalances else Trigger.IMMEDIATE)
    found.close(here.clients)
    return found


def without_reports(client: Client) -> Client:
    return replace(client, consumers=tuple(replace(one, owned=(), task_offset_sums=()) for one in client.consumers))


def test_segments_grow_with_what_lies_before_them(stable: Group) -> None:
    found = passed(stable, 20).segments

    assert [len(segment.asked) for _, segment in found] == [1, 1, 2, 4, 8, 4]
    assert [start.fingerprint for start, _ in found] == [0, 1, 2, 4, 8, 16]
    assert found[-1][1].asked[-1] is None


def test_a_segment_notes_each_follow_up_before_which_a_copy_was_not_open(stable: Group) -> None:
    empty = replace(stable, clients=tuple(map(without_reports, stable.clients)))

    assert sum(segment.unstarted for _, segment in passed(stable, 6).segments) == 0
    assert sum(segment.unstarted for _, segment in passed(empty, 6).segments) == 5


@pytest.mark.parametrize(
    "other",
    [
        lambda start: replace(start, until=Wait.REBALANCE),
        lambda start: replace(start, assume=Assume(CatchUp.NEXT_REBALANCE)),
        lambda start: replace(start, as_seen=True),
        lambda start: replace(start, group=replace(start.group, config=replace(start.group.config, max_warmup_replicas=9))),
        lambda start: replace(start, group=replace(start.group, leader_process_id=None)),
        lambda start: replace(start, group=replace(start.group, clients=start.group.clients[1:])),
    ],
)
def test_a_segment_is_found_by_all_that_it_hangs_on(stable: Group, other: object) -> None:
    """Also where a fingerprint is that of another group by chance."""
    assert callable(other)
    known, ((start, segment),) = Segments(), passed(stable, 1).segments
    known.keep(start, segment)

    assert known.find(replace(start, group=replace(start.group))) is segment
    assert known.find(other(start)) is None


@pytest.mark.parametrize(("catch_up", "shared"), [(CatchUp.PROBING_REBALANCE, True), (CatchUp.RATE, False)])
def test_when_probing_rebalances_come_matters_where_copies_catch_up_by_the_second(
    stable: Group, catch_up: CatchUp, shared: bool
) -> None:
    known, ((start, segment),) = Segments(), passed(stable, 1).segments
    start = replace(start, assume=Assume(catch_up, records_per_second=10 if catch_up is CatchUp.RATE else None))
    known.keep(start, segment)
    config = replace(stable.config, probing_rebalance_interval_ms=61_000)

    assert (known.find(replace(start, group=replace(stable, config=config))) is segment) == shared


def test_decisions_are_shared_whatever_is_assumed_but_not_between_groups(stable: Group) -> None:
    known, decision = Decisions(), decided(stable)
    known.keep(at(stable), decision)

    assert known.find(replace(at(replace(stable)), as_seen=True, until=Wait.REBALANCE)) == (stable, decision)
    assert known.find(at(replace(stable, release="2.8.2"))) is None
    assert known.find(at(stable, 2)) is None


def test_too_many_decisions_are_forgotten(stable: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "MOST_KEPT", 2 * len(stable.tasks))
    known, decision = Decisions(), decided(stable)
    for number in range(3):
        known.keep(at(stable, number), decision)

    assert [known.find(at(stable, number)) is not None for number in range(3)] == [False, False, True]


def test_a_fingerprint_is_that_of_the_reports_whatever_came_before(stable: Group) -> None:
    here, other = Fingerprints(), Fingerprints()
    changed = (*stable.clients[:1], without_reports(stable.clients[1]), *stable.clients[2:])
    copied = tuple(replace(client) for client in stable.clients)
    first = here.of(stable.clients)

    assert other.of(changed) != first
    assert here.of(changed) == other.of(changed)
    assert other.of(copied) == here.of(stable.clients) == first
    assert here.of(changed[1:]) == Fingerprints().of(changed[1:])
