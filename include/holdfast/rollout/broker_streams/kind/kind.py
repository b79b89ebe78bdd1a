"""Kafka Streams groups whose broker assigns (`group.protocol=streams`), as a kind of group.

They are collected, compared, and their next target is predicted. Changes to them are not forecast yet: all that needs a forecast
refuses them by name.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, ClassVar, Never, NoReturn

from holdfast.errors import Unsupported
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.broker_streams.kind import about, rows
from holdfast.rollout.broker_streams.kind.processes import processes
from holdfast.rollout.broker_streams.snapshot.snapshot import PROTOCOL, SNAPSHOT, StreamsGroupSnapshot, is_streams_group
from holdfast.rollout.broker_streams.target.target import ASSIGNMENT, decide, with_settings
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.requests import Request, What
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.group.difference import Line
from holdfast.rollout.group.group_kind import GroupKind, Host, Row, Setting, Settings, Words
from holdfast.rollout.journal.journal import Journal
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.policy.policy import Policy


def _refuse() -> NoReturn:
    raise Unsupported(
        "this is a Streams group whose broker assigns (group.protocol=streams): changes to it cannot be forecast, planned or"
        " verified yet. `holdfast assign` computes its next target"
    )


class BrokerStreamsKind(GroupKind[StreamsGroupSnapshot, Any, Any, Any, Any, Any, Any]):
    """`protocol`: `streams`."""

    name: ClassVar[str] = "broker_streams"
    protocol: ClassVar[str] = PROTOCOL
    stateful: ClassVar[bool] = True
    words: ClassVar[Words] = Words("a Streams group whose broker assigns", "client", "task", "Kafka Streams group, broker assigns")
    values: ClassVar[tuple[type, ...]] = (StreamsGroupSnapshot,)
    contracts: ClassVar[Mapping[str, Codec[Any]]] = {
        "streams-group-snapshot": SNAPSHOT,
        "streams-group-assignment": ASSIGNMENT,
    }
    asks: ClassVar[tuple[What, ...]] = ()
    verbs: ClassVar[frozenset[str]] = frozenset()
    docs: ClassVar[str] = "streams-groups"

    # Documents.

    def owns_snapshot(self, document: object) -> bool:
        return is_streams_group(document)

    def owns_change(self, document: object) -> bool:
        """No Change is of this kind only."""
        return False

    def owns_plan(self, document: object) -> bool:
        return False

    def snapshot_from_json(self, document: object) -> StreamsGroupSnapshot:
        return SNAPSHOT.read(document)

    def snapshot_to_json(self, snapshot: StreamsGroupSnapshot) -> Row:
        return SNAPSHOT.write(snapshot)

    def change_from_json(self, document: object) -> Never:
        _refuse()

    def change_to_json(self, change: Any) -> Never:
        _refuse()

    def plan_from_json(self, document: object) -> Never:
        _refuse()

    def plan_to_json(self, plan: Any) -> Never:
        _refuse()

    def verdict_to_json(self, verdict: Any) -> Never:
        _refuse()

    # The group.

    def members(self, snapshot: StreamsGroupSnapshot) -> int:
        return len(processes(snapshot))

    def snapshot_lines(self, before: StreamsGroupSnapshot, after: StreamsGroupSnapshot) -> Iterator[Line]:
        return about.snapshot_lines(before, after)

    def facts(self, snapshot: StreamsGroupSnapshot) -> tuple[tuple[str, str], ...]:
        return about.facts(snapshot)

    def hosts(self, snapshot: StreamsGroupSnapshot) -> tuple[Host, ...]:
        return about.hosts(snapshot)

    def settings(self, snapshot: StreamsGroupSnapshot) -> tuple[Setting, ...]:
        return ()

    def example(self, snapshot: StreamsGroupSnapshot) -> Row | None:
        return None

    # The change.

    def check_change(self, document: object) -> Never:
        _refuse()

    def change_for(self, document: object, snapshot: StreamsGroupSnapshot) -> Never:
        _refuse()

    def change_of(self, request: Request, snapshot: StreamsGroupSnapshot) -> Never:
        _refuse()

    def refuse_misfit(self, snapshot: StreamsGroupSnapshot, change: Any) -> Never:
        _refuse()

    def records_per_second(self, change: Any) -> Never:
        _refuse()

    def sentence(self, change: Any, snapshot: StreamsGroupSnapshot) -> Never:
        _refuse()

    # The forecast.

    def refuse_settings(self, snapshot: StreamsGroupSnapshot) -> None:
        """The broker has validated them."""

    def assign(self, snapshot: StreamsGroupSnapshot, release: str | None, settings: Settings) -> Row:
        return ASSIGNMENT.write(decide(with_settings(snapshot, release, settings)))

    def forecast(self, snapshot: StreamsGroupSnapshot, change: Any, times: int) -> Never:
        _refuse()

    def forecast_to_json(self, forecast: Any, detail: Detail) -> Never:
        _refuse()

    def forecast_blocks(self, snapshot: StreamsGroupSnapshot, forecast: Any, detail: Detail) -> Never:
        _refuse()

    # The options.

    def search_work(self, snapshot: StreamsGroupSnapshot, change: Any) -> Never:
        _refuse()

    def propose(self, snapshot: StreamsGroupSnapshot, change: Any) -> Never:
        _refuse()

    def evaluate_all(
        self, snapshot: StreamsGroupSnapshot, options: Iterable[Any], tell: Callable[[str], None], times: int
    ) -> Never:
        _refuse()

    def evaluate(self, snapshot: StreamsGroupSnapshot, option: Any) -> Never:
        _refuse()

    def option_to_json(self, option: Any) -> Never:
        _refuse()

    def option_from_json(self, document: object) -> Never:
        _refuse()

    def evaluated_to_json(self, evaluated: Any) -> Never:
        _refuse()

    def evaluated_from_json(self, document: object) -> Never:
        _refuse()

    def assemble(
        self,
        snapshot: StreamsGroupSnapshot,
        change: Any,
        evaluated: tuple[Any, ...],
        policy: Policy,
        now: datetime,
        requested_by: str | None,
    ) -> Never:
        _refuse()

    # The plan.

    def reviewed(self, plan: Any) -> Never:
        _refuse()

    def title(self, plan: Any) -> Never:
        _refuse()

    def request(self, plan: Any) -> Never:
        _refuse()

    def figures(self, plan: Any) -> Never:
        _refuse()

    def plan_lines(self, before: Any, after: Any) -> Never:
        _refuse()

    def option_rows(self, plan: Any) -> Never:
        _refuse()

    def too_early(self, plan: Any, waiting: AnyStep, given: Collection[ProcessId]) -> Never:
        _refuse()

    def writes(self, plan: Any) -> Never:
        _refuse()

    def step_text(self, step: AnyStep) -> Never:
        _refuse()

    # What follows from it.

    def staleness(self, plan: Any, fresh: StreamsGroupSnapshot) -> Never:
        _refuse()

    def next_action(self, plan: Any, journal: Journal, fresh: StreamsGroupSnapshot, now: datetime) -> Never:
        _refuse()

    def verify(self, plan: Any, fresh: StreamsGroupSnapshot) -> Never:
        _refuse()

    def verdict_figures(self, verdict: Any) -> Never:
        _refuse()

    def verdict_rows(self, verdict: Any) -> Never:
        _refuse()

    # The tables.

    def decoded(self, snapshot: StreamsGroupSnapshot) -> Row:
        return rows.decoded(snapshot)

    def targets(self, snapshot: StreamsGroupSnapshot) -> list[Row]:
        return rows.targets(snapshot)

    def order_change(self, before: StreamsGroupSnapshot, after: StreamsGroupSnapshot) -> Row | None:
        """Its order has no effect: tasks stay with the members that have them."""
        return None

    def losses(self, snapshot: StreamsGroupSnapshot, first: int, last: int | None, budget_ms: int) -> Never:
        _refuse()

    def forecast_losses(self, snapshot: StreamsGroupSnapshot, which: Iterable[Row]) -> list[Row]:
        """`losses` has none that could be forecast."""
        return []
