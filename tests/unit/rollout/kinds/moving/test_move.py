"""A classic group that moves to `group.protocol=streams`: what prevents it, its forecast, its plan, and how that is followed."""

import copy
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.rollout.broker_streams.execution.acted_out import after

from holdfast.errors import CannotPredict, InvalidInput, MoveRejected, StalePlan
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.contract.assessment import Assessment
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.execution.next_actions import Next, NothingLeft, WaitForOutside
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.facts.moves import IGNORED, Prevents
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import apply, plan, verify
from holdfast.workflows.forecast import forecast_case

Case = dict[str, Any]
EXAMPLE = Path(__file__).resolve().parents[5] / "examples" / "streams-wordcount" / "snapshot.json"
A, B, C = (
    "4b61083e-57d0-457d-951f-d06556c148ca",
    "7156cef1-307e-49c0-a5bb-0f11d26a4933",
    "bbb83e43-b1af-4b2d-a60a-94a7091684d0",
)
NOW = datetime(2026, 11, 21, 1, 36, tzinfo=UTC)
RELEASES = {"broker_release": "4.3.1", "kafka_release": "4.3.1"}


def classic(**differs: Any) -> Case:
    """Three clients of two threads each; six stateful tasks, two on each disk that runs them, some copies elsewhere."""
    found: Case = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    return found | differs


def change(**given: Any) -> Case:
    return {"format_version": "1.0", "events": [{"move_to_streams_protocol": RELEASES | given}]}


def forecast(snapshot: Case | None = None, **given: Any) -> Case:
    answer: Any = forecast_case({"snapshot": snapshot or classic(), "change": change(**given)}, Detail.FULL)
    return answer["outcomes"][0]


def planned(snapshot: Case | None = None, **given: Any) -> BrokerPlan:
    made = plan.make_from(("snapshot", snapshot or classic()), ("change", change(**given)), Policy(), NOW)
    assert isinstance(made, BrokerPlan)
    return made


def owned_by_nobody(document: Case, **differs: Any) -> Case:
    """The same without clients, as an empty group shows."""
    return document | {"clients": {}, "group_state": "Empty", "leader_process_id": None, "tasks": {}} | differs


class TestTheForecast:
    @pytest.mark.thorough
    def test_is_that_of_a_new_group(self) -> None:
        found = forecast()

        (target,) = found["targets"]
        assert (target["trigger"], target["group_epoch"]) == ("delay over", 7)  # six members after epoch 1
        assert set(found["process_ids"]) == {A, B, C}  # each on its disk
        assert found["summary"]["stateful_tasks"] == 6
        assert all(span is None for span in found["unowned_seconds"].values())
        assert len(found["unowned_seconds"]) == 12  # no task runs until the clients have started

    @pytest.mark.thorough
    def test_waits_until_the_classic_group_is_empty(self) -> None:
        """10 s is the session timeout of Kafka Streams 2.7; then the initial delay, and heartbeats."""
        least, _, most = forecast()["summary"]["seconds_to_stable"]
        later, _, _ = forecast(config={"streams.initial.rebalance.delay.ms": 33_000})["summary"]["seconds_to_stable"]

        assert (least, later) == (10 - 3 + 3, 10 - 3 + 33)
        assert most >= 10 + 3

    def test_of_clients_that_are_late_has_a_target_for_each(self) -> None:
        found = forecast(late=[B, A], member_ids={C: ["c0", "c1"], B: ["b0", "b1"], A: ["a0", "a1"]})

        assert [sorted(one["assignment"]["members"]) for one in found["targets"]] == [
            ["c0", "c1"],
            ["b0", "b1", "c0", "c1"],
            ["a0", "a1", "b0", "b1", "c0", "c1"],
        ]
        assert [one["trigger"] for one in found["targets"]] == ["delay over", "change", "change"]

    @pytest.mark.thorough
    def test_keeps_the_standbys_as_a_config_of_the_group(self) -> None:
        group = classic()
        group["config"]["num.standby.replicas"] = 1
        of_one, none = (forecast(group, **more)["targets"][0]["assignment"] for more in ({}, {"config": STANDBYS_OFF}))

        assert sum(len(one["standby"]) for one in of_one["members"].values()) == 6
        assert sum(len(one["standby"]) for one in none["members"].values()) == 0

    def test_knows_what_the_disks_have(self) -> None:
        """With the copies that members report, and without any."""
        bare = classic(state_directories=[])
        for client in bare["clients"].values():
            for one in client["consumers"].values():
                one["task_offset_sums"] = {task: total for task, total in one["task_offset_sums"].items() if total == -2}
        members = {C: ["c0", "c1"], B: ["b0", "b1"], A: ["a0", "a1"]}
        found, without = (forecast(group, member_ids=members)["summary"] for group in (classic(), bare))

        assert found["moves"] == without["moves"] > 0
        assert without["cold_moves"] == without["moves"]  # no client has a copy of what another ran
        assert found["cold_moves"] < found["moves"]
        assert found["restored_records"] < without["restored_records"]

    @pytest.mark.thorough
    def test_of_new_process_ids_counts_the_same_clients(self) -> None:
        new = {one: f"00000000-0000-4000-8000-00000000000{number}" for number, one in enumerate((A, B, C))}
        found = forecast(new_process_ids=new)

        assert sorted(found["process_ids"]) == sorted(new.values())
        assert found["summary"]["active_moved"] < 6  # whose client keeps its disk has not moved


STANDBYS_OFF = {"streams.num.standby.replicas": 0}


def with_config(**config: Any) -> Case:
    found = classic()
    found["config"] |= {key.replace("_", "."): value for key, value in config.items()}
    return found


def static() -> Case:
    found = classic()
    for client in found["clients"].values():
        for number, one in enumerate(client["consumers"].values()):
            one["group_instance_id"] = f"{client['host']}-{number}"
    return found


def grown() -> Case:
    found = classic()
    name = "streams-wordcount-counts-store-changelog"
    found["topics"] = {name: {"partitions": [{"id": number} for number in range(9)]}}
    return found


PREVENTED: dict[Prevents, tuple[Case, Case]] = {
    Prevents.BROKER_TOO_OLD: (classic(), {"broker_release": "4.1.1"}),
    Prevents.BROKER_LOSES_GROUP: (classic(), {"broker_release": "4.2.0"}),
    Prevents.CLIENT_TOO_OLD: (classic(), {"kafka_release": "4.1.0"}),
    Prevents.STATIC_MEMBERS: (static(), {}),
    Prevents.NAMED_TOPOLOGIES: (
        classic(
            state_directories=[
                {"url": "file:///x", "named_topologies": {"orders": {"0_0": {"non_empty": True, "checkpoint": None}}}},
            ]
        ),
        {},
    ),
    Prevents.SOURCE_PATTERNS: (classic(), {"source_patterns": True}),
    Prevents.MISSING_TOPICS: (classic(missing_topics=["orders"]), {}),
    Prevents.PARTITIONS: (grown(), {}),
    Prevents.STANDBYS: (with_config(num_standby_replicas=3), {}),
    Prevents.CLIENT_TAGS: (with_config(rack_aware_assignment_tags=["zone"]), {}),
    Prevents.RACK_AWARE: (with_config(rack_aware_assignment_strategy="min_traffic"), {}),
    Prevents.TASK_ASSIGNOR: (classic(task_assignor="StickyTaskAssignor"), {}),
}


class TestWhatPreventsIt:
    def test_everything_has_a_case(self) -> None:
        assert set(PREVENTED) == {one for one in Prevents if not one.startswith("consumer_")}

    @pytest.mark.parametrize("kind", PREVENTED)
    def test_blocks_the_plan_by_name(self, kind: Prevents) -> None:
        group, given = PREVENTED[kind]
        made = planned(group, **given)

        assert made.assessment is Assessment.BLOCKED
        assert made.steps == ()
        assert made.basis.classic is not None
        assert [one.kind for one in made.basis.classic.prevents] == [kind]
        with pytest.raises(MoveRejected, match=r"cannot move to group\.protocol=streams"):
            forecast(group, **given)

    @pytest.mark.thorough
    @pytest.mark.parametrize("kind", IGNORED)
    def test_but_for_what_may_be_given_up(self, kind: Prevents) -> None:
        group, given = PREVENTED[kind]

        assert planned(group, **given, gives_up=[str(kind)]).assessment is not Assessment.BLOCKED

    def test_is_told_all_at_once(self) -> None:
        with pytest.raises(MoveRejected) as refused:
            forecast(static(), broker_release="4.2.0", source_patterns=True)

        assert all(one in str(refused.value) for one in ("KAFKA-20254", "group.instance.id", "by a pattern"))

    @pytest.mark.thorough
    def test_static_members_may_move_from_4_4_on(self) -> None:
        assert forecast(static(), broker_release="4.4.0", kafka_release="4.4.0")["targets"]

    @pytest.mark.thorough
    def test_the_same_is_not_asked_twice_of_4_2_1(self) -> None:
        assert forecast(broker_release="4.2.1")["targets"][0]["group_epoch"] == 7  # the first epoch is 2 there, too


class TestWhatIsRefused:
    def test_other_events(self) -> None:
        both = change()
        both["events"].append({"set_config": {"num.standby.replicas": 1}})

        with pytest.raises(InvalidInput, match=r"events\[1\].*the only event"):
            forecast_case({"snapshot": classic(), "change": both}, Detail.FULL)

    @pytest.mark.parametrize("field", [{"late": [B[:-1] + "0"]}, {"member_ids": {B[:-1] + "0": ["x"]}}])
    def test_strangers(self, field: Case) -> None:
        with pytest.raises(InvalidInput, match="no client of the group"):
            forecast(**field)

    def test_unknown_changelogs(self) -> None:
        group = classic()
        group["tasks"]["1_0"]["changelogs"] = None

        with pytest.raises(CannotPredict, match="Which tasks are stateful"):
            forecast(group)

    def test_an_event_for_a_group_that_is_classic_still(self) -> None:
        group, _ = move.followed(
            any_document.snapshot_from_json(classic()), any_document.change_from_json(change(), any_snapshot())
        )
        document = any_document.snapshot_to_json(group)
        for event in ({"restart_client": {"process_id": A}}, {"add_client": {"threads": 1}}):
            with pytest.raises(InvalidInput, match="still classic"):
                forecast_case({"snapshot": document, "change": {"format_version": "1.0", "events": [event]}}, Detail.FULL)


def any_snapshot() -> Any:
    return any_document.snapshot_from_json(classic())


class TestThePlan:
    @pytest.mark.thorough
    def test_has_the_baseline_and_its_options(self) -> None:
        made = planned()

        delay = "longer-initial-delay"
        names = ["baseline", "seed-process-ids", f"seed-process-ids-and-{delay}", delay]
        assert [one.name for one in made.candidates] == names
        assert any_document.plan_from_json(any_document.plan_to_json(made)) == made

    @pytest.mark.thorough
    def test_process_ids_bring_tasks_to_their_state(self) -> None:
        """Twelve clients of one thread and one task each: in the hash order of their own IDs most tasks go elsewhere."""
        made = planned(many(12))
        plain, seeded = (next(one for one in made.candidates if one.name == name) for name in ("baseline", "seed-process-ids"))

        assert plain.summary is not None
        assert seeded.summary is not None
        assert plain.summary.cold_moves > 6
        assert seeded.summary.cold_moves == seeded.summary.moves == 0

    @pytest.mark.thorough
    def test_seeds_nothing_without_a_store_on_disk(self) -> None:
        made = planned(classic(stores="in-memory"))
        seeded = next(one for one in made.candidates if one.name == "seed-process-ids")

        assert seeded.refusal is not None
        assert seeded.refusal.kind == "state_in_memory"
        assert made.baseline_option is not None
        assert made.baseline_option.draws is not None  # new process IDs

    @pytest.mark.thorough
    def test_counts_the_delay_into_the_downtime(self) -> None:
        made = planned()
        plain, delayed = (next(one for one in made.candidates if one.name == name) for name in ("baseline", "longer-initial-delay"))

        assert plain.longest is not None
        assert delayed.longest is not None
        assert delayed.longest.usual - plain.longest.usual == pytest.approx(57)
        assert plain.longest.least >= 10 - 3 + 3


def many(clients: int) -> Case:
    """One thread and one stateful task each."""
    ids = [f"{number:08x}-57d0-457d-951f-d06556c148ca" for number in range(1, clients + 1)]
    return classic(
        group_id="many",
        leader_process_id=None,
        generations=[],
        topics={},
        config={},
        kafka_release="4.3.1",
        tasks={
            f"0_{number}": {"partitions": [["orders", number]], "changelogs": [["many-store-changelog", number, 50]]}
            for number in range(clients)
        },
        clients={
            one: {
                "host": f"app-{number}",
                "consumers": {
                    f"m{number}": {
                        "client_id": f"m{number}",
                        "owned": [["orders", number]],
                        "task_offset_sums": {f"0_{number}": -2},
                    }
                },
            }
            for number, one in enumerate(ids)
        },
    )


class TestFollowingIt:
    def steps(self, made: BrokerPlan) -> list[str]:
        return [str(one.id) for one in made.steps]

    def next(self, made: BrokerPlan, fresh: Any, *done: str) -> Next:
        entries = tuple(JournalEntry("2026-11-21T01:40:00Z", one, JournalEvent.DONE, "ops", "done") for one in done)
        return apply.next_of(made, Journal(made.plan_id, entries), fresh, NOW)

    @pytest.mark.thorough
    def test_waits_while_classic_members_are_there_and_goes_on_once_the_group_is_empty(self) -> None:
        made = only(planned(), "baseline")
        there = any_document.snapshot_from_json(classic())
        empty = any_document.snapshot_from_json(owned_by_nobody(classic()))

        assert isinstance(self.next(made, there), WaitForOutside)  # for the person who sets group.protocol
        assert isinstance(self.next(made, there, "1"), WaitForOutside)
        assert isinstance(self.next(made, empty, "1"), NothingLeft)
        assert isinstance(self.next(made, empty, "1", "2"), WaitForOutside)  # no client has started

    @pytest.mark.thorough
    def test_notes_what_a_snapshot_of_the_streams_group_shows(self) -> None:
        made = only(planned(), "baseline")
        fresh = after(made, classic=None, recorded=False)

        for number, step in enumerate(self.steps(made)):
            assert isinstance(self.next(made, fresh, *self.steps(made)[:number]), NothingLeft), step

    @pytest.mark.thorough
    def test_is_stale_where_another_client_joins_the_classic_group(self) -> None:
        made = only(planned(), "baseline")
        other = copy.deepcopy(classic())
        other["clients"][B[:-1] + "0"] = copy.deepcopy(other["clients"][B])
        renamed = other["clients"][B[:-1] + "0"]["consumers"]
        other["clients"][B[:-1] + "0"]["consumers"] = {f"{name}-other": one | {"owned": []} for name, one in renamed.items()}

        with pytest.raises(StalePlan, match="joined since"):
            self.next(made, any_document.snapshot_from_json(other))

    @pytest.mark.thorough
    def test_is_verified_by_a_snapshot_of_either_protocol(self) -> None:
        made = only(planned(), "baseline")
        fresh = after(made, classic=None)

        assert verify.compare(None, made, any_document.snapshot_from_json(classic())).result is Result.NOT_YET
        assert verify.compare(None, made, fresh).result is Result.AS_FORECAST
        swapped = replace(fresh, members=tuple(replace(one, assignment=other.assignment) for one, other in _turned(fresh.members)))
        assert verify.compare(None, made, swapped).result is Result.DIFFERENT

    @pytest.mark.thorough
    def test_is_not_stale_by_defaults_that_the_new_group_shows(self) -> None:
        made = only(planned(), "baseline")
        fresh = after(made, classic=None, config=(("streams.heartbeat.interval.ms", 5000),), recorded=False)
        other = after(made, classic=None, config=(("streams.heartbeat.interval.ms", 9000),), recorded=False)

        assert isinstance(self.next(made, fresh, "1"), NothingLeft)
        with pytest.raises(StalePlan, match="heartbeat"):
            self.next(made, other, "1")


def _turned(members: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    return list(zip(members, (*members[2:], *members[:2]), strict=True))


def only(made: BrokerPlan, name: str) -> BrokerPlan:
    """The same with that option recommended."""
    kind = kind_of(made)
    basis, asked = move.followed(any_snapshot(), any_document.change_from_json(change(), any_snapshot()))
    options = [one for one in kind.propose(basis, asked) if one.name == name]
    evaluated = kind.evaluate_all(basis, options, lambda _: None, 1)
    found = kind.assemble(basis, asked, evaluated, Policy(), NOW, None)
    assert isinstance(found, BrokerPlan)
    return found


def test_a_group_that_stays_of_its_kind_is_left_alone() -> None:
    snapshot = any_snapshot()
    stays = any_document.change_from_json({"format_version": "1.0", "events": [{"remove_client": {"process_id": A}}]}, snapshot)

    assert move.followed(snapshot, stays) == (snapshot, stays)
    assert ProcessId.parse(A) in {one.process_id for one in snapshot.clients}
