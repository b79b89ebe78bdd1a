"""A plan for a consumer group, from the lake to its verdict: kept, approved, walked by an operator, compared with the group.

The group does what its own forecast says, with the member IDs that a broker would have made.
"""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.harness.article import AFTER
from tests.harness.article import group as streams_group
from tests.harness.plain_groups import Document, change, group, member

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.errors import InvalidInput, StalePlan, StepRefused
from holdfast.rollout.consumer.change.json import consumer_change_from_json
from holdfast.rollout.consumer.execution.verdict import ConsumerVerdict
from holdfast.rollout.consumer.forecast.forecast import forecast
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json, consumer_snapshot_to_json
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds import any_difference, any_document
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.tables import plan_rows
from holdfast.workflows import apply as workflow
from holdfast.workflows import plan as planning
from holdfast.workflows import plan as plans
from holdfast.workflows import verify
from holdfast.workflows.apply import Applied

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
COMMITTED = [{"id": number, "begin_offset": 0, "end_offset": 9, "committed_offset": 9} for number in range(6)]
COOPERATIVE = group(
    {name: member(*owned, host=f"app-{name}") for name, owned in {"a": (0, 1), "b": (2, 3), "c": (4, 5)}.items()},
    topics={"orders": {"partitions": COMMITTED}},
)
JOINS = {"add_consumer": {"member_id": "new", "assignors": ["cooperative-sticky"], "subscription": ["orders"]}}
REPLACE = {"replace_consumer": {"member_id": "a", "by": {"member_id": "new", "host": "app-new"}}}


def lived(document: Document, *events: object, **more: object) -> Document:
    """The group after these events, a minute later."""
    before = consumer_snapshot_from_json(document)
    outcome = forecast(before, consumer_change_from_json(change(*events))).outcome
    assert before.generation is not None
    after = replace(before, members=outcome.members, generation=before.generation + len(outcome.rounds), group_state="Stable")
    return consumer_snapshot_to_json(after) | more


def named(member_id: str, *events: object) -> list[object]:
    """The events, with what a broker calls the new one."""
    return [loads(dumps(list(events)).replace('"new"', f'"{member_id}"'))][0]  # type: ignore[return-value]


class Operator:
    """An operator who carries out one plan."""

    def __init__(self, folder: Path, document: Document, *events: object) -> None:
        self.lake = FsspecLake(str(folder / "lake"))
        made = planning.make_from(("s", document), ("c", change(*events)), Policy(), NOON)
        plans.keep(self.lake, made)
        kept = plans.load(self.lake, made.plan_id)
        assert isinstance(kept, ConsumerPlan)
        assert kept == made
        self.plan = kept

    def apply(self, document: Document, *confirm: str, **other: str) -> Applied:
        approval = Approval(self.plan.plan_id, True, "ann", "read it", "2026-11-20T12:00:00Z")
        hands = workflow.Hands(self.lake, LocalProcessMetadataFiles(), {}, lambda: NOON)
        words = tuple(workflow.Confirmation(step, "ann", "seen") for step in confirm)
        fresh = document | {"captured_at": "2026-11-20T12:00:00Z"} | other
        return workflow.apply(self.plan, any_document.snapshot_from_json(fresh), approval, words, hands)

    def verdict(self, document: Document) -> ConsumerVerdict:
        found = verify.compare(self.lake, self.plan, any_document.snapshot_from_json(document))
        assert isinstance(found, ConsumerVerdict)
        return found


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    return Operator(tmp_path, COOPERATIVE, REPLACE)


def waits_for(applied: Applied) -> str | None:
    return None if applied.waiting_for is None else applied.waiting_for.step.id


KINDS = {
    "replaced": [REPLACE],
    "joins": [JOINS],
    "leaves": [{"remove_consumer": {"member_id": "a"}}],
    "restarted": [{"restart_consumer": {"member_id": "a", "new_member_id": "a2"}}],
    "restarted under an ID that nobody can know": [{"restart_consumer": {"member_id": "a", "new_member_id": "a"}}],
    "another list": [{"set_assignors": {"assignors": ["range"], "member_ids": {"a": "x", "b": "y", "c": "z"}}}],
    "a topic grows": [{"add_partitions": {"topic": "orders", "partitions": 8}}],
    "a topic comes": [{"add_topic": {"topic": "new", "partitions": 2}}],
    "a topic goes": [{"remove_topic": {"topic": "orders"}}],
}


@pytest.mark.parametrize("generation", [12, None])
@pytest.mark.parametrize("events", KINDS.values(), ids=KINDS)
def test_the_very_snapshot_that_the_plan_was_made_from_is_never_as_forecast(
    tmp_path: Path, events: list[object], generation: int | None
) -> None:
    document = COOPERATIVE | {"generation": generation}
    verdict = Operator(tmp_path, document, *events).verdict(document)

    assert verdict.result is Result.NOT_YET
    assert verdict.steps
    assert verdict.differences


class TestTheWholeWay:
    def test_what_the_group_shows_is_done(self, operator: Operator) -> None:
        assert waits_for(operator.apply(COOPERATIVE)) == "1"
        assert waits_for(operator.apply(lived(COOPERATIVE, *named("app-77", REPLACE)))) is None

    @pytest.mark.parametrize("fast", [True, False])
    def test_how_fast_the_new_one_was_makes_no_difference(self, operator: Operator, fast: bool) -> None:
        """One rebalance where it was there before the others had joined, else more, and other partitions."""
        found = lived(COOPERATIVE, {"replace_consumer": REPLACE["replace_consumer"] | {"within_rebalance": fast}})
        verdict = operator.verdict(found)
        assert verdict.result is Result.AS_FORECAST
        assert verdict.rebalances.expected == (1, 4)
        assert verdict.rebalances.found == (1 if fast else 3)
        other = operator.verdict(
            lived(COOPERATIVE, {"replace_consumer": REPLACE["replace_consumer"] | {"within_rebalance": not fast}})
        )
        assert {one.partition: one.found for one in verdict.partitions} != {one.partition: one.found for one in other.partitions}

    def test_it_is_as_forecast_under_whichever_id_the_new_one_came(self, operator: Operator) -> None:
        for real in ("app-77", "Z", "zzz"):
            verdict = operator.verdict(lived(COOPERATIVE, *named(real, REPLACE)))

            assert verdict.result is Result.AS_FORECAST
            assert {one.expected for one in verdict.partitions} == {real, "b", "c"}
            assert len(verdict.partitions) == 6

    def test_a_rolling_restart_is_walked_wait_by_wait(self, tmp_path: Path) -> None:
        restarts = [{"restart_consumer": {"member_id": name, "new_member_id": f"{name}2"}} for name in "ab"]
        operator = Operator(tmp_path, COOPERATIVE, restarts[0], {"then": "stable"}, restarts[1])
        assert operator.plan.chosen == "baseline"
        first = {"restart_consumer": {"member_id": "a", "new_member_id": "app-1"}}
        second = {"restart_consumer": {"member_id": "b", "new_member_id": "app-0"}}
        half, whole = lived(COOPERATIVE, first), lived(COOPERATIVE, first, {"then": "stable"}, second)

        assert waits_for(operator.apply(COOPERATIVE)) == "1"
        assert waits_for(operator.apply(half)) == "3"
        assert operator.verdict(half).result is Result.NOT_YET
        assert waits_for(operator.apply(whole)) is None
        assert operator.verdict(whole).result is Result.AS_FORECAST

    def test_in_two_bounces_the_second_one_shows_by_who_was_there_when_it_began(self, tmp_path: Path) -> None:
        """A member that joined in the plan's own course has an unforeseen ID."""
        eager = {name: member(assignors=["range"], owned=[], owned_generation=None) for name in "ab"}
        new = {"assignors": ["cooperative-sticky"]}
        events = [{"set_assignors": new | {"member_ids": {name: f"{name}2"}}} for name in "ab"]
        operator = Operator(tmp_path, group(eager), events[0], {"then": "stable"}, events[1])
        both = {"assignors": ["cooperative-sticky", "range"]}
        course: list[object] = []
        states = [group(eager)]
        for assignors, names in ((both, {"a": "x", "b": "y"}), (new, {"x": "v", "y": "w"})):
            for old, real in names.items():
                course += [{"set_assignors": assignors | {"member_ids": {old: real}}}, {"then": "stable"}]
                states.append(lived(group(eager), *course))

        assert operator.plan.chosen == "two-bounces"
        assert [waits_for(operator.apply(state)) for state in states[:3]] == ["1", "3", "5"]
        waiting = operator.apply(states[2], "5")
        assert waits_for(waiting) == "5"
        assert waiting.waiting_for is not None
        assert not waiting.waiting_for.can_confirm
        assert waits_for(operator.apply(states[3])) == "7"
        assert waits_for(operator.apply(states[4])) is None
        assert operator.verdict(states[4]).result is Result.AS_FORECAST

    def test_a_topic_that_grew_shows(self, tmp_path: Path) -> None:
        grown = {"add_partitions": {"topic": "orders", "partitions": 8}}
        operator = Operator(tmp_path, COOPERATIVE, grown)
        after = lived(COOPERATIVE, grown)
        after["topics"]["orders"]["partitions"] += [{"id": 6}, {"id": 7}]

        waiting = operator.apply(COOPERATIVE)
        assert waiting.waiting_for is not None
        assert "orders has 6 partitions" in waiting.waiting_for.needed
        assert waits_for(operator.apply(after)) is None

    def test_static_consumers_that_were_not_noticed(self, tmp_path: Path) -> None:
        owned = {"a": (0, 1, 2), "b": (3, 4, 5)}
        static = group({name: member(*own, group_instance_id=f"i-{name}") for name, own in owned.items()})
        operator = Operator(tmp_path, static, {"restart_consumer": {"member_id": "a", "new_member_id": "a2"}})
        back = {"restart_consumer": {"member_id": "a", "new_member_id": "app-9", "within_session": True}}
        after = lived(static, back)

        assert operator.plan.chosen == "static-within-session"
        assert waits_for(operator.apply(after)) is None
        assert {one.expected for one in operator.verdict(after).partitions} == {"app-9", "b"}

    def test_a_static_consumer_that_was_back_in_time_meanwhile_is_the_same(self, tmp_path: Path) -> None:
        owned = {"a": (0, 1, 2), "b": (3, 4, 5)}
        static = group({name: member(*own, group_instance_id=f"i-{name}") for name, own in owned.items()})
        operator = Operator(tmp_path, static, JOINS)
        back = {"restart_consumer": {"member_id": "a", "new_member_id": "a-7", "within_session": True}}
        verdict = operator.verdict(lived(static, back, {"then": "stable"}, *named("n", JOINS)))

        assert verdict.result is Result.AS_FORECAST
        assert {one.found for one in verdict.partitions} == {"a", "b", "n"}

    def test_the_checklist_and_the_verdict_are_documents(self, operator: Operator) -> None:
        checklist = workflow.applied_to_json(operator.apply(COOPERATIVE))["checklist"]
        assert isinstance(checklist, list)
        assert checklist[0]["what"] == "Stop a on app-a and start new on app-new instead"
        operator.verdict(lived(COOPERATIVE, *named("n", REPLACE)))
        path = f"plans/{operator.plan.plan_id}"
        written = operator.lake.read(tuple(f"{path}/verdict.json".split("/")), 10**6)
        kept = operator.lake.read(tuple(f"{path}/plan.json".split("/")), 10**6)

        (row,) = plan_rows.plan_rows(f"{path}/verdict.json", written)["verdicts"]  # type: ignore[misc]
        assert (row["result"], row["partitions"], row["partitions_as_forecast"]) == ("as forecast", 6, 6)
        rows = plan_rows.plan_rows(f"{path}/plan.json", kept)["candidates"]
        assert [(one["name"], one["chosen"], one["partitions"]) for one in rows] == [("baseline", True, 6)]  # type: ignore[attr-defined]


class TestAnotherGroup:
    @pytest.mark.parametrize(
        ("drifted", "found"),
        [
            ({"kafka_release": "2.8.0"}, "2.8.0"),
            ({"topics": {"orders": {"partitions": COMMITTED[:4]}}}, "orders had 6 partitions, it now has 4"),
            ({"consumers": {"b": member(2, 3), "c": member(4, 5)}}, "a is not in the group any more"),
            ({"consumers": COOPERATIVE["consumers"] | {"d": member(), "e": member()}}, "2 consumers joined since the plan"),
            ({"consumers": COOPERATIVE["consumers"] | {"b": member(2, 3, subscription=["returns"])}}, "The subscription of b"),
            ({"consumers": COOPERATIVE["consumers"] | {"b": member(2)}}, "b owns other partitions"),
            ({"config": {"session.timeout.ms": 9000}}, "session.timeout.ms was not given"),
            ({"group_id": "another"}, "of another group"),
        ],
    )
    def test_is_refused_with_what_drifted(self, tmp_path: Path, drifted: Document, found: str) -> None:
        operator = Operator(tmp_path, COOPERATIVE, JOINS)
        with pytest.raises(StalePlan, match=found):
            operator.apply(COOPERATIVE, **drifted)

    def test_is_refused_when_it_is_of_kafka_streams(self, operator: Operator) -> None:
        with pytest.raises(InvalidInput, match=r"is for a consumer group, and the snapshot is of a Kafka Streams group"):
            operator.apply(streams_group(AFTER))
        with pytest.raises(InvalidInput, match="is for a consumer group"):
            operator.verdict(streams_group(AFTER))

    def test_new_offsets_hosts_and_generations_are_none(self, operator: Operator) -> None:
        moved = loads(json.dumps(COOPERATIVE | {"generation": 40}).replace('"end_offset": 9', '"end_offset": 99'))

        assert waits_for(operator.apply(moved)) == "1"

    def test_it_waits_for_a_rebalance_to_end(self, operator: Operator) -> None:
        assert waits_for(operator.apply(COOPERATIVE, group_state="PreparingRebalance")) == "1"

    def test_what_nobody_approved_is_not_done(self, operator: Operator) -> None:
        other = Approval("0" * 16, True, "ann", "", "2026-11-20T12:00:00Z")
        hands = workflow.Hands(operator.lake, LocalProcessMetadataFiles(), {}, lambda: NOON)
        with pytest.raises(StepRefused, match="The approval is for plan"):
            workflow.apply(operator.plan, any_document.snapshot_from_json(COOPERATIVE), other, (), hands)


class TestAnotherWay:
    def test_partitions_elsewhere_are_named(self, operator: Operator) -> None:
        swapped = lived(COOPERATIVE, *named("n", REPLACE))
        consumers = swapped["consumers"]
        consumers["b"]["owned"], consumers["c"]["owned"] = consumers["c"]["owned"], consumers["b"]["owned"]
        verdict = operator.verdict(swapped)

        assert verdict.result is Result.DIFFERENT
        assert "orders-2 is assigned to c; forecast: b." in verdict.differences
        waiting = operator.apply(swapped)
        assert waits_for(waiting) == "2"

    def test_somebody_else_came_back_under_another_id(self, operator: Operator) -> None:
        back = {"restart_consumer": {"member_id": "b", "new_member_id": "b9"}}
        found = lived(COOPERATIVE, *named("n", REPLACE), {"then": "stable"}, back)

        assert operator.verdict(found).result is Result.DIFFERENT
        assert "b is outside the change, but has left the group" in operator.verdict(found).differences[0]

    def test_nobody_has_come_yet(self, operator: Operator) -> None:
        assert operator.verdict(COOPERATIVE).result is Result.NOT_YET
        assert operator.verdict(COOPERATIVE | {"group_state": "CompletingRebalance"}).result is Result.IN_PROGRESS

    def test_more_rebalances_than_were_forecast_are_told(self, tmp_path: Path) -> None:
        operator = Operator(tmp_path, COOPERATIVE, JOINS)
        found = lived(COOPERATIVE, *named("n", JOINS))

        assert operator.verdict(found).result is Result.AS_FORECAST
        busy = operator.verdict(found | {"generation": 30})
        assert (busy.result, busy.differences) == (
            Result.DIFFERENT,
            ("18 rebalances since the plan was created; forecast: 2.",),
        )

    def test_each_member_that_must_revoke_may_take_a_rebalance_of_its_own(self, tmp_path: Path) -> None:
        two = {"a": member(0, 1, 2), "b": member(3, 4, 5)}
        document = group(two, topics={"orders": {"partitions": COMMITTED}})
        operator = Operator(tmp_path, document, JOINS)
        found = lived(document, *named("n", JOINS))
        generation = document["generation"]
        chosen = operator.plan.recommended_option

        assert chosen is not None
        assert chosen.rebalances == (2, 3)
        assert "2–3 rebalances" in operator.plan.headline
        assert operator.plan.steps[0].expect == "2–3 rebalances, for all steps together."
        for more, result in {1: Result.DIFFERENT, 2: Result.AS_FORECAST, 3: Result.AS_FORECAST, 4: Result.DIFFERENT}.items():
            verdict = operator.verdict(found | {"generation": generation + more})
            assert (verdict.rebalances.expected, verdict.rebalances.found, verdict.result) == ((2, 3), more, result)


class TestDifferences:
    def test_of_snapshots_begin_with_the_order_of_the_members(self) -> None:
        before = consumer_snapshot_from_json(COOPERATIVE)
        after = consumer_snapshot_from_json(lived(COOPERATIVE, *named("n", REPLACE)))
        lines = any_difference.of_snapshots(before, after).lines

        assert (lines[0].part, lines[0].before, lines[0].after) == ("member order", "a b c", "b c n")
        assert {line.what for line in lines if line.part == "reader"} == {"orders-0", "orders-1"}
        assert any_difference.of_snapshots(before, before).lines == ()

    def test_of_plans(self, operator: Operator, tmp_path: Path) -> None:
        other = Operator(tmp_path / "other", COOPERATIVE, {"remove_consumer": {"member_id": "a"}})
        parts = {line.part for line in any_difference.of_plans(operator.plan, other.plan).lines}

        assert {"made from", "step"} <= parts
        assert any_difference.of_plans(operator.plan, operator.plan).lines == ()
