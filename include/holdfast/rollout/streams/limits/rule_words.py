"""What the rules of Streams groups found, and their limits, in words: (found, limit) of each."""

from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost import missing_inputs
from holdfast.rollout.streams.cost.missing_inputs import Give
from holdfast.rollout.text.format import amount_of_bytes, many, printable

Words = tuple[str, str]


def evidence(one: Measured) -> Words:
    if not one.most:
        return "complete", "complete"
    needed = "; ".join(missing_inputs.WORDS[Give(name)] for name in one.names)
    return f"{one.most} unknown" + (f". Give {needed}" if needed else ""), "complete"


def copies(one: Measured) -> Words:
    """`of`: copies; `most`: percent of an even share."""
    limit = f"{one.limit} % of an even share"
    if one.most is None:
        return "no copies", limit
    return f"{many(one.of or 0, 'copy', 'copies')} on {printable(one.names[0])}, {one.most} % of an even share", limit


def copied(one: Measured, policy: Policy) -> Words:
    limit = "the session timeout" if one.limit is None else f"{one.limit} s, the session timeout"
    if one.most is None:
        return "unknown: measure the copy speed", limit
    return f"{one.most} s at {amount_of_bytes(policy.copy_bytes_per_second or 0)}/s", limit


def at_once(one: Measured) -> Words:
    low, high = _whole(one.least), _whole(one.most)
    found = f"{many(low, 'task')} at once" if low == high else f"{low} to {high} tasks at once"
    return found, many(_whole(one.limit), "task")


def _whole(figure: float | None) -> int:
    return int(figure or 0)
