"""Kafka Streams groups whose leader assigns, as a kind of group."""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, ClassVar

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka.garbage_collection import uncollected
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.client_figures import CopiesReported, Held
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.requests import Request, What
from holdfast.rollout.execution.acts import Acts
from holdfast.rollout.execution.drift import STALENESS, Staleness
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
from holdfast.rollout.journal.journal import Journal, Sighting
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.review.parts import PlanReview
from holdfast.rollout.settings.case import Case
from holdfast.rollout.streams.change import json as change_json
from holdfast.rollout.streams.change import named_json, request, request_words
from holdfast.rollout.streams.change.change import CHANGE, Change
from holdfast.rollout.streams.cost.evaluation import EvaluatedOption, Option
from holdfast.rollout.streams.events import table
from holdfast.rollout.streams.events.move_to_streams_protocol import MoveToStreamsProtocol
from holdfast.rollout.streams.execution import acts, apply, evidence, rounds, staleness, undo, verify
from holdfast.rollout.streams.execution.verdict import VERDICT, Verdict
from holdfast.rollout.streams.forecast import assignment_json
from holdfast.rollout.streams.forecast import json as forecast_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Forecast
from holdfast.rollout.streams.forecast.segments import Shared
from holdfast.rollout.streams.forecast.work import OPTIONS, Work, allowed, allowed_for_an_option
from holdfast.rollout.streams.guard import guard
from holdfast.rollout.streams.guard import words as guard_words
from holdfast.rollout.streams.guard.json import guard_to_json
from holdfast.rollout.streams.kind import about, difference, fitting, forecast_words, losses, rows, verdict_words
from holdfast.rollout.streams.kind.deciding import StreamsDecider
from holdfast.rollout.streams.options import proposals, search_work
from holdfast.rollout.streams.plan import assembly, review, titles
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.plan.figures import figures_of
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.scene.assumptions import CatchUp
from holdfast.rollout.streams.settings.case import case_of
from holdfast.rollout.streams.snapshot import groups
from holdfast.rollout.streams.snapshot import json as snapshot_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps import step_words
from holdfast.rollout.streams.steps.steps import Step, hosts_of
from holdfast.rollout.text.document_blocks import Block
from holdfast.rollout.text.format import host_or


class StreamsKind(StreamsDecider, GroupKind[Snapshot, Change, Option, EvaluatedOption, Forecast, Plan, Verdict]):
    """`protocol`: `streams-classic`."""

    name: ClassVar[str] = "streams"
    stateful: ClassVar[bool] = True
    words: ClassVar[Words] = Words("a Kafka Streams group", "client", "task", "Kafka Streams group")
    values: ClassVar[tuple[type, ...]] = (Snapshot, Change, Plan, Verdict)
    contracts: ClassVar[Mapping[str, Codec[Any]]] = {
        "snapshot": snapshot_json.SNAPSHOT,
        "change": CHANGE,
        "forecast": forecast_json.FORECASTS[Detail.FULL],
        "assignment": assignment_json.ASSIGNMENT,
        "plan": plan_json.PLAN,
        "verdict": VERDICT,
        "staleness": STALENESS,
    }
    asks: ClassVar[tuple[What, ...]] = tuple(one for one in What if one is not What.CONVERT)
    verbs: ClassVar[frozenset[str]] = frozenset(table.by_verb())
    docs: ClassVar[str] = "changes"

    # Documents.

    def owns_change(self, document: object) -> bool:
        """What is in no other kind's words is asked of this one, which refuses it by name."""
        return False

    def owns_plan(self, document: object) -> bool:
        return isinstance(document, dict) and "plan_id" in document and "protocol" not in document

    def change_from_json(self, document: object) -> Change:
        return change_json.change_from_json(document)

    def change_to_json(self, change: Change) -> Row:
        return change_json.change_to_json(change)

    def plan_from_json(self, document: object) -> Plan:
        return plan_json.plan_from_json(document)

    def plan_to_json(self, plan: Plan) -> Row:
        return plan_json.plan_to_json(plan)

    def verdict_to_json(self, verdict: Verdict) -> Row:
        return VERDICT.write(verdict)

    # The group.

    def members(self, snapshot: Snapshot) -> int:
        return len(snapshot.clients)

    def snapshot_lines(self, before: Snapshot, after: Snapshot) -> Iterator[Line]:
        return difference.snapshot_lines(before, after)

    def guarded(self, snapshot: Snapshot) -> Guarded:
        found = guard.look(snapshot)
        return Guarded(guard_to_json(found), tuple(guard_words.blocks(snapshot, found)))

    def settings_case(self, snapshot: Snapshot, properties: Mapping[str, str] | None, policy: Policy) -> Case:
        return case_of(snapshot, properties, policy)

    def facts(self, snapshot: Snapshot) -> tuple[tuple[str, str], ...]:
        return about.facts(snapshot)

    def hosts(self, snapshot: Snapshot) -> tuple[Host, ...]:
        return about.hosts(snapshot)

    def addresses(self, snapshot: Snapshot) -> tuple[str | None, ...]:
        return tuple(one.host for one in snapshot.clients)

    def settings(self, snapshot: Snapshot) -> tuple[Setting, ...]:
        return about.settings(snapshot)

    def example(self, snapshot: Snapshot) -> Row | None:
        return about.example(snapshot)

    # The change.

    def check_change(self, document: object) -> None:
        self.change_from_json(named_json.unresolved(document))

    def change_for(self, document: object, snapshot: Snapshot) -> Change:
        return self.change_from_json(named_json.resolved(document, snapshot))

    def change_of(self, request_: Request, snapshot: Snapshot) -> Change:
        return request.change_of(request_, snapshot)

    def refuse_misfit(self, snapshot: Snapshot, change: Change) -> None:
        fitting.refuse_misfit(snapshot, change)

    def leaves(self, change: Change) -> bool:
        return any(isinstance(item, MoveToStreamsProtocol) for item in change.events)

    def records_per_second(self, change: Change) -> float | None:
        return change.assume.records_per_second if change.assume.catch_up is CatchUp.RATE else None

    def sentence(self, change: Change, snapshot: Snapshot) -> str:
        hosts = {client.process_id: host_or(client.host, "the client") for client in snapshot.clients}

        def name(process_id: ProcessId) -> str:
            short = f"{str(process_id)[: titles.SHORT_ID]}…"
            return f"{hosts[process_id]} ({short})" if process_id in hosts else short

        return request_words.request_text(change, name)

    # The forecast.

    def refuse_settings(self, snapshot: Snapshot) -> None:
        with suppress(CannotPredict, Unsupported):
            groups.any_group_of(snapshot)

    def forecast(self, snapshot: Snapshot, change: Change, times: int) -> Forecast:
        return forecast(snapshot, change, work=allowed(snapshot, times))

    def forecast_to_json(self, forecast: Forecast, detail: Detail) -> Row:
        return forecast_json.forecast_to_json(forecast, detail)

    def forecast_blocks(self, snapshot: Snapshot, forecast: Forecast, detail: Detail) -> Iterator[Block]:
        return forecast_words.blocks(snapshot, forecast, rounds=detail is Detail.FULL)

    # The options.

    def search_work(self, snapshot: Snapshot, change: Change) -> int:
        return search_work.work_of(snapshot, change)

    def propose(self, snapshot: Snapshot, change: Change) -> tuple[Option, ...]:
        return proposals.propose(snapshot, change)

    def evaluate_all(
        self, snapshot: Snapshot, options: Iterable[Option], tell: Callable[[str], None], times: int
    ) -> tuple[EvaluatedOption, ...]:
        """They share the work that is allowed for all, and what is known from one to the next."""
        found: list[EvaluatedOption] = []
        shared = Shared()
        each = allowed_for_an_option(snapshot, times).most
        together = Work(OPTIONS * each)
        for option in options:
            tell(option.name)
            part = Work(min(together.left, each))
            found.append(proposals.evaluate(snapshot, option, part, shared))
            together.used(part)
        return tuple(found)

    def evaluator(self, snapshot: Snapshot) -> Callable[[Option], EvaluatedOption]:
        """What is known from one option counts for the next."""
        return functools.partial(proposals.evaluate, snapshot, shared=Shared())

    def option_to_json(self, option: Option) -> Row:
        return codec_of(Option).write(option)

    def option_from_json(self, document: object) -> Option:
        return codec_of(Option).read(document)

    def evaluated_to_json(self, evaluated: EvaluatedOption) -> Row:
        return codec_of(EvaluatedOption).write(evaluated)

    def evaluated_from_json(self, document: object) -> EvaluatedOption:
        return codec_of(EvaluatedOption).read(document)

    def assemble(
        self,
        snapshot: Snapshot,
        change: Change,
        evaluated: tuple[EvaluatedOption, ...],
        policy: Policy,
        now: datetime,
        requested_by: str | None,
    ) -> Plan:
        with uncollected():
            return assembly.assemble(snapshot, change, evaluated, policy, now, requested_by)

    # The plan.

    def reviewed(self, plan: Plan) -> PlanReview:
        return review.reviewed(plan)

    def title(self, plan: Plan) -> str:
        return titles.title_of(plan)

    def request(self, plan: Plan) -> str:
        return titles.request_of(plan)

    def figures(self, plan: Plan) -> Mapping[str, Any]:
        option = plan.recommended_option
        return {
            "figures": figures_of(plan, option),
            "plain": None if plan.baseline_option is option else figures_of(plan, plan.baseline_option),
        }

    def plan_lines(self, before: Plan, after: Plan) -> Iterator[Line]:
        return difference.plan_lines(before, after)

    def option_rows(self, plan: Plan) -> list[Row]:
        return [rows.option(plan, one) for one in plan.candidates]

    def too_early(self, plan: Plan, waiting: AnyStep, given: Collection[ProcessId]) -> str | None:
        return apply.too_early(plan, waiting, given)

    def writes(self, plan: Plan) -> Mapping[str, ProcessId]:
        return apply.writes(plan)

    def places(self, plan: Plan) -> tuple[str | None, ...]:
        return (*(one.host for one in plan.basis.clients), *(host for step in plan.steps for host in hosts_of(step.action)))

    def step_text(self, step: AnyStep) -> str:
        assert isinstance(step, Step), "a step is of its plan's kind"
        return step_words.describe(step.action)

    # What follows from it.

    def staleness(self, plan: Plan, fresh: Snapshot) -> Staleness:
        return staleness.is_stale(plan, fresh)

    def next_action(self, plan: Plan, journal: Journal, fresh: Snapshot, now: datetime) -> Next:
        return apply.next_action(plan, journal, fresh, now)

    def acts(self, plan: Plan, step: AnyStep) -> Acts | None:
        assert isinstance(step, Step), "a step of this kind's plans"
        return acts.acts(plan, step)

    def roll(self, plan: Plan, step: AnyStep) -> Roll | None:
        assert isinstance(step, Step), "a step of this kind's plans"
        return acts.roll(plan, step)

    def listed(self, plan: Plan, step: AnyStep, fresh: Snapshot) -> Sighting | None:
        assert isinstance(step, Step), "a step of this kind's plans"
        return evidence.listed(step, fresh)

    def rollback(self, plan: Plan, step: AnyStep) -> Rollback:
        assert isinstance(step, Step), "a step of this kind's plans"
        return undo.rollback(plan, step)

    def clients(self, snapshot: Snapshot) -> tuple[ClientSeen, ...]:
        return undo.clients(snapshot)

    def planned_for(self, plan: Plan) -> tuple[str, ...]:
        return undo.planned_for(plan)

    def waits(self, step: AnyStep) -> bool:
        assert isinstance(step, Step), "a step of this kind's plans"
        return acts.waits(step)

    def pending_s(self, step: AnyStep, fresh: Snapshot) -> int | None:
        assert isinstance(step, Step), "a step of this kind's plans"
        return acts.pending_s(step, fresh)

    def held(self, snapshot: Snapshot) -> tuple[Held, ...]:
        return rows.held(snapshot)

    def copies_reported(self, snapshot: Snapshot) -> CopiesReported | None:
        return rows.copies_reported(snapshot)

    def at_rest(self, snapshot: Snapshot) -> bool:
        return super().at_rest(snapshot) and verify.settled(snapshot) is not False

    def compared(
        self, plan: Plan, journal: Journal, basis: Snapshot, after: str, until: AnyStep, fresh: Snapshot
    ) -> RoundCompared | None:
        assert isinstance(until, Step), "a step of this kind's plans"
        shown = applying.shown(apply.APPLYING, plan, journal, until, fresh)
        return rounds.compared(plan, basis, after, until, fresh) if shown else None

    def verify(self, plan: Plan, fresh: Snapshot) -> Verdict:
        return verify.verify(plan, fresh)

    def verdict_figures(self, verdict: Verdict) -> Iterator[tuple[str, str]]:
        return verdict_words.figures(verdict)

    def verdict_rows(self, verdict: Verdict) -> tuple[tuple[str, str, str, str], ...]:
        return verdict_words.rows(verdict)

    # The tables.

    def decoded(self, snapshot: Snapshot) -> Row:
        return rows.decoded(snapshot)

    def targets(self, snapshot: Snapshot) -> list[Row]:
        return rows.targets(snapshot)

    def order_change(self, before: Snapshot, after: Snapshot) -> Row | None:
        return rows.order_change(before, after)

    def losses(self, snapshot: Snapshot, first: int, last: int | None, budget_ms: int | None) -> Row:
        return losses.losses(snapshot, first, last, budget_ms)

    def forecast_losses(self, snapshot: Snapshot, rows: Iterable[Row]) -> list[Row]:
        return losses.forecast(snapshot, rows)


KIND = StreamsKind()
