"""What a kind of group needs for its past to be judged. It is imported without forecasts, options and plans of other kinds."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Generic, TypeVar

from holdfast.rollout.backtest.coordinated import PastEntry
from holdfast.rollout.backtest.judged import RebalanceResult
from holdfast.rollout.backtest.learnt import Duration
from holdfast.rollout.backtest.results import Given, GroupBacktest

Q = TypeVar("Q")
"""A question: one decision of the past, complete in itself, with its known answer."""
Entries = Callable[[], Iterable[PastEntry]]
"""What the log has of one group, oldest first; asked for more than once."""


class PastJudge(ABC, Generic[Q]):
    """Decides again what such a group's leader or coordinator decided. `question`: the class, a `@record`, of its questions, whose
    JSON has the field `protocol`."""

    protocol: ClassVar[str]
    question: type[Q]

    @abstractmethod
    def owns(self, entry: PastEntry) -> bool:
        """Whether a group whose first entry this is, is of this kind."""

    @abstractmethod
    def backtest(
        self, group_id: str, entries: Entries, given: Given, on_mismatch: Callable[[Q, RebalanceResult], None]
    ) -> GroupBacktest:
        """Each decision judged. `on_mismatch` is handed each question whose answer differs."""

    def courses(self, forecast: Any) -> tuple[Duration, ...]:  # noqa: ARG002 - for kinds whose courses are recorded
        """How long a forecast of this kind has its last course take, as sequences are judged: each that may come about, the
        likeliest first. None at all: it is one rebalance, or its time is not compared."""
        return ()

    @abstractmethod
    def judge(self, question: Q) -> RebalanceResult:
        """Raises nothing: what cannot be judged is a result."""

    @abstractmethod
    def without_names(self, question: Q) -> Iterator[Q]:
        """The question with other names, and without what no leader or coordinator reads; several such questions where hash codes
        of names decide that cannot be kept.

        Raise HoldfastError where it cannot be read.
        """
