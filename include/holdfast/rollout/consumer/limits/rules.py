"""What a team's policy says about one way of changing a plain consumer group: a list of rules, each passed, failed or not known."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from holdfast.rollout.consumer.change.change import (
    AddConsumer,
    ConsumerChange,
    NewConsumer,
    RemoveConsumer,
    ReplaceConsumer,
    RestartConsumer,
    SetAssignors,
)
from holdfast.rollout.consumer.forecast import warning_words
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.options.evaluation import EvaluatedConsumerOption
from holdfast.rollout.consumer.options.impact import times_of
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import verbs
from holdfast.rollout.contract.times import Times
from holdfast.rollout.contract.verdicts import Rule, Status
from holdfast.rollout.policy.judging import actions_rule
from holdfast.rollout.policy.policy import LEAST_REBALANCES, LEAST_SECONDS, Policy
from holdfast.rollout.text.wording import duration, listed, many, printable
from holdfast.rollout.timing import time_rules, time_words

RULES = (
    "forecast",
    "converges",
    "reads-on",
    "moved-without-need",
    "moved",
    "standing-still",
    "time-to-stable",
    "finish-before",
    "windows",
    "rebalances",
    "actions",
    "untouchable-hosts",
)
"""In the order in which a review lists them. `reads-on`: nobody skips data or is stopped by an offset that is not there."""


def rule(name: str, found: str, limit: str, status: Status, policy: Policy) -> Rule:
    return Rule(name, found, limit, status, name in policy.blocking)


@dataclass(frozen=True, slots=True)
class Needed:
    """When the plan is made, and what the requested change takes anyway: of limits that nobody stated, that takes nothing away."""

    now: datetime
    asked_rebalances: int
    own_seconds: int


def judge(evaluated: EvaluatedConsumerOption, snapshot: ConsumerSnapshot, policy: Policy, needed: Needed) -> tuple[Rule, ...]:
    """All rules that the policy states, in the order of `RULES`; where nothing can be predicted, only that."""
    summary = evaluated.summary
    if summary is None:
        return (rule("forecast", evaluated.refused or "", "can be predicted", Status.FAIL, policy),)
    change, times = evaluated.option.change, times_of(evaluated, policy)
    return (
        *_of_the_end(evaluated, summary, policy),
        *_of_the_way(summary, change, snapshot, policy, needed, times),
    )


def _of_the_end(foreseen: EvaluatedConsumerOption, summary: ConsumerSummary, policy: Policy) -> Iterator[Rule]:
    yield rule("forecast", "can be predicted", "can be predicted", Status.PASS, policy)
    trouble = foreseen.unsettled
    yield rule("converges", trouble or "yes", "yes", _status(trouble is None), policy)
    status = Status.FAIL if foreseen.warnings else Status.UNKNOWN if foreseen.offsets_unknown else Status.PASS
    of_unknown = f"committed offset not known: {many(foreseen.offsets_unknown, 'partition')}"
    said = " ".join(map(warning_words.sentence, foreseen.warnings)) or (
        of_unknown if foreseen.offsets_unknown else "no data is skipped"
    )
    yield rule("reads-on", said, "no consumer skips data, or stops for lack of an offset", status, policy)
    yield _percentage("moved-without-need", summary.needless, summary.partitions, policy.moved_percent_most, policy)
    if policy.moved_in_all_percent_most is not None:
        yield _percentage("moved", summary.moved, summary.partitions, policy.moved_in_all_percent_most, policy)


def _percentage(name: str, count: int | None, of: int, most: int, policy: Policy) -> Rule:
    if count is None:
        return rule(name, "not known", f"{most} %", Status.UNKNOWN, policy)
    percent = 100 * count / max(of, 1)
    return rule(name, f"{count:,} of {many(of, 'partition')} ({percent:.0f} %)", f"{most} %", _status(percent <= most), policy)


def _time_to_stable(policy: Policy, needed: Needed, times: Times) -> Rule:
    limit = LEAST_SECONDS + needed.own_seconds if policy.time_to_stable_s_most is None else policy.time_to_stable_s_most
    ends = times.rebalancing_ends
    if ends is None:
        return rule("time-to-stable", "never", duration(limit), Status.FAIL, policy)
    status = Status.FAIL if ends.usual > limit else Status.UNKNOWN if ends.high > limit else Status.PASS
    return rule("time-to-stable", time_words.estimate(ends), duration(limit), status, policy)


def _of_the_way(
    summary: ConsumerSummary, change: ConsumerChange, snapshot: ConsumerSnapshot, policy: Policy, needed: Needed, found_times: Times
) -> Iterator[Rule]:
    limit, longest = policy.without_caught_up_copy_s_most, summary.longest_stop
    text = "not known" if longest is None else f"{longest.usual:g} s usually, {longest.most:g} s at most"
    still = Status.UNKNOWN if longest is None else _status(longest.usual <= limit)
    yield rule("standing-still", text, f"{duration(limit)} usually", still, policy)
    yield _time_to_stable(policy, needed, found_times)
    times = (found_times,)
    yield from filter(None, (time_rules.finish_before(times, policy, needed.now, restores=False),))
    yield from filter(None, (time_rules.windows(times, policy, needed.now),))
    most = LEAST_REBALANCES if policy.rebalances_most is None else policy.rebalances_most
    more = max(0, summary.rebalances - needed.asked_rebalances)
    found = f"{many(more, 'extra rebalance')}; the change itself causes {needed.asked_rebalances}"
    yield rule("rebalances", found, f"{most} extra", _status(more <= most), policy)
    yield from filter(None, (actions_rule(verbs(change), policy),))
    if policy.untouchable_hosts:
        hosts = _touched_hosts(change, snapshot)
        touched = [host for host in hosts if host is not None and host in policy.untouchable_hosts]
        found = f"steps on {listed([printable(host) for host in touched])}" if touched else "no step there"
        status = Status.FAIL if touched else Status.UNKNOWN if None in hosts else Status.PASS
        yield rule(
            "untouchable-hosts", found, f"no step on {listed(list(map(printable, policy.untouchable_hosts)))}", status, policy
        )


def _touched_hosts(change: ConsumerChange, snapshot: ConsumerSnapshot) -> dict[str | None, None]:
    """The hosts of the consumers that steps touch; None: of one it is not known."""
    known = {member.member_id: member.host for member in snapshot.members}
    found: dict[str | None, None] = {}
    for item in change.events:
        match item:
            case AddConsumer(consumer):
                found[known.setdefault(consumer.member_id, _given(consumer))] = None
            case RemoveConsumer(member_id):
                found[known.get(member_id)] = None
            case ReplaceConsumer(member_id, by):
                found[known.get(member_id)] = None
                found[known.setdefault(by.member_id, _given(by))] = None
            case RestartConsumer(member_id, back):
                known[back.member_id] = known.get(member_id)
                found[known[back.member_id]] = None
            case SetAssignors(_, member_ids):
                for old, new in member_ids:
                    known[new] = known.get(old)
                    found[known[new]] = None
            case _:
                continue
    return found


def _given(consumer: NewConsumer) -> str | None:
    return consumer.host if isinstance(consumer.host, str) else None


def _status(within: bool) -> Status:
    return Status.PASS if within else Status.FAIL
