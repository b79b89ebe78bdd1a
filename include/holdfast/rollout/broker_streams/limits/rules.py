"""An option for a streams group whose broker assigns checked against the team's policy: rules, each passed, failed or unknown."""

from collections.abc import Iterator, Mapping

from holdfast.rollout.broker_streams.cost.restored import Restored
from holdfast.rollout.broker_streams.forecast.outcomes import cold_range, moved_range
from holdfast.rollout.broker_streams.limits import rule_words as words
from holdfast.rollout.broker_streams.options import cold_start
from holdfast.rollout.broker_streams.options.evaluation import EvaluatedBrokerOption
from holdfast.rollout.broker_streams.options.impact import restored, times_of
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.steps.steps import verbs
from holdfast.rollout.contract.assessment import Rule, RuleStatus
from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.facts.refusals import Refusal, Refuses
from holdfast.rollout.options import interval_rule, restore_rules, restore_words, rules
from holdfast.rollout.options.restore_rules import Growth
from holdfast.rollout.options.rules import Rebalances, RuleFacts, Share, Unstated
from holdfast.rollout.policy.judging import between, made, within
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.timing import time_rules


def judge(
    evaluated: EvaluatedBrokerOption, snapshot: StreamsGroupSnapshot, policy: Policy, asked_targets: int, unstated: Unstated
) -> tuple[Rule, ...]:
    """All rules; where nothing can be predicted, only that. `asked_targets`: what the requested change causes by itself."""
    summary, found = evaluated.summary, evaluated.hand_over
    if summary is None or found is None:
        return rules.refused(evaluated.refused or Refusal(Refuses.OUTCOME), policy)
    shared = RuleFacts(
        settles=True,
        unsettled=None,
        thing="stateful task",
        collateral=Share(found.collateral, summary.stateful_tasks),
        moved=Share(moved_range(summary, evaluated.draws)[1], summary.stateful_tasks),
        times=(times_of(evaluated, policy),),
        restores=summary.cold_moves > 0 or bool(summary.restored_records),
        rebalances=Rebalances(summary.targets, None, asked_targets),
        verbs=tuple(verbs(evaluated.option.change)),
        hosts=_touched_hosts(evaluated, snapshot),
    )
    return rules.judge(shared, _own(evaluated, snapshot, policy), policy, unstated)


def _own(evaluated: EvaluatedBrokerOption, snapshot: StreamsGroupSnapshot, policy: Policy) -> Iterator[Rule | None]:
    assert evaluated.summary is not None, "what was refused has one rule"
    assert evaluated.hand_over is not None, "what was refused has one rule"
    _, cold = cold_range(evaluated.summary, evaluated.draws)
    found, restores = evaluated.hand_over, restored(evaluated, policy)
    yield interval_rule.in_interval(evaluated.interval_ms, "client", policy)
    yield _in_delay(evaluated, policy)
    yield _without_copy(evaluated, restores, cold, policy)
    most = policy.without_caught_up_copy_tasks_most
    if most is not None:
        at_once = Measured(most=found.cold_at_once, limit=most)
        status = within(found.cold_at_once, most)
        yield made("without-caught-up-copy-at-once", words.at_once(at_once), status, policy, at_once)
    if restores is None:
        yield from _sizes(cold, grows=bool(cold or evaluated.option.settings), policy=policy)
    else:
        seconds = time_rules.seconds_needed(times_of(evaluated, policy)) or 0
        yield restore_rules.restored_bytes([restores.size], policy)
        yield restore_rules.restored_per_hour([restore_rules.Restored(restores.size, seconds)], policy)
        yield restore_rules.disk([_growth(restores, snapshot)], policy)
    most = policy.copies_on_one_client_percent_most
    if most is not None:
        fullest = found.fullest
        copies = Measured(limit=most)
        if fullest is not None:
            copies = Measured(most=fullest.percent, of=fullest.copies, names=(fullest.process_id,), limit=most)
        yield made("copies-on-one-client", words.copies(copies), within(copies.most or 0, most), policy, copies)
    yield rules.evidence(evaluated.unknown, policy)


def _without_copy(evaluated: EvaluatedBrokerOption, restores: Restored | None, cold: int, policy: Policy) -> Rule:
    limit = policy.without_caught_up_copy_s_most
    if restores is None:
        without = Measured(of=cold, limit=limit)
        return made("without-caught-up-copy", words.without_copy(without), _known_if_none(cold), policy, without)
    _, usual, most = restores.longest
    waiting = sum(client.active for one in evaluated.restores or () for client in one.clients)
    found = Measured(usual=usual, most=most, of=waiting, limit=limit)
    return made("without-caught-up-copy", restore_words.without_copy(found, policy), between(usual, most, limit), policy, found)


def _growth(restores: Restored, snapshot: StreamsGroupSnapshot) -> tuple[Growth, ...]:
    """A disk grows by what its client restores."""
    hosts = {one.process_id: one.host for one in snapshot.members}
    free = {str(one.process_id): one.free_bytes for one in snapshot.state_directories}
    return tuple(Growth(one.process_id, hosts.get(one.process_id), one.size, free.get(one.process_id)) for one in restores.clients)


def _known_if_none(count: int) -> RuleStatus:
    return RuleStatus.UNKNOWN if count else RuleStatus.PASS


def _in_delay(evaluated: EvaluatedBrokerOption, policy: Policy) -> Rule | None:
    """Whether clients that start together join within the initial delay of the first. None: none do. Those that a run starts, it
    starts one after the other."""
    delay, start, between_two = evaluated.delay_ms, policy.start_up, policy.between_steps
    if delay is None:
        return None
    further = max(0, cold_start.starts_together(evaluated.option.change, policy.acts) - 1)
    usual = start.usual - start.low + further * between_two.usual
    most = start.high - start.low + further * between_two.high
    found = Measured(usual=usual, most=most, limit=delay)
    return made("joined-in-delay", words.in_delay(found), between(usual * 1000, most * 1000, delay), policy, found)


def _sizes(cold: int, *, grows: bool, policy: Policy) -> Iterator[Rule]:
    """Only where a limit is set: without sizes it is known only that nothing is restored. `grows`: whether disks get more tasks."""
    nothing = Measured(most=None if cold else 0, limit=policy.restored_bytes_most)
    if policy.restored_bytes_most is not None:
        yield made("restored-bytes", words.restored(nothing), _known_if_none(cold), policy, nothing)
    if policy.restored_bytes_per_hour_most is not None:
        hourly = Measured(most=None if cold else 0, limit=policy.restored_bytes_per_hour_most)
        yield made("restored-bytes-per-hour", words.per_hour(hourly), _known_if_none(cold), policy, hourly)
    if policy.disk_free_bytes_least is not None:
        room = Measured(most=None if grows else 0, limit=policy.disk_free_bytes_least)
        yield made("disk", words.disk(room), _known_if_none(grows), policy, room)


def _touched_hosts(evaluated: EvaluatedBrokerOption, snapshot: StreamsGroupSnapshot) -> Mapping[str | None, None]:
    """The hosts of the clients that steps touch; None: of one it is unknown."""
    hosts = {one.process_id: one.host for one in snapshot.members}
    found: dict[str | None, None] = {}
    for event in evaluated.option.change.statements():
        found |= dict.fromkeys(hosts.get(process_id) for process_id in event.stops())
        if event.comes() is not None and not event.restarts():
            found[event.host()] = None
    return found
