"""From what the ways to make a change would cost to one Plan: the best by policy, with reasons. No clock: `now` is an argument.

The same arguments give the same bytes, and `plan_id` is a digest of them.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from holdfast.errors import InvalidInput
from holdfast.rollout import choice, codec, recipes, restore_rate
from holdfast.rollout.basis import basis_of
from holdfast.rollout.change import Change, SetConfig
from holdfast.rollout.choice import Weighed
from holdfast.rollout.codec import plan as codec_plan
from holdfast.rollout.evaluation import Cost, Evaluation
from holdfast.rollout.plan_value import PLAINLY, Considered, CreatedFrom, Plan, PlanVerdict
from holdfast.rollout.policy import Policy, Review
from holdfast.rollout.rules import Circumstances, Rule, Status, judge, latest_start
from holdfast.rollout.snapshot import Snapshot
from holdfast.rollout.steps import Step
from holdfast.rollout.wording import duration, many, span

__all__ = ["PLAINLY", "Considered", "Plan", "PlanVerdict", "assemble"]

WAIT_AT_LEAST_S = 600
NO_ID_YET = ""


def assemble(snapshot: Snapshot, change: Change, evaluations: tuple[Evaluation, ...], policy: Policy, now: datetime) -> Plan:
    """The plan. `evaluations` are those of `candidates.propose`, in its order. Raise InvalidInput for a `now` without time zone."""
    if now.tzinfo is None:
        raise InvalidInput("the time of a plan needs a time zone; give it in UTC")
    given, policy = policy, restore_rate.effective(policy, snapshot, change)
    made = now.astimezone(UTC).replace(microsecond=0)
    at = Circumstances(made, tuple((client.process_id, client.host) for client in snapshot.clients))
    weighed = tuple(
        Weighed(place, one, judge(one, policy, at), choice.barred(one.candidate, policy)) for place, one in enumerate(evaluations)
    )
    nothing = _changes_nothing(snapshot, change)
    chosen = None if nothing else choice.best(weighed, policy)
    way = None if chosen is None else chosen.evaluation.candidate
    blocked_by = () if nothing else _blocked_by(weighed, chosen, policy)
    plan = Plan(
        plan_id=NO_ID_YET,
        created_at=_instant(made),
        expires_at=_instant(_expires(chosen, policy, made)),
        created_from=CreatedFrom(
            snapshot=codec.snapshot_fingerprint(snapshot),
            change=codec.fingerprint(codec.change_to_json(change)),
            policy=codec.fingerprint(codec_plan.policy_to_json(given)),
        ),
        basis=basis_of(snapshot),
        policy=policy,
        change=change,
        verdict=_verdict(nothing=nothing, chosen=chosen, blocked_by=blocked_by, policy=policy),
        headline=_headline(nothing=nothing, chosen=chosen, weighed=weighed, policy=policy, blocked_by=blocked_by),
        why="" if chosen is None else _why(chosen, weighed, policy),
        wrong_if="" if way is None else way.wrong_if,
        blocked_by=blocked_by,
        chosen=None if chosen is None else chosen.name,
        candidates=tuple(_considered(one, chosen, policy) for one in weighed),
        steps=() if chosen is None or blocked_by else _steps(chosen, policy),
        settings=() if way is None else way.settings,
        preconditions=() if way is None else way.preconditions,
        rules=() if chosen is None else chosen.rules,
        unknown=_unknown(snapshot, chosen),
    )
    return replace(plan, plan_id=codec_plan.plan_id_of(plan))


def _instant(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _changes_nothing(snapshot: Snapshot, change: Change) -> bool:
    """No events, or only settings that are so already."""
    had = dict(snapshot.config)
    settings = [item.settings for item in change.events if isinstance(item, SetConfig)]
    only_settings = all(isinstance(item, SetConfig) for item in change.events)
    return only_settings and all(key in had and had[key] == value for pairs in settings for key, value in pairs)


def _expires(chosen: Weighed | None, policy: Policy, made: datetime) -> datetime:
    """So early that what is begun before is over in time, by `finish_before` and `windows`."""
    expires = made + timedelta(seconds=policy.valid_for_s)
    latest = None if chosen is None else latest_start(chosen.evaluation, policy, made)
    return expires if latest is None else max(made, min(expires, latest.replace(microsecond=0)))


def _blocked_by(weighed: tuple[Weighed, ...], chosen: Weighed | None, policy: Policy) -> tuple[str, ...]:
    if chosen is None:
        reasons = dict.fromkeys(one.evaluation.refused for one in weighed if one.evaluation.refused is not None)
        return tuple(reasons) or ("Your policy excludes every way there is.",)
    over = tuple(f"{rule.name}: {rule.found}, {rule.limit} is the limit" for rule in chosen.failed if rule.blocking)
    if policy.review is not Review.NEVER:
        return over
    asking = (rule for rule in rules_not_passed(chosen.rules) if not (rule.blocking and rule.status is Status.FAIL))
    return (*over, *(f"{rule.name}: {rule.found}. A person would have to look, and your policy says never" for rule in asking))


def _verdict(*, nothing: bool, chosen: Weighed | None, blocked_by: tuple[str, ...], policy: Policy) -> PlanVerdict:
    if nothing:
        return PlanVerdict.NOTHING_TO_DO
    if chosen is None or blocked_by:
        return PlanVerdict.BLOCKED
    clean = all(rule.status is Status.PASS for rule in chosen.rules)
    return PlanVerdict.SAFE if clean and policy.review is not Review.ALWAYS else PlanVerdict.REVIEW


def _considered(one: Weighed, chosen: Weighed | None, policy: Policy) -> Considered:
    """The chosen way keeps its rounds and ends, and so does the worst outcome of the plain one: they are shown side by side."""
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
        why_not="" if is_chosen else choice.why_not(one, chosen, policy),
        as_asked=evaluation.candidate.as_asked,
    )


def _in_brief(cost: Cost, policy: Policy, *, whole: bool) -> Cost:
    """Of the stops the longest two are kept: what `stands_still_longest` and `without_copy_longest` say stays true."""
    brief = replace(cost, disks=(), restored_tasks=())
    if whole:
        return brief
    speed = policy.restore_records_per_second
    longest = [
        max(cost.stops, key=still, default=None) for still in (lambda one: one.stopped(speed), lambda one: one.without_copy(speed))
    ]
    stops = tuple(one for one in cost.stops if one in longest)
    return replace(brief, rounds=(), end=(), stops=stops)


def _steps(chosen: Weighed, policy: Policy) -> tuple[Step, ...]:
    worst = chosen.evaluation.worst
    speed = policy.restore_records_per_second
    limit = max(WAIT_AT_LEAST_S, 2 * worst.time_to_stable(speed).high + worst.cold_seconds_longest(speed))
    expect = f"{_rounds_and_time(worst, policy)}. {_standing_still(worst, policy)}"
    return recipes.with_waits(chosen.evaluation.candidate.steps, limit, expect)


def _unknown(snapshot: Snapshot, chosen: Weighed | None) -> tuple[str, ...]:
    if chosen is not None:
        return (*chosen.evaluation.unknown, *chosen.evaluation.unknown_sizes)
    return tuple(f"{one.what}: {one.reason}" for one in snapshot.unknown)


# Words.


def _headline(
    *, nothing: bool, chosen: Weighed | None, weighed: tuple[Weighed, ...], policy: Policy, blocked_by: tuple[str, ...]
) -> str:
    if nothing:
        return "Nothing to do: the group is already as the change would make it."
    if chosen is None:
        return blocked_by[0] if blocked_by[0].startswith("Cannot predict") else f"Blocked: {blocked_by[0]}"
    effect = _effect(chosen.evaluation, policy)
    if blocked_by:
        return f"Blocked: even the best way, {chosen.name}, breaks a limit. {effect}"
    if chosen.name == PLAINLY:
        return f"Make the change as it is: {effect}"
    plain = next((one for one in weighed if one.name == PLAINLY and one.evaluation.costs), None)
    without = "" if plain is None else f" Done plainly: {_effect(plain.evaluation, policy)}"
    return f"{chosen.evaluation.candidate.title}: {effect}{without}"


def _effect(evaluation: Evaluation, policy: Policy) -> str:
    """`all 6 stateful tasks change hands, in 4 to 6 rebalances over up to 2 min.`"""
    worst = evaluation.worst
    return f"{_moves(evaluation)}, in {_rounds_and_time(worst, policy)}."


def _moves(evaluation: Evaluation) -> str:
    worst = evaluation.worst
    total = worst.stateful_tasks
    if not worst.moved:
        restored = dict.fromkeys(task for one in worst.restores for task in one.tasks)
        where = "restore on the new disk" if evaluation.candidate.displaced else "get another copy"
        own = f" ({len(restored)} of {total} {where})" if restored else ""
        for_good = " for good" if worst.handovers else ""
        return f"no stateful task changes hands{for_good}{own}"
    which = f"all {total} stateful tasks change hands" if worst.moved == total else f"{worst.moved} of {total} stateful tasks move"
    if len(evaluation.costs) > 1:
        return f"at worst {which} ({evaluation.expected_moved:.1f} on average over the process IDs it may draw)"
    return which


def _rounds_and_time(cost: Cost, policy: Policy) -> str:
    rebalances = span(cost.rebalances.low, cost.rebalances.high)
    word = "rebalance" if cost.rebalances.high == 1 else "rebalances"
    if not cost.stable:
        return f"{rebalances} {word} and no end"
    time = cost.time_to_stable(policy.restore_records_per_second)
    return f"{rebalances} {word}, stable {'at once' if not time.high else f'after up to {duration(time.high)}'}"


def _standing_still(cost: Cost, policy: Policy) -> str:
    if not cost.cold_tasks:
        return "Every task has a caught-up copy all the while."
    speed = policy.restore_records_per_second
    longest = cost.cold_seconds_longest(speed)
    wait = duration(longest) if longest else "under a second"
    return f"{many(cost.cold_tasks, 'task')} stand still while they restore: {wait} at {speed:,} records/s."


def _why(chosen: Weighed, weighed: tuple[Weighed, ...], policy: Policy) -> str:
    """The chosen way against the plain one, and against the best of the rest."""
    others = tuple(one for one in weighed if one.name != chosen.name and one.possible)
    if not others:
        return "There is no other way to make this change."
    second = choice.best(others, policy)
    plain = next((one for one in others if one.name == PLAINLY), None)
    parts = []
    if plain is not None:
        parts.append(_against_plain(plain, chosen, policy))
    if second is not None and second is not plain:
        parts.append(f"Next best, {second.name}: {_lower(choice.why_not(second, chosen, policy))}")
    return " ".join(parts)


def _against_plain(plain: Weighed, chosen: Weighed, policy: Policy) -> str:
    """In the reviewer's terms where the order of process IDs is what makes the difference: it nearly always is."""
    needless = plain.evaluation.worst.needless
    if needless > chosen.evaluation.worst.needless:
        return (
            "Kafka deals stateful tasks out in the order of process IDs. Done plainly that order changes, and"
            f" {many(needless, 'task')} of clients that have nothing to do with the change would move as well."
        )
    return f"Done plainly: {_lower(choice.why_not(plain, chosen, policy))}"


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def rules_not_passed(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.status is not Status.PASS)
