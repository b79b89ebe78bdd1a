"""What members report of their disks, and what the coordinator of 4.4 makes of it."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.streams_groups import Case, snapshot

from holdfast.rollout.broker_streams.change.change import CHANGE
from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case

C, D, E = (f"{letter * 8}-0000-4000-8000-{'0' * 12}" for letter in "cde")
LEAVES: Case = {"remove_client": {"process_id": C}}


def directory(process: str, **offsets: int) -> Case:
    """With the offset of the last record of each task."""
    tasks = {task: {"non_empty": True, "checkpoint": [["counts", int(task[2:]), offset]]} for task, offset in offsets.items()}
    return {"url": f"file:///state/{process}", "process_id": process, "tasks": tasks}


def group(**differs: Any) -> Case:
    """Three clients, the third of which has a process ID that is a UUID; its members run 1_4 and 1_5."""
    found = snapshot(broker_release="4.4.0") | differs
    for member in ("c0", "c1"):
        found["members"][member]["process_id"] = C
    for number, one in enumerate(found["topics"]["counts"]["partitions"]):
        one |= {"begin_offset": 0, "end_offset": 100 + number}
    return found


def start(process: str) -> Case:
    return {"add_client": {"process_id": process, "member_ids": [f"{process[0]}x", f"{process[0]}y"]}}


def restart(process: str = C, **more: Any) -> Case:
    return {"restart_client": {"process_id": process, "member_ids": ["cx", "cy"]} | more}


ANEW = (LEAVES, start(D), start(E))
BACK = (restart(within_interval=True), start(E))


def owners(of: Case, *events: Case, **change: Any) -> dict[str, str]:
    """The first letter of the client of each stateful task in the end."""
    asked = {"format_version": "1.0", "events": list(events)} | change
    answer: Any = forecast_case({"snapshot": of, "change": asked}, Detail.FULL)
    last = answer["outcomes"][0]["targets"][-1]
    members = last["assignment"]["members"].items()
    return {task: name[0] for name, one in members for task in one["active"] if task.startswith("1_")}


def test_without_a_state_directory_new_members_report_nothing() -> None:
    assert owners(group(), *ANEW) == owners(group(), *ANEW, assume={"offsets": "none"})


@pytest.mark.parametrize(("least", "most"), [(D, E), (E, D)])
def test_the_greatest_offset_is_given_a_task_first(least: str, most: str) -> None:
    known = group(state_directories=[directory(least, **{"1_5": 50}), directory(most, **{"1_5": 60})])
    assert owners(known, *ANEW)["1_5"] == most[0]
    assert owners(known, *ANEW, assume={"offsets": "none"}) == owners(group(), *ANEW)


def test_a_client_that_comes_back_reports_what_it_had() -> None:
    """Its disk is up to date with all that it had, which is more than what any other client has."""
    others = directory(E, **{"1_4": 50, "1_5": 50})
    with_its_own = group(state_directories=[directory(C), others])
    assert {task for task, one in owners(with_its_own, *BACK).items() if one == "c"} >= {"1_4"}
    assert owners(with_its_own, *BACK) == owners(group(state_directories=[others]), *BACK, assume={"offsets": "disks"})
    assert owners(with_its_own, *BACK) != owners(group(state_directories=[others]), *BACK)


def test_of_a_disk_that_is_lost_nothing_is_reported() -> None:
    known = group(state_directories=[directory(C, **{"1_0": 99})])
    assert owners(known, restart(keeps_state=False)) == owners(group(), restart())


def test_up_to_4_3_nothing_is_reported() -> None:
    old = group(broker_release="4.3.1")
    assert owners(old, restart(), assume={"offsets": "disks"}) == owners(old, restart())


def test_a_change_keeps_what_it_assumes() -> None:
    document: Case = {"format_version": "1.0", "events": [restart()], "assume": {"offsets": "disks"}}
    assert CHANGE.write(CHANGE.read(document)) == document
    assert "assume" not in str(CHANGE.write(CHANGE.read(document | {"assume": {"offsets": "state directories"}})))
