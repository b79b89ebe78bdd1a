"""What a single snapshot shows about the order of process IDs."""

import copy

import pytest
from tests.harness.article import AFTER, BEFORE, A, B, C, Document, group

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.guard import guard
from holdfast.rollout.streams.guard.guard import Guard, Trap, TrapKind
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.json import snapshot_from_json

LAST = "7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21"
FIRST_AGAIN = "c0000000-0000-4000-8000-000000000000"


def look(document: Document) -> Guard:
    return guard.look(snapshot_from_json(document))


def renamed(document: Document, old: str, new: str) -> Document:
    """The client came back with its instance IDs and another process ID, and the broker gave it its stored assignment."""
    found = copy.deepcopy(document)
    found["clients"] = {new if process_id == old else process_id: client for process_id, client in found["clients"].items()}
    found["leader_process_id"] = None
    return found


def test_a_group_that_stands_where_its_order_wants_it_is_left_alone() -> None:
    found = look(group(AFTER))

    assert found.reshuffle is None
    assert [str(one) for one in found.order] == [C, A, B]
    assert found.unknown == ()


def test_several_releases_in_a_group_leave_it_unknown() -> None:
    """The leader decides by its own release, and any member may lead the next rebalance."""
    document = group(AFTER, "3.9.1")
    for version, client in zip((9, 11, 11), document["clients"].values(), strict=True):
        for consumer in client["consumers"].values():
            consumer["metadata_version"] = version

    (reason,) = look(document).unknown
    assert "metadata versions 9 (2.8.0 to 2.8.2) and 11 (" in reason


def test_the_latent_reshuffle_of_a_static_member_with_a_fresh_process_id() -> None:
    """The article's case, unseen: the first of three came back as the last, and kept its tasks until the next rebalance."""
    snapshot = snapshot_from_json(renamed(group(AFTER), C, LAST))

    found = guard.look(snapshot).reshuffle

    assert found is not None
    assert found.kind is TrapKind.LATENT
    assert [str(move.task) for move in found.moved] == ["1_0", "1_1", "1_2", "1_3", "1_4", "1_5"]
    assert found.summary.active_moved == 6
    assert found.defusal is not None
    assert [str(now) for now, _ in found.defusal.labels] == [LAST]
    assert found.defusal.moved == 0
    assert found.defusal.labels[0][1] < min(ProcessId.parse(A), ProcessId.parse(B))


def test_the_defusal_does_what_it_says() -> None:
    snapshot = snapshot_from_json(renamed(group(AFTER), C, LAST))
    defusal = guard.look(snapshot).reshuffle.defusal

    (outcome,) = forecast(snapshot, defusal.change).outcomes

    before = dict(ownership.owners(snapshot))
    after = dict(ownership.owners_among(outcome.clients, snapshot.tasks))
    new = dict(defusal.labels)
    assert [task for task, owner in before.items() if after[task] != new.get(owner, owner)] == []


def test_a_fresh_id_in_the_same_place_reshuffles_nothing() -> None:
    assert look(renamed(group(AFTER), C, FIRST_AGAIN)).reshuffle is None


def test_a_group_with_warm_ups_is_under_way() -> None:
    document = group(BEFORE)
    document["clients"][C] = {"host": None, "consumers": {f"{C}-1": {"client_id": "c", "owned": [], "task_offset_sums": {}}}}
    document["clients"][C]["consumers"][f"{C}-1"]["assigned"] = {"active": [], "standby": ["1_0"]}

    found = look(document).reshuffle

    assert found is not None
    assert found.kind is TrapKind.IN_PROGRESS


def test_ids_that_mislead_those_who_sort_text_are_named() -> None:
    (finding,) = [one for one in look(group(AFTER)).findings if one.trap is Trap.ORDER_OF_TEXT]

    assert [str(one) for one in finding.process_ids] == [C]
    assert not any(one.trap is Trap.ORDER_OF_TEXT for one in look(group(BEFORE)).findings)


@pytest.mark.parametrize(("release", "kept"), [("2.6.1", False), ("2.7.0", False), ("2.6.2", True), ("3.9.1", True)])
def test_releases_that_make_up_an_id_at_each_start(release: str, kept: bool) -> None:
    found = look(group(AFTER, release))

    assert any(one.trap is Trap.NOT_KEPT for one in found.findings) is not kept


def test_what_cannot_be_predicted_is_said() -> None:
    document = group(AFTER)
    document["tasks"]["1_0"]["changelogs"] = None

    found = look(document)

    assert found.reshuffle is None
    assert "1_0" in found.unknown[0]
