"""The one model of time: what passes, and that everything that says a time says this one."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest
from tests.harness.article import AFTER, A, B, C, Document, fleet, group
from tests.harness.plans import REPLACE_FIRST, article_plan, planned

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.backtest.learnt import Held
from holdfast.rollout.contract.assessment import Rule, RuleStatus
from holdfast.rollout.contract.rebalances import Round
from holdfast.rollout.contract.times import Estimate, PhaseKind, TimedBatch, Times
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds.plan_summary import summary
from holdfast.rollout.policy.json import policy_from_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.policy.rates import RateSource
from holdfast.rollout.streams.cost.evaluation import Cost, Span
from holdfast.rollout.streams.cost.times_of_costs import rebalances_held, worked_out
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.text.format import duration
from holdfast.rollout.timing import time_words, timeline

ROLL: list[object] = [
    {"restart_client": {"process_id": A}},
    {"then": "stable"},
    {"restart_client": {"process_id": B}},
    {"then": "stable"},
    {"restart_client": {"process_id": C}},
]


def rule(plan: Plan, name: str) -> Rule:
    return next(one for one in plan.rules if one.name == name)


def times(plan: Plan) -> Times:
    assert plan.recommended_option is not None
    assert plan.recommended_option.worst is not None
    found = plan.recommended_option.worst.times
    assert found is not None
    return found


def ends(found: Times) -> Estimate:
    assert found.rebalancing_ends is not None
    return found.rebalancing_ends


@pytest.mark.thorough
def test_a_roll_takes_a_session_timeout_a_client_and_the_waits_between() -> None:
    found = times(planned(group(AFTER), *ROLL))

    assert [one.kind for one in found.phases].count(PhaseKind.SESSION_TIMEOUT) == 3
    assert [one.kind for one in found.phases].count(PhaseKind.BETWEEN_STEPS) == 2
    assert ends(found).low == 3 * (10 - 3)
    assert ends(found).usual == 3 * (10 + 2) + 2 * 5
    assert 97 <= ends(found).high <= 150  # what one took


def test_a_minute_is_not_enough_for_a_roll_of_three() -> None:
    plan = planned(group(AFTER), *ROLL, policy=Policy(finish_before="1 min"))

    assert rule(plan, "finish-before").status is RuleStatus.FAIL
    assert plan.assessment.value == "blocked"


@pytest.mark.thorough
def test_what_is_stated_of_start_ups_counts() -> None:
    slow = times(planned(group(AFTER), *ROLL, policy=Policy(start_up_s=120, start_up_s_most=200)))

    assert ends(slow).usual >= 3 * 120


@pytest.mark.thorough
def test_probing_waits_for_what_restores_and_all_say_the_same() -> None:
    """12,000,000 records at 2,000 to 50,000 a second: chart, card, rule and summary agree."""
    document, ids = fleet(3, 6, seed=4)
    event = {"replace_client": {"process_id": ids[0], "by": {"process_id": C, "threads": 1}}}
    plan = planned(document, event, policy=Policy(exclude=("copy-process-metadata", "copy-state-directory", "seed-process-id")))
    found = times(plan)
    shown = summary(plan)

    assert found.restored is not None
    assert found.rebalances[-1].usual == ends(found).usual
    assert shown.figures is not None
    assert shown.figures.times == replace(found, phases=(), rebalances=())
    assert shown.figures.to_stable == ends(found).high
    assert duration(ends(found).high) in rule(plan, "time-to-stable").found
    assert time_words.both(found) in plan.headline
    assert found.restored.high > found.restored.low


def cost(*rounds: Round, acts: tuple[TimedBatch, ...] = (), **others: Any) -> Cost:
    brief = article_plan().candidates[0].costs[0]
    seconds = rounds[-1].at_seconds if rounds else 0
    span = replace(brief.seconds_to_stable, low=seconds, high=seconds)
    many = replace(brief.rebalances, low=len(rounds), high=len(rounds))
    return replace(brief, rounds=rounds, acts=acts, times=None, seconds_to_stable=span, rebalances=many, probes_more=0, **others)


def a_round(trigger: str, at: int, records: int = 0) -> Round:

    restoring = ((ProcessId.parse(A), records),) if records else ()
    return Round(trigger, at, 0, 0, 0, records, 0, restoring)


def test_rebalances_that_find_warm_ups_still_restoring_are_counted() -> None:
    """300 s at the slowest: of five probing rebalances the last counts. At a minute, none more."""
    slow = Policy(restore_records_per_second=10_000, restore_rate_source=RateSource.ASSUMED)
    rolled = cost(a_round("change", 0, 600_000), a_round("probing", 60), acts=(TimedBatch(2),))
    found = worked_out(rolled, slow)

    assert found.more_probing == 4
    assert ends(found).high == 5 * 60 + 2 * timeline.JOIN_S.high
    assert rebalances_held(rolled, slow, None) == Span(2, 6)
    assert rebalances_held(rolled, slow, Held(29, 31, 1)) == Span(1, 7)
    assert rebalances_held(rolled, slow, Held(5, 5)) == Span(2, 6)
    assert time_words.while_restoring(found) == ", up to 4 more while warm-ups restore"
    assert worked_out(rolled, replace(slow, restore_slowest=10_000)).more_probing == 0


@pytest.mark.parametrize("source", [RateSource.ASSUMED, RateSource.POLICY, RateSource.MEASURED])
@pytest.mark.parametrize("records", [0, 1, 9_999, 10_000_000])
def test_ranges_are_in_order_and_contain_one_another(source: RateSource, records: int) -> None:
    policy = Policy(restore_rate_source=source)
    one = cost(a_round("change", 10, records), a_round("probing", 70), acts=(TimedBatch(2, starts=1, noticed_s=10),))
    found = worked_out(one, policy)

    assert found.restored is not None
    for each in (ends(found), found.restored, *found.rebalances, *(phase.seconds for phase in found.phases)):
        assert 0 <= each.low <= each.usual <= each.high
    assert found.restored.low >= ends(found).low
    assert found.restored.high >= ends(found).high
    if records == 10_000_000 and source is RateSource.POLICY:
        assert ends(found).usual == 10 + 2 + 17 * 60 + 2  # 1,000 s are 16 intervals and a bit


def test_a_cost_of_another_version_has_times_too() -> None:
    old = cost(a_round("change", 10), a_round("immediate", 10), a_round("change", 20))

    assert ends(worked_out(old, Policy())).usual == (10 + 2 + 2) + 5 + (10 + 2)
    assert ends(worked_out(replace(old, rounds=()), Policy())).high == 20


def test_a_plan_from_before_there_were_times_is_read() -> None:
    document: Document = loads(dumps(plan_json.plan_to_json(article_plan())))  # type: ignore[assignment]
    for field in ("start_up_s", "start_up_s_least", "start_up_s_most", "between_steps_s_most", "restore_slowest"):
        del document["policy"][field]
    document["policy"] |= {"rebalances_most": 12, "time_to_stable_s_most": 3_600}
    for one in document["candidates"]:
        one.pop("effort_counts")
        for each in one["summary"]:
            for field in ("times", "acts", "rebalances_usual", "probes_more"):
                each.pop(field, None)
            for a in each["rounds"]:
                a.pop("restoring", None)
    content = {key: value for key, value in document.items() if key != "plan_id"}
    document["plan_id"] = hashlib.sha256(dumps(content).encode("ascii")).hexdigest()[:16]
    plan = plan_json.plan_from_json(document)

    assert plan.policy.rebalances_most == 12
    assert plan.recommended_option is not None
    assert plan.recommended_option.effort_counts is None
    assert summary(plan).figures is not None


class TestACondition:
    def plan(self, **limits: Any) -> Plan:
        others = ("copy-process-metadata", "seed-process-id", "standbys-first", "baseline", "raise-warmups")
        policy = Policy(
            restore_records_per_second=1, restore_rate_source=RateSource.POLICY, copy_state_over_s=1, exclude=others, **limits
        )
        return planned(group(AFTER), REPLACE_FIRST, policy=policy)

    @pytest.mark.thorough
    def test_it_stands_beside_the_figure_and_nothing_passes_on_it(self) -> None:
        plan = self.plan(time_to_stable_s_most=40, without_caught_up_copy_s_most=15)

        assert plan.chosen == "copy-state-directory"
        assert "only if the state of 2 tasks (8 records) is copied within 10 s; else 20 s" in plan.headline
        assert rule(plan, "without-caught-up-copy").status is RuleStatus.UNKNOWN
        assert rule(plan, "copied-in-time").status is RuleStatus.UNKNOWN
        assert not times(plan).certain
        shown = summary(plan).figures
        assert shown is not None
        assert not shown.certain

    @pytest.mark.thorough
    @pytest.mark.parametrize(("speed", "met"), [(10**9, False), (None, None)])
    def test_what_the_policy_knows_of_copying_decides(self, speed: int | None, met: bool | None) -> None:
        """At any speed: with a start-up of up to 30 s it is not there within 10 s."""
        condition = times(self.plan(copy_bytes_per_second=speed, bytes_per_record=100)).condition

        assert condition is not None
        assert condition.met is met

    def test_a_copy_that_is_there_in_time_is_no_condition_any_more(self) -> None:
        plan = self.plan(copy_bytes_per_second=10**9, bytes_per_record=100, start_up_s_most=5)

        assert rule(plan, "copied-in-time").status is RuleStatus.PASS
        assert times(plan).certain
        assert "only if" not in plan.headline


def test_a_static_return_takes_its_start_up() -> None:
    found = timeline.of_acts((TimedBatch(0, starts=1, unseen=True),) * 3, Policy())

    assert ends(found) == Estimate(3, 3 * 5 + 2 * 5, 3 * 30 + 2 * 15)


def test_what_takes_longer_than_any_calendar_is_an_answer() -> None:
    policy = Policy(restore_records_per_second=1, restore_slowest=1, start_up_s=10**15, finish_before="1 h")
    plan = planned(group(AFTER), *ROLL, policy=policy)

    assert rule(plan, "finish-before").status is RuleStatus.FAIL
    with pytest.raises(InvalidInput, match="start_up_s_most"):
        policy_from_json({"format_version": "1.0", "start_up_s_most": 86_401})
