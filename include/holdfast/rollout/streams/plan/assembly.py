"""From what the ways to make a change would cost to one Plan: the best by policy, with reasons. No clock: `now` is an argument.

The same arguments give the same bytes, and `plan_id` is a digest of them.
"""

from dataclasses import replace
from datetime import UTC, datetime

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.plan_words import BASELINE, option_name
from holdfast.rollout.contract.times import Times
from holdfast.rollout.contract.verdicts import PLAINLY, PlanVerdict, Rule, Status
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.policy.json import policy_to_json
from holdfast.rollout.policy.policy import Policy, Review
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.json import change_to_json
from holdfast.rollout.streams.cost import times_of_costs
from holdfast.rollout.streams.cost.evaluation import Cost, Effort, Evaluation
from holdfast.rollout.streams.events.set_config import SetConfig
from holdfast.rollout.streams.limits import limits
from holdfast.rollout.streams.limits.circumstances import Circumstances
from holdfast.rollout.streams.limits.rules import CONVERGES, judge
from holdfast.rollout.streams.limits.time_rules import times_of
from holdfast.rollout.streams.options import choice, otherwise, recipes
from holdfast.rollout.streams.options.choice import Weighed
from holdfast.rollout.streams.plan import effect_words, restore_rate, start_up, timing
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.plan.basis import basis_of
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.streams.snapshot.relied_on import snapshot_fingerprint
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.steps import LONGEST_LIMIT_S, Step
from holdfast.rollout.text.wording import duration, many
from holdfast.rollout.timing import timeline
from holdfast.rollout.timing.time_rules import expires, seconds_needed

WAIT_AT_LEAST_S = 600
NO_ID_YET = ""


def assemble(
    snapshot: Snapshot,
    change: Change,
    evaluations: tuple[Evaluation, ...],
    policy: Policy,
    now: datetime,
    requested_by: str | None = None,
) -> Plan:
    """The plan. `evaluations` are those of `candidates.propose`, in its order. Raise InvalidInput for a `now` without time zone."""
    if now.tzinfo is None:
        raise InvalidInput("the time of a plan needs a time zone; give it in UTC")
    given, policy = policy, start_up.learnt(restore_rate.effective(policy, snapshot, change), snapshot)
    made = now.astimezone(UTC).replace(microsecond=0)
    weighed = weigh(snapshot, evaluations, policy, made)
    nothing = _changes_nothing(snapshot, change)
    chosen = None if nothing else choice.best(weighed)
    way = None if chosen is None else chosen.evaluation.candidate
    blocked_by = () if nothing else _blocked_by(weighed, chosen, policy)
    created_from = CreatedFrom(
        snapshot=snapshot_fingerprint(snapshot),
        change=fingerprint(change_to_json(change)),
        policy=fingerprint(policy_to_json(given)),
        captured_at=snapshot.captured_at,
    )
    plan = Plan(
        plan_id=NO_ID_YET,
        created_at=_instant(made),
        expires_at=_instant(expires(_times(chosen, policy), policy, made, created_from.valid_from(made))),
        created_from=created_from,
        basis=basis_of(snapshot),
        policy=policy,
        change=change,
        verdict=_verdict(nothing=nothing, chosen=chosen, blocked_by=blocked_by, policy=policy),
        headline=_headline(change, nothing=nothing, chosen=chosen, weighed=weighed, policy=policy, blocked_by=blocked_by),
        why="" if chosen is None else _why(chosen, weighed),
        wrong_if="" if way is None else way.wrong_if,
        blocked_by=blocked_by,
        chosen=None if chosen is None else chosen.name,
        candidates=tuple(_considered(one, chosen, policy) for one in weighed),
        steps=() if chosen is None or blocked_by else _steps(chosen, policy),
        settings=() if way is None else way.settings,
        preconditions=() if way is None else way.preconditions,
        rules=() if chosen is None else chosen.rules,
        unknown=_unknown(snapshot, chosen),
        otherwise=() if way is None or blocked_by else otherwise.weigh(snapshot, way.change, way.displaced, policy),
        requested_by=requested_by,
    )
    return replace(plan, plan_id=plan_json.plan_id_of(plan))


def weigh(snapshot: Snapshot, evaluations: tuple[Evaluation, ...], policy: Policy, made: datetime) -> tuple[Weighed, ...]:
    """Every option with its times, and what the policy says about it."""
    evaluations = timing.timed(snapshot, evaluations, policy)
    at, late = _circumstances(snapshot, evaluations, policy, made), timing.otherwise_of(evaluations)
    return tuple(
        Weighed(
            place,
            one,
            judge(one, policy, at),
            choice.barred(one.candidate, policy),
            policy,
            late if one.candidate.effort is Effort.COPY_DISK else None,
        )
        for place, one in enumerate(evaluations)
    )


def _circumstances(snapshot: Snapshot, evaluations: tuple[Evaluation, ...], policy: Policy, made: datetime) -> Circumstances:
    """With what the requested change causes by itself: of a limit that nobody stated, what was asked for takes nothing away."""
    plain = next((one for one in evaluations if one.candidate.name == PLAINLY and one.costs), None)
    asked = own = None
    if plain is not None:
        asked = max(sum(one.trigger == "change" for one in cost.rounds) for cost in plain.costs)
        own = max(timeline.own_seconds(times_of_costs.times_of(cost, policy)) for cost in plain.costs)
    return Circumstances(
        made,
        tuple((client.process_id, client.host) for client in snapshot.clients),
        asked_rebalances=asked,
        rebalances_most=limits.rebalances(snapshot),
        seconds_most=limits.seconds(snapshot) + (own or 0),
    )


def _instant(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _times(chosen: Weighed | None, policy: Policy) -> tuple[Times, ...]:
    return () if chosen is None else times_of(chosen.evaluation, policy)


def _changes_nothing(snapshot: Snapshot, change: Change) -> bool:
    """No events, or only settings that are so already."""
    had = dict(snapshot.config)
    settings = [item.settings for item in change.events if isinstance(item, SetConfig)]
    only_settings = all(isinstance(item, SetConfig) for item in change.events)
    return only_settings and all(key in had and had[key] == value for pairs in settings for key, value in pairs)


def _blocked_by(weighed: tuple[Weighed, ...], chosen: Weighed | None, policy: Policy) -> tuple[str, ...]:
    if chosen is None:
        reasons = dict.fromkeys(one.evaluation.refused for one in weighed if one.evaluation.refused is not None)
        return tuple(reasons) or ("Your policy excludes every option.",)
    over = tuple(_over(rule, chosen) for rule in chosen.failed if rule.blocking)
    if policy.review is not Review.NEVER:
        return over
    asking = (rule for rule in rules_not_passed(chosen.rules) if not (rule.blocking and rule.status is Status.FAIL))
    return (*over, *(f"{rule.name}: {rule.found}. This needs review, and your policy never asks for one" for rule in asking))


def _over(rule: Rule, chosen: Weighed) -> str:
    """Why this rule stops the plan: the real cause, where there is one behind it."""
    why = _unsettled(chosen)
    if rule.name == CONVERGES and why is not None:
        return f"the group does not become stable. {why}"
    return f"{rule.name}: {rule.found}, limit {rule.limit}"


def _unsettled(chosen: Weighed) -> str | None:
    return next((cost.unsettled for cost in chosen.evaluation.costs if cost.unsettled), None)


def _verdict(*, nothing: bool, chosen: Weighed | None, blocked_by: tuple[str, ...], policy: Policy) -> PlanVerdict:
    if nothing:
        return PlanVerdict.NOTHING_TO_DO
    if chosen is None or blocked_by:
        return PlanVerdict.BLOCKED
    clean = all(rule.status is Status.PASS for rule in chosen.rules)
    return PlanVerdict.SAFE if clean and policy.review is not Review.ALWAYS else PlanVerdict.REVIEW


def _considered(one: Weighed, chosen: Weighed | None, policy: Policy) -> Considered:
    """The recommended option keeps its rounds and ends, and so does the baseline's worst outcome: they are shown side by side."""
    is_chosen = chosen is not None and one.name == chosen.name
    evaluation = one.evaluation
    shown = evaluation.worst if one.name == PLAINLY and evaluation.costs else None
    return Considered(
        name=one.name,
        title=evaluation.candidate.title,
        change=evaluation.candidate.change,
        effort=evaluation.candidate.effort,
        costs=evaluation.costs if is_chosen else tuple(_in_brief(cost, policy, whole=cost is shown) for cost in evaluation.costs),
        rules=one.rules,
        unknown=(*evaluation.unknown, *evaluation.unknown_sizes),
        refused=evaluation.refused,
        why_not="" if is_chosen else choice.why_not(one, chosen),
        as_asked=evaluation.candidate.as_asked,
        effort_counts=evaluation.candidate.effort_counts,
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


def _steps(chosen: Weighed, policy: Policy) -> tuple[Step, ...]:
    worst = chosen.evaluation.worst
    limit = min(LONGEST_LIMIT_S, max(WAIT_AT_LEAST_S, 2 * (seconds_needed(times_of_costs.times_of(worst, policy)) or 0)))
    expect = f"{effect_words.rounds_and_time(worst, policy)}. {_standing_still(worst, policy)}"
    return recipes.with_waits(chosen.evaluation.candidate.steps, limit, expect)


def _unknown(snapshot: Snapshot, chosen: Weighed | None) -> tuple[str, ...]:
    if chosen is not None:
        return (*chosen.evaluation.unknown, *chosen.evaluation.unknown_sizes)
    return tuple(f"{one.what}: {one.reason}" for one in snapshot.unknown)


# Words.


def _headline(
    change: Change,
    *,
    nothing: bool,
    chosen: Weighed | None,
    weighed: tuple[Weighed, ...],
    policy: Policy,
    blocked_by: tuple[str, ...],
) -> str:
    if nothing:
        return "Nothing to do: the group is already in the requested state."
    if chosen is None:
        return blocked_by[0] if any(one.evaluation.refused for one in weighed) else f"Blocked: {blocked_by[0]}"
    effect = effect_words.effect(chosen.evaluation.costs, change, policy)
    if blocked_by and _unsettled(chosen) is not None:
        return f"Blocked: {blocked_by[0]}"
    if blocked_by:
        return f"Blocked: even the best option, {option_name(chosen.name)}, exceeds a limit. {effect}"
    if chosen.name == PLAINLY:
        return f"{chosen.evaluation.candidate.title}: {effect}"
    plain = next((one for one in weighed if one.name == PLAINLY and one.evaluation.costs), None)
    without = "" if plain is None else f" {BASELINE}: {effect_words.effect(plain.evaluation.costs, change, policy)}"
    return f"{chosen.evaluation.candidate.title}: {effect}{without}"


def _standing_still(cost: Cost, policy: Policy) -> str:
    if not cost.cold_tasks:
        return "Every task has a caught-up copy throughout."
    speed = policy.restore_records_per_second
    longest = cost.cold_seconds_longest(speed)
    wait = f"up to {duration(longest)}" if longest else "under 1 s"
    return f"{many(cost.cold_tasks, 'task')} unavailable while restoring: {wait} at {speed:,} records/s."


def _why(chosen: Weighed, weighed: tuple[Weighed, ...]) -> str:
    """The recommended option against the baseline, and against the best of the rest."""
    others = tuple(one for one in weighed if one.name != chosen.name and one.possible)
    if not others:
        return "There is no other option."
    second = choice.best(others)
    plain = next((one for one in others if one.name == PLAINLY), None)
    parts = []
    if plain is not None:
        parts.append(_against_plain(plain, chosen))
    if second is not None and second is not plain:
        parts.append(f"Next best: {second.name}. {choice.why_not(second, chosen)}")
    return " ".join(parts)


def _against_plain(plain: Weighed, chosen: Weighed) -> str:
    """In the reviewer's terms where the order of process IDs is what makes the difference: it nearly always is."""
    needless = plain.evaluation.worst.needless
    if needless > chosen.evaluation.worst.needless:
        return (
            "Kafka assigns stateful tasks in process-ID order. The baseline changes that order:"
            f" {many(needless, 'task')} of clients outside the change would migrate too."
        )
    return f"Baseline: {choice.why_not(plain, chosen)}"


def rules_not_passed(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.status is not Status.PASS)
