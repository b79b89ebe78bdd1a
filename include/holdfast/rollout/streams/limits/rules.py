"""An option checked against the team's policy: a list of rules, each passed, failed or unknown."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.assessment import Rule, RuleStatus
from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.contract.rebalances import restore_seconds
from holdfast.rollout.facts.refusals import Refusal, Refuses
from holdfast.rollout.options import restore_rules, restore_words, rules
from holdfast.rollout.options.restore_rules import Growth, Restored
from holdfast.rollout.options.rules import Rebalances, RuleFacts, Share
from holdfast.rollout.policy.judging import between, made, within
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost.evaluation import Cost, Effort, EvaluatedOption
from holdfast.rollout.streams.cost.times_of_costs import times_of, times_of_outcomes
from holdfast.rollout.streams.limits import rule_words as words
from holdfast.rollout.streams.limits.circumstances import Circumstances
from holdfast.rollout.streams.steps.steps import (
    AwaitRebalance,
    AwaitStable,
    DeployTopology,
    GrowTopic,
    RollOutConfig,
    RollOutRelease,
    StopAllClients,
    hosts_of,
    verb,
)
from holdfast.rollout.timing import time_rules


def judge(evaluation: EvaluatedOption, policy: Policy, at: Circumstances) -> tuple[Rule, ...]:
    """All rules; where nothing can be predicted, only that."""
    if evaluation.refused is not None or not evaluation.costs:
        return rules.refused(evaluation.refused or Refusal(Refuses.OUTCOME), policy)
    unstated = rules.Unstated(at.now, at.rebalances_most, at.seconds_most)
    return rules.judge(_found(evaluation, policy, at), _own(evaluation, policy, at), policy, unstated)


def _found(evaluation: EvaluatedOption, policy: Policy, at: Circumstances) -> RuleFacts:
    """Of several outcomes the worst counts, rule by rule."""
    costs = evaluation.costs
    worst = max(costs, key=lambda cost: cost.moved)
    return RuleFacts(
        settles=all(cost.stable for cost in costs),
        unsettled=next((cost.unsettled for cost in costs if not cost.stable and cost.unsettled), None),
        thing="stateful task",
        collateral=Share(max(cost.needless for cost in costs), max(cost.stateful_tasks for cost in costs)),
        moved=Share(worst.moved, worst.stateful_tasks),
        times=times_of_outcomes(evaluation, policy),
        restores=any(cost.restores for cost in costs),
        rebalances=_rebalances(costs, at),
        verbs=tuple(_verbs(evaluation)),
        hosts=_hosts(evaluation, at),
    )


def _own(evaluation: EvaluatedOption, policy: Policy, at: Circumstances) -> Iterator[Rule | None]:
    yield _without_copy_rule(evaluation, policy)
    yield _without_copy_at_once_rule(evaluation, policy)
    costs = evaluation.costs
    yield restore_rules.restored_bytes([cost.restored_bytes(policy.bytes_per_record) for cost in costs], policy)
    yield restore_rules.restored_per_hour([_restored(cost, policy) for cost in costs], policy)
    yield restore_rules.disk([_growth(cost, policy, dict(at.hosts)) for cost in costs], policy)
    yield _crowding_rule(evaluation, policy, at)
    yield _copy_rule(evaluation, policy)
    unknown = len(evaluation.unknown)
    found = Measured(most=unknown, names=tuple(map(str, evaluation.give)))
    yield made("evidence", words.evidence(found), RuleStatus.UNKNOWN if unknown else RuleStatus.PASS, policy, found)


def _without_copy_rule(evaluation: EvaluatedOption, policy: Policy) -> Rule:
    costs, limit = evaluation.costs, policy.without_caught_up_copy_s_most
    usual, most = (
        max(cost.cold_seconds_longest(speed) for cost in costs)
        for speed in (policy.restore_records_per_second, policy.slowest_restore)
    )
    found = Measured(usual=usual, most=most, of=max(cost.cold_tasks for cost in costs), limit=limit)
    status = between(usual, most, limit)
    for one in time_rules.conditions(times_of_outcomes(evaluation, policy)) if status is RuleStatus.PASS else ():
        if one.otherwise_downtime_s > limit:
            status, found = time_rules.of_condition(one), replace(found, condition=one)
            break
    return made("without-caught-up-copy", restore_words.without_copy(found, policy), status, policy, found)


def _restored(cost: Cost, policy: Policy) -> Restored:
    standbys = max((restore_seconds(one.records, policy.restore_records_per_second) for one in cost.restores), default=0)
    seconds = max(time_rules.seconds_needed(times_of(cost, policy)) or 0, standbys)
    return Restored(cost.restored_bytes(policy.bytes_per_record), seconds)


def _growth(cost: Cost, policy: Policy, hosts: Mapping[ProcessId, str | None]) -> tuple[Growth, ...]:
    return tuple(
        Growth(str(one.process_id), hosts.get(one.process_id), one.grows_by(policy.bytes_per_record), one.free)
        for one in cost.disks
    )


def _rebalances(costs: Iterable[Cost], at: Circumstances) -> Rebalances:
    """Those of the outcome that has most beyond the requested change."""
    counted = [
        (cost, sum(one.trigger == "change" for one in cost.rounds) if at.asked_rebalances is None else at.asked_rebalances)
        for cost in costs
    ]
    cost, requested = max(counted, key=lambda one: one[0].rebalances.high - one[1])
    return Rebalances(cost.rebalances.high, cost.rebalances_usual, requested)


def _crowding_rule(evaluation: EvaluatedOption, policy: Policy, at: Circumstances) -> Rule | None:
    """Only where a limit is set."""
    most = policy.copies_on_one_client_percent_most
    if most is None:
        return None
    copies = (cost.fullest for cost in evaluation.costs if cost.fullest is not None)
    fullest = max(copies, key=lambda one: one.percent, default=None)
    found = Measured(limit=most)
    if fullest is not None:
        name = dict(at.hosts).get(fullest.process_id) or str(fullest.process_id)
        found = Measured(most=fullest.percent, of=fullest.copies, names=(name,), limit=most)
    return made("copies-on-one-client", words.copies(found), within(found.most or 0, most), policy, found)


def _copy_rule(evaluation: EvaluatedOption, policy: Policy) -> Rule | None:
    """Only where a disk is copied: how long that takes is known only where the policy says how fast it goes."""
    if evaluation.option.effort is not Effort.COPY_DISK:
        return None
    known = [one.condition for one in (times_of(cost, policy) for cost in evaluation.costs) if one.condition is not None]
    found, status = Measured(limit=known[0].within_s if known else None), RuleStatus.UNKNOWN
    if known and all(one.met is not None for one in known):
        status = RuleStatus.PASS if all(one.met for one in known) else RuleStatus.FAIL
        found = replace(found, most=max(-(-(one.size or 0) // (policy.copy_bytes_per_second or 1)) for one in known))
    return made("copied-in-time", words.copied(found, policy), status, policy, found)


def _without_copy_at_once_rule(evaluation: EvaluatedOption, policy: Policy) -> Rule | None:
    """At least those of the worst rebalance, at most all of them together: which restore is still running when the next begins
    depends on unknown speeds."""
    most = policy.without_caught_up_copy_tasks_most
    if most is None:
        return None
    low = max(max((one.without_caught_up_copy for one in cost.rounds), default=0) for cost in evaluation.costs)
    high = max(cost.cold_tasks for cost in evaluation.costs)
    low = min(low, high)
    found = Measured(least=low, most=high, limit=most)
    return made("without-caught-up-copy-at-once", words.at_once(found), between(low, high, most), policy, found)


def _verbs(evaluation: EvaluatedOption) -> Iterator[str]:
    steps = (step.action for step in evaluation.option.steps)
    return (verb(action) for action in steps if not isinstance(action, AwaitRebalance | AwaitStable))


def _hosts(evaluation: EvaluatedOption, at: Circumstances) -> dict[str | None, None]:
    """That steps touch. A setting or a release goes to every client, so to every host."""
    known = dict(at.hosts)
    touched: dict[str | None, None] = {}
    for step in evaluation.option.steps:
        match step.action:
            case RollOutConfig() | RollOutRelease() | StopAllClients() | DeployTopology():
                touched.update(dict.fromkeys(known.values()))
            case AwaitRebalance() | AwaitStable() | GrowTopic():
                continue
            case action:
                touched.update(dict.fromkeys(hosts_of(action)))
    return touched
