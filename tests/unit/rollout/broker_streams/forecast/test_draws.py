"""IDs that are random: what holds for every draw, what is likely, and how sure that is."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.streams_groups import forecast, snapshot

from holdfast.rollout.broker_streams.forecast import draws
from holdfast.rollout.broker_streams.kind.kind import BrokerStreamsKind
from holdfast.rollout.contract.rebalances import Detail

RESTART: Any = {"restart_client": {"process_id": "c"}}


def outcome(*events: Any) -> Any:
    answer: Any = forecast(*events)
    return answer["outcomes"][0]


@pytest.mark.thorough
def test_a_restart_with_random_members() -> None:
    found = outcome(RESTART)
    away, back = found["targets"]
    assert found["draws"]["count"] == 300
    assert found["draws"]["missed_at_most"] == 0.0099
    assert away["assignment"]["undetermined_tasks"] == []  # who is there then has known IDs
    assert "likely_owners" not in away
    assert len(back["assignment"]["members"]) == 6
    for task, owners in back.get("likely_owners", {}).items():
        assert task in back["assignment"]["undetermined_tasks"]
        assert abs(sum(owners.values()) - 1) < 0.01
    least, usual, most = found["draws"]["moves"]
    assert least <= usual <= most
    assert found["summary"]["moves"] == usual


@pytest.mark.thorough
def test_what_every_draw_gives_alike_is_determined() -> None:
    found = outcome({"add_client": {"threads": 2}}, {"set_config": {"streams.num.standby.replicas": 1}})
    (target,) = found["targets"]
    open_ = set(target["assignment"]["undetermined_tasks"])
    assert open_ == set(target["likely_owners"])
    another = outcome(
        {"add_client": {"process_id": "zz", "member_ids": ["q", "r"]}}, {"set_config": {"streams.num.standby.replicas": 1}}
    )
    mine, theirs = (_owners(one) for one in (target, another["targets"][0]))
    assert all(mine[task] == theirs[task] for task in mine if task not in open_)


def _owners(target: Any) -> dict[str, str]:
    return {
        task: name[0] if name[0] in "abc" and len(name) == 2 else "new"
        for name, given in target["assignment"]["members"].items()
        for task in given["active"]
    }


@pytest.mark.thorough
def test_the_same_forecast_is_made_again() -> None:
    assert outcome(RESTART) == outcome(RESTART)


def test_given_ids_stay_and_threads_are_those_of_the_old_client() -> None:
    group = BrokerStreamsKind().snapshot_from_json(snapshot())
    change = BrokerStreamsKind().change_from_json(
        {
            "format_version": "1.0",
            "events": [
                {"replace_client": {"process_id": "a", "by": {"threads": 3}}},
                {"restart_client": {"process_id": "b", "keeps_process_id": False}},
                {"then": "stable"},
                {"add_client": {"process_id": "d", "member_ids": ["x"]}},
                {"remove_client": {"process_id": "c"}},
            ],
        }
    )
    first, second = (draws.drawn(group, change, number).events for number in range(2))
    assert [len(one.comes()[0].member_ids) for one in first[:2]] == [3, 2]  # type: ignore[union-attr, index, arg-type]
    assert first[3:] == second[3:] == change.events[3:]
    assert first[0] != second[0]
    assert draws.how_many(group, 10**9, change, 1) == draws.FEWEST


@pytest.mark.thorough
def test_the_draws_are_read() -> None:
    kind = BrokerStreamsKind()
    group = kind.snapshot_from_json(snapshot())
    change = kind.change_from_json({"format_version": "1.0", "events": [RESTART]})
    found = str(list(kind.forecast_blocks(group, kind.forecast(group, change, 1), Detail.SUMMARY)))
    assert "New random IDs: those shown are one of 300 simulated draws" in found
    assert "At most 1.0% of real starts differ from what all draws share (95% confidence)" in found
