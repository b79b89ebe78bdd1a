"""What options are compared by, in order: once, for every kind of group."""

import math
from dataclasses import dataclass
from typing import Any

from holdfast.rollout.facts.reasons import EXCEEDS
from holdfast.rollout.options.criterion import Criterion
from holdfast.rollout.options.option import RankedOption
from holdfast.rollout.text.format import duration, many

Ranked = RankedOption[Any]


@dataclass(frozen=True, slots=True)
class Counted:
    """The words of a kind of group. `thing`: "task"; `member`: "client"; `to`: to what a task moves; `order`: why others' tasks
    move, where the order of IDs is the reason; empty where there may be another. `round`: what a rebalance is called."""

    thing: str
    member: str
    to: str
    order: str = ""
    round: str = "rebalance"

    def many(self, count: float) -> str:
        if math.isinf(count):
            return f"an unknown number of {self.thing}s"
        return many(int(count), self.thing) if count == int(count) else f"{count:,g} {self.thing}s"

    def seconds(self, count: float) -> str:
        """`3 task-seconds`."""
        if math.isinf(count):
            return f"unknown {self.thing}-seconds"
        return many(int(count), f"{self.thing}-second") if count == int(count) else f"{count:,g} {self.thing}-seconds"


def _number(count: float) -> str:
    return "unknown" if math.isinf(count) else f"{int(count):,}" if count == int(count) else f"{count:,g}"


def _limits(loser: Ranked, chosen: Ranked, counted: Counted) -> str:  # noqa: ARG001 - as every explanation
    kept = [rule.name for rule in chosen.exceeded]
    broken = "; ".join(f"{rule.name}: {rule.found}, limit {rule.limit}" for rule in loser.exceeded if rule.name not in kept)
    return f"{EXCEEDS} ({broken})."


def _collateral(loser: Ranked, chosen: Ranked, counted: Counted) -> str:
    mine, theirs = loser.known.collateral, chosen.known.collateral
    return f"Collateral migration: {counted.many(mine)} of {counted.member}s outside the change instead of {_number(theirs)}."


def _cold(loser: Ranked, chosen: Ranked, counted: Counted) -> str:
    mine = many(loser.known.cold_hand_overs, "hand-over")
    theirs = f"instead of {chosen.known.cold_hand_overs:,}"
    return f"More state restored in full: {mine} to a {counted.member} that never had the {counted.thing} {theirs}."


def _hand_overs(loser: Ranked, chosen: Ranked, counted: Counted) -> str:
    mine, theirs = loser.known.hand_overs, chosen.known.hand_overs
    return f"More hand-overs of {counted.thing}s in all: {_number(mine)} instead of {_number(theirs)}."


def _long_restore(loser: Ranked, chosen: Ranked, counted: Counted) -> str:  # noqa: ARG001
    still = duration(loser.known.longest_restore_s)
    limit = duration(loser.policy.copy_state_over_s)
    return f"A {counted.thing} is unavailable for {still}; above {limit} copying the disk is worth it."


def _downtime(loser: Ranked, chosen: Ranked, counted: Counted) -> str:
    late = " if the copy is late" if loser.known.late else ""
    theirs = _number(chosen.known.downtime_s)
    return f"More downtime: {counted.seconds(loser.known.downtime_s)}{late} instead of {theirs}."


def _more_restarts(loser: Ranked, chosen: Ranked, counted: Counted) -> str:  # noqa: ARG001
    mine, theirs = loser.known.effort.restarts, chosen.known.effort.restarts
    return f"More restarts: {many(mine, 'restart')} instead of {theirs:,}.{_would_spare(loser, chosen)}"


def _manual(loser: Ranked, chosen: Ranked, counted: Counted) -> str:  # noqa: ARG001
    return f"More manual work: {loser.known.manual_text}.{_would_spare(loser, chosen)}"


def _more_rebalances(loser: Ranked, chosen: Ranked, counted: Counted) -> str:
    mine = many(loser.known.rebalances, counted.round)
    return f"More {counted.round}s: usually {mine} instead of {chosen.known.rebalances:,}."


def _moves(loser: Ranked, chosen: Ranked, counted: Counted) -> str:
    mine = counted.many(loser.known.moved)
    return f"Otherwise equal, but {mine} migrate to another {counted.to} instead of {_number(chosen.known.moved)}."


def _restores(loser: Ranked, chosen: Ranked, counted: Counted) -> str:  # noqa: ARG001
    mine = many(loser.known.restored_records, "record")
    return f"More to restore: {mine} instead of {chosen.known.restored_records:,}."


def _takes(loser: Ranked, chosen: Ranked, counted: Counted) -> str:  # noqa: ARG001
    if math.isinf(loser.known.over_s):
        return "Rebalancing never ends."
    return f"Slower: over after {duration(int(loser.known.over_s))} instead of {duration(int(chosen.known.over_s))}."


def _would_spare(loser: Ranked, chosen: Ranked) -> str:
    """What the work would buy, so that a reviewer can disagree."""
    spared = chosen.known.restored_records - loser.known.restored_records
    if spared > 0:
        still = chosen.known.restored_s
        time = duration(still) if still else "under 1 s"
        return (
            f" It would save restoring {many(spared, 'record')} ({time} of downtime);"
            f" your policy accepts this work above {duration(chosen.policy.copy_state_over_s)} of downtime."
        )
    sooner = chosen.known.over_s - loser.known.over_s
    return f" It would finish {duration(int(sooner))} sooner." if 0 < sooner < math.inf else " It saves nothing here."


CRITERIA: tuple[Criterion[Ranked, Counted], ...] = (
    Criterion("limits-that-block", lambda one: sum(rule.blocking for rule in one.failed), _limits),
    Criterion("limits", lambda one: len(one.exceeded), _limits),
    Criterion("cold-hand-overs", lambda one: one.known.cold_hand_overs, _cold),
    Criterion("hand-overs", lambda one: one.known.hand_overs, _hand_overs),
    Criterion("collateral-migration", lambda one: one.known.collateral, _collateral),
    Criterion("long-restore", lambda one: max(0, one.known.longest_restore_s - one.policy.copy_state_over_s), _long_restore),
    Criterion("downtime", lambda one: one.known.downtime_s, _downtime),
    Criterion("restarts", lambda one: one.known.effort.restarts, _more_restarts),
    Criterion("manual-work", lambda one: one.known.manual_work, _manual),
    Criterion("rebalances", lambda one: one.known.rebalances, _more_rebalances),
    Criterion("moved", lambda one: one.known.moved, _moves),
    Criterion("restore", lambda one: one.known.restored_records, _restores),
    Criterion("time", lambda one: one.known.over_s, _takes),
)
"""In order: the first difference decides. Every rebalance counts, whether the change, a step of the option or a probe causes it."""
