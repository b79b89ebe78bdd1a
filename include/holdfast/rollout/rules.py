"""What the policy of a team says about one way of making a change: a list of rules, each passed, failed or not known.

A rule that fails and is named in `blocking` stops the plan (`blocked`); any other failure, and whatever cannot be known, asks for a
person's eyes (`review`). What a rule needs and the forecast does not tell is not known: nothing is guessed here.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout import hours
from holdfast.rollout.evaluation import ClientDisk, Cost, Effort, Evaluation, restore_seconds
from holdfast.rollout.policy import Policy
from holdfast.rollout.steps import (
    AwaitRebalance,
    AwaitStable,
    DeployTopology,
    GrowTopic,
    SetConfig,
    SetRelease,
    StopEverybody,
    hosts_of,
    verb,
)
from holdfast.rollout.wording import amount_of_bytes, listed, many, printable

_BYTES_NOT_KNOWN = "not known: what changelogs weigh, or bytes per record"


class Status(StrEnum):
    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Rule:
    """What one rule found. `blocking`: a failure stops the plan."""

    name: str
    found: str
    limit: str
    status: Status
    blocking: bool


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What rules need beside the forecast: when the plan is made (with its time zone), and the group's clients with their hosts."""

    now: datetime
    hosts: tuple[tuple[ProcessId, str | None], ...] = ()


def judge(evaluation: Evaluation, policy: Policy, at: Circumstances) -> tuple[Rule, ...]:
    """All rules, in the order of `RULES`; where nothing can be predicted, only that."""
    if evaluation.refused is not None or not evaluation.costs:
        why = evaluation.refused or "the forecast has no outcome"
        return (_rule("forecast", why, "can be predicted", Status.FAIL, policy),)
    costs = evaluation.costs
    worst_moved = max(cost.needless for cost in costs)
    stateful = max(cost.stateful_tasks for cost in costs)
    share = 100 * worst_moved / stateful if stateful else 0.0
    stable = all(cost.stable for cost in costs)
    unknown = len(evaluation.unknown)
    found = (
        _rule("forecast", "can be predicted", "can be predicted", Status.PASS, policy),
        _rule("converges", "yes" if stable else "no", "yes", Status.PASS if stable else Status.FAIL, policy),
        _rule(
            "moved-without-need",
            f"{worst_moved} of {stateful} stateful tasks ({share:.0f} %)",
            f"{policy.moved_percent_most} %",
            Status.PASS if share <= policy.moved_percent_most else Status.FAIL,
            policy,
        ),
        _moved_rule(evaluation, policy),
        _cold_rule(evaluation, policy),
        _cold_at_once_rule(evaluation, policy),
        _time_rule(evaluation, policy),
        _deadline_rule(evaluation, policy, at),
        _windows_rule(evaluation, policy, at),
        _rebalances_rule(evaluation, policy),
        _bytes_rule(evaluation, policy),
        _bytes_per_hour_rule(evaluation, policy),
        _disk_rule(evaluation, policy, at),
        _crowding_rule(evaluation, policy, at),
        _copy_rule(evaluation, policy),
        _actions_rule(evaluation, policy),
        _hosts_rule(evaluation, policy, at),
        _rule(
            "evidence",
            f"{unknown} not known" if unknown else "complete",
            "complete",
            Status.UNKNOWN if unknown else Status.PASS,
            policy,
        ),
    )
    return tuple(rule for rule in found if rule is not None)


def _cold_rule(evaluation: Evaluation, policy: Policy) -> Rule:
    speed = policy.restore_records_per_second
    longest = max(cost.cold_seconds_longest(speed) for cost in evaluation.costs)
    limit = policy.without_caught_up_copy_s_most
    found = f"{longest} s at {speed:,} records/s" if longest else f"under 1 s at {speed:,} records/s"
    if not any(cost.cold_tasks for cost in evaluation.costs):
        found = "no task"
    at_worst = max(cost.cold_seconds_longest(policy.slowest_restore) for cost in evaluation.costs)
    if longest <= limit < at_worst:
        found = f"{found}, {at_worst} s at {policy.slowest_restore:,}; the speed is {policy.restore_rate_source.says}"
    status = Status.FAIL if longest > limit else Status.UNKNOWN if at_worst > limit else Status.PASS
    return _rule("without-caught-up-copy", found, f"{limit} s", status, policy)


def _rebalances_rule(evaluation: Evaluation, policy: Policy) -> Rule:
    """Beyond those that the steps themselves cause: a rolling restart of twenty clients is twenty rebalances, and was asked for."""
    counted = [(cost.rebalances.high, sum(one.trigger == "change" for one in cost.rounds)) for cost in evaluation.costs]
    more, caused = max((high - caused, caused) for high, caused in counted)
    status = Status.PASS if more <= policy.rebalances_most else Status.FAIL
    return _rule("rebalances", f"{more} beside the {caused} of the steps", f"{policy.rebalances_most} beside them", status, policy)


def _time_rule(evaluation: Evaluation, policy: Policy) -> Rule:
    longest = max(cost.time_to_stable(policy.restore_records_per_second).high for cost in evaluation.costs)
    limit = policy.time_to_stable_s_most
    return _rule("time-to-stable", f"{longest} s", f"{limit} s", Status.PASS if longest <= limit else Status.FAIL, policy)


def _bytes_rule(evaluation: Evaluation, policy: Policy) -> Rule | None:
    """Only where a limit is set."""
    if policy.restored_bytes_most is None:
        return None
    limit = f"{policy.restored_bytes_most:,} bytes"
    amounts = [cost.restored_bytes(policy.bytes_per_record) for cost in evaluation.costs]
    known = [amount for amount in amounts if amount is not None]
    if len(known) < len(amounts):
        return _rule("restored-bytes", _BYTES_NOT_KNOWN, limit, Status.UNKNOWN, policy)
    status = Status.PASS if max(known) <= policy.restored_bytes_most else Status.FAIL
    return _rule("restored-bytes", f"{max(known):,} bytes", limit, status, policy)


def _disk_rule(evaluation: Evaluation, policy: Policy, at: Circumstances) -> Rule | None:
    """Only where a limit is set, or something is known of disks. Clients of one host may or may not share a disk: where that
    decides, it is not known."""
    least, stated = policy.disk_free_bytes_least or 0, policy.disk_free_bytes_least is not None
    limit = f"{amount_of_bytes(least)} stay free on every disk"
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
                lacking[f"{name} is given {amount_of_bytes(more)} and has {amount_of_bytes(one.free)}"] = None
        for host, clients in together.items():
            grown = sum(one.grows_by(policy.bytes_per_record) or 0 for one in clients)
            if host is not None and grown and min(one.free or 0 for one in clients) - grown < least:
                unknown[f"{printable(host)}, if its clients share a disk"] = None
    if not stated and not any(one.free is not None for cost in evaluation.costs for one in cost.disks):
        return None
    if lacking:
        return _rule("disk", listed(list(lacking)), limit, Status.FAIL, policy)
    if unknown:
        return _rule("disk", f"not known of {listed(list(unknown))}", limit, Status.UNKNOWN, policy)
    return _rule("disk", "enough room, as changelogs weigh", limit, Status.PASS, policy)


def _crowding_rule(evaluation: Evaluation, policy: Policy, at: Circumstances) -> Rule | None:
    """Only where a limit is set."""
    most = policy.copies_on_one_client_percent_most
    if most is None:
        return None
    limit, hosts = f"{most} % of an even share", dict(at.hosts)
    fullest = max(
        (cost.fullest for cost in evaluation.costs if cost.fullest is not None), key=lambda one: one.percent, default=None
    )
    if fullest is None:
        return _rule("copies-on-one-client", "no copies", limit, Status.PASS, policy)
    name = printable(hosts.get(fullest.process_id) or str(fullest.process_id))
    found = f"{many(fullest.copies, 'copy', 'copies')} on {name}, {fullest.percent} % of an even share"
    return _rule("copies-on-one-client", found, limit, Status.PASS if fullest.percent <= most else Status.FAIL, policy)


def _copy_rule(evaluation: Evaluation, policy: Policy) -> Rule | None:
    """Only where a disk is copied: nobody but the operator knows how long that takes."""
    if evaluation.candidate.effort is not Effort.COPY_DISK:
        return None
    return _rule("copied-in-time", "not known: measure the copying", "the session time-out", Status.UNKNOWN, policy)


def _moved_rule(evaluation: Evaluation, policy: Policy) -> Rule | None:
    """Only where a limit is set."""
    if policy.moved_in_all_percent_most is None:
        return None
    worst = max(evaluation.costs, key=lambda cost: cost.moved)
    share = 100 * worst.moved / worst.stateful_tasks if worst.stateful_tasks else 0.0
    found = f"{worst.moved} of {worst.stateful_tasks} stateful tasks ({share:.0f} %)"
    limit = policy.moved_in_all_percent_most
    return _rule("moved", found, f"{limit} %", Status.PASS if share <= limit else Status.FAIL, policy)


def _cold_at_once_rule(evaluation: Evaluation, policy: Policy) -> Rule | None:
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
    return _rule("without-caught-up-copy-at-once", found, many(most, "task"), status, policy)


def seconds_needed(cost: Cost, policy: Policy) -> int:
    """From the change until the group is stable and no task stands still, at the policy's speed. Handwork is not in it."""
    speed = policy.restore_records_per_second
    return max(cost.time_to_stable(speed).high, cost.cold_seconds_longest(speed))


def latest_start(evaluation: Evaluation, policy: Policy, now: datetime) -> datetime | None:
    """The last moment at which the change may be begun by `finish_before` and `windows`. None: the policy states neither."""
    needed = timedelta(seconds=max((seconds_needed(cost, policy) for cost in evaluation.costs), default=0))
    ends = [] if policy.finish_before is None else [hours.deadline(policy.finish_before, now)]
    ends += [end for start, end in hours.spans(policy.windows, now)[:1] if start <= now]
    return min(ends) - needed if ends else None


def _ends(evaluation: Evaluation, policy: Policy, at: Circumstances) -> datetime | None:
    """When it is over if it is begun now. None: never."""
    if not all(cost.stable for cost in evaluation.costs):
        return None
    return at.now + timedelta(seconds=max(seconds_needed(cost, policy) for cost in evaluation.costs))


def _deadline_rule(evaluation: Evaluation, policy: Policy, at: Circumstances) -> Rule | None:
    """The plan expires so early that it still holds if it is begun at the last moment: `latest_start`."""
    if policy.finish_before is None:
        return None
    limit, ends = hours.deadline(policy.finish_before, at.now), _ends(evaluation, policy, at)
    found = "never" if ends is None else f"{hours.clock(ends)} if begun now, handwork not counted"
    status = Status.FAIL if ends is None or ends > limit else Status.PASS
    return _rule("finish-before", found, hours.clock(limit), status, policy)


def _windows_rule(evaluation: Evaluation, policy: Policy, at: Circumstances) -> Rule | None:
    if not policy.windows:
        return None
    limit, ends = "; ".join(str(window) for window in policy.windows), _ends(evaluation, policy, at)
    spans = hours.spans(policy.windows, at.now)
    if not spans or spans[0][0] > at.now:
        opens = f"; the next one opens at {hours.clock(spans[0][0])}: plan again then" if spans else ""
        return _rule("windows", f"no window is open{opens}", limit, Status.FAIL, policy)
    closes = spans[0][1]
    found = "never ends" if ends is None else f"{hours.clock(ends)} if begun now; the window closes at {hours.clock(closes)}"
    return _rule("windows", found, limit, Status.FAIL if ends is None or ends > closes else Status.PASS, policy)


def _bytes_per_hour_rule(evaluation: Evaluation, policy: Policy) -> Rule | None:
    """No hour has more than all bytes, and some hour has the average or more; between them nobody knows."""
    most = policy.restored_bytes_per_hour_most
    if most is None:
        return None
    limit = f"{most:,} bytes an hour"
    high = average = 0
    for cost in evaluation.costs:
        size = cost.restored_bytes(policy.bytes_per_record)
        if size is None:
            return _rule("restored-bytes-per-hour", _BYTES_NOT_KNOWN, limit, Status.UNKNOWN, policy)
        high = max(high, size)
        standbys = max((restore_seconds(one.records, policy.restore_records_per_second) for one in cost.restores), default=0)
        average = max(average, size * 3600 // max(3600, seconds_needed(cost, policy), standbys))
    status = Status.PASS if high <= most else Status.FAIL if average > most else Status.UNKNOWN
    found = f"{high:,} bytes at most" if average == high else f"{average:,} to {high:,} bytes in the busiest hour"
    return _rule("restored-bytes-per-hour", found, limit, status, policy)


def _actions_rule(evaluation: Evaluation, policy: Policy) -> Rule | None:
    """Waiting is always allowed."""
    if policy.actions is None:
        return None
    asked = dict.fromkeys(
        verb(step.action) for step in evaluation.candidate.steps if not isinstance(step.action, AwaitRebalance | AwaitStable)
    )
    forbidden = [name for name in asked if name not in policy.actions]
    found = f"it asks for {', '.join(forbidden)}" if forbidden else ", ".join(asked) or "nothing"
    limit = ", ".join(policy.actions) or "none"
    return _rule("actions", found, limit, Status.FAIL if forbidden else Status.PASS, policy)


def _hosts_rule(evaluation: Evaluation, policy: Policy, at: Circumstances) -> Rule | None:
    """A setting or a release goes to every client, so to every host."""
    if not policy.untouchable_hosts:
        return None
    known = dict(at.hosts)
    touched: dict[str | None, None] = {}
    for step in evaluation.candidate.steps:
        match step.action:
            case SetConfig() | SetRelease() | StopEverybody() | DeployTopology():
                touched.update(dict.fromkeys(known.values()))
            case AwaitRebalance() | AwaitStable() | GrowTopic():
                continue
            case action:
                touched.update(dict.fromkeys(hosts_of(action)))
    hit = [printable(host) for host in touched if host is not None and host in policy.untouchable_hosts]
    limit = f"nothing is done on {listed([printable(host) for host in policy.untouchable_hosts])}"
    if hit:
        return _rule("untouchable-hosts", f"steps on {listed(hit)}", limit, Status.FAIL, policy)
    if None in touched:
        return _rule("untouchable-hosts", "a step on a host that is not known", limit, Status.UNKNOWN, policy)
    return _rule("untouchable-hosts", "none of them", limit, Status.PASS, policy)


def _rule(name: str, found: str, limit: str, status: Status, policy: Policy) -> Rule:
    return Rule(name, found, limit, status, blocking=name in policy.blocking)
