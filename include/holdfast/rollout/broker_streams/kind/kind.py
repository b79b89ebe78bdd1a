"""Kafka Streams groups whose broker assigns (`group.protocol=streams`), as a kind of group.

They are collected, compared, and the targets of a change are forecast. Changes to them are not planned yet: all that needs a plan
refuses them by name.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, ClassVar, Never, NoReturn

from holdfast.errors import Unsupported
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.broker_streams.change.change import CHANGE, BrokerChange
from holdfast.rollout.broker_streams.events import table
from holdfast.rollout.broker_streams.forecast import forecast as forecasts
from holdfast.rollout.broker_streams.forecast import json as forecast_json
from holdfast.rollout.broker_streams.forecast.json import FORECASTS
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerForecast
from holdfast.rollout.broker_streams.guard import guard
from holdfast.rollout.broker_streams.guard import words as guard_words
from holdfast.rollout.broker_streams.guard.json import GUARD
from holdfast.rollout.broker_streams.kind import about, forecast_words, losses, rows
from holdfast.rollout.broker_streams.snapshot.processes import processes
from holdfast.rollout.broker_streams.snapshot.snapshot import PROTOCOL, SNAPSHOT, StreamsGroupSnapshot, is_streams_group
from holdfast.rollout.broker_streams.target.target import ASSIGNMENT, decide, with_settings
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.requests import Request, What
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.group.difference import Line
from holdfast.rollout.group.group_kind import GroupKind, Host, Row, Setting, Settings, Words
from holdfast.rollout.group.guarded import Guarded
from holdfast.rollout.journal.journal import Journal
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.rendering import Block


def _refuse() -> NoReturn:
    raise Unsupported(
        "this is a Streams group whose broker assigns (group.protocol=streams): changes to it cannot be planned or verified yet."
        " `holdfast forecast` computes the targets of a change, `holdfast assign` the next one"
    )


class BrokerStreamsKind(GroupKind[StreamsGroupSnapshot, BrokerChange, Any, Any, BrokerForecast, Any, Any]):
    """`protocol`: `streams`."""

    name: ClassVar[str] = "broker_streams"
    protocol: ClassVar[str] = PROTOCOL
    stateful: ClassVar[bool] = True
    words: ClassVar[Words] = Words("a Streams group whose broker assigns", "client", "task", "Kafka Streams group, broker assigns")
    values: ClassVar[tuple[type, ...]] = (StreamsGroupSnapshot, BrokerChange)
    contracts: ClassVar[Mapping[str, Codec[Any]]] = {
        "streams-group-snapshot": SNAPSHOT,
        "streams-group-change": CHANGE,
        "streams-group-assignment": ASSIGNMENT,
        "streams-group-forecast": FORECASTS[Detail.FULL],
        "streams-group-guard": GUARD,
    }
    asks: ClassVar[tuple[What, ...]] = ()
    verbs: ClassVar[frozenset[str]] = frozenset(event.VERB for event in table.EVENTS)
    docs: ClassVar[str] = "streams-groups"

    # Documents.

    def owns_snapshot(self, document: object) -> bool:
        return is_streams_group(document)

    def owns_change(self, document: object) -> bool:
        """Its events have the verbs of those of other Streams groups."""
        return False

    def owns_plan(self, document: object) -> bool:
        return False

    def snapshot_from_json(self, document: object) -> StreamsGroupSnapshot:
        return SNAPSHOT.read(document)

    def snapshot_to_json(self, snapshot: StreamsGroupSnapshot) -> Row:
        return SNAPSHOT.write(snapshot)

    def change_from_json(self, document: object) -> BrokerChange:
        return CHANGE.read(document)

    def change_to_json(self, change: BrokerChange) -> Row:
        return CHANGE.write(change)

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

    def guarded(self, snapshot: StreamsGroupSnapshot) -> Guarded:
        found = guard.look(snapshot)
        return Guarded(GUARD.write(found), tuple(guard_words.blocks(snapshot, found)))

    def facts(self, snapshot: StreamsGroupSnapshot) -> tuple[tuple[str, str], ...]:
        return about.facts(snapshot)

    def hosts(self, snapshot: StreamsGroupSnapshot) -> tuple[Host, ...]:
        return about.hosts(snapshot)

    def settings(self, snapshot: StreamsGroupSnapshot) -> tuple[Setting, ...]:
        return ()

    def example(self, snapshot: StreamsGroupSnapshot) -> Row | None:
        return None

    # The change.

    def check_change(self, document: object) -> None:
        self.change_from_json(document)

    def change_for(self, document: object, snapshot: StreamsGroupSnapshot) -> BrokerChange:
        return self.change_from_json(document)

    def change_of(self, request: Request, snapshot: StreamsGroupSnapshot) -> Never:
        _refuse()

    def refuse_misfit(self, snapshot: StreamsGroupSnapshot, change: BrokerChange) -> Never:
        _refuse()

    def records_per_second(self, change: BrokerChange) -> Never:
        _refuse()

    def sentence(self, change: BrokerChange, snapshot: StreamsGroupSnapshot) -> Never:
        _refuse()

    # The forecast.

    def refuse_settings(self, snapshot: StreamsGroupSnapshot) -> None:
        """The broker has validated them."""

    def assign(self, snapshot: StreamsGroupSnapshot, release: str | None, settings: Settings) -> Row:
        return ASSIGNMENT.write(decide(with_settings(snapshot, release, settings)))

    def forecast(self, snapshot: StreamsGroupSnapshot, change: BrokerChange, times: int) -> BrokerForecast:
        return forecasts.forecast(snapshot, change, times)

    def forecast_to_json(self, forecast: BrokerForecast, detail: Detail) -> Row:
        return forecast_json.forecast_to_json(forecast, detail)

    def forecast_blocks(self, snapshot: StreamsGroupSnapshot, forecast: BrokerForecast, detail: Detail) -> Iterator[Block]:
        return forecast_words.blocks(snapshot, forecast, targets=detail is Detail.FULL)

    # The options.

    def search_work(self, snapshot: StreamsGroupSnapshot, change: BrokerChange) -> Never:
        _refuse()

    def propose(self, snapshot: StreamsGroupSnapshot, change: BrokerChange) -> Never:
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
        change: BrokerChange,
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

    def losses(self, snapshot: StreamsGroupSnapshot, first: int, last: int | None, budget_ms: int) -> Row:
        """`budget_ms`: all of them are forecast."""
        return {"losses": losses.lost(snapshot, first, last), "places": []}

    def forecast_losses(self, snapshot: StreamsGroupSnapshot, which: Iterable[Row]) -> list[Row]:
        """`losses` has none that could be forecast."""
        return []
