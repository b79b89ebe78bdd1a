"""Consumer groups without Kafka Streams, whose leader assigns, as a kind of group."""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, ClassVar, NoReturn

from holdfast.errors import Unsupported
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.consumer.change import json as change_json
from holdfast.rollout.consumer.change import request, request_words
from holdfast.rollout.consumer.change.change import CHANGE, ConsumerChange
from holdfast.rollout.consumer.events import table
from holdfast.rollout.consumer.events.convert_consumer import ConvertConsumer
from holdfast.rollout.consumer.execution import acts, apply, rounds, staleness, undo, verify
from holdfast.rollout.consumer.execution.verdict import VERDICT, ConsumerVerdict
from holdfast.rollout.consumer.forecast import assignment_json
from holdfast.rollout.consumer.forecast import forecast as forecasts
from holdfast.rollout.consumer.forecast import json as forecast_json
from holdfast.rollout.consumer.forecast.outcomes import ConsumerForecast
from holdfast.rollout.consumer.kind import about, difference, forecast_words, rows, verdict_words
from holdfast.rollout.consumer.kind.deciding import ConsumerDecider
from holdfast.rollout.consumer.options import evaluation, proposals
from holdfast.rollout.consumer.options.evaluation import EvaluatedConsumerOption
from holdfast.rollout.consumer.options.proposals import ConsumerOption
from holdfast.rollout.consumer.plan import assembly, review
from holdfast.rollout.consumer.plan import json as plan_json
from holdfast.rollout.consumer.plan.figures import read_figures
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.settings.case import case_of
from holdfast.rollout.consumer.snapshot import json as snapshot_json
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL, ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import ConsumerStep
from holdfast.rollout.contract.client_figures import Held
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.requests import Request, What
from holdfast.rollout.execution.acts import Acts
from holdfast.rollout.execution.drift import Staleness
from holdfast.rollout.execution.next_actions import AnyStep, Next
from holdfast.rollout.execution.rounds import RoundCompared
from holdfast.rollout.execution.undo import Rollback
from holdfast.rollout.group import applying
from holdfast.rollout.group.deciding import Row
from holdfast.rollout.group.difference import Line
from holdfast.rollout.group.group_kind import GroupKind, Host, Setting, Words
from holdfast.rollout.journal.back import ClientSeen
from holdfast.rollout.journal.journal import Journal
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.review.parts import PlanReview
from holdfast.rollout.settings.case import Case
from holdfast.rollout.text.document_blocks import Block

OPTIONS = 8
"""This many options are forecast for most changes."""


class ConsumerKind(
    ConsumerDecider,
    GroupKind[
        ConsumerSnapshot, ConsumerChange, ConsumerOption, EvaluatedConsumerOption, ConsumerForecast, ConsumerPlan, ConsumerVerdict
    ],
):
    """`protocol`: `consumer-classic`."""

    name: ClassVar[str] = "consumer"
    stateful: ClassVar[bool] = False
    lasting_names: ClassVar[bool] = False
    words: ClassVar[Words] = Words("a consumer group", "consumer", "partition", "Consumer group")
    values: ClassVar[tuple[type, ...]] = (ConsumerSnapshot, ConsumerChange, ConsumerPlan, ConsumerVerdict)
    contracts: ClassVar[Mapping[str, Codec[Any]]] = {
        "consumer-snapshot": snapshot_json.SNAPSHOT,
        "consumer-change": CHANGE,
        "consumer-assignment": assignment_json.ASSIGNMENT,
        "consumer-forecast": forecast_json.FORECASTS[Detail.FULL],
        "consumer-plan": plan_json.PLAN,
        "consumer-verdict": VERDICT,
    }
    asks: ClassVar[tuple[What, ...]] = tuple(request.ASKABLE)
    verbs: ClassVar[frozenset[str]] = frozenset(event.VERB for event in table.EVENTS)
    docs: ClassVar[str] = "consumer-groups"
    request_note: ClassVar[str] = "Assumes the most likely member IDs for new consumers; the broker generates the actual ones."
    unused_fields: ClassVar[frozenset[str]] = request.UNUSED_FIELDS

    # Documents.

    def owns_change(self, document: object) -> bool:
        events = document.get("events") if isinstance(document, dict) else None
        return isinstance(events, list) and any(not self.verbs.isdisjoint(event) for event in events if isinstance(event, dict))

    def owns_plan(self, document: object) -> bool:
        return plan_json.is_consumer_plan(document)

    def change_from_json(self, document: object) -> ConsumerChange:
        return change_json.consumer_change_from_json(document)

    def change_to_json(self, change: ConsumerChange) -> Row:
        return change_json.consumer_change_to_json(change)

    def plan_from_json(self, document: object) -> ConsumerPlan:
        return plan_json.consumer_plan_from_json(document)

    def plan_to_json(self, plan: ConsumerPlan) -> Row:
        return plan_json.consumer_plan_to_json(plan)

    def verdict_to_json(self, verdict: ConsumerVerdict) -> Row:
        return VERDICT.write(verdict)

    # The group.

    def members(self, snapshot: ConsumerSnapshot) -> int:
        return len(snapshot.members)

    def snapshot_lines(self, before: ConsumerSnapshot, after: ConsumerSnapshot) -> Iterator[Line]:
        return difference.snapshot_lines(before, after)

    def guarded(self, snapshot: ConsumerSnapshot) -> NoReturn:
        raise Unsupported(
            f"this is a consumer group ({PROTOCOL}); needed here is a Kafka Streams group. All commands but guard accept both"
        )

    def settings_case(self, snapshot: ConsumerSnapshot, properties: Mapping[str, str] | None, policy: Policy) -> Case:
        return case_of(snapshot, properties, policy)

    def facts(self, snapshot: ConsumerSnapshot) -> tuple[tuple[str, str], ...]:
        return about.facts(snapshot)

    def hosts(self, snapshot: ConsumerSnapshot) -> tuple[Host, ...]:
        return about.hosts(snapshot)

    def addresses(self, snapshot: ConsumerSnapshot) -> tuple[str | None, ...]:
        return tuple(one.host for one in snapshot.members)

    def settings(self, snapshot: ConsumerSnapshot) -> tuple[Setting, ...]:
        return ()

    def example(self, snapshot: ConsumerSnapshot) -> Row | None:
        return about.example(snapshot)

    # The change.

    def check_change(self, document: object) -> None:
        self.change_from_json(document)

    def change_for(self, document: object, snapshot: ConsumerSnapshot) -> ConsumerChange:
        return self.change_from_json(document)

    def change_of(self, request_: Request, snapshot: ConsumerSnapshot) -> ConsumerChange:
        return request.consumer_change_of(request_, snapshot)

    def refuse_misfit(self, snapshot: ConsumerSnapshot, change: ConsumerChange) -> None:
        forecasts.refuse_misfit(snapshot, change)

    def records_per_second(self, change: ConsumerChange) -> float | None:
        return None

    def leaves(self, change: ConsumerChange) -> bool:
        return any(isinstance(item, ConvertConsumer) for item in change.events)

    def sentence(self, change: ConsumerChange, snapshot: ConsumerSnapshot) -> str:
        return request_words.request_text(change, snapshot)

    # The forecast.

    def refuse_settings(self, snapshot: ConsumerSnapshot) -> None:
        forecasts.settings_of(snapshot)

    def forecast(self, snapshot: ConsumerSnapshot, change: ConsumerChange, times: int) -> ConsumerForecast:
        return forecasts.forecast(snapshot, change)

    def forecast_to_json(self, forecast: ConsumerForecast, detail: Detail) -> Row:
        return forecast_json.consumer_forecast_to_json(forecast, detail)

    def forecast_blocks(self, snapshot: ConsumerSnapshot, forecast: ConsumerForecast, detail: Detail) -> Iterator[Block]:
        return forecast_words.blocks(snapshot, forecast, rounds=detail is Detail.FULL)

    # The options.

    def search_work(self, snapshot: ConsumerSnapshot, change: ConsumerChange) -> int:
        partitions = sum(len(topic.partitions) for topic in snapshot.topics)
        return OPTIONS * (len(change.events) + 1) * (partitions + len(snapshot.members))

    def propose(self, snapshot: ConsumerSnapshot, change: ConsumerChange) -> tuple[ConsumerOption, ...]:
        return proposals.propose(snapshot, change)

    def evaluate_all(
        self,
        snapshot: ConsumerSnapshot,
        options: Iterable[ConsumerOption],
        tell: Callable[[str], None],
        times: int,
    ) -> tuple[EvaluatedConsumerOption, ...]:
        found: list[EvaluatedConsumerOption] = []
        for option in options:
            tell(option.name)
            found.append(evaluation.evaluate(snapshot, option))
        return tuple(found)

    def evaluator(self, snapshot: ConsumerSnapshot) -> Callable[[ConsumerOption], EvaluatedConsumerOption]:
        return functools.partial(evaluation.evaluate, snapshot)

    def option_to_json(self, option: ConsumerOption) -> Row:
        return codec_of(ConsumerOption).write(option)

    def option_from_json(self, document: object) -> ConsumerOption:
        return codec_of(ConsumerOption).read(document)

    def evaluated_to_json(self, evaluated: EvaluatedConsumerOption) -> Row:
        return codec_of(EvaluatedConsumerOption).write(evaluated)

    def evaluated_from_json(self, document: object) -> EvaluatedConsumerOption:
        return codec_of(EvaluatedConsumerOption).read(document)

    def assemble(
        self,
        snapshot: ConsumerSnapshot,
        change: ConsumerChange,
        evaluated: tuple[EvaluatedConsumerOption, ...],
        policy: Policy,
        now: datetime,
        requested_by: str | None,
    ) -> ConsumerPlan:
        return assembly.assemble(snapshot, change, evaluated, policy, now, requested_by)

    # The plan.

    def reviewed(self, plan: ConsumerPlan) -> PlanReview:
        return review.reviewed(plan)

    def title(self, plan: ConsumerPlan) -> str:
        return request_words.title(plan.change, plan.basis)

    def request(self, plan: ConsumerPlan) -> str:
        return request_words.request_text(plan.change, plan.basis)

    def figures(self, plan: ConsumerPlan) -> Mapping[str, Any]:
        chosen, plain = (None if one is None else read_figures(one) for one in (plan.recommended_option, plan.baseline_option))
        return {"reads": chosen, "plain_reads": None if plan.baseline_option is plan.recommended_option else plain}

    def plan_lines(self, before: ConsumerPlan, after: ConsumerPlan) -> Iterator[Line]:
        return difference.plan_lines(before, after)

    def option_rows(self, plan: ConsumerPlan) -> list[Row]:
        return [rows.option(one) for one in plan.candidates]

    def too_early(self, plan: ConsumerPlan, waiting: AnyStep, given: Collection[ProcessId]) -> str | None:
        """Nothing is written."""
        return None

    def writes(self, plan: ConsumerPlan) -> Mapping[str, ProcessId]:
        """Consumers keep no state."""
        return {}

    def step_text(self, step: AnyStep) -> str:
        assert isinstance(step, ConsumerStep), "a step is of its plan's kind"
        return step.says

    # What follows from it.

    def staleness(self, plan: ConsumerPlan, fresh: ConsumerSnapshot) -> Staleness:
        return staleness.is_stale(plan, fresh)

    def next_action(self, plan: ConsumerPlan, journal: Journal, fresh: ConsumerSnapshot, now: datetime) -> Next:
        return apply.next_action(plan, journal, fresh, now)

    def acts(self, plan: ConsumerPlan, step: AnyStep) -> Acts | None:
        assert isinstance(step, ConsumerStep), "a step of this kind's plans"
        return acts.acts(plan, step)

    def rollback(self, plan: ConsumerPlan, step: AnyStep) -> Rollback:
        assert isinstance(step, ConsumerStep), "a step of this kind's plans"
        return undo.rollback(plan, step)

    def clients(self, snapshot: ConsumerSnapshot) -> tuple[ClientSeen, ...]:
        return undo.clients(snapshot)

    def planned_for(self, plan: ConsumerPlan) -> tuple[str, ...]:
        return undo.planned_for(plan)

    def waits(self, step: AnyStep) -> bool:
        assert isinstance(step, ConsumerStep), "a step of this kind's plans"
        return acts.waits(step)

    def held(self, snapshot: ConsumerSnapshot) -> tuple[Held, ...]:
        return rows.held(snapshot)

    def basis(self, plan: ConsumerPlan) -> ConsumerSnapshot:
        return plan.basis

    def compared(
        self, plan: ConsumerPlan, journal: Journal, basis: ConsumerSnapshot, after: str, until: AnyStep, fresh: ConsumerSnapshot
    ) -> RoundCompared | None:
        assert isinstance(until, ConsumerStep), "a step of this kind's plans"
        shown = applying.shown(apply.APPLYING, plan, journal, until, fresh)
        return rounds.compared(plan, basis, after, until, fresh) if shown else None

    def verify(self, plan: ConsumerPlan, fresh: ConsumerSnapshot) -> ConsumerVerdict:
        return verify.verify(plan, fresh)

    def verdict_figures(self, verdict: ConsumerVerdict) -> Iterator[tuple[str, str]]:
        return verdict_words.figures(verdict)

    def verdict_rows(self, verdict: ConsumerVerdict) -> tuple[tuple[str, str, str, str], ...]:
        return verdict_words.rows(verdict)

    # The tables.

    def decoded(self, snapshot: ConsumerSnapshot) -> Row:
        return rows.decoded(snapshot)

    def targets(self, snapshot: ConsumerSnapshot) -> list[Row]:
        return rows.targets(snapshot)

    def order_change(self, before: ConsumerSnapshot, after: ConsumerSnapshot) -> Row | None:
        return rows.order_change(before, after)

    def losses(self, snapshot: ConsumerSnapshot, first: int, last: int | None, budget_ms: int | None) -> Row:
        return {"losses": rows.lost(snapshot, first, last), "places": []}

    def forecast_losses(self, snapshot: ConsumerSnapshot, rows: Iterable[Row]) -> list[Row]:
        """All are forecast at once."""
        return []


KIND = ConsumerKind()
