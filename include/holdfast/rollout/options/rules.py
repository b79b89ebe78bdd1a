"""What a team's policy says about one option: a list of rules, each passed, failed or not known. Once, for every kind of group.

A rule that fails and is named in `blocking` stops the plan (`blocked`); any other failure, and whatever cannot be known, asks for
a person's eyes (`review`). What a rule needs and the forecast does not tell is not known: nothing is guessed here. Rules that
only one kind of group has (about copies of state, about offsets) are that kind's own; `RULES` puts them among these.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from holdfast.rollout.contract.times import Times
from holdfast.rollout.contract.verdicts import Rule, Status
from holdfast.rollout.policy.judging import actions_rule, made
from holdfast.rollout.policy.policy import CONVERGES, LEAST_REBALANCES, LEAST_SECONDS, RULES, Policy
from holdfast.rollout.text.wording import duration, listed, many, printable
from holdfast.rollout.timing import time_rules, time_words


@dataclass(frozen=True, slots=True)
class Share:
    """`count` None: not known."""

    count: int | None
    of: int


@dataclass(frozen=True, slots=True)
class Rebalances:
    """`most`, and as many as usual (None: not known); `asked`: those that the requested change causes by itself."""

    most: int
    usual: int | None
    asked: int


@dataclass(frozen=True, slots=True)
class Found:
    """What the shared rules go by. `thing`: what moves; `times`: of every outcome; `verbs` and `hosts`: of the steps, None among
    the hosts for one that is not known."""

    settles: bool
    unsettled: str | None
    thing: str
    collateral: Share
    moved: Share
    times: tuple[Times, ...]
    restores: bool
    rebalances: Rebalances
    verbs: tuple[str, ...]
    hosts: Mapping[str | None, None]


@dataclass(frozen=True, slots=True)
class Unstated:
    """When the plan is made (with its time zone), and the limits of a group of that size where the policy states none."""

    now: datetime
    rebalances_most: int = LEAST_REBALANCES
    seconds_most: int = LEAST_SECONDS


def refused(why: str, policy: Policy) -> tuple[Rule, ...]:
    """Of an option of which nothing can be predicted."""
    return (made("forecast", why, "can be predicted", Status.FAIL, policy),)


def judge(found: Found, own: Iterable[Rule | None], policy: Policy, unstated: Unstated) -> tuple[Rule, ...]:
    """All rules that the policy states. `own`: those of the kind of group."""
    shared = _shared(found, policy, unstated)
    rules = [rule for rule in (*shared, *own) if rule is not None]
    return tuple(sorted(rules, key=lambda rule: RULES.index(rule.name) if rule.name in RULES else len(RULES)))


def _shared(found: Found, policy: Policy, unstated: Unstated) -> Iterator[Rule | None]:
    yield made("forecast", "can be predicted", "can be predicted", Status.PASS, policy)
    why = f"no: {found.unsettled}" if found.unsettled else "no"
    yield made(CONVERGES, "yes" if found.settles else why, "yes", _status(within=found.settles), policy)
    yield _share("moved-without-need", found.collateral, found.thing, policy.moved_percent_most, policy)
    if policy.moved_in_all_percent_most is not None:
        yield _share("moved", found.moved, found.thing, policy.moved_in_all_percent_most, policy)
    yield _time_to_stable(found.times, policy, unstated)
    yield time_rules.finish_before(found.times, policy, unstated.now, restores=found.restores)
    yield time_rules.windows(found.times, policy, unstated.now)
    yield _rebalances(found.rebalances, policy, unstated)
    yield actions_rule(found.verbs, policy)
    yield _hosts(found.hosts, policy)


def _share(name: str, share: Share, thing: str, most: int, policy: Policy) -> Rule:
    limit = f"{most} %"
    if share.count is None:
        return made(name, "not known", limit, Status.UNKNOWN, policy)
    percent = 100 * share.count / share.of if share.of else 0.0
    said = f"{share.count:,} of {many(share.of, thing)} ({percent:.0f} %)"
    return made(name, said, limit, _status(within=percent <= most), policy)


def _time_to_stable(times: tuple[Times, ...], policy: Policy, unstated: Unstated) -> Rule:
    """Within the limit at the most: passed. Beyond it even usually: failed."""
    limit = unstated.seconds_most if policy.time_to_stable_s_most is None else policy.time_to_stable_s_most
    ends = [one.rebalancing_ends for one in times]
    known = [one for one in ends if one is not None]
    if len(known) < len(ends) or not known:
        return made("time-to-stable", "never", duration(limit), Status.FAIL, policy)
    usual, most = max(one.usual for one in known), max(one.high for one in known)
    status = Status.FAIL if usual > limit else Status.UNKNOWN if most > limit else Status.PASS
    found = duration(most) if usual == most else f"{duration(usual)} usually, {duration(most)} at most"
    if status is Status.UNKNOWN:
        found = f"{found} ({time_rules.at_speed(policy)})"
    for one in time_rules.conditions(times):
        late = one.otherwise_rebalancing_ends
        if status is Status.PASS and (late is None or late.high > limit):
            status = Status.FAIL if one.met is False else Status.UNKNOWN
            found = f"{found} if {time_words.condition(one)}, else {time_words.estimate(late)}"
    return made("time-to-stable", found, duration(limit), status, policy)


def _rebalances(counted: Rebalances, policy: Policy, unstated: Unstated) -> Rule:
    """Beyond those that the requested change causes by itself: a rolling restart of twenty clients is twenty rebalances, and was
    asked for. What an option's own steps cause beyond that counts."""
    more, usual = max(0, counted.most - counted.asked), counted.usual
    usually = "" if usual in (None, counted.most) else f" (usually {max(0, usual - counted.asked)})"
    most = unstated.rebalances_most if policy.rebalances_most is None else policy.rebalances_most
    found = f"{many(more, 'extra rebalance')}{usually}; the change itself causes {counted.asked}"
    return made("rebalances", found, f"{most} extra", _status(within=more <= most), policy)


def _hosts(touched: Mapping[str | None, None], policy: Policy) -> Rule | None:
    if not policy.untouchable_hosts:
        return None
    hit = [printable(host) for host in touched if host is not None and host in policy.untouchable_hosts]
    limit = f"no step on {listed([printable(host) for host in policy.untouchable_hosts])}"
    if hit:
        return made("untouchable-hosts", f"steps on {listed(hit)}", limit, Status.FAIL, policy)
    if None in touched:
        return made("untouchable-hosts", "a step on an unknown host", limit, Status.UNKNOWN, policy)
    return made("untouchable-hosts", "no step there", limit, Status.PASS, policy)


def _status(*, within: bool) -> Status:
    return Status.PASS if within else Status.FAIL
