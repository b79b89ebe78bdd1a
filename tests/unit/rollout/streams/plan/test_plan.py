"""Is the best option recommended, are reasons given, and is a plan the same bytes every time?"""

from datetime import datetime, timedelta

import pytest
from tests.harness.article import AFTER, LAST, B, C, altered, change, group
from tests.harness.plans import NOON, REPLACE_FIRST, article_plan, measured, planned, raised_plan, read

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.assessment import Assessment, RuleStatus
from holdfast.rollout.contract.plan_age import holds_until
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts.sourced_text import Said, texts_of
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.plan.assembly import assemble
from holdfast.rollout.streams.plan.plan import Plan


def why_not(plan: Plan) -> dict[str, str]:
    return {one.name: one.why_not for one in plan.candidates}


class TestTheArticle:
    def test_the_metadata_is_copied_first(self) -> None:
        plan = article_plan()

        assert (plan.chosen, plan.assessment) == ("copy-process-metadata", Assessment.SAFE)
        assert "0 of 6 stateful tasks migrate (2 restore on the new disk), 1 rebalance" in plan.headline
        assert "Baseline (no mitigation): 6 of 6 stateful tasks migrate, 4–10 rebalances" in plan.headline
        assert C in plan.wrong_if

    def test_every_loser_says_why(self) -> None:
        reasons = why_not(article_plan())

        assert reasons.pop("copy-process-metadata") == ""
        assert "collateral-migration: 4 of 6" in reasons["baseline"]
        assert "2 tasks migrate to another process ID" in reasons["seed-process-id"]
        assert "More manual work" in reasons["copy-state-directory"]
        assert "8 records" in reasons["copy-state-directory"]
        assert all(reasons.values())

    def test_steps_carry_all_that_a_reviewer_needs(self) -> None:
        plan = article_plan()

        assert [step.id for step in plan.steps] == ["1", "2", "3", "4"]
        assert all(step.check_before and step.check_after and step.undo and step.expect for step in plan.steps)

    @pytest.mark.thorough
    def test_where_a_restore_takes_too_long_the_disk_is_copied_and_looked_at(self) -> None:
        plan = article_plan(Policy(copy_state_over_s=0, restore_records_per_second=1, without_caught_up_copy_s_most=3600))

        assert plan.chosen == "copy-state-directory"
        assert plan.assessment is Assessment.REVIEW
        assert [rule.name for rule in plan.rules if rule.status is RuleStatus.UNKNOWN] == ["copied-in-time"]
        assert "A task is unavailable for 8 s" in why_not(plan)["copy-process-metadata"]

    @pytest.mark.thorough
    def test_what_the_policy_excludes_is_not_chosen(self) -> None:
        plan = article_plan(Policy(exclude=("copy-process-metadata", "copy-state-directory")))

        assert plan.chosen == "seed-process-id"
        assert why_not(plan)["copy-process-metadata"] == "Your policy lists it under exclude."

    @pytest.mark.thorough
    def test_time_is_saved_where_the_policy_has_no_more_of_it(self) -> None:
        plan = raised_plan(moved_percent_most=100)

        assert plan.chosen == "raise-warmups"
        assert [(one.key, one.revert_to) for one in plan.settings] == [("max.warmup.replicas", 2)]

    @pytest.mark.thorough
    def test_tasks_that_go_and_come_back_are_said(self) -> None:
        """From 3.2 on a client with an old copy runs the task while it restores where it belongs."""
        snapshot = group(AFTER, "3.9.1")
        consumer = next(iter(snapshot["clients"][B]["consumers"].values()))
        consumer["task_offset_sums"]["1_0"] = 2
        plan = planned(snapshot, REPLACE_FIRST)

        assert plan.chosen == "copy-process-metadata"
        assert "some move and return" in plan.headline
        assert plan.recommended_option is not None
        assert plan.recommended_option.costs[0].handovers == 2


@pytest.mark.parametrize(
    ("leaves", "before", "after"),
    [(True, "leaveGroup", "no longer lists its members"), (False, "is a member.", "lists its members for up to 45 s more")],
)
def test_a_client_that_is_only_stopped_does_not_leave(leaves: bool, before: str, after: str) -> None:
    step = planned(group(AFTER, "3.9.1"), {"remove_client": {"process_id": C, "leaves": leaves}}).steps[0]

    assert before in step.check_before
    assert after in step.check_after


class TestVerdicts:
    def test_nothing_to_do_has_no_steps(self) -> None:
        plan = planned(group(AFTER), {"set_config": {"max.warmup.replicas": 2}})

        assert (plan.assessment, plan.chosen, plan.steps) == (Assessment.NOTHING_TO_DO, None, ())

    def test_a_change_without_events_is_nothing_to_do(self) -> None:
        assert planned(group(AFTER)).assessment is Assessment.NOTHING_TO_DO

    def test_the_plain_way_is_chosen_where_no_other_is_better(self) -> None:
        plan = planned(group(AFTER), {"replace_client": {"process_id": B, "by": {"process_id": LAST, "threads": 2}}})

        assert plan.chosen == "baseline"
        assert "It saves nothing here." in why_not(plan)["copy-process-metadata"]

    def test_what_cannot_be_predicted_is_blocked_and_not_guessed(self) -> None:
        plan = planned(altered(group(AFTER), ["tasks", "1_0", "changelogs"], None), REPLACE_FIRST)

        assert (plan.assessment, plan.chosen, plan.steps) == (Assessment.BLOCKED, None, ())
        assert plan.headline.startswith("Cannot predict: ")
        assert len(plan.blocked_by) == 1

    def test_a_blocking_rule_blocks(self) -> None:
        only = Policy(
            exclude=("copy-process-metadata", "copy-state-directory", "seed-process-id", "standbys-first"),
            blocking=("collateral-migration",),
        )
        plan = article_plan(only)

        assert plan.assessment is Assessment.BLOCKED
        assert plan.steps == ()
        assert plan.blocked_by == ("collateral-migration: 4 of 6 stateful tasks (67 %), limit 25 %",)

    @pytest.mark.thorough
    def test_what_is_not_known_asks_for_a_look(self) -> None:
        snapshot = altered(group(AFTER), ["unknown"], [{"what": "config", "reason": "not given"}])
        plan = planned(measured(snapshot), REPLACE_FIRST)

        assert plan.assessment is Assessment.REVIEW
        assert plan.unknown == (Said("config: not given", Unknown("config", "not given")),)

    @pytest.mark.thorough
    def test_what_a_restore_weighs_decides_nothing(self) -> None:
        plan = planned(group(AFTER), REPLACE_FIRST)

        assert plan.assessment is Assessment.SAFE
        assert texts_of(plan.unknown) == ("log_bytes.changelog: the snapshot does not state the size of this changelog",)

    @pytest.mark.thorough
    def test_unless_the_policy_limits_it(self) -> None:
        limited = Policy(restored_bytes_most=12_000)
        unknown = planned(group(AFTER), REPLACE_FIRST, policy=limited)
        just_enough = planned(measured(group(AFTER)), REPLACE_FIRST, policy=limited)
        too_much = planned(measured(group(AFTER), bytes_per_offset=1_501), REPLACE_FIRST, policy=limited)

        assert [plan.assessment for plan in (unknown, just_enough, too_much)] == [
            Assessment.REVIEW,
            Assessment.SAFE,
            Assessment.REVIEW,
        ]

    def test_everything_excluded_is_blocked(self) -> None:
        plan = planned(group(AFTER), {"set_config": {"max.warmup.replicas": 3}}, policy=Policy(exclude=("baseline",)))

        assert plan.assessment is Assessment.BLOCKED


class TestTheSameEveryTime:
    def test_the_same_arguments_give_the_same_bytes(self) -> None:
        first, second = (dumps(plan_json.plan_to_json(article_plan())) for _ in range(2))

        assert first == second

    @pytest.mark.thorough
    def test_the_id_is_the_digest_of_the_rest(self) -> None:
        plan = article_plan()
        snapshot = read(group(AFTER))
        requested = change_from_json(change(REPLACE_FIRST))
        evaluations = tuple(proposals.evaluate(snapshot, one) for one in proposals.propose(snapshot, requested))
        later = assemble(snapshot, requested, evaluations, Policy(), NOON + timedelta(seconds=1))

        assert plan == plan_json.with_id(plan)
        assert later.plan_id != plan.plan_id
        assert later.created_from == plan.created_from

    @pytest.mark.thorough
    def test_lags_do_not_change_what_it_was_made_from(self) -> None:
        busier = altered(group(AFTER), ["tasks", "1_5", "changelogs"], [["changelog", 5, 5000]])

        assert planned(busier, REPLACE_FIRST).created_from == article_plan().created_from

    @pytest.mark.thorough
    def test_it_expires_when_the_policy_says(self) -> None:
        plan = article_plan(Policy(valid_for_s=60))

        assert (plan.created_at, plan.expires_at) == ("2026-11-20T12:00:00Z", "2026-11-20T12:01:00Z")

    @pytest.mark.thorough
    def test_its_validity_counts_from_the_snapshot(self) -> None:
        """A plan of yesterday's snapshot is no younger for having been made today."""
        old = planned(altered(group(AFTER), ["captured_at"], "2026-11-20T11:40:00.250Z"), REPLACE_FIRST)
        older = planned(altered(group(AFTER), ["captured_at"], "2026-11-19T10:00:00Z"), REPLACE_FIRST)
        undated = planned(altered(group(AFTER), ["captured_at"], None), REPLACE_FIRST)

        assert (old.created_from.captured_at, old.expires_at) == ("2026-11-20T11:40:00.250Z", "2026-11-20T12:40:00Z")
        assert older.expires_at == "2026-11-19T11:00:00Z"
        assert "Expired: " in holds_until(older)
        assert (undated.created_from.captured_at, undated.expires_at) == (None, "2026-11-20T13:00:00Z")
        assert "captured_at" not in plan_json.plan_to_json(undated)["created_from"], "as plans were before"  # type: ignore[operator]

    @pytest.mark.thorough
    def test_a_snapshot_of_the_future_buys_no_time(self) -> None:
        plan = planned(altered(group(AFTER), ["captured_at"], "2036-11-20T12:00:00+02:00"), REPLACE_FIRST)

        assert plan.expires_at == "2026-11-20T13:00:00Z"

    def test_a_time_without_zone_is_refused(self) -> None:
        with pytest.raises(InvalidInput, match="time zone"):
            assemble(read(group(AFTER)), change_from_json(change()), (), Policy(), datetime(2026, 11, 20))  # noqa: DTZ001
