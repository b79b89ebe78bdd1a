"""What a verification finds different, in words."""

from collections.abc import Iterable
from typing import assert_never

from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.facts import step_sighting_words
from holdfast.rollout.facts.differences import Difference, Differs
from holdfast.rollout.text.format import listed, many, printable, span


def sentences(found: Iterable[Difference]) -> tuple[str, ...]:
    return tuple(map(sentence, found))


def sentence(one: Difference) -> str:
    of, count = printable(one.of or ""), one.count or 0
    match one.kind:
        case Differs.STATE:
            return f"The group is {of}, not {STABLE}: its assignment is not visible."
        case Differs.STEP:
            return f"Step {of} {one.status}: {one.evidence if one.seen is None else step_sighting_words.sentence(one.seen)}"
        case Differs.STRANGERS:
            return f"Not in the forecast: {', '.join(one.found)}. A client started with a process ID of its own."
        case Differs.CLIENTS:
            missing = [f"missing: {', '.join(one.expected)}"] if one.expected else []
            found = [f"still in the group: {', '.join(one.found)}"] if one.found else []
            return f"The clients are not those of the forecast yet; {'; '.join([*missing, *found])}."
        case Differs.OWNER | Differs.STANDBYS | Differs.READER | Differs.TARGET:
            return _assigned(one, of)
        case Differs.REBALANCES:
            return f"{many(count, 'rebalance')} since the plan was created; forecast: {span(one.least or 0, one.most or 0)}."
        case Differs.CONSUMERS:
            still = f"; still in the group: {_names(one.found)}" if one.found else ""
            return f"{count} of {many(one.most or 0, 'new consumer')} joined{still}."
        case Differs.LEFT:
            gone = f"{_names(one.expected)} is outside the change, but has left the group"
            return f"{gone}: it has ended, or returned with another member ID."
        case Differs.INSTANCE_IDS:
            return "Static consumers joined with group.instance.ids other than forecast."
        case _:
            assert_never(one.kind)


def _assigned(one: Difference, of: str) -> str:
    if one.kind is Differs.TARGET:
        tasks = f"{one.count or 0} of {many(one.most or 0, 'task')}"
        return f"In the target with epoch {of}, {tasks} are assigned otherwise than forecast."
    if one.kind is Differs.READER:
        return f"{of} is assigned to {_names(one.found, 'no consumer')}; forecast: {_names(one.expected, 'no consumer')}."
    what = f"Task {of} is" if one.kind is Differs.OWNER else f"Standby copies of task {of} are"
    return f"{what} on {_names(one.found)}; forecast: {_names(one.expected)}."


def _names(names: tuple[str, ...], nobody: str = "no client") -> str:
    return listed([printable(one) for one in names]) or nobody
