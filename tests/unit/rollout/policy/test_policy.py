"""What each limit of a policy makes of the article's plan: pass, fail, or unknown; and what that makes of the plan."""

from datetime import datetime, timedelta

import pytest
from tests.harness.article import AFTER, C, Document, altered, fleet, group
from tests.harness.plans import NOON, REPLACE_FIRST, article_plan, measured, planned

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.assessment import Assessment, Rule, RuleStatus
from holdfast.rollout.policy import hours
from holdfast.rollout.policy.hours import TimeOfDay, Window
from holdfast.rollout.policy.json import policy_from_json, policy_to_json
from holdfast.rollout.policy.policy import Policy, Review
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.plan.review import review
from holdfast.rollout.text.document_blocks import to_markdown

OPTION_ENTRIES = ("copy-process-metadata", "copy-state-directory", "seed-process-id", "raise-warmups", "standbys-first")


def policy(**limits: object) -> Policy:
    return policy_from_json({"format_version": "1.0", **limits})


def baseline(**limits: object) -> Plan:
    """The change by itself: all 6 stateful tasks move, in up to two minutes."""
    return planned(
        measured(group(AFTER)), REPLACE_FIRST, policy=policy(exclude=list(OPTION_ENTRIES), moved_percent_most=100, **limits)
    )


def rule(plan: Plan, name: str) -> Rule:
    (found,) = [one for one in plan.rules if one.name == name]
    return found


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("limits", "name", "status"),
    [
        ({"moved_in_all_percent_most": 99}, "moved", RuleStatus.FAIL),
        ({"moved_in_all_percent_most": 100}, "moved", RuleStatus.PASS),
        ({"without_caught_up_copy_tasks_most": 0}, "without-caught-up-copy-at-once", RuleStatus.FAIL),
        ({"without_caught_up_copy_tasks_most": 6}, "without-caught-up-copy-at-once", RuleStatus.PASS),
        ({"restored_bytes_per_hour_most": 1_000_000}, "restored-bytes-per-hour", RuleStatus.PASS),
        ({"restored_bytes_per_hour_most": 1}, "restored-bytes-per-hour", RuleStatus.FAIL),
        ({"copies_on_one_client_percent_most": 132}, "copies-on-one-client", RuleStatus.FAIL),
        ({"copies_on_one_client_percent_most": 134}, "copies-on-one-client", RuleStatus.PASS),
        ({"finish_before": "12:01Z"}, "finish-before", RuleStatus.FAIL),
        ({"finish_before": "12:05Z"}, "finish-before", RuleStatus.PASS),
        ({"finish_before": "13:05+01:00"}, "finish-before", RuleStatus.PASS),
        ({"finish_before": "11:00Z"}, "finish-before", RuleStatus.PASS),
        ({"finish_before": "60 s"}, "finish-before", RuleStatus.FAIL),
        ({"finish_before": "2026-11-20T11:00:00Z"}, "finish-before", RuleStatus.FAIL),
        ({"windows": [{"from": "11:00Z", "to": "13:00Z"}]}, "windows", RuleStatus.PASS),
        ({"windows": [{"from": "11:00Z", "to": "12:01Z"}]}, "windows", RuleStatus.FAIL),
        ({"windows": [{"from": "13:00Z", "to": "14:00Z"}]}, "windows", RuleStatus.FAIL),
        ({"windows": [{"from": "22:00Z", "to": "12:30Z"}]}, "windows", RuleStatus.PASS),
        ({"windows": [{"from": "11:00Z", "to": "13:00Z", "days": ["sat"]}]}, "windows", RuleStatus.FAIL),
        ({"windows": [{"from": "11:00Z", "to": "13:00Z", "days": ["fri"]}]}, "windows", RuleStatus.PASS),
        ({"actions": ["stop_client"]}, "actions", RuleStatus.FAIL),
        ({"actions": ["stop_client", "write_process_metadata", "start_client"]}, "actions", RuleStatus.PASS),
        ({"untouchable_hosts": [f"app-{C[:4]}"]}, "untouchable-hosts", RuleStatus.FAIL),
        ({"untouchable_hosts": ["app-new"]}, "untouchable-hosts", RuleStatus.FAIL),
        ({"untouchable_hosts": ["elsewhere"]}, "untouchable-hosts", RuleStatus.PASS),
    ],
)
def test_a_limit_that_is_stated_is_held(limits: Document, name: str, status: RuleStatus) -> None:
    plan = baseline(**limits)

    assert rule(plan, name).status is status
    assert rule(plan, name).blocking
    assert (plan.assessment is Assessment.BLOCKED) == (status is RuleStatus.FAIL)
    assert [one.name for one in article_plan().rules if one.name == name] == []


def test_bytes_that_nobody_measured_ask_for_a_person() -> None:
    plan = planned(group(AFTER), REPLACE_FIRST, policy=policy(restored_bytes_per_hour_most=1))

    assert rule(plan, "restored-bytes-per-hour").status is RuleStatus.UNKNOWN
    assert plan.assessment is Assessment.REVIEW


def test_a_host_that_nobody_named_is_not_known() -> None:
    nameless = altered(group(AFTER), ["clients", C, "host"], None)
    plan = planned(nameless, REPLACE_FIRST, policy=policy(untouchable_hosts=["app-1"]))

    assert rule(plan, "untouchable-hosts").status is RuleStatus.UNKNOWN
    assert plan.assessment is Assessment.REVIEW


def test_a_setting_reaches_every_host() -> None:
    plan = planned(group(AFTER), {"set_config": {"max.warmup.replicas": 3}}, policy=policy(untouchable_hosts=[f"app-{C[:4]}"]))

    assert rule(plan, "untouchable-hosts").status is RuleStatus.FAIL


@pytest.mark.thorough
def test_between_two_bounds_nothing_is_guessed() -> None:
    slow = {"restore_records_per_second": 1}
    plan = baseline(without_caught_up_copy_tasks_most=3, **slow)
    worst = max(cost.cold_tasks for option in plan.candidates if option.name == plan.chosen for cost in option.costs)
    most_in_one = max(
        one.without_caught_up_copy
        for option in plan.candidates
        if option.name == plan.chosen
        for cost in option.costs
        for one in cost.rounds
    )
    found = rule(plan, "without-caught-up-copy-at-once")

    assert most_in_one <= worst
    assert found.status is (RuleStatus.PASS if worst <= 3 else RuleStatus.FAIL if most_in_one > 3 else RuleStatus.UNKNOWN)


@pytest.mark.thorough
def test_the_best_way_within_the_limits_is_chosen() -> None:
    fresh = {"replace_client": {"process_id": C, "by": {"process_id": None, "threads": 2}, "state": "empty"}}
    plan = planned(group(AFTER), fresh, policy=policy(actions=["stop_client", "start_client"]))

    assert plan.chosen == "baseline"
    assert all("actions" in one.why_not for one in plan.candidates if one.name in OPTION_ENTRIES[:1])


@pytest.mark.thorough
def test_what_the_file_states_blocks_and_what_holdfast_assumes_asks() -> None:
    stated = baseline(time_to_stable_s_most=1)
    named = baseline(time_to_stable_s_most=1, blocking=["forecast"])

    assert (stated.assessment, stated.steps) == (Assessment.BLOCKED, ())
    assert named.assessment is Assessment.REVIEW
    assert Policy().blocking[:2] == ("forecast", "converges")
    assert not rule(article_plan(), "time-to-stable").blocking


@pytest.mark.parametrize(
    ("review", "limits", "assessment"),
    [
        (Review.ALWAYS, {}, Assessment.REVIEW),
        (Review.ON_A_WARNING, {}, Assessment.SAFE),
        (Review.NEVER, {}, Assessment.SAFE),
        (Review.NEVER, {"restored_bytes_per_hour_most": 1}, Assessment.BLOCKED),
    ],
)
def test_when_a_person_must_look(review: Review, limits: Document, assessment: Assessment) -> None:
    plan = planned(group(AFTER), REPLACE_FIRST, policy=policy(review=str(review), **limits))

    assert plan.assessment is assessment
    assert bool(plan.blocked_by) == (assessment is Assessment.BLOCKED)


@pytest.mark.thorough
def test_a_plan_expires_while_it_can_still_end_in_time() -> None:
    plan = baseline(finish_before="12:10Z")
    needed = max(cost.longest_s for cost in plan.candidates[0].costs)

    assert datetime.fromisoformat(plan.expires_at) == NOON + timedelta(minutes=10, seconds=-needed)
    assert datetime.fromisoformat(baseline(windows=[{"from": "11:00Z", "to": "12:20Z"}]).expires_at) == NOON + timedelta(
        minutes=20, seconds=-needed
    )
    assert datetime.fromisoformat(baseline(finish_before="12 h").expires_at) == NOON + timedelta(hours=1)


def test_every_limit_survives_its_json() -> None:
    full = policy(
        moved_in_all_percent_most=5,
        finish_before="2 h",
        windows=[{"from": "22:00Z", "to": "04:00+01:00", "days": ["mon"]}],
        actions=[],
        untouchable_hosts=["a"],
        review="never",
        rebalances_most=1,
    )

    assert policy_from_json(policy_to_json(full)) == full
    assert "rebalances" in full.blocking


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"rebalance_most": 3}, "the field 'rebalance_most' is unknown (did you mean 'rebalances_most'?)"),
        ({"finish_before": "6 o'clock"}, "finish_before: a time of day"),
        ({"finish_before": "2026-11-22T06:00:00"}, "finish_before: a time of day"),
        ({"windows": [{"from": "25:00Z", "to": "04:00Z"}]}, "windows[0].from: a time of day with its offset"),
        ({"windows": [{"from": "22:00", "to": "04:00Z"}]}, "windows[0].from: a time of day with its offset"),
        ({"windows": [{"from": "04:00Z", "to": "04:00Z"}]}, "windows[0]: the window opens and closes"),
        ({"windows": [{"from": "04:00Z"}]}, "windows[0]: the field 'to' is missing"),
        ({"windows": [{"from": "04:00Z", "to": "05:00Z", "days": ["monday"]}]}, "no day of the week"),
        ({"actions": ["start_clients"]}, "'start_clients' is no action (did you mean 'start_client'?)"),
        ({"blocking": ["convergence"]}, "is no rule (did you mean 'converges'?)"),
        ({"review": "sometimes"}, "review: one of 'always', 'on a warning', 'never' is needed"),
        ({"untouchable_hosts": "app-0"}, "untouchable_hosts: a list is needed"),
        ({"without_caught_up_copy_tasks_most": -1}, "an integer from 0"),
    ],
)
def test_a_limit_that_is_none_is_refused(limits: Document, said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        policy(**limits)

    assert said in str(refusal.value)


class TestHours:
    def test_a_window_over_midnight_is_open_after_midnight(self) -> None:
        night = Window(TimeOfDay("22:00Z"), TimeOfDay("04:00Z"), ("fri",))
        saturday_3 = NOON + timedelta(hours=15)

        assert night.next_span(saturday_3) == (NOON + timedelta(hours=10), NOON + timedelta(hours=16))
        assert night.next_span(saturday_3 + timedelta(hours=1)) == (
            NOON + timedelta(days=7, hours=10),
            NOON + timedelta(days=7, hours=16),
        )

    def test_windows_that_touch_are_one(self) -> None:
        windows = (Window(TimeOfDay("11:00Z"), TimeOfDay("13:00Z")), Window(TimeOfDay("13:00Z"), TimeOfDay("14:00Z")))

        assert hours.spans(windows, NOON) == ((NOON - timedelta(hours=1), NOON + timedelta(hours=2)),)

    def test_a_time_of_day_is_that_of_its_zone(self) -> None:
        assert hours.deadline("01:00+14:00", NOON) == NOON + timedelta(hours=23)
        assert hours.deadline("12:00Z", NOON) == NOON + timedelta(days=1)
        assert hours.deadline("90 min", NOON) == NOON + timedelta(minutes=90)


@pytest.mark.thorough
@pytest.mark.parametrize(("release", "crowded"), [("3.1.2", False), ("3.9.1", True)])
def test_new_standbys_begin_on_one_client_from_3_2_on(release: str, crowded: bool) -> None:
    document, _ = fleet(6, 60, seed=4, release=release)

    plan = planned(document, {"set_config": {"num.standby.replicas": 1}}, policy=policy(copies_on_one_client_percent_most=200))

    assert plan.recommended_option is not None
    (cost,) = plan.recommended_option.costs
    assert cost.fullest is not None
    assert cost.fullest.copies == (60 if crowded else 20)
    assert (rule(plan, "copies-on-one-client").status is RuleStatus.FAIL) == crowded
    assert (f"temporarily holds 60 copies of tasks; an even share is {cost.fullest.even}" in to_markdown(review(plan))) == crowded


def test_former_names_of_checks_and_options_mean_the_present_ones() -> None:
    former = {"format_version": "1.0", "blocking": ["moved-without-need", "standing-still"], "exclude": ["plainly", "make-static"]}
    found = policy_from_json(former)
    assert found.blocking == ("collateral-migration", "partition-downtime")
    assert found.exclude == ("baseline", "make-static")
