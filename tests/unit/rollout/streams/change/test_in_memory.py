"""Applications that keep nothing on disk: every restart draws a process ID, and no file says otherwise."""

from typing import Any

import pytest
from tests.harness.article import AFTER, A, B, C, Document, change, fleet, group
from tests.harness.plans import planned, read

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.vocabulary import LATEST_OFFSET, TaskId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Forecast
from holdfast.rollout.streams.options import contingencies, proposals
from holdfast.rollout.streams.options.contingencies import If
from holdfast.rollout.streams.scene.assumptions import Assume
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.snapshot import groups
from holdfast.rollout.streams.snapshot.json import snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Stores
from holdfast.rollout.streams.snapshot.stores import in_memory as logs_in_memory
from holdfast.rollout.streams.snapshot.stores import stores_of
from holdfast.rollout.streams.steps.steps import RestartInPlace

ROLLING = {"rolling_restart": {}}


def in_memory(release: str = "3.9.1", **others: Any) -> Document:
    return group(AFTER, release, **others) | {"stores": "in-memory"}


def foretold(document: Document, *events: object) -> Forecast:
    return forecast(read(document), change_from_json(change(*events)))


def directory(process_id: str | None, stores: dict[str, list[str]]) -> dict[str, object]:
    tasks = {task: {"non_empty": True, "stores": names} for task, names in stores.items()}
    return {"url": f"/{process_id}", "process_id": process_id, "tasks": tasks}


class TestWhatStoresAre:
    @pytest.mark.parametrize(
        ("directories", "found"),
        [
            ([], None),
            ([directory(None, {})], None),
            ([directory(str(A), {"1_0": ["counts"]})], Stores.PERSISTENT),
            ([directory(None, {"1_0": ["counts"]})], Stores.PERSISTENT),
            ([directory(str(A), {})], Stores.PERSISTENT),
            ([directory("c1e2d3f4-0a1b-4c2d-8e3f-405162738495", {})], None),
            ([directory(str(A), {"7_0": ["another"]})], Stores.MIXED),
        ],
    )
    def test_is_seen_on_disks(self, directories: list[object], found: Stores | None) -> None:
        assert stores_of(read(group(AFTER) | {"state_directories": directories})) is found

    def test_what_is_said_counts(self) -> None:
        seen = {"state_directories": [directory(str(A), {"1_0": ["counts"]})]}
        assert stores_of(read(in_memory() | seen)) is Stores.IN_MEMORY

    def test_it_travels_and_is_checked(self) -> None:
        assert snapshot_to_json(read(in_memory()))["stores"] == "in-memory"
        assert "stores" not in snapshot_to_json(read(group(AFTER)))
        with pytest.raises(InvalidInput, match="stores"):
            read(group(AFTER) | {"stores": "rocksdb"})


LOG = "streams-wordcount-KSTREAM-AGGREGATE-STATE-STORE-0000000003-changelog"
STORE = "KSTREAM-AGGREGATE-STATE-STORE-0000000003"


class TestAStoreInMemoryNextToOneOnDisk:
    """Seen in 4.0.1 (docs/trial.md): a client that starts again reports nothing of it; 54 rebalances followed, one was forecast."""

    def seen(self, stores: dict[str, list[str]], **others: Any) -> Document:
        document = group(AFTER, **others) | {"state_directories": [directory(str(A), stores)]}
        for task in document["tasks"].values():
            task["changelogs"] = [[LOG, *rest] for _, *rest in task["changelogs"]]
        return document

    @pytest.mark.parametrize(
        ("stores", "found"),
        [
            ({"0_1": ["b"]}, {LOG}),
            ({"0_1": ["b"], "1_1": ["another"]}, {LOG}),
            ({"0_1": ["b"], "1_4": [STORE]}, set()),
            ({}, set()),
        ],
    )
    def test_is_known_by_the_disk_of_a_client_that_runs_it(self, stores: dict[str, list[str]], found: set[str]) -> None:
        assert logs_in_memory(read(self.seen(stores))) == found

    def test_is_on_disk_where_a_checkpoint_has_it_or_something_was_not_read(self) -> None:
        for given in ({"checkpoint": [[LOG, 1, 7]]}, {"unreadable": True}):
            document = self.seen({"0_1": ["b"], "1_1": []})
            document["state_directories"][0]["tasks"]["1_1"] |= given
            assert logs_in_memory(read(document)) == set()
        assert logs_in_memory(read(self.seen({"0_1": ["b"]}) | {"stores": "persistent"})) == set()

    @pytest.mark.parametrize(("release", "goes_on"), [("3.9.1", False), ("4.3.1", True)])
    def test_is_not_reported_once_it_is_closed(self, release: str, goes_on: bool) -> None:
        snapshot = read(self.seen({"0_1": ["b"]}, release=release))
        rules = Reports.of(snapshot, groups.group_of(snapshot), Assume())
        client = next(one for one in snapshot.clients if str(one.process_id) == A)
        task = TaskId(1, 1)

        assert rules.is_lost(task)
        assert dict(rules.on_disk(client)) == {}
        assert (rules.left(task, LATEST_OFFSET) is not None) == goes_on
        assert not Reports.of(read(self.seen({})), groups.group_of(snapshot), Assume()).is_lost(task)

    def test_a_restart_moves_what_the_client_ran(self) -> None:
        kept, lost = (foretold(one, {"restart_client": {"process_id": A}}) for one in (group(AFTER), self.seen({"0_1": ["b"]})))

        assert kept.outcomes[0].summary.restore_records == 0
        assert lost.outcomes[0].summary.restore_records > 0


class TestForecast:
    def test_a_restart_draws_a_process_id_and_finds_nothing(self) -> None:
        found = foretold(in_memory(), {"restart_client": {"process_id": A}})

        assert len(found.outcomes) == 3
        assert change_to_json(found.change)["events"] == [
            {
                "restart_client": {
                    "process_id": A,
                    "keeps_process_id": False,
                    "keeps_state": False,
                    "new_process_id": None,
                }
            }
        ]
        assert all(one.summary.restore_records for one in found.outcomes)

    @pytest.mark.thorough
    def test_a_rolling_restart_moves_tasks(self) -> None:
        """Seen: 6 and 17 rebalances where 3 were forecast."""
        kept, drawn = foretold(group(AFTER, "3.9.1"), ROLLING), foretold(in_memory(), ROLLING)

        assert max(one.summary.rebalances for one in kept.outcomes) == 3
        low = min(one.summary.rebalances_at_least for one in drawn.outcomes)
        high = max(one.summary.rebalances_at_most for one in drawn.outcomes)
        assert low <= 6 and high >= 17  # noqa: PT018 - one range
        assert sum(one.probability for one in drawn.outcomes) == pytest.approx(1)

    def test_a_stop_of_everybody_draws_an_id_each(self) -> None:
        found = foretold(in_memory(), {"stop_application": {"minutes": 5}})
        assert all(str(one) not in (A, B, C) for outcome in found.outcomes for one in outcome.process_ids)

        with pytest.raises(CannotPredict, match="one after the other"):
            foretold(in_memory(), {"stop_application": {"minutes": 5}}, {"set_config": {"num.standby.replicas": 1}})

    def test_what_is_on_disk_is_as_it_was(self) -> None:
        assert foretold(group(AFTER) | {"stores": "persistent"}, ROLLING).outcomes == foretold(group(AFTER), ROLLING).outcomes


class TestPlan:
    def test_no_file_is_written_that_nobody_reads(self) -> None:
        replacement = {"replace_client": {"process_id": C, "by": {"process_id": C, "threads": 2}, "state": "empty"}}
        for event in (ROLLING, replacement, {"add_client": {"process_id": None, "threads": 2}}):
            found = proposals.propose(read(in_memory()), change_from_json(change(event)))
            assert not any(isinstance(step.action, WriteProcessMetadata) for one in found for step in one.steps)

    def test_the_ids_that_clients_come_back_with_are_not_known(self) -> None:
        (first, *_) = planned(in_memory(), {"restart_client": {"process_id": A}}).steps
        assert isinstance(first.action, RestartInPlace)
        assert first.action.comes_back_as is None

    @pytest.mark.thorough
    def test_a_setting_is_rolled_out_under_new_ids(self) -> None:
        plan = planned(in_memory(), {"set_config": {"num.standby.replicas": 1}})
        assert plan.recommended_option is not None
        assert plan.recommended_option.change.draws_ids()

    def test_where_nobody_knows_both_are_forecast(self) -> None:
        plan = planned(group(AFTER, "3.9.1"), {"restart_client": {"process_id": A}})
        (other,) = [one for one in plan.otherwise if one.branch.condition is If.IN_MEMORY]

        assert max(cost.rebalances.high for cost in other.costs) > plan.recommended_option.costs[0].rebalances.high  # type: ignore[union-attr]
        known = planned(group(AFTER, "3.9.1") | {"stores": "persistent"}, {"restart_client": {"process_id": A}})
        assert If.IN_MEMORY not in [one.branch.condition for one in known.otherwise]

    @pytest.mark.thorough
    def test_a_large_group_is_drawn_for(self) -> None:
        document = fleet(8, 16, seed=1)[0] | {"stores": "in-memory"}
        found = foretold(document, ROLLING)

        assert len(found.outcomes) == 8
        assert any("samples" in one.reason for one in found.unknown)
        assert contingencies.branches(read(document), change_from_json(change(ROLLING)))

    def test_not_every_way_of_a_handful_is_gone_through(self) -> None:
        """Four restarts have 1,680 outcomes, and each option of a plan would count them."""
        found = foretold(fleet(4, 8, seed=1)[0] | {"stores": "in-memory"}, ROLLING)

        assert any("samples" in one.reason for one in found.unknown)
        assert sum(one.probability for one in found.outcomes) == pytest.approx(1)
