"""From the costs of the options for a consumer group whose broker assigns to one Plan, with its ID. No clock."""

from dataclasses import replace
from datetime import datetime

from holdfast.rollout.broker_consumer.change.change import CHANGE, GroupChange
from holdfast.rollout.broker_consumer.forecast.placement import Shares
from holdfast.rollout.broker_consumer.limits.rules import judge
from holdfast.rollout.broker_consumer.options import impact
from holdfast.rollout.broker_consumer.options.evaluation import EvaluatedGroupOption
from holdfast.rollout.broker_consumer.options.impact import COUNTED, impact_of
from holdfast.rollout.broker_consumer.plan import effect_words
from holdfast.rollout.broker_consumer.plan.json import basis_of, relied_on, with_id
from holdfast.rollout.broker_consumer.plan.plan import Considered, GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.steps.steps import GroupStep, steps_of
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.times import Times
from holdfast.rollout.facts import refusals
from holdfast.rollout.facts.missing_inputs import not_known
from holdfast.rollout.facts.sourced_text import Said, told
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.offsets import warning_words
from holdfast.rollout.options import conclusion, interval_rule, selection
from holdfast.rollout.options.option import RankedOption
from holdfast.rollout.policy.json import policy_to_json
from holdfast.rollout.policy.policy import Policy

Ranked = RankedOption[EvaluatedGroupOption]


def assemble(
    snapshot: BrokerConsumerSnapshot,
    change: GroupChange,
    evaluated: tuple[EvaluatedGroupOption, ...],
    policy: Policy,
    now: datetime,
    requested_by: str | None = None,
) -> GroupPlan:
    """The plan. `evaluated`: those of `proposals.propose`, in its order. Raise InvalidInput for a `now` without time zone."""
    made = conclusion.in_utc(now)
    found = conclusion.concluded(ranked(snapshot, evaluated, policy, made), policy, made, nothing=not change.events)
    chosen = found.chosen
    created_from = CreatedFrom(
        snapshot=fingerprint(relied_on(snapshot)),
        change=fingerprint(CHANGE.write(change)),
        policy=fingerprint(policy_to_json(policy)),
        captured_at=snapshot.captured_at,
    )

    def effect(one: Ranked) -> str:
        assert one.evaluated.summary is not None, "only what was forecast has an effect"
        unowned, _ = impact.unowned(one.evaluated, policy)
        (times,) = one.known.times
        return effect_words.effect(one.evaluated.summary, one.evaluated.bounds, unowned, times)

    plan = GroupPlan(
        plan_id="",
        basis=basis_of(snapshot),
        change=change,
        candidates=tuple(_considered(one, chosen) for one in found.options),
        steps=() if chosen is None or found.blocked else _steps(chosen, snapshot),
        unknown=() if chosen is None else not_known(chosen.evaluated.unknown),
        requested_by=requested_by,
        **found.fields(created_from, effect, () if chosen is None else chosen.known.times, _warnings(chosen)),
    )
    return with_id(plan)


def ranked(
    snapshot: BrokerConsumerSnapshot, evaluated: tuple[EvaluatedGroupOption, ...], policy: Policy, made: datetime
) -> tuple[Ranked, ...]:
    """Every option with what the policy says about it."""
    evaluated = tuple(_in_time(one, policy) for one in evaluated)
    baseline = next((one for one in evaluated if one.option.name == BASELINE_NAME and one.summary is not None), None)
    asked = None if baseline is None else baseline.summary
    requested = 0 if asked is None else asked.targets + asked.rebalances
    unstated = conclusion.unstated(made, None if baseline is None else impact.times_of(baseline, policy))
    return conclusion.ranked(
        evaluated,
        policy,
        lambda one: judge(one, snapshot, policy, requested, unstated),
        lambda one: impact_of(one, policy),
    )


def _in_time(one: EvaluatedGroupOption, policy: Policy) -> EvaluatedGroupOption:
    """What the policy's start-up time makes impossible does not apply; the requested change stays, with the rule that it fails."""
    late = None if one.option.name == BASELINE_NAME else interval_rule.too_short(one.interval_ms, policy)
    return one if late is None else EvaluatedGroupOption(one.option, None, late)


def _warnings(chosen: Ranked | None) -> str:
    """Skipped data ranks before everything else."""
    return "" if chosen is None else "".join(f"{one} " for one in map(warning_words.sentence, chosen.evaluated.warnings))


def _steps(chosen: Ranked, snapshot: BrokerConsumerSnapshot) -> tuple[GroupStep, ...]:
    course = chosen.evaluated.course or Shares((), ())
    return steps_of(chosen.evaluated.option.change, course, snapshot)


def _considered(one: Ranked, chosen: Ranked | None) -> Considered:
    evaluated, option = one.evaluated, one.evaluated.option
    whole = one is chosen or one.name == BASELINE_NAME
    lost = Said("") if one is chosen else selection.why_not(one, chosen, COUNTED)
    times = Times(None, None) if one.impact is None else one.impact.times[0]
    unowned, longest = impact.unowned(evaluated, one.policy)
    return Considered(
        name=option.name,
        title=option.title,
        change=option.change,
        summary=evaluated.summary,
        rules=one.rules,
        warnings=told(evaluated.warnings, warning_words.sentence),
        unknown=not_known(evaluated.unknown),
        refused=None if evaluated.refused is None else refusals.sentence(evaluated.refused),
        refusal=evaluated.refused,
        why_not=lost.text,
        reason=lost.fact,
        settings=option.settings,
        bounds=evaluated.bounds,
        hand_over=evaluated.hand_over,
        read_twice=evaluated.read_twice,
        unowned=None if evaluated.summary is None else unowned,
        longest=None if evaluated.summary is None else longest,
        course=evaluated.course if whole else None,
        orders=option.orders,
        times=times if whole else replace(times, phases=(), rebalances=()),
        effort_counts=option.effort,
    )
