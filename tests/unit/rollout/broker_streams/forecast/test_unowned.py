"""How long a task that is handed over has no owner."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.streams_groups import forecast, snapshot

CONFIG = {"streams.heartbeat.interval.ms": 4000, "streams.session.timeout.ms": 50_000, "streams.assignment.interval.ms": 2000}
LIVE, LEFT, ENDED = [0, 2, 4], [0, 2, 6], [46, 50, 56]
NEW = {"member_ids": ["n0", "n1"]}


def unowned(*events: Any, release: str = "4.3.1") -> Any:
    answer: Any = forecast(*events, of=snapshot(config=CONFIG, broker_release=release))
    return answer["outcomes"][0]["unowned_seconds"]


def test_a_live_owner_hands_over_with_the_next_heartbeat_of_the_new_one() -> None:
    found = unowned({"add_client": {"process_id": "d"} | NEW})
    assert found
    assert all(one == LIVE for one in found.values())


@pytest.mark.parametrize(("release", "most"), [("4.3.1", 6), ("4.2.1", 4)])
def test_who_leaves_is_missed_until_the_next_target(release: str, most: int) -> None:
    found = unowned({"remove_client": {"process_id": "c"}}, release=release)
    assert found == {task: [0, 2, most] for task in ("0_4", "0_5", "1_4", "1_5")}


def test_who_ends_without_leaving_is_missed_until_its_session_is_over() -> None:
    crashed = {"0_4", "0_5", "1_4", "1_5"}
    assert unowned({"remove_client": {"process_id": "c", "leaves": False}}) == dict.fromkeys(sorted(crashed), ENDED)
    found = unowned({"restart_client": {"process_id": "c", "leaves": False} | NEW})
    assert {task for task, one in found.items() if one[0] >= 46} == crashed


def test_what_a_restart_takes_away_and_gives_back_counts_twice() -> None:
    found = unowned({"restart_client": {"process_id": "c"} | NEW})
    assert [0, 4, 10] in found.values()
    assert all(one in (LEFT, LIVE, [0, 4, 10]) for one in found.values())


def test_until_a_client_has_started_is_unknown() -> None:
    found = unowned({"replace_client": {"process_id": "c", "by": {"process_id": "d"} | NEW}})
    assert set(found) == {"0_4", "0_5", "1_4", "1_5"}
    assert set(found.values()) == {None}
