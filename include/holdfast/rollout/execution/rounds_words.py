"""What a comparison with a round of the forecast found, in words."""

from typing import assert_never

from holdfast.rollout.execution.rounds import Agrees, NotCompared, RoundCompared
from holdfast.rollout.facts import difference_words
from holdfast.rollout.text.format import printable

_SHOWN = 3
"""Differences in one sentence."""


def sentence(one: RoundCompared) -> str:
    """Without its step."""
    match one.agrees:
        case Agrees.AS_FORECAST if not one.rounds:
            return "as forecast: no rebalance."
        case Agrees.AS_FORECAST:
            return f"rebalance {one.round} of {one.rounds}: as forecast."
        case Agrees.BETWEEN:
            return "between two rebalances of the forecast: every task is where one of them has it."
        case Agrees.DIFFERENT:
            return differences(one)
        case Agrees.NOT_COMPARED:
            return f"the placement was not compared: {_why(one)}"
        case _:
            assert_never(one.agrees)


def differences(one: RoundCompared) -> str:
    """The first ones, as sentences."""
    shown = " ".join(difference_words.sentences(one.differences[:_SHOWN]))
    more = len(one.differences) - _SHOWN
    return shown if more <= 0 else f"{shown} And {more} more."


def _why(one: RoundCompared) -> str:
    match one.why:
        case NotCompared.NO_BASIS:
            return "there is no snapshot from before the first step."
        case NotCompared.STEPS:
            return "its waits are not those of the forecast."
        case NotCompared.MEMBERS:
            return f"the clients are not those of the forecast.{_detail(one)}"
        case NotCompared.UNKNOWN | None:
            return printable(one.detail, 500) or "the assignment is unknown."
        case NotCompared.GOING_ON:
            return "a rebalance is pending, as one was before these steps. It is compared once the group is at rest."
        case NotCompared.ACCEPTED:
            return "the last divergence was accepted. It is compared again from the next stable state on."
        case _:
            assert_never(one.why)


def _detail(one: RoundCompared) -> str:
    return f" {printable(one.detail, 500)}" if one.detail else ""
