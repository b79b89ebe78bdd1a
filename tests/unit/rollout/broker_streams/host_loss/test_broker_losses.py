"""What losing any client of a group whose broker assigns would do."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.rollout.broker_streams.streams_groups import Case, forecast, snapshot

from holdfast.errors import CannotPredict
from holdfast.rollout.broker_streams.change.change import CHANGE
from holdfast.rollout.broker_streams.forecast import forecast as foreseen
from holdfast.rollout.broker_streams.forecast.forecast import each_draw
from holdfast.rollout.broker_streams.host_loss import losses, replacements
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.contract import loss_budget
from holdfast.rollout.contract.scenarios import NO_CLIENT_LEFT, TOO_LARGE, Scenario
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.tables import loss_rows


def rows(document: Case, **part: int) -> list[dict[str, Any]]:
    found = loss_rows.losses(dumps(document), **part)
    assert found["problem"] is None
    listed: Any = found["losses"]
    return listed  # type: ignore[no-any-return]


def not_replaced(document: Case) -> list[dict[str, Any]]:
    return [row for row in rows(document, budget_ms=0) if row["scenario"] == Scenario.NOT_REPLACED]


def test_every_loss_is_its_forecast() -> None:
    found = not_replaced(snapshot())

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
    assert [(row["moved"], row["without_copy"]) for row in not_replaced(document)] == [(2, 0)] * 3


def test_in_parts() -> None:
    whole = rows(snapshot())
    assert rows(snapshot(), first=1, last=2) == whole[4:8]
    assert rows(snapshot(), first=2) == whole[8:]
    assert loss_rows.whole(dumps(snapshot()))["losses"] == whole


def test_the_only_client() -> None:
    alone = snapshot()
    alone["members"] = {name: one for name, one in alone["members"].items() if one["process_id"] == "a"}
    (row,) = not_replaced(alone)
    assert (row["moved"], row["without_copy"], row["reason"], row["basis"]) == (2, 2, NO_CLIENT_LEFT, "not forecast")


def test_a_static_member_that_ends_is_as_a_dynamic_one() -> None:
    document = snapshot(broker_release="4.4.0")
    dynamic = not_replaced(document)
    document["members"]["a0"]["instance_id"] = "i"
    assert not_replaced(document) == dynamic


def test_a_very_large_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "MOST_FORECAST", 10)
    assert {(row["reason"], row["moved"]) for row in not_replaced(snapshot())} == {(TOO_LARGE, None)}


def test_a_group_that_cannot_be_predicted_is_a_problem() -> None:
    assert "not ready" in str(loss_rows.losses(dumps(snapshot(group_state="NotReady")))["problem"])
    with pytest.raises(CannotPredict, match="broker_release"):
        losses.losses(replace(SNAPSHOT.read(snapshot()), broker_release=None))


def test_a_client_without_tasks_moves_nothing() -> None:
    document = snapshot()
    document["members"]["d0"] = {"process_id": "d", "assignment": {"active": []}, "target": {"active": []}}
    row = not_replaced(document)[-1]
    assert (row["process_id"], row["moved"], row["host"]) == ("d", 0, None)


def replaced(document: Case, scenario: Scenario, budget_ms: int = 70) -> list[dict[str, Any]]:
    return [row for row in rows(document, budget_ms=budget_ms) if row["scenario"] == scenario]


def priced() -> Case:
    """With the ends of changelogs, which differ."""
    document = snapshot()
    document["topics"]["counts"] = {"partitions": [{"id": at, "begin_offset": 0, "end_offset": 100 * at} for at in range(6)]}
    return document


@pytest.mark.thorough
def test_every_replacement_is_its_forecast() -> None:
    """A client that joins while the sessions of the lost one last: its first thread, its other thread, and without the lost one."""
    for scenario, back in ((Scenario.NEW_ID_LIKELIEST, {"keeps_process_id": False}), (Scenario.SAME_ID, {})):
        found = replaced(priced(), scenario)
        assert [row["process_id"] for row in found] == ["a", "b", "c"]
        for row in found:
            event = {"process_id": row["process_id"], "leaves": False, "keeps_state": False, "first_thread_alone": True} | back
            change = CHANGE.read({"format_version": "1.0", "events": [{"restart_client": event}]})
            outcome = foreseen.forecast(SNAPSHOT.read(priced()), change, most=row["draws"]).outcome
            summary, draws = outcome.summary, outcome.draws
            assert draws is not None
            assert summary.seconds_to_stable is not None
            assert (row["basis"], row["reason"], row["draws"]) == ("forecast", None, draws.count)
            assert [row["moved_least"], row["moved"], row["moved_most"]] == [*draws.active_moved]
            assert (row["rebalances"], row["restore_bytes"]) == (summary.targets, None) == (3, None)
            least, _, most = summary.seconds_to_stable
            assert (row["hours_most"], least <= 3600 * row["hours"] - 5) == (pytest.approx((most + 30) / 3600), True)
            assert row["restored_hours"] >= row["hours"]
            assert row["longest_stop_seconds"] >= 45


@pytest.mark.thorough
def test_a_replacement_has_an_empty_disk_whatever_its_process_id() -> None:
    """With the same process ID what it runs again counts as without a copy too."""
    (fresh, *_), (same, *_) = (replaced(snapshot(), one) for one in (Scenario.NEW_ID_LIKELIEST, Scenario.SAME_ID))
    assert (fresh["moved"], fresh["without_copy"]) == (4, 4)
    assert (same["moved"], same["without_copy"]) == (2, 3)


def test_the_worst_draw_and_how_likely_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(*of: Any) -> list[Any]:
        usual = each_draw(*of)[0]
        return [*[usual] * 4, replace(usual, summary=replace(usual.summary, active_moved=6))]

    monkeypatch.setattr(replacements, "each_draw", drawn)
    likeliest, worst = (replaced(snapshot(), one)[0] for one in (Scenario.NEW_ID_LIKELIEST, Scenario.NEW_ID_WORST))
    assert (likeliest["moved"], likeliest["probability"], worst["moved"], worst["probability"]) == (4, 0.8, 6, 0.2)
    for row in (likeliest, worst):
        assert (row["moved_least"], row["moved_most"], row["expected_moved"]) == (4, 6, 22 / 5)
        assert (row["draws"], row["missed_at_most"]) == (5, 0.4507)


@pytest.mark.thorough
def test_the_budget_goes_to_the_clients_that_run_most_tasks() -> None:
    document = snapshot()
    document["members"]["b0"]["assignment"] = document["members"]["b0"]["target"] = {"active": ["0_2", "1_2", "1_4"]}
    document["members"]["c0"]["assignment"] = document["members"]["c0"]["target"] = {"active": ["0_4"]}
    each_ms = replacements.FEWEST_DRAWS * replacements.work_us(SNAPSHOT.read(document)) // 1000

    def known(budget_ms: int) -> set[tuple[str, str]]:
        found = rows(document, budget_ms=budget_ms)
        assert [row["process_id"] for row in found] == [one for one in "abc" for _ in Scenario]
        for first in range(3):
            assert rows(document, first=first, last=first + 1, budget_ms=budget_ms) == found[4 * first : 4 * first + 4]
        return {(row["process_id"], row["scenario"]) for row in found if row["basis"] == "forecast"} - {
            (one, Scenario.NOT_REPLACED) for one in "abc"
        }

    fresh = (Scenario.NEW_ID_LIKELIEST, Scenario.NEW_ID_WORST)
    assert known(0) == set()
    assert known(1) == {("b", one) for one in fresh}
    assert known(2 * each_ms + 2) == {(client, one) for client in "ba" for one in fresh}
    assert known(4 * each_ms + 4) == {(client, one) for client in "abc" for one in fresh} | {("b", Scenario.SAME_ID)}
    row = replaced(document, Scenario.SAME_ID, 0)[0]
    assert (row["moved"], row["without_copy"], row.get("draws")) == (None, None, None)
    assert "--forecast-ms" in row["reason"]


def test_fewer_draws_of_the_worst_client_of_a_large_group(monkeypatch: pytest.MonkeyPatch) -> None:
    work = replacements.work_us(SNAPSHOT.read(snapshot()))
    monkeypatch.setattr(replacements, "MOST_FOR_THE_WORST_MS", 2 * work // 1000 + 1)
    monkeypatch.setattr(loss_budget, "MOST_FOR_THE_WORST_MS", 2 * work // 1000 + 1)
    assert [row.get("draws") for row in replaced(snapshot(), Scenario.NEW_ID_LIKELIEST, 1)] == [2, None, None]


def test_static_members_are_replaced_once_their_sessions_are_over() -> None:
    document = snapshot(broker_release="4.4.0")
    for name in ("a0", "a1"):
        document["members"][name]["instance_id"] = name
    row = replaced(document, Scenario.SAME_ID)[0]
    assert (row["basis"], row["longest_stop_seconds"] is None or row["longest_stop_seconds"] >= 45) == ("forecast", True)
    del document["members"]["a1"]["instance_id"]
    row = replaced(document, Scenario.SAME_ID)[0]
    assert (row["basis"], "static" in row["reason"]) == ("not forecast", True)
