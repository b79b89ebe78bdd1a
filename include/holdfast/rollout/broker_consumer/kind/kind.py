"""Consumer groups whose broker assigns (`group.protocol=consumer`), as a kind of group."""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, ClassVar, NoReturn

from holdfast.errors import Unsupported
from holdfast.kafka.coordinator.consumer.group import MemberType
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.broker_consumer.change import request, request_words, shorthands
from holdfast.rollout.broker_consumer.change.change import CHANGE, GroupChange
from holdfast.rollout.broker_consumer.events import table
from holdfast.rollout.broker_consumer.events.add_partitions import AddPartitions
from holdfast.rollout.broker_consumer.events.set_config import SetConfig
from holdfast.rollout.broker_consumer.execution import acts, apply, rounds, staleness, undo, verify
from holdfast.rollout.broker_consumer.execution.verdict import VERDICT, GroupVerdict
from holdfast.rollout.broker_consumer.forecast import forecast as forecasts
from holdfast.rollout.broker_consumer.forecast.json import FORECASTS, forecast_to_json
from holdfast.rollout.broker_consumer.forecast.outcomes import GroupForecast
from holdfast.rollout.broker_consumer.kind import about, forecast_words, rows, verdict_words
from holdfast.rollout.broker_consumer.kind.deciding import BrokerConsumerDecider
from holdfast.rollout.broker_consumer.options import evaluation, proposals
from holdfast.rollout.broker_consumer.options.evaluation import EvaluatedGroupOption
from holdfast.rollout.broker_consumer.options.option import GroupOption
from holdfast.rollout.broker_consumer.plan import assembly, review
from holdfast.rollout.broker_consumer.plan import json as plan_json
from holdfast.rollout.broker_consumer.plan.figures import hand_over_figures
from holdfast.rollout.broker_consumer.plan.plan import GroupPlan
from holdfast.rollout.broker_consumer.settings.case import case_of
from holdfast.rollout.broker_consumer.snapshot.snapshot import PROTOCOL, BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.steps.steps import GroupStep
from holdfast.rollout.contract.client_figures import Held
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.requests import Request, What
from holdfast.rollout.coordinated.rolling import VERB
from holdfast.rollout.execution.acts import Acts, GroupSetting
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


class BrokerConsumerKind(
    BrokerConsumerDecider,
    GroupKind[BrokerConsumerSnapshot, GroupChange, GroupOption, EvaluatedGroupOption, GroupForecast, GroupPlan, GroupVerdict],
):
    """`protocol`: `consumer`."""

    name: ClassVar[str] = "broker_consumer"
    stateful: ClassVar[bool] = False
    lasting_names: ClassVar[bool] = False
    words: ClassVar[Words] = Words(
        "a consumer group whose broker assigns", "consumer", "partition", "Consumer group, broker assigns"
    )
    values: ClassVar[tuple[type, ...]] = (BrokerConsumerSnapshot, GroupChange, GroupPlan, GroupVerdict)
    contracts: ClassVar[Mapping[str, Codec[Any]]] = {
        **BrokerConsumerDecider.contracts,
        "consumer-group-change": CHANGE,
        "consumer-group-forecast": FORECASTS[Detail.FULL],
        "consumer-group-plan": plan_json.PLAN,
        "consumer-group-verdict": VERDICT,
    }
    asks: ClassVar[tuple[What, ...]] = tuple(request.ASKABLE)
    verbs: ClassVar[frozenset[str]] = frozenset(event.VERB for event in table.EVENTS)
    docs: ClassVar[str] = "consumer-groups"
    request_note: ClassVar[str] = "New consumers start with random member IDs: the plan goes by what these can lead to."
    unused_fields: ClassVar[frozenset[str]] = request.UNUSED_FIELDS

    settings_note: ClassVar[str] = "Configs of the group: intervals and session timeouts; applied without a restart."

    # Documents.

    def owns_change(self, document: object) -> bool:
        """Most of its verbs are those of other consumer groups too."""
        events = document.get("events") if isinstance(document, dict) else None
        return isinstance(events, list) and any(_own(event) for event in events if isinstance(event, dict))

    def owns_plan(self, document: object) -> bool:
        return plan_json.is_group_plan(document)

    def change_from_json(self, document: object) -> GroupChange:
        return CHANGE.read(document)

    def change_to_json(self, change: GroupChange) -> Row:
        return CHANGE.write(change)

    def plan_from_json(self, document: object) -> GroupPlan:
        return plan_json.group_plan_from_json(document)

    def plan_to_json(self, plan: GroupPlan) -> Row:
        return plan_json.group_plan_to_json(plan)

    def verdict_to_json(self, verdict: GroupVerdict) -> Row:
        return VERDICT.write(verdict)

    # The group.

    def members(self, snapshot: BrokerConsumerSnapshot) -> int:
        return len(snapshot.members)

    def snapshot_lines(self, before: BrokerConsumerSnapshot, after: BrokerConsumerSnapshot) -> Iterator[Line]:
        return about.snapshot_lines(before, after)

    def guarded(self, snapshot: BrokerConsumerSnapshot) -> NoReturn:
        raise Unsupported(
            f"this is a consumer group ({PROTOCOL}); needed here is a Kafka Streams group. All commands but guard accept both"
        )

    def settings_case(self, snapshot: BrokerConsumerSnapshot, properties: Mapping[str, str] | None, policy: Policy) -> Case:
        return case_of(snapshot, properties, policy)

    def facts(self, snapshot: BrokerConsumerSnapshot) -> tuple[tuple[str, str], ...]:
        return about.facts(snapshot)

    def hosts(self, snapshot: BrokerConsumerSnapshot) -> tuple[Host, ...]:
        return about.hosts(snapshot)

    def addresses(self, snapshot: BrokerConsumerSnapshot) -> tuple[str | None, ...]:
        return tuple(one.host for one in snapshot.members)

    def settings(self, snapshot: BrokerConsumerSnapshot) -> tuple[Setting, ...]:
        return about.settings(snapshot)

    def example(self, snapshot: BrokerConsumerSnapshot) -> Row | None:
        return about.example(snapshot)

    # The change.

    def check_change(self, document: object) -> None:
        self.change_from_json(shorthands.written_out(document, None))

    def change_for(self, document: object, snapshot: BrokerConsumerSnapshot) -> GroupChange:
        return CHANGE.read(shorthands.written_out(document, snapshot))

    def change_of(self, request_: Request, snapshot: BrokerConsumerSnapshot) -> GroupChange:
        return request.group_change_of(request_, snapshot)

    def refuse_misfit(self, snapshot: BrokerConsumerSnapshot, change: GroupChange) -> None:
        forecasts.refuse_misfit(snapshot, change)

    def records_per_second(self, change: GroupChange) -> float | None:
        return None

    def sentence(self, change: GroupChange, snapshot: BrokerConsumerSnapshot) -> str:
        return request_words.request_text(change, snapshot)

    # The forecast.

    def refuse_settings(self, snapshot: BrokerConsumerSnapshot) -> None:
        forecasts.settings_of(snapshot)

    def forecast(self, snapshot: BrokerConsumerSnapshot, change: GroupChange, times: int) -> GroupForecast:
        return forecasts.forecast(snapshot, change, times)

    def forecast_to_json(self, forecast: GroupForecast, detail: Detail) -> Row:
        return forecast_to_json(forecast, detail)

    def forecast_blocks(self, snapshot: BrokerConsumerSnapshot, forecast: GroupForecast, detail: Detail) -> Iterable[Block]:
        return forecast_words.blocks(snapshot, forecast, targets=detail is Detail.FULL)

    # The options.

    def search_work(self, snapshot: BrokerConsumerSnapshot, change: GroupChange) -> int:
        return evaluation.work(snapshot, change)

    def propose(self, snapshot: BrokerConsumerSnapshot, change: GroupChange) -> tuple[GroupOption, ...]:
        return proposals.propose(snapshot, change)

    def evaluate_all(
        self, snapshot: BrokerConsumerSnapshot, options: Iterable[GroupOption], tell: Callable[[str], None], times: int
    ) -> tuple[EvaluatedGroupOption, ...]:
        found: list[EvaluatedGroupOption] = []
        for option in options:
            tell(option.name)
            found.append(evaluation.evaluate(snapshot, option, times))
        return tuple(found)

    def evaluator(self, snapshot: BrokerConsumerSnapshot) -> Callable[[GroupOption], EvaluatedGroupOption]:
        return functools.partial(evaluation.evaluate, snapshot)

    def option_to_json(self, option: GroupOption) -> Row:
        return codec_of(GroupOption).write(option)

    def option_from_json(self, document: object) -> GroupOption:
        return codec_of(GroupOption).read(document)

    def evaluated_to_json(self, evaluated: EvaluatedGroupOption) -> Row:
        return codec_of(EvaluatedGroupOption).write(evaluated)

    def evaluated_from_json(self, document: object) -> EvaluatedGroupOption:
        return codec_of(EvaluatedGroupOption).read(document)

    def assemble(
        self,
        snapshot: BrokerConsumerSnapshot,
        change: GroupChange,
        evaluated: tuple[EvaluatedGroupOption, ...],
        policy: Policy,
        now: datetime,
        requested_by: str | None,
    ) -> GroupPlan:
        return assembly.assemble(snapshot, change, evaluated, policy, now, requested_by)

    # The plan.

    def reviewed(self, plan: GroupPlan) -> PlanReview:
        return review.reviewed(plan)

    def title(self, plan: GroupPlan) -> str:
        return request_words.title(plan.change, plan.basis)

    def request(self, plan: GroupPlan) -> str:
        return request_words.request_text(plan.change, plan.basis)

    def figures(self, plan: GroupPlan) -> Mapping[str, Any]:
        chosen, plain = (hand_over_figures(one) for one in (plan.recommended_option, plan.baseline_option))
        return {"hand_overs": chosen, "plain_hand_overs": None if plan.baseline_option is plan.recommended_option else plain}

    def plan_lines(self, before: GroupPlan, after: GroupPlan) -> Iterator[Line]:
        return about.plan_lines(before, after)

    def option_rows(self, plan: GroupPlan) -> list[Row]:
        return [rows.option(one) for one in plan.candidates]

    def too_early(self, plan: GroupPlan, waiting: AnyStep, given: Collection[ProcessId]) -> str | None:
        """Nothing is written."""
        return None

    def writes(self, plan: GroupPlan) -> Mapping[str, ProcessId]:
        """Consumers keep no state."""
        return {}

    def step_text(self, step: AnyStep) -> str:
        assert isinstance(step, GroupStep), "a step is of its plan's kind"
        return step.says

    # What follows from it.

    def staleness(self, plan: GroupPlan, fresh: BrokerConsumerSnapshot) -> Staleness:
        return staleness.is_stale(plan, fresh)

    def next_action(self, plan: GroupPlan, journal: Journal, fresh: BrokerConsumerSnapshot, now: datetime) -> Next:
        return apply.next_action(plan, journal, fresh, now)

    def acts(self, plan: GroupPlan, step: AnyStep) -> Acts | None:
        assert isinstance(step, GroupStep), "a step of this kind's plans"
        return acts.acts(plan, step)

    def rollback(self, plan: GroupPlan, step: AnyStep) -> Rollback:
        assert isinstance(step, GroupStep), "a step of this kind's plans"
        return undo.rollback(plan, step)

    def clients(self, snapshot: BrokerConsumerSnapshot) -> tuple[ClientSeen, ...]:
        return undo.clients(snapshot)

    def planned_for(self, plan: GroupPlan) -> tuple[str, ...]:
        return undo.planned_for(plan)

    def sets(self, plan: GroupPlan, step: AnyStep) -> tuple[GroupSetting, ...]:
        assert isinstance(step, GroupStep), "a step of this kind's plans"
        return acts.sets(plan, step)

    def waits(self, step: AnyStep) -> bool:
        assert isinstance(step, GroupStep), "a step of this kind's plans"
        return acts.waits(step)

    def held(self, snapshot: BrokerConsumerSnapshot) -> tuple[Held, ...]:
        return rows.held(snapshot)

    def basis(self, plan: GroupPlan) -> BrokerConsumerSnapshot:
        return plan.basis

    def comes_from_another(self, plan: GroupPlan) -> bool:
        chosen = plan.recommended_option
        events = () if chosen is None else chosen.change.statements()
        return plan.basis.still_classic or any(one.converts_to() is MemberType.CLASSIC for one in events)

    def at_rest(self, snapshot: BrokerConsumerSnapshot) -> bool:
        return super().at_rest(snapshot) and rounds.settled(snapshot) is not False

    def compared(
        self,
        plan: GroupPlan,
        journal: Journal,
        basis: BrokerConsumerSnapshot,
        after: str,
        until: AnyStep,
        fresh: BrokerConsumerSnapshot,
    ) -> RoundCompared | None:
        assert isinstance(until, GroupStep), "a step of this kind's plans"
        shown = applying.shown(apply.APPLYING, plan, journal, until, fresh)
        return rounds.compared(plan, journal, basis, after, until, fresh) if shown else None

    def verify(self, plan: GroupPlan, fresh: BrokerConsumerSnapshot) -> GroupVerdict:
        return verify.verify(plan, fresh)

    def verify_run(self, plan: GroupPlan, journal: Journal, fresh: BrokerConsumerSnapshot) -> GroupVerdict:
        return verify.verify(plan, fresh, journal)

    def verdict_figures(self, verdict: GroupVerdict) -> Iterator[tuple[str, str]]:
        return verdict_words.figures(verdict)

    def verdict_rows(self, verdict: GroupVerdict) -> tuple[tuple[str, str, str, str], ...]:
        return verdict_words.rows(verdict)

    # The tables.

    def decoded(self, snapshot: BrokerConsumerSnapshot) -> Row:
        return rows.decoded(snapshot)

    def targets(self, snapshot: BrokerConsumerSnapshot) -> list[Row]:
        return rows.targets(snapshot)

    def order_change(self, before: BrokerConsumerSnapshot, after: BrokerConsumerSnapshot) -> Row | None:
        """The coordinator's next target shows what its order leads to."""
        return None

    def losses(self, snapshot: BrokerConsumerSnapshot, first: int, last: int | None, budget_ms: int | None) -> Row:
        return {"losses": rows.lost(snapshot, first, last), "places": []}

    def forecast_losses(self, snapshot: BrokerConsumerSnapshot, which: Iterable[Row]) -> list[Row]:
        """`losses` has none that is left to be forecast."""
        return []


_SHARED = frozenset((SetConfig.VERB, AddPartitions.VERB))
"""Verbs that groups with tasks have too."""


def _own(event: Mapping[str, object]) -> bool:
    rolling = event.get(VERB)
    return not (BrokerConsumerKind.verbs - _SHARED).isdisjoint(event) or (isinstance(rolling, dict) and "member_ids" in rolling)


KIND = BrokerConsumerKind()
