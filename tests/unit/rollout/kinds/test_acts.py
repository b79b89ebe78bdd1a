"""Which steps Holdfast can do by itself, for each kind of group; all others are a person's."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.harness.article import AFTER, LAST, A, B, C, group
from tests.harness.plain_groups import change, member
from tests.harness.plain_groups import group as plain_group
from tests.harness.plans import planned, read
from tests.unit.rollout.broker_streams import plans as broker_plans
from tests.unit.rollout.broker_streams.plans import STABLE, restart

from holdfast.rollout.consumer.change.json import consumer_change_from_json
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.execution.acts import Act, Acts
from holdfast.rollout.execution.rolling_settings import ClientSetting, Roll
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.snapshot import replay
from holdfast.workflows import plan as planning

ROOT = Path(__file__).resolve().parents[4]
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def found(plan: AnyPlan) -> list[Acts | None]:
    """Of every step that does not only wait."""
    kind = kind_of(plan)
    return [kind.acts(plan, step) for step in plan.steps if not kind.waits(step)]


def done(plan: AnyPlan) -> list[tuple[Does, str, str | None]]:
    acts: Iterable[Act] = (act for one in found(plan) if one is not None for act in one.acts)
    return [(act.does, act.client, act.host) for act in acts]


def streams(*events: object, **limits: object) -> AnyPlan:
    return planned(group(AFTER), *events, policy=Policy(exclude=("relabel",), **limits))  # type: ignore[arg-type]


def consumers(*events: object) -> AnyPlan:
    hosts = {name: member(*owned, host=f"/app-{name}", client_id=f"c-{name}") for name, owned in {"a": (0, 1), "b": (2, 3)}.items()}
    snapshot = consumer_snapshot_from_json(plain_group(hosts, 4, cluster="local", group_state="Stable"))
    return planning.make(snapshot, consumer_change_from_json(change(*events)), Policy(), NOON)


def host(client: str) -> str:
    return f"app-{client[:4]}"


class TestStreams:
    def test_a_restart_and_a_removal(self) -> None:
        plan = streams(
            {"restart_client": {"process_id": A}}, {"then": "stable"}, {"remove_client": {"process_id": B, "leaves": False}}
        )

        assert done(plan) == [(Does.RESTART, A, host(A)), (Does.STOP, B, host(B))]

    def test_a_replacement_is_stopped_and_started_and_its_file_is_another_s(self) -> None:
        by = {"process_id": LAST, "threads": 2, "host": "app-new"}
        plan = streams({"replace_client": {"process_id": C, "by": by, "state": "empty"}})

        assert [one is None for one in found(plan)] == [False, True, False]
        assert [does for does, _, _ in done(plan)] == [Does.STOP, Does.START]

    @pytest.mark.parametrize(
        ("state", "at", "by_host_alone"),
        [("empty", "app-new", True), ("kept", "app-new", True), ("kept", host(C), False), ("kept", f"/{host(C)}", False)],
    )
    def test_a_process_id_on_another_host_says_no_longer_which_process_it_is(
        self, state: str, at: str, by_host_alone: bool
    ) -> None:
        by = {"process_id": C, "threads": 2, "host": at}
        plan = streams({"replace_client": {"process_id": C, "by": by, "state": state}})
        stop, start = (one.acts[0] for one in found(plan) if one is not None)

        assert stop.listed_as == (C, host(C))
        assert start.listed_as == ((at,) if by_host_alone else (C, host(C)))

    @pytest.mark.parametrize(
        "event",
        [
            {"remove_client": {"process_id": B, "leaves": True}},
            {"restart_client": {"process_id": A, "keeps_state": False}},
            {"restart_client": {"process_id": A, "late": True}},
            {"set_config": {"max.warmup.replicas": 3}},
            {"restart_client": {"process_id": A, "threads": 3}},
            {"add_partitions": {"topic": "input", "partitions": 8}},
        ],
    )
    def test_where_it_matters_how_it_is_done_a_person_does_it(self, event: object) -> None:
        plan = streams(event)

        assert plan.steps
        assert done(plan) == []


class TestSettingsOfClients:
    """What is rolled out together is one roll of the first step, in the order of process IDs."""

    def roll(self, *events: object) -> tuple[list[Roll | None], AnyPlan]:
        plan = streams(*events)
        kind = kind_of(plan)
        return [kind.roll(plan, step) for step in plan.steps if not kind.waits(step)], plan

    def test_each_client_gets_all_of_them_and_restarts(self) -> None:
        (first, second), plan = self.roll({"set_config": {"max.warmup.replicas": 3, "rack.aware.assignment.tags": ["a", "b"]}})
        assert first is not None
        assert first == second
        assert (first.first, [len(batch) for batch in first.batches]) == (plan.steps[0].id, [1, 1, 1])
        assert [one.acts for one in first.clients()] == [(Act(Does.RESTART, one, host(one)),) for one in (C, A, B)]
        assert {one.settings for one in first.clients()} == {
            (
                ClientSetting("max.warmup.replicas", "2", "3", "2"),
                ClientSetting("rack.aware.assignment.tags", None, "a,b", ""),
            )
        }
        assert first.actions == (ActionName.SET_CLIENT_CONFIG, ActionName.RESTART_CLIENT)

    def test_in_batches_of_those_that_restart_together(self) -> None:
        ((first,), _) = self.roll({"rolling_restart": {"set_config": {"max.warmup.replicas": 3}, "at_once": 2}})
        assert first is not None
        assert [len(batch) for batch in first.batches] == [2, 1]

    @pytest.mark.parametrize(
        "rolling",
        [{"late": True}, {"process_ids": [A]}, {"kafka_release": "3.9.1"}, {"keeps_process_id": False}, {"keeps_state": False}],
    )
    def test_other_restarts_are_a_person_s(self, rolling: dict[str, object]) -> None:
        found, _ = self.roll({"rolling_restart": {"set_config": {"max.warmup.replicas": 3}} | rolling})
        assert found
        assert found == [None] * len(found)

    @pytest.mark.thorough
    def test_of_the_clients_that_there_are_then(self) -> None:
        """One is gone by then, and one has come; one without a process ID would have no name."""
        removed, wait = {"remove_client": {"process_id": A, "leaves": False}}, {"then": "stable"}
        sets = {"set_config": {"max.warmup.replicas": 3}}
        added = {"add_client": {"process_id": LAST, "threads": 2, "host": "app-new"}}
        found, _ = self.roll(removed, wait, added, wait, sets)
        last = found[-1]
        assert last is not None
        assert [one.client.client for one in last.clients()] == [C, B, LAST]
        assert [one.client.moves for one in last.clients()] == [False, False, False]
        unnamed = {"add_client": {"process_id": None, "threads": 2, "host": "app-new"}}
        policy = Policy(exclude=("relabel", "seed-process-id"))
        plan = planned(group(AFTER), unnamed, wait, sets, policy=policy)
        found = [kind_of(plan).roll(plan, step) for step in plan.steps if "max.warmup" in str(step.action)]
        assert found == [None]

    def test_settings_mean_the_same_where_one_is_the_default(self) -> None:
        setting = ClientSetting("max.warmup.replicas", "2", "3", "2")
        assert setting.is_same(None, "2")
        assert not setting.is_same(None, "3")
        assert ClientSetting("x", None, "a").is_same("a, b", "a,b")


class TestConsumers:
    def test_processes(self) -> None:
        restarted = consumers({"restart_consumer": {"member_id": "a"}}, {"then": "stable"}, {"remove_consumer": {"member_id": "b"}})

        assert done(restarted) == [(Does.RESTART, "a", "/app-a"), (Does.STOP, "b", "/app-b")]
        (first, _) = found(restarted)
        assert first is not None
        assert first.acts[0].names == ("c-a",)

    def test_a_replacement_is_two_acts_of_one_step(self) -> None:
        plan = consumers({"replace_consumer": {"member_id": "a", "by": {"member_id": "new", "host": "app-new"}}})

        assert done(plan) == [(Does.STOP, "a", "/app-a"), (Does.START, "", "app-new")]
        assert found(plan)[0] == Acts((ActionName.STOP_CLIENT, ActionName.START_CLIENT), found(plan)[0].acts)  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        "event",
        [
            {"restart_consumer": {"member_id": "a", "assignors": ["range", "cooperative-sticky"]}},
            {"add_partitions": {"topic": "orders", "partitions": 6}},
        ],
    )
    def test_what_is_no_process_is_a_person_s(self, event: object) -> None:
        assert done(consumers(event)) == []


class TestGroupsWhoseBrokerAssigns:
    def test_processes_that_take_their_time(self) -> None:
        only = Policy(
            exclude=("within-interval", "within-interval-from-the-first", "standbys-first", "static-members", "other-order")
        )
        plan = broker_plans.planned(restart("a"), STABLE, {"remove_client": {"process_id": "b"}}, policy=only)
        joins = {"add_client": {"process_id": "z", "threads": 2, "host": "h9"}}

        assert done(plan) == [(Does.RESTART, "a", "host-a"), (Does.STOP, "b", "host-b")]
        assert done(broker_plans.planned(joins, policy=only)) == [(Does.START, "z", "h9")]

    @pytest.mark.thorough
    def test_within_the_interval_and_in_silence_a_person_does_it(self) -> None:
        by = {"process_id": "z", "threads": 2}
        for event in (
            restart("a", within_interval=True),
            restart("a", leaves=False),
            restart("a", keeps_state=False),
            {"replace_client": {"process_id": "b", "by": by}},
            {"remove_client": {"process_id": "b", "leaves": False}},
            {"set_config": {"streams.num.standby.replicas": 1}},
        ):
            plan = broker_plans.planned(event)
            assert plan.steps
            assert done(plan) == []


def test_a_stable_group_that_a_rebalance_is_pending_in_is_waited_for() -> None:
    """The recorded group in the middle of its moves: its leader asked members to rejoin."""
    document = json.loads((ROOT / "examples" / "streams-wordcount" / "snapshot.json").read_text())
    settled = [replay.leaders_decision(one).settled for one in read(document).generations]
    moving = document | {"generations": document["generations"][: settled.index(False) + 1]}
    plan = streams({"restart_client": {"process_id": A}})
    kind, (act, wait) = kind_of(plan), plan.steps

    assert kind.pending_s(wait, read(moving)) == wait.action.limit_s  # type: ignore[attr-defined]
    assert kind.pending_s(act, read(moving)) is None
    assert kind.pending_s(wait, read(document)) is None
    assert kind_of(consumers({"restart_consumer": {"member_id": "a"}})).pending_s(wait, read(moving)) is None


def test_a_member_of_the_plan_s_own_course_is_a_person_s() -> None:
    first = {"restart_consumer": {"member_id": "a", "new_member_id": "a2"}}
    plan = consumers(first, {"then": "stable"}, {"restart_consumer": {"member_id": "a2"}})

    assert done(plan) == [(Does.RESTART, "a", "/app-a")]
