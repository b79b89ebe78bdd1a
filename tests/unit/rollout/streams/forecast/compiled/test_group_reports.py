"""What members report as arrays: the same whether or not their clients were read before; what is out of the ordinary is refused."""

from dataclasses import replace

from tests.harness.article import fleet

from holdfast.kafka.streams.compiled.arrays import ABSENT
from holdfast.kafka.streams.group import Consumer, Group
from holdfast.rollout.streams.forecast.compiled import group_reports, packing
from holdfast.rollout.streams.forecast.compiled.packing import Layouts, Packed
from holdfast.rollout.streams.forecast.compiled.workspace import Workspace
from holdfast.rollout.streams.scene.assumptions import Assume
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.snapshot.groups import group_of
from holdfast.rollout.streams.snapshot.json import snapshot_from_json

SNAPSHOT = snapshot_from_json(fleet(4, 12, 1, "3.9.1")[0])
GROUP = group_of(SNAPSHOT)
RULES = Reports.of(SNAPSHOT, GROUP, Assume())


def packed(group: Group, layouts: Layouts) -> Packed | None:
    return packing.packed(group, RULES, layouts)


def with_first(group: Group, consumer: Consumer) -> Group:
    """The first member of the first client replaced."""
    first = group.clients[0]
    changed = replace(first, consumers=(consumer, *first.consumers[1:]))
    return replace(group, clients=(changed, *group.clients[1:]))


def told(one: Packed | None) -> list[list[int]]:
    """The arrays, without room."""
    assert one is not None
    found = one.reported
    listed = [*zip(found.tasks.tolist(), found.counts.tolist(), strict=True)]
    listed += zip(found.reporters.tolist(), found.reporter_counts.tolist(), strict=True)
    by = found.by[found.sums != ABSENT]
    return [found.sums.tolist(), by.tolist(), found.owner.tolist(), *(row[:count] for row, count in listed)]


def test_a_client_that_was_read_before_is_read_as_if_it_were_new() -> None:
    own = GROUP.clients[0].consumers[0]
    alone = with_first(GROUP, replace(own, task_offset_sums=own.task_offset_sums[1:], owned=()))
    layouts = Layouts()

    together = [told(packed(group, layouts)) for group in (GROUP, alone, GROUP, alone)]

    assert len(layouts.known) == 1
    assert together == 2 * [told(packed(GROUP, Layouts())), told(packed(alone, Layouts()))]


def test_arrays_that_are_used_again_hold_nothing_of_what_they_held() -> None:
    own, layouts = GROUP.clients[0].consumers[0], Layouts()
    alone = with_first(GROUP, replace(own, task_offset_sums=own.task_offset_sums[1:], owned=()))
    used = packed(GROUP, layouts)
    assert used is not None
    used.reported.changed[:] = 0
    layouts.workspaces.give_back(used.facts, used.reported, Workspace.of(used.facts))

    again = packed(alone, layouts)

    assert again is not None
    assert again.reported is used.reported
    assert told(again) == told(packed(alone, Layouts()))
    assert again.reported.changed.all()


def test_no_more_than_some_times_the_group_is_kept() -> None:
    layouts = Layouts()
    for _ in range(2 * group_reports.MOST_FOR_EACH + 1):
        clients = tuple(replace(client, host=client.host) for client in GROUP.clients)
        assert told(packed(replace(GROUP, clients=clients), layouts)) == told(packed(GROUP, Layouts()))

    assert len(layouts.known[0].reading.known) <= group_reports.MOST_FOR_EACH * len(GROUP.clients)


def test_a_task_that_two_members_own_is_not_modelled() -> None:
    own, other = GROUP.clients[0].consumers[0], GROUP.clients[1].consumers[0]
    assert other.owned

    assert packed(with_first(GROUP, replace(own, owned=(*own.owned, *other.owned))), Layouts()) is None
