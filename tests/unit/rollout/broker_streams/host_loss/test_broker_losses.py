"""What losing any client of a group whose broker assigns would do."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.rollout.broker_streams.streams_groups import Case, forecast, snapshot

from holdfast.errors import CannotPredict
from holdfast.rollout.broker_streams.host_loss import losses
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.contract.scenarios import NO_CLIENT_LEFT, TOO_LARGE
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.tables import loss_rows


def rows(document: Case, **part: int) -> list[dict[str, Any]]:
    found = loss_rows.losses(dumps(document), **part)
    assert found["problem"] is None
    listed: Any = found["losses"]
    return listed  # type: ignore[no-any-return]


def test_every_loss_is_its_forecast() -> None:
    found = rows(snapshot())

    assert [(row["process_id"], row["host"]) for row in found] == [("a", "host-a"), ("b", "host-b"), ("c", "host-c")]
    for row in found:
        answer: Any = forecast({"remove_client": {"process_id": row["process_id"], "leaves": False}})
        (outcome,) = answer["outcomes"]
        summary = outcome["summary"]
        assert row["scenario"] == "not replaced"
        assert (row["basis"], row["reason"], row["rebalances"]) == ("forecast", None, summary["targets"])
        assert (row["moved"], row["without_copy"]) == (summary["active_moved"], summary["cold_moves"]) == (2, 2)
        spans = [span for span in outcome["unowned_seconds"].values() if span]
        assert row["longest_stop_seconds"] == max(usual for _, usual, _ in spans) >= 45
        _, usual, most = summary["seconds_to_stable"]
        assert (row["hours"], row["hours_most"]) == (usual / 3600, most / 3600)


def test_a_standby_saves_the_restore() -> None:
    document = snapshot(config={"streams.num.standby.replicas": 1})
    members = document["members"]
    for name, copy in {"a0": "1_4", "a1": "1_5", "b0": "1_0", "b1": "1_1", "c0": "1_2", "c1": "1_3"}.items():
        members[name]["assignment"] = members[name]["target"] = members[name]["target"] | {"standby": [copy]}
    assert [(row["moved"], row["without_copy"]) for row in rows(document)] == [(2, 0)] * 3


def test_in_parts() -> None:
    whole = rows(snapshot())
    assert rows(snapshot(), first=1, last=2) == whole[1:2]
    assert rows(snapshot(), first=2) == whole[2:]
    assert loss_rows.whole(dumps(snapshot()))["losses"] == whole


def test_the_only_client() -> None:
    alone = snapshot()
    alone["members"] = {name: one for name, one in alone["members"].items() if one["process_id"] == "a"}
    (row,) = rows(alone)
    assert (row["moved"], row["without_copy"], row["reason"], row["basis"]) == (2, 2, NO_CLIENT_LEFT, "not forecast")


def test_a_static_member_that_ends_is_as_a_dynamic_one() -> None:
    document = snapshot(broker_release="4.4.0")
    dynamic = rows(document)
    document["members"]["a0"]["instance_id"] = "i"
    assert rows(document) == dynamic


def test_a_very_large_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "MOST_FORECAST", 10)
    assert {(row["reason"], row["moved"]) for row in rows(snapshot())} == {(TOO_LARGE, None)}


def test_a_group_that_cannot_be_predicted_is_a_problem() -> None:
    assert "not ready" in str(loss_rows.losses(dumps(snapshot(group_state="NotReady")))["problem"])
    with pytest.raises(CannotPredict, match="broker_release"):
        losses.losses(replace(SNAPSHOT.read(snapshot()), broker_release=None))


def test_a_client_without_tasks_moves_nothing() -> None:
    document = snapshot()
    document["members"]["d0"] = {"process_id": "d", "assignment": {"active": []}, "target": {"active": []}}
    row = rows(document)[-1]
    assert (row["process_id"], row["moved"], row["host"]) == ("d", 0, None)
