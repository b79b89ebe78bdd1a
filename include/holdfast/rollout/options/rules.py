"""What a team's policy says about one option: a list of rules, each passed, failed or unknown. Once, for every kind of group.

A rule that fails and is named in `blocking` stops the plan (`blocked`); any other failure, and whatever cannot be known, asks for
a person's eyes (`review`). What a rule needs and the forecast does not have is unknown: nothing is guessed here. Rules that
only one kind of group has (about copies of state, about offsets) are that kind's own; `RULES` puts them among these.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from holdfast.rollout.contract.assessment import Rule, RuleStatus
from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.contract.times import Times
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts.refusals import Refusal, sentence
from holdfast.rollout.options import rule_words as words
from holdfast.rollout.policy.judging import between, made, within
from holdfast.rollout.policy.policy import LEAST_REBALANCES, LEAST_SECONDS, Policy
from holdfast.rollout.policy.rules import CONVERGES, RULES
from holdfast.rollout.timing import time_rules


@dataclass(frozen=True, slots=True)
class Share:
    """`count` None: unknown."""

    count: int | None
    of: int


@dataclass(frozen=True, slots=True)
class Rebalances:
    """`most`, and as many as usual (None: unknown); `asked`: those that the requested change causes by itself."""

    most: int
    usual: int | None
    asked: int


@dataclass(frozen=True, slots=True)
class RuleFacts:
    """What the shared rules go by. `thing`: what moves; `times`: of every outcome; `verbs` and `hosts`: of the steps, None among
    the hosts for one that is unknown."""

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


def refused(why: Refusal, policy: Policy) -> tuple[Rule, ...]:
    """Of an option of which nothing can be predicted."""
    found = Measured(reason=sentence(why))
    return (made("forecast", words.forecast(found), RuleStatus.FAIL, policy, found),)


def judge(found: RuleFacts, own: Iterable[Rule | None], policy: Policy, unstated: Unstated) -> tuple[Rule, ...]:
    """All rules that the policy states. `own`: those of the kind of group."""
    shared = _shared(found, policy, unstated)
    rules = [rule for rule in (*shared, *own) if rule is not None]
    return tuple(sorted(rules, key=lambda rule: RULES.index(rule.name) if rule.name in RULES else len(RULES)))


def _shared(found: RuleFacts, policy: Policy, unstated: Unstated) -> Iterator[Rule | None]:
    yield made("forecast", words.forecast(Measured()), RuleStatus.PASS, policy, Measured())
    settles = RuleStatus.PASS if found.settles else RuleStatus.FAIL
    why = Measured(reason=found.unsettled)
    yield made(CONVERGES, words.converges(why, settles), settles, policy, why)
    yield _share("collateral-migration", found.collateral, found.thing, policy.moved_percent_most, policy)
    if policy.moved_in_all_percent_most is not None:
        yield _share("moved", found.moved, found.thing, policy.moved_in_all_percent_most, policy)
    yield _time_to_stable(found.times, policy, unstated)
    yield time_rules.finish_before(found.times, policy, unstated.now, restores=found.restores)
    yield time_rules.windows(found.times, policy, unstated.now)
    yield _rebalances(found.rebalances, policy, unstated)
    yield _actions(found.verbs, policy)
    yield _hosts(found.hosts, policy)


def _share(name: str, share: Share, thing: str, most: int, policy: Policy) -> Rule:
    found = Measured(most=share.count, of=share.of, limit=most)
    status = RuleStatus.UNKNOWN if share.count is None else within(words.percent(found), most)
    return made(name, words.share(found, thing), status, policy, found)


def _time_to_stable(times: tuple[Times, ...], policy: Policy, unstated: Unstated) -> Rule:
    """Within the limit at the most: passed. Beyond it even usually: failed."""
    name, limit = "time-to-stable", unstated.seconds_most if policy.time_to_stable_s_most is None else policy.time_to_stable_s_most
    ends = [one.rebalancing_ends for one in times]
    known = [one for one in ends if one is not None]
    if len(known) < len(ends) or not known:
        never = Measured(limit=limit)
        return made(name, words.time_to_stable(never, policy), RuleStatus.FAIL, policy, never)
    usual, most = max(one.usual for one in known), max(one.high for one in known)
    status = between(usual, most, limit)
    found = Measured(usual=usual, most=most, limit=limit, speed=policy.slowest_restore if status is RuleStatus.UNKNOWN else None)
    for one in time_rules.conditions(times) if status is RuleStatus.PASS else ():
        late = one.otherwise_rebalancing_ends
        if late is None or late.high > limit:
            status, found = time_rules.of_condition(one), replace(found, condition=one)
            break
    return made(name, words.time_to_stable(found, policy), status, policy, found)


def _rebalances(counted: Rebalances, policy: Policy, unstated: Unstated) -> Rule:
    """Beyond those that the requested change causes by itself: a rolling restart of twenty clients is twenty rebalances, and was
    asked for. What an option's own steps cause beyond that counts."""
    more, usual = max(0, counted.most - counted.asked), counted.usual
    most = unstated.rebalances_most if policy.rebalances_most is None else policy.rebalances_most
    found = Measured(
        usual=None if usual in (None, counted.most) else max(0, usual - counted.asked), most=more, of=counted.asked, limit=most
    )
    return made("rebalances", words.rebalances(found), within(more, most), policy, found)


def _actions(verbs: Iterable[str], policy: Policy) -> Rule | None:
    """`verbs`: what the steps ask for, without waiting, which is always allowed."""
    if policy.actions is None:
        return None
    actions = tuple(dict.fromkeys(verbs))
    forbidden = tuple(name for name in actions if name not in policy.actions)
    status = RuleStatus.FAIL if forbidden else RuleStatus.PASS
    found = Measured(names=forbidden or actions, allowed=policy.actions)
    return made("actions", words.actions(found, status), status, policy, found)


def _hosts(touched: Mapping[str | None, None], policy: Policy) -> Rule | None:
    if not policy.untouchable_hosts:
        return None
    hit = tuple(host for host in touched if host is not None and host in policy.untouchable_hosts)
    status = RuleStatus.FAIL if hit else RuleStatus.UNKNOWN if None in touched else RuleStatus.PASS
    found = Measured(names=hit, allowed=policy.untouchable_hosts)
    return made("untouchable-hosts", words.hosts(found, status), status, policy, found)


def evidence(unknown: Sequence[Unknown], policy: Policy) -> Rule:
    """Whether all inputs of a forecast are known."""
    found = Measured(most=len(unknown), names=tuple(one.what for one in unknown))
    status = RuleStatus.UNKNOWN if unknown else RuleStatus.PASS
    return made("evidence", words.evidence(found), status, policy, found)
