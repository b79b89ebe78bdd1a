"""An option checked against the team's policy: a list of rules, each passed, failed or unknown."""

from collections.abc import Iterable, Iterator

from holdfast.rollout.contract.rebalances import restore_seconds
from holdfast.rollout.contract.verdicts import Rule, Status
from holdfast.rollout.options import rules
from holdfast.rollout.options.rules import Found, Rebalances, Share
from holdfast.rollout.policy.judging import made
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost import lacking
from holdfast.rollout.streams.cost.evaluation import ClientDisk, Cost, Effort, EvaluatedOption
from holdfast.rollout.streams.cost.lacking import Give
from holdfast.rollout.streams.cost.times_of_costs import times_of, times_of_outcomes
from holdfast.rollout.streams.limits.circumstances import Circumstances
from holdfast.rollout.streams.steps.steps import (
    AwaitRebalance,
    AwaitStable,
    DeployTopology,
    GrowTopic,
    RollOutConfig,
    RollOutRelease,
    StopEverybody,
    hosts_of,
    verb,
)
from holdfast.rollout.text.wording import amount_of_bytes, listed, many, printable
from holdfast.rollout.timing import time_rules, time_words

_BYTES_NOT_KNOWN = "not known: the size of changelogs, or bytes per record"


def judge(evaluation: EvaluatedOption, policy: Policy, at: Circumstances) -> tuple[Rule, ...]:
    """All rules; where nothing can be predicted, only that."""
    if evaluation.refused is not None or not evaluation.costs:
        return rules.refused(evaluation.refused or "the forecast has no outcome", policy)
    unstated = rules.Unstated(at.now, at.rebalances_most, at.seconds_most)
    return rules.judge(_found(evaluation, policy, at), _own(evaluation, policy, at), policy, unstated)


def _found(evaluation: EvaluatedOption, policy: Policy, at: Circumstances) -> Found:
    """Of several outcomes the worst counts, rule by rule."""
    costs = evaluation.costs
    worst = max(costs, key=lambda cost: cost.moved)
    return Found(
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
    yield _cold_rule(evaluation, policy)
    yield _cold_at_once_rule(evaluation, policy)
    yield _bytes_rule(evaluation, policy)
    yield _bytes_per_hour_rule(evaluation, policy)
    yield _disk_rule(evaluation, policy, at)
    yield _crowding_rule(evaluation, policy, at)
    yield _copy_rule(evaluation, policy)
    unknown = len(evaluation.unknown)
    said = _not_known(unknown, evaluation.give)
    yield made("evidence", said, "complete", Status.UNKNOWN if unknown else Status.PASS, policy)


def _not_known(count: int, give: tuple[Give, ...]) -> str:
    if not count:
        return "complete"
    needed = "; ".join(lacking.WORDS[one] for one in give)
    return f"{count} not known. Give {needed}" if give else f"{count} not known"


def _cold_rule(evaluation: EvaluatedOption, policy: Policy) -> Rule:
    speed = policy.restore_records_per_second
    longest = max(cost.cold_seconds_longest(speed) for cost in evaluation.costs)
    limit = policy.without_caught_up_copy_s_most
    found = f"{longest} s at {speed:,} records/s" if longest else f"under 1 s at {speed:,} records/s"
    if not any(cost.cold_tasks for cost in evaluation.costs):
        found = "no task"
    at_worst = max(cost.cold_seconds_longest(policy.slowest_restore) for cost in evaluation.costs)
    if longest <= limit < at_worst:
        found = f"{found}, {at_worst} s at {policy.slowest_restore:,}; the speed is {policy.restore_rate_says}"
    status = Status.FAIL if longest > limit else Status.UNKNOWN if at_worst > limit else Status.PASS
    for one in time_rules.conditions(times_of_outcomes(evaluation, policy)):
        if status is Status.PASS and one.otherwise_downtime_s > limit:
            status = Status.FAIL if one.met is False else Status.UNKNOWN
            found = f"{found} if {time_words.condition(one)}, else {one.otherwise_downtime_s} s"
    return made("without-caught-up-copy", found, f"{limit} s", status, policy)


def _rebalances(costs: Iterable[Cost], at: Circumstances) -> Rebalances:
    """Those of the outcome that has most beyond what was asked for."""
    counted = [
        (cost, sum(one.trigger == "change" for one in cost.rounds) if at.asked_rebalances is None else at.asked_rebalances)
        for cost in costs
    ]
    cost, asked = max(counted, key=lambda one: one[0].rebalances.high - one[1])
    return Rebalances(cost.rebalances.high, cost.rebalances_usual, asked)


def _bytes_rule(evaluation: EvaluatedOption, policy: Policy) -> Rule | None:
    """Only where a limit is set."""
    if policy.restored_bytes_most is None:
        return None
    limit = f"{policy.restored_bytes_most:,} bytes"
    amounts = [cost.restored_bytes(policy.bytes_per_record) for cost in evaluation.costs]
    known = [amount for amount in amounts if amount is not None]
    if len(known) < len(amounts):
        return made("restored-bytes", _BYTES_NOT_KNOWN, limit, Status.UNKNOWN, policy)
    status = Status.PASS if max(known) <= policy.restored_bytes_most else Status.FAIL
    return made("restored-bytes", f"{max(known):,} bytes", limit, status, policy)


def _disk_rule(evaluation: EvaluatedOption, policy: Policy, at: Circumstances) -> Rule | None:
    """Only where a limit is set, or something is known of disks. Clients of one host may or may not share a disk: where that
    decides, it is not known."""
    least, stated = policy.disk_free_bytes_least or 0, policy.disk_free_bytes_least is not None
    limit = f"{amount_of_bytes(least)} free on every disk"
    hosts = dict(at.hosts)
    lacking: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for cost in evaluation.costs:
        together: dict[str | None, list[ClientDisk]] = {}
        for one in cost.disks:
            host = hosts.get(one.process_id)
            name = printable(host) if host else str(one.process_id)
            more = one.grows_by(policy.bytes_per_record)
            if more is None or one.free is None:
                if stated and more != 0:
                    unknown[name] = None
                continue
            together.setdefault(host, []).append(one)
            if one.free - more < least:
                lacking[f"{name} needs {amount_of_bytes(more)} and has {amount_of_bytes(one.free)} free"] = None
        for host, clients in together.items():
            grown = sum(one.grows_by(policy.bytes_per_record) or 0 for one in clients)
            if host is not None and grown and min(one.free or 0 for one in clients) - grown < least:
                unknown[f"{printable(host)}, if its clients share a disk"] = None
    if not stated and not any(one.free is not None for cost in evaluation.costs for one in cost.disks):
        return None
    if lacking:
        return made("disk", listed(list(lacking)), limit, Status.FAIL, policy)
    if unknown:
        return made("disk", f"not known: {listed(list(unknown))}", limit, Status.UNKNOWN, policy)
    return made("disk", "enough room, estimated from changelog sizes", limit, Status.PASS, policy)


def _crowding_rule(evaluation: EvaluatedOption, policy: Policy, at: Circumstances) -> Rule | None:
    """Only where a limit is set."""
    most = policy.copies_on_one_client_percent_most
    if most is None:
        return None
    limit, hosts = f"{most} % of an even share", dict(at.hosts)
    fullest = max(
        (cost.fullest for cost in evaluation.costs if cost.fullest is not None), key=lambda one: one.percent, default=None
    )
    if fullest is None:
        return made("copies-on-one-client", "no copies", limit, Status.PASS, policy)
    name = printable(hosts.get(fullest.process_id) or str(fullest.process_id))
    found = f"{many(fullest.copies, 'copy', 'copies')} on {name}, {fullest.percent} % of an even share"
    return made("copies-on-one-client", found, limit, Status.PASS if fullest.percent <= most else Status.FAIL, policy)


def _copy_rule(evaluation: EvaluatedOption, policy: Policy) -> Rule | None:
    """Only where a disk is copied: how long that takes is known only where the policy says how fast it goes."""
    if evaluation.option.effort is not Effort.COPY_DISK:
        return None
    known = [one.condition for one in (times_of(cost, policy) for cost in evaluation.costs) if one.condition is not None]
    limit = "the session timeout" if not known else f"{known[0].within_s} s, the session timeout"
    if not known or any(one.met is None for one in known):
        return made("copied-in-time", "not known: measure the copy speed", limit, Status.UNKNOWN, policy)
    status = Status.PASS if all(one.met for one in known) else Status.FAIL
    longest = max(-(-(one.size or 0) // (policy.copy_bytes_per_second or 1)) for one in known)
    found = f"{longest} s at {amount_of_bytes(policy.copy_bytes_per_second or 0)}/s"
    return made("copied-in-time", found, limit, status, policy)


def _cold_at_once_rule(evaluation: EvaluatedOption, policy: Policy) -> Rule | None:
    """At least those of the worst rebalance, at most all of them together: which restore is still running when the next begins
    depends on speeds that nobody knows."""
    most = policy.without_caught_up_copy_tasks_most
    if most is None:
        return None
    low = max(max((one.without_caught_up_copy for one in cost.rounds), default=0) for cost in evaluation.costs)
    high = max(cost.cold_tasks for cost in evaluation.costs)
    low = min(low, high)
    status = Status.PASS if high <= most else Status.FAIL if low > most else Status.UNKNOWN
    found = f"{many(low, 'task')} at once" if low == high else f"{low} to {high} tasks at once"
    return made("without-caught-up-copy-at-once", found, many(most, "task"), status, policy)


def _bytes_per_hour_rule(evaluation: EvaluatedOption, policy: Policy) -> Rule | None:
    """No hour has more than all bytes, and some hour has the average or more; between them nobody knows."""
    most = policy.restored_bytes_per_hour_most
    if most is None:
        return None
    limit = f"{most:,} bytes an hour"
    high = average = 0
    for cost in evaluation.costs:
        size = cost.restored_bytes(policy.bytes_per_record)
        if size is None:
            return made("restored-bytes-per-hour", _BYTES_NOT_KNOWN, limit, Status.UNKNOWN, policy)
        high = max(high, size)
        standbys = max((restore_seconds(one.records, policy.restore_records_per_second) for one in cost.restores), default=0)
        average = max(average, size * 3600 // max(3600, time_rules.seconds_needed(times_of(cost, policy)) or 0, standbys))
    status = Status.PASS if high <= most else Status.FAIL if average > most else Status.UNKNOWN
    found = f"{high:,} bytes at most" if average == high else f"{average:,} to {high:,} bytes in the busiest hour"
    return made("restored-bytes-per-hour", found, limit, status, policy)


def _verbs(evaluation: EvaluatedOption) -> Iterator[str]:
    steps = (step.action for step in evaluation.option.steps)
    return (verb(action) for action in steps if not isinstance(action, AwaitRebalance | AwaitStable))


def _hosts(evaluation: EvaluatedOption, at: Circumstances) -> dict[str | None, None]:
    """That steps touch. A setting or a release goes to every client, so to every host."""
    known = dict(at.hosts)
    touched: dict[str | None, None] = {}
    for step in evaluation.option.steps:
        match step.action:
            case RollOutConfig() | RollOutRelease() | StopEverybody() | DeployTopology():
                touched.update(dict.fromkeys(known.values()))
            case AwaitRebalance() | AwaitStable() | GrowTopic():
                continue
            case action:
                touched.update(dict.fromkeys(hosts_of(action)))
    return touched
