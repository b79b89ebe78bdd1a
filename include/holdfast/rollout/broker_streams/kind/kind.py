"""Kafka Streams groups whose broker assigns (`group.protocol=streams`), as a kind of group."""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, ClassVar

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.broker_streams.change import request, request_words, shorthands
from holdfast.rollout.broker_streams.change.change import CHANGE, BrokerChange
from holdfast.rollout.broker_streams.events import table
from holdfast.rollout.broker_streams.execution import acts, apply, rounds, staleness, undo, verify
from holdfast.rollout.broker_streams.execution.verdict import VERDICT, BrokerVerdict
from holdfast.rollout.broker_streams.forecast import forecast as forecasts
from holdfast.rollout.broker_streams.forecast import json as forecast_json
from holdfast.rollout.broker_streams.forecast.json import FORECASTS
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerForecast
from holdfast.rollout.broker_streams.guard import guard
from holdfast.rollout.broker_streams.guard import words as guard_words
from holdfast.rollout.broker_streams.guard.json import GUARD
from holdfast.rollout.broker_streams.kind import about, forecast_words, losses, rows, verdict_words
from holdfast.rollout.broker_streams.kind.deciding import BrokerStreamsDecider
from holdfast.rollout.broker_streams.options import evaluation, proposals
from holdfast.rollout.broker_streams.options.evaluation import EvaluatedBrokerOption
from holdfast.rollout.broker_streams.options.option import BrokerOption
from holdfast.rollout.broker_streams.plan import assembly, review
from holdfast.rollout.broker_streams.plan import json as plan_json
from holdfast.rollout.broker_streams.plan.figures import target_figures
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.settings.case import case_of
from holdfast.rollout.broker_streams.snapshot.processes import processes
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT, StreamsGroupSnapshot
from holdfast.rollout.broker_streams.steps.steps import BrokerStep
from holdfast.rollout.broker_streams.target.target import ASSIGNMENT
from holdfast.rollout.contract.client_figures import Held
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.requests import Request, What
from holdfast.rollout.execution.acts import Acts, GroupSetting
from holdfast.rollout.execution.drift import Staleness
from holdfast.rollout.execution.next_actions import AnyStep, Next
from holdfast.rollout.execution.rolling_settings import Roll
from holdfast.rollout.execution.rounds import RoundCompared
from holdfast.rollout.execution.undo import Rollback
from holdfast.rollout.group import applying
from holdfast.rollout.group.deciding import Row
from holdfast.rollout.group.difference import Line
from holdfast.rollout.group.group_kind import GroupKind, Host, Setting, Words
from holdfast.rollout.group.guard import Guarded
from holdfast.rollout.journal.back import ClientSeen
from holdfast.rollout.journal.journal import Journal
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.review.parts import PlanReview
from holdfast.rollout.settings.case import Case
from holdfast.rollout.text.document_blocks import Block


class BrokerStreamsKind(
    BrokerStreamsDecider,
    GroupKind[StreamsGroupSnapshot, BrokerChange, BrokerOption, EvaluatedBrokerOption, BrokerForecast, BrokerPlan, BrokerVerdict],
):
    """`protocol`: `streams`."""

    name: ClassVar[str] = "broker_streams"
    stateful: ClassVar[bool] = True
    words: ClassVar[Words] = Words("a Streams group whose broker assigns", "client", "task", "Kafka Streams group, broker assigns")
    values: ClassVar[tuple[type, ...]] = (StreamsGroupSnapshot, BrokerChange, BrokerPlan, BrokerVerdict)
    contracts: ClassVar[Mapping[str, Codec[Any]]] = {
        "streams-group-snapshot": SNAPSHOT,
        "streams-group-change": CHANGE,
        "streams-group-assignment": ASSIGNMENT,
        "streams-group-forecast": FORECASTS[Detail.FULL],
        "streams-group-guard": GUARD,
        "streams-group-plan": plan_json.PLAN,
        "streams-group-verdict": VERDICT,
    }
    asks: ClassVar[tuple[What, ...]] = tuple(request.ASKABLE)
    verbs: ClassVar[frozenset[str]] = frozenset(event.VERB for event in table.EVENTS)
    docs: ClassVar[str] = "streams-groups"
    request_note: ClassVar[str] = "New clients start with random IDs: the plan goes by many draws of them."

    settings_note: ClassVar[str] = "Configs of the group: standbys, intervals, delays; applied without a restart."

    # Documents.

    def owns_change(self, document: object) -> bool:
        """Its events have the verbs of those of other Streams groups."""
        return False

    def owns_plan(self, document: object) -> bool:
        return plan_json.is_broker_plan(document)

    def change_from_json(self, document: object) -> BrokerChange:
        return CHANGE.read(document)

    def change_to_json(self, change: BrokerChange) -> Row:
        return CHANGE.write(change)

    def plan_from_json(self, document: object) -> BrokerPlan:
        return plan_json.broker_plan_from_json(document)

    def plan_to_json(self, plan: BrokerPlan) -> Row:
        return plan_json.broker_plan_to_json(plan)

    def verdict_to_json(self, verdict: BrokerVerdict) -> Row:
        return VERDICT.write(verdict)

    # The group.

    def members(self, snapshot: StreamsGroupSnapshot) -> int:
        return len(processes(snapshot))

    def snapshot_lines(self, before: StreamsGroupSnapshot, after: StreamsGroupSnapshot) -> Iterator[Line]:
        return about.snapshot_lines(before, after)

    def guarded(self, snapshot: StreamsGroupSnapshot) -> Guarded:
        found = guard.look(snapshot)
        return Guarded(GUARD.write(found), tuple(guard_words.blocks(snapshot, found)))

    def settings_case(self, snapshot: StreamsGroupSnapshot, properties: Mapping[str, str] | None, policy: Policy) -> Case:
        return case_of(snapshot, properties, policy)

    def facts(self, snapshot: StreamsGroupSnapshot) -> tuple[tuple[str, str], ...]:
        return about.facts(snapshot)

    def hosts(self, snapshot: StreamsGroupSnapshot) -> tuple[Host, ...]:
        return about.hosts(snapshot)

    def addresses(self, snapshot: StreamsGroupSnapshot) -> tuple[str | None, ...]:
        return tuple(one.host for one in snapshot.members)

    def settings(self, snapshot: StreamsGroupSnapshot) -> tuple[Setting, ...]:
        return about.settings(snapshot)

    def example(self, snapshot: StreamsGroupSnapshot) -> Row | None:
        return about.example(snapshot)

    # The change.

    def check_change(self, document: object) -> None:
        self.change_from_json(shorthands.written_out(document, None))

    def change_for(self, document: object, snapshot: StreamsGroupSnapshot) -> BrokerChange:
        return self.change_from_json(shorthands.written_out(document, snapshot))

    def change_of(self, request_: Request, snapshot: StreamsGroupSnapshot) -> BrokerChange:
        return request.broker_change_of(request_, snapshot)

    def refuse_misfit(self, snapshot: StreamsGroupSnapshot, change: BrokerChange) -> None:
        forecasts.refuse_misfit(snapshot, change)

    def records_per_second(self, change: BrokerChange) -> float | None:
        return None

    def sentence(self, change: BrokerChange, snapshot: StreamsGroupSnapshot) -> str:
        return request_words.request_text(change, snapshot)

    # The forecast.

    def refuse_settings(self, snapshot: StreamsGroupSnapshot) -> None:
        """The broker has validated them."""

    def forecast(self, snapshot: StreamsGroupSnapshot, change: BrokerChange, times: int) -> BrokerForecast:
        return forecasts.forecast(snapshot, change, times)

    def forecast_to_json(self, forecast: BrokerForecast, detail: Detail) -> Row:
        return forecast_json.forecast_to_json(forecast, detail)

    def forecast_blocks(self, snapshot: StreamsGroupSnapshot, forecast: BrokerForecast, detail: Detail) -> Iterator[Block]:
        return forecast_words.blocks(snapshot, forecast, targets=detail is Detail.FULL)

    # The options.

    def search_work(self, snapshot: StreamsGroupSnapshot, change: BrokerChange) -> int:
        return evaluation.work(snapshot, change)

    def propose(self, snapshot: StreamsGroupSnapshot, change: BrokerChange) -> tuple[BrokerOption, ...]:
        return proposals.propose(snapshot, change)

    def evaluate_all(
        self, snapshot: StreamsGroupSnapshot, options: Iterable[BrokerOption], tell: Callable[[str], None], times: int
    ) -> tuple[EvaluatedBrokerOption, ...]:
        found: list[EvaluatedBrokerOption] = []
        for option in options:
            tell(option.name)
            found.append(evaluation.evaluate(snapshot, option, times))
        return tuple(found)

    def evaluator(self, snapshot: StreamsGroupSnapshot) -> Callable[[BrokerOption], EvaluatedBrokerOption]:
        return functools.partial(evaluation.evaluate, snapshot)

    def option_to_json(self, option: BrokerOption) -> Row:
        return codec_of(BrokerOption).write(option)

    def option_from_json(self, document: object) -> BrokerOption:
        return codec_of(BrokerOption).read(document)

    def evaluated_to_json(self, evaluated: EvaluatedBrokerOption) -> Row:
        return codec_of(EvaluatedBrokerOption).write(evaluated)

    def evaluated_from_json(self, document: object) -> EvaluatedBrokerOption:
        return codec_of(EvaluatedBrokerOption).read(document)

    def assemble(
        self,
        snapshot: StreamsGroupSnapshot,
        change: BrokerChange,
        evaluated: tuple[EvaluatedBrokerOption, ...],
        policy: Policy,
        now: datetime,
        requested_by: str | None,
    ) -> BrokerPlan:
        return assembly.assemble(snapshot, change, evaluated, policy, now, requested_by)

    # The plan.

    def reviewed(self, plan: BrokerPlan) -> PlanReview:
        return review.reviewed(plan)

    def title(self, plan: BrokerPlan) -> str:
        return request_words.title(plan.change, plan.basis)

    def request(self, plan: BrokerPlan) -> str:
        return request_words.request_text(plan.change, plan.basis)

    def figures(self, plan: BrokerPlan) -> Mapping[str, Any]:
        chosen, plain = (target_figures(one) for one in (plan.recommended_option, plan.baseline_option))
        return {"targets": chosen, "plain_targets": None if plan.baseline_option is plan.recommended_option else plain}

    def plan_lines(self, before: BrokerPlan, after: BrokerPlan) -> Iterator[Line]:
        return about.plan_lines(before, after)

    def option_rows(self, plan: BrokerPlan) -> list[Row]:
        return [rows.option(one) for one in plan.candidates]

    def too_early(self, plan: BrokerPlan, waiting: AnyStep, given: Collection[ProcessId]) -> str | None:
        """Nothing is written."""
        return None

    def writes(self, plan: BrokerPlan) -> Mapping[str, ProcessId]:
        """People write process IDs, where an option has them written."""
        return {}

    def step_text(self, step: AnyStep) -> str:
        assert isinstance(step, BrokerStep), "a step is of its plan's kind"
        return step.says

    # What follows from it.

    def staleness(self, plan: BrokerPlan, fresh: StreamsGroupSnapshot) -> Staleness:
        return staleness.is_stale(plan, fresh)

    def next_action(self, plan: BrokerPlan, journal: Journal, fresh: StreamsGroupSnapshot, now: datetime) -> Next:
        return apply.next_action(plan, journal, fresh, now)

    def acts(self, plan: BrokerPlan, step: AnyStep) -> Acts | None:
        assert isinstance(step, BrokerStep), "a step of this kind's plans"
        return acts.acts(plan, step)

    def rollback(self, plan: BrokerPlan, step: AnyStep) -> Rollback:
        assert isinstance(step, BrokerStep), "a step of this kind's plans"
        return undo.rollback(plan, step)

    def clients(self, snapshot: StreamsGroupSnapshot) -> tuple[ClientSeen, ...]:
        return undo.clients(snapshot)

    def planned_for(self, plan: BrokerPlan) -> tuple[str, ...]:
        return undo.planned_for(plan)

    def roll(self, plan: BrokerPlan, step: AnyStep) -> Roll | None:
        assert isinstance(step, BrokerStep), "a step of this kind's plans"
        return acts.roll(plan, step)

    def sets(self, plan: BrokerPlan, step: AnyStep) -> tuple[GroupSetting, ...]:
        assert isinstance(step, BrokerStep), "a step of this kind's plans"
        return acts.sets(plan, step)

    def waits(self, step: AnyStep) -> bool:
        assert isinstance(step, BrokerStep), "a step of this kind's plans"
        return acts.waits(step)

    def held(self, snapshot: StreamsGroupSnapshot) -> tuple[Held, ...]:
        return rows.held(snapshot)

    def basis(self, plan: BrokerPlan) -> StreamsGroupSnapshot:
        return plan.basis

    def comes_from_another(self, plan: BrokerPlan) -> bool:
        return plan.basis.classic is not None

    def at_rest(self, snapshot: StreamsGroupSnapshot) -> bool:
        return super().at_rest(snapshot) and rounds.settled(snapshot) is not False

    def compared(
        self,
        plan: BrokerPlan,
        journal: Journal,
        basis: StreamsGroupSnapshot,
        after: str,
        until: AnyStep,
        fresh: StreamsGroupSnapshot,
    ) -> RoundCompared | None:
        assert isinstance(until, BrokerStep), "a step of this kind's plans"
        shown = applying.shown(apply.APPLYING, plan, journal, until, fresh)
        return rounds.compared(plan, basis, after, until, fresh) if shown else None

    def verify(self, plan: BrokerPlan, fresh: StreamsGroupSnapshot) -> BrokerVerdict:
        return verify.verify(plan, fresh)

    def verdict_figures(self, verdict: BrokerVerdict) -> Iterator[tuple[str, str]]:
        return verdict_words.figures(verdict)

    def verdict_rows(self, verdict: BrokerVerdict) -> tuple[tuple[str, str, str, str], ...]:
        return verdict_words.rows(verdict)

    # The tables.

    def decoded(self, snapshot: StreamsGroupSnapshot) -> Row:
        return rows.decoded(snapshot)

    def targets(self, snapshot: StreamsGroupSnapshot) -> list[Row]:
        return rows.targets(snapshot)

    def order_change(self, before: StreamsGroupSnapshot, after: StreamsGroupSnapshot) -> Row | None:
        """Its order has no effect: tasks stay with the members that have them."""
        return None

    def losses(self, snapshot: StreamsGroupSnapshot, first: int, last: int | None, budget_ms: int | None) -> Row:
        """`budget_ms`: of replacements; every loss without one is forecast."""
        return {"losses": losses.lost(snapshot, first, last, budget_ms), "places": []}

    def forecast_losses(self, snapshot: StreamsGroupSnapshot, which: Iterable[Row]) -> list[Row]:
        """`losses` has none that is left to be forecast."""
        return []


KIND = BrokerStreamsKind()
