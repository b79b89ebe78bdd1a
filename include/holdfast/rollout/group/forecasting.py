"""What a kind of group needs to forecast a change, on top of deciding. A kind that plans has it too (`group_kind`)."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Generic, TypeVar

from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.group.deciding import Decider, Row
from holdfast.rollout.text.document_blocks import Block

S = TypeVar("S")
"""A Snapshot."""
C = TypeVar("C")
"""A Change."""
F = TypeVar("F")
"""A Forecast."""


class Forecaster(Decider[S], Generic[S, C, F]):
    """The part of a kind of group that forecasts. What reads a document raises InvalidInput, or Unsupported for what is not
    modelled."""

    @abstractmethod
    def change_for(self, document: object, snapshot: S) -> C:
        """A Change's JSON for this group, with names of hosts resolved."""

    def leaves(self, change: C) -> bool:  # noqa: ARG002 - most groups stay what they are
        """Whether the group becomes one of another kind with it (`kinds.moving`)."""
        return False

    @abstractmethod
    def refuse_settings(self, snapshot: S) -> None:
        """Raise InvalidInput for settings of the group that Kafka itself would refuse."""

    @abstractmethod
    def forecast(self, snapshot: S, change: C, times: int) -> F:
        """`times`: the factor by which more than the usual work is allowed."""

    @abstractmethod
    def forecast_to_json(self, forecast: F, detail: Detail) -> Row: ...

    @abstractmethod
    def forecast_blocks(self, snapshot: S, forecast: F, detail: Detail) -> Iterable[Block]:
        """The forecast as a person reads it, its result as the title."""
