"""The states of a group by their names in Kafka, and which of them have an assignment."""

from holdfast.errors import CannotPredict
from holdfast.rollout.text.format import printable

STABLE = "Stable"
EMPTY = "Empty"
"""Without members."""
REBALANCING = ("PreparingRebalance", "CompletingRebalance")
"""In these the broker shows no member's metadata."""


def refuse_unsettled(group_id: str, state: str | None, *, members: int, not_said: bool = False) -> None:
    """Raise CannotPredict for a group in the middle of a rebalance, and for one without members (Empty, Dead).

    A snapshot that does not say the state, and has no members, is refused only where `not_said` is set.
    """
    if state in (None, STABLE) and (members or (state is None and not not_said)):
        return
    group = f"Group '{printable(group_id)}'"
    if state in REBALANCING:
        raise CannotPredict(
            f"{group} was rebalancing ({state}): its assignment is not visible then. Take a new snapshot when it is stable."
        )
    if not members and (state is not None or not_said):
        raise without_members(group_id, state)
    raise CannotPredict(
        f"{group} was {printable(str(state))}, not {STABLE}: its assignment is not visible then."
        " Take a new snapshot when it is stable."
    )


def without_members(group_id: str, state: str | None) -> CannotPredict:
    """The refusal of a group without members."""
    given = "" if state is None else f" ({printable(state)})"
    return CannotPredict(
        f"Group '{printable(group_id)}' has no client{given}: there is nothing to assign to. Start the application, and take a new"
        " snapshot when it is stable."
    )
