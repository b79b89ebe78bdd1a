"""From the costs of the options to one Plan: the best by policy, with reasons. No clock: `now` is an argument.

The same arguments give the same bytes, and `plan_id` is a digest of them.
"""

from dataclasses import replace
from datetime import datetime

from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts import condition_words, refusals
from holdfast.rollout.facts.missing_inputs import not_known
from holdfast.rollout.facts.sourced_text import Said, facts_of, texts_of
from holdfast.rollout.json import instants
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.options import blocking, conclusion, selection
from holdfast.rollout.options.option import RankedOption
from holdfast.rollout.policy.json import policy_to_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.json import change_to_json
from holdfast.rollout.streams.cost import times_of_costs
from holdfast.rollout.streams.cost.evaluation import Cost, Effort, EvaluatedOption
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.limits import default_limits
from holdfast.rollout.streams.limits.circumstances import Circumstances
from holdfast.rollout.streams.limits.rules import judge
from holdfast.rollout.streams.options import contingencies, recipes
from holdfast.rollout.streams.options.impact import COUNTED, impact_of
from holdfast.rollout.streams.plan import effect_words, restore_rate, start_up, timing
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.plan.basis import basis_of
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.streams.snapshot.relied_on import snapshot_fingerprint
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.steps import LONGEST_LIMIT_S, Step
from holdfast.rollout.text.format import duration, many
from holdfast.rollout.timing import timeline
from holdfast.rollout.timing.time_rules import expires, seconds_needed

WAIT_AT_LEAST_S = 600
NO_ID_YET = ""
Ranked = RankedOption[EvaluatedOption]


def assemble(
    snapshot: Snapshot,
    change: Change,
    evaluations: tuple[EvaluatedOption, ...],
    policy: Policy,
    now: datetime,
    requested_by: str | None = None,
) -> Plan:
    """The plan. `evaluations` are those of `proposals.propose`, in its order. Raise InvalidInput for a `now` without time zone."""
    made = conclusion.in_utc(now)
    given, policy = policy, start_up.learnt(restore_rate.effective(policy, snapshot, change), snapshot)
    options = ranked(snapshot, evaluations, policy, made)
    nothing = _changes_nothing(snapshot, change)
    chosen = None if nothing else selection.best(options)
    option = None if chosen is None else chosen.evaluated.option
    blocked_by = () if nothing else blocking.blocked_by(options, chosen, policy)
    created_from = CreatedFrom(
        snapshot=snapshot_fingerprint(snapshot),
        change=fingerprint(change_to_json(change)),
        policy=fingerprint(policy_to_json(given)),
        captured_at=snapshot.captured_at,
    )

    def effect(one: Ranked) -> str:
        return effect_words.effect(one.evaluated.costs, change, policy)

    plan = Plan(
        plan_id=NO_ID_YET,
        created_at=instants.exact(made),
        expires_at=instants.exact(
            expires(() if chosen is None else chosen.known.times, policy, made, created_from.valid_from(made))
        ),
        created_from=created_from,
        basis=basis_of(snapshot),
        policy=policy,
        change=change,
        assessment=blocking.assessment(nothing=nothing, chosen=chosen, blocked=blocked_by, policy=policy),
        headline=blocking.headline(options, chosen, blocked_by, effect, nothing=nothing),
        why="" if chosen is None else selection.why(chosen, options, COUNTED),
        wrong_if="" if option is None else condition_words.invalid_if(option.invalid_if),
        blocked_by=texts_of(blocked_by),
        blocked=facts_of(blocked_by),
        chosen=None if chosen is None else chosen.name,
        candidates=tuple(_considered(one, chosen, policy) for one in options),
        steps=() if chosen is None or blocked_by else _steps(chosen, policy),
        settings=() if option is None else option.settings,
        preconditions=() if option is None else condition_words.assumptions(option.assumptions),
        rules=() if chosen is None else chosen.rules,
        unknown=not_known(_unknown(snapshot, chosen)),
        otherwise=()
        if option is None or blocked_by
        else contingencies.contingencies_of(snapshot, option.change, option.displaced, policy),
        invalidations=() if option is None else option.invalid_if,
        assumptions=() if option is None else option.assumptions,
        requested_by=requested_by,
    )
    return plan_json.with_id(plan)


def ranked(snapshot: Snapshot, evaluations: tuple[EvaluatedOption, ...], policy: Policy, made: datetime) -> tuple[Ranked, ...]:
    """Every option with its times, and what the policy says about it."""
    evaluations = timing.timed(snapshot, evaluations, policy)
    at, late = _circumstances(snapshot, evaluations, policy, made), timing.otherwise_of(evaluations)
    return tuple(
        RankedOption(
            place,
            one,
            judge(one, policy, at),
            selection.barred(one.option, policy),
            policy,
            impact_of(one, policy, late if one.option.effort is Effort.COPY_DISK else None),
        )
        for place, one in enumerate(evaluations)
    )


def _circumstances(snapshot: Snapshot, evaluations: tuple[EvaluatedOption, ...], policy: Policy, made: datetime) -> Circumstances:
    """With the effects of the requested change itself: they do not count against a limit that was not stated."""
    baseline = next((one for one in evaluations if one.option.name == BASELINE_NAME and one.costs), None)
    requested = own = None
    if baseline is not None:
        requested = max(sum(one.trigger == "change" for one in cost.rounds) for cost in baseline.costs)
        own = max(timeline.own_seconds(times_of_costs.times_of(cost, policy)) for cost in baseline.costs)
    return Circumstances(
        made,
        tuple((client.process_id, client.host) for client in snapshot.clients),
        asked_rebalances=requested,
        rebalances_most=default_limits.rebalances(snapshot),
        seconds_most=default_limits.seconds(snapshot) + (own or 0),
    )


def _changes_nothing(snapshot: Snapshot, change: Change) -> bool:
    """No events, or only settings that are so already."""
    had = dict(snapshot.config)
    settings = [item.settings_set() if isinstance(item, Event) else () for item in change.events]
    return all(pairs and all(key in had and had[key] == value for key, value in pairs) for pairs in settings)


def _considered(one: Ranked, chosen: Ranked | None, policy: Policy) -> Considered:
    """The recommended option keeps its rounds and ends, and so does the baseline's worst outcome: they are shown side by side."""
    is_chosen = chosen is not None and one.name == chosen.name
    evaluation = one.evaluated
    lost = Said("") if is_chosen else selection.why_not(one, chosen, COUNTED)
    shown = evaluation.worst if one.name == BASELINE_NAME and evaluation.costs else None
    return Considered(
        name=one.name,
        title=evaluation.option.title,
        change=evaluation.option.change,
        effort=evaluation.option.effort,
        costs=evaluation.costs if is_chosen else tuple(_in_brief(cost, policy, whole=cost is shown) for cost in evaluation.costs),
        rules=one.rules,
        unknown=not_known((*evaluation.unknown, *evaluation.unknown_sizes)),
        refused=None if evaluation.refused is None else refusals.sentence(evaluation.refused),
        refusal=evaluation.refused,
        why_not=lost.text,
        reason=lost.fact,
        as_asked=evaluation.option.as_asked,
        effort_counts=evaluation.option.effort_counts,
    )


def _in_brief(cost: Cost, policy: Policy, *, whole: bool) -> Cost:
    """Of the stops the longest two are kept: what `stands_still_longest` and `without_copy_longest` say stays true."""
    brief = replace(cost, disks=(), restored_tasks=())
    if whole:
        return brief
    times = times_of_costs.times_of(cost, policy)
    speed = policy.restore_records_per_second
    longest = [
        max(cost.stops, key=still, default=None) for still in (lambda one: one.stopped(speed), lambda one: one.without_copy(speed))
    ]
    stops = tuple(one for one in cost.stops if one in longest)
    return replace(brief, rounds=(), acts=(), end=(), stops=stops, times=replace(times, phases=(), rebalances=()))


def _steps(chosen: Ranked, policy: Policy) -> tuple[Step, ...]:
    worst = chosen.evaluated.worst
    limit = min(LONGEST_LIMIT_S, max(WAIT_AT_LEAST_S, 2 * (seconds_needed(times_of_costs.times_of(worst, policy)) or 0)))
    expect = (
        f"In all, counted from the first step: {effect_words.rounds_and_time(chosen.evaluated.costs, policy)}."
        f" {_partition_downtime(worst, policy)}"
    )
    return recipes.with_waits(chosen.evaluated.option.steps, limit, expect)


def _unknown(snapshot: Snapshot, chosen: Ranked | None) -> tuple[Unknown, ...]:
    return snapshot.unknown if chosen is None else (*chosen.evaluated.unknown, *chosen.evaluated.unknown_sizes)


def _partition_downtime(cost: Cost, policy: Policy) -> str:
    if not cost.cold_tasks:
        return "Every task has a caught-up copy throughout."
    speed = policy.restore_records_per_second
    longest = cost.cold_seconds_longest(speed)
    wait = f"up to {duration(longest)}" if longest else "under 1 s"
    return f"{many(cost.cold_tasks, 'task')} unavailable while restoring: {wait} at {speed:,} records/s."
