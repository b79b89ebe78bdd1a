"""A made-up kind of group: lamps that are lit, one at a time or all at once. It is its own code and a line in the registry."""
# ruff: noqa: ARG002 - a kind always gets all arguments, whether it needs them or not

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar

from tests.harness.lamps import review as lamp_review
from tests.harness.lamps.past import PAST
from tests.harness.lamps.plans import assemble, evaluated
from tests.harness.lamps.redaction import REDACTING
from tests.harness.lamps.values import (
    ConsideredLampOption,
    EvaluatedLampOption,
    LampChange,
    LampOption,
    LampPlan,
    LampSnapshot,
    LampStep,
    LampVerdict,
    dark,
    drifts,
)

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.rollout.contract.assessment import BASELINE_NAME, Assessment, Rule
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.plan_ids import plan_id_in
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.execution import rounds
from holdfast.rollout.execution.drift import Staleness
from holdfast.rollout.execution.next_actions import AnyStep, Next, NothingLeft, WaitForOutside
from holdfast.rollout.execution.step_evidence import Evidence, Shown, StepEvidence
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.facts.differences import Difference, Differs
from holdfast.rollout.group import applying, verifying
from holdfast.rollout.group.applying import Applying, please
from holdfast.rollout.group.deciding import Row
from holdfast.rollout.group.difference import Line, maps
from holdfast.rollout.group.group_kind import GroupKind, Host, Setting, Words
from holdfast.rollout.group.guard import Guarded
from holdfast.rollout.group.staleness import staleness
from holdfast.rollout.group.verifying import EndCompared, Members, Verifying
from holdfast.rollout.journal.journal import Journal, Sighting
from holdfast.rollout.json import strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import Fields, one_of
from holdfast.rollout.kinds.registry import Registered
from holdfast.rollout.policy.json import policy_from_json, policy_to_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.review.parts import PlanReview
from holdfast.rollout.text.document_blocks import Block, Heading

PROTOCOL, EACH = "lamps", "one-by-one"


class _Applying(Applying[LampPlan, LampStep, LampSnapshot]):
    counted = "lamp"

    def steps(self, plan: LampPlan) -> Sequence[LampStep]:
        return plan.steps

    def waits(self, step: LampStep) -> bool:
        return step.lamp is None

    def limit_s(self, step: LampStep) -> int | None:
        return 60 if step.lamp is None else None

    def stale(self, plan: LampPlan, journal: Journal, step: LampStep, fresh: LampSnapshot) -> tuple[str, ...]:
        return tuple(one.found for one in drifts(plan, fresh))

    def sighting(self, plan: LampPlan, journal: Journal, step: LampStep, fresh: LampSnapshot) -> Sighting | None:
        return None

    def decide(self, plan: LampPlan, journal: Journal, step: LampStep, fresh: LampSnapshot, word: str | None) -> Next:
        if dict(fresh.lit).get(str(step.lamp)):
            return NothingLeft(step, f"{step.lamp} burns.")
        return WaitForOutside(step, please(step, f"{step.lamp} is dark"), can_confirm=True)

    def unseen(self, plan: LampPlan, journal: Journal, step: LampStep, fresh: LampSnapshot) -> str | None:
        return None if dict(fresh.lit).get(str(step.lamp)) else f"{step.lamp} is dark."

    def differences(self, plan: LampPlan, fresh: LampSnapshot) -> tuple[str, ...] | None:
        return tuple(f"{lamp} is dark." for lamp in dark(plan, fresh)) or None


class _Verifying(Verifying[LampPlan, LampSnapshot, LampVerdict, tuple[str, ...]]):
    def steps_shown(self, plan: LampPlan, fresh: LampSnapshot) -> tuple[StepEvidence, ...]:
        lit = dict(fresh.lit)

        def shown(lamp: str | None) -> Evidence:
            burns = lamp is None or lit.get(lamp)
            return Evidence(Shown.HAPPENED if burns else Shown.NOT_YET, f"{lamp} {'burns' if burns else 'is dark'}.")

        return tuple(StepEvidence(one.id, one.lamp or "wait", shown(one.lamp)) for one in plan.steps)

    def waits(self, plan: LampPlan, step_id: str) -> bool:
        return any((one.id, one.lamp) == (step_id, None) for one in plan.steps)

    def compare(self, plan: LampPlan, fresh: LampSnapshot) -> EndCompared[tuple[str, ...]] | Members:
        missing = dark(plan, fresh)
        found = tuple(Difference(Differs.READER, lamp, ("light",)) for lamp in missing)
        return EndCompared(missing, Result.DIFFERENT if found else Result.AS_FORECAST, found, found)

    def verdict(
        self,
        plan: LampPlan,
        fresh: LampSnapshot,
        result: Result,
        what: tuple[str, ...] | None,
        differences: tuple[Difference, ...],
        shown: tuple[StepEvidence, ...],
        unknown: tuple[Unknown, ...] = (),
    ) -> LampVerdict:
        made = LampVerdict(plan.plan_id, fresh.cluster, fresh.group_id, fresh.captured_at, result, what or (), differences, shown)
        return replace(made, unknown=unknown)


class LampKind(GroupKind[Any, Any, Any, Any, Any, Any, Any]):
    """`protocol`: `lamps`."""

    name: ClassVar[str] = "lamps"
    protocol: ClassVar[str] = PROTOCOL
    stateful: ClassVar[bool] = False
    words: ClassVar[Words] = Words("a group of lamps", "lamp", "lamp", "Group of lamps")
    values: ClassVar[tuple[type, ...]] = (LampSnapshot, LampChange, LampPlan, LampVerdict)
    contracts: ClassVar[Mapping[str, Any]] = {}
    asks: ClassVar[tuple[Any, ...]] = ()
    verbs: ClassVar[frozenset[str]] = frozenset({"light"})
    docs: ClassVar[str] = "lamps"

    def owns_change(self, document: object) -> bool:
        return isinstance(document, dict) and any("light" in event for event in document.get("events", ()))

    def owns_plan(self, document: object) -> bool:
        return isinstance(document, dict) and document.get("protocol") == PROTOCOL and "plan_id" in document

    def snapshot_from_json(self, document: object) -> LampSnapshot:
        fields = Fields(document)
        fields.need("protocol", strict.name)
        lit = fields.need("lamps", strict.mapping)
        found = LampSnapshot(
            fields.need("cluster", strict.text),
            fields.need("group_id", strict.name),
            fields.optional("captured_at", strict.instant, None),
            tuple(sorted(lit.items())),
        )
        fields.finish()
        return found

    def snapshot_to_json(self, snapshot: LampSnapshot) -> Row:
        taken = {} if snapshot.captured_at is None else {"captured_at": snapshot.captured_at}
        about = {"cluster": snapshot.cluster, "group_id": snapshot.group_id, "lamps": dict(snapshot.lit)}
        return {"protocol": PROTOCOL, **about, **taken}

    def change_from_json(self, document: object) -> LampChange:
        events = strict.mapping(document)["events"]
        return LampChange(tuple(event["light"] for event in events))

    def change_to_json(self, change: LampChange) -> Row:
        return {"events": [{"light": lamp} for lamp in change.events]}

    def plan_from_json(self, document: object) -> LampPlan:
        fields = Fields(document)
        plan = LampPlan(
            **{key: fields.need(key, strict.text) for key in ("plan_id", "created_at", "expires_at", "headline", "chosen")},
            created_from=fields.need("created_from", codec_of(CreatedFrom).read),
            basis=fields.need("basis", self.snapshot_from_json),
            policy=fields.need("policy", policy_from_json),
            change=fields.need("change", self.change_from_json),
            assessment=fields.need("verdict", one_of(Assessment)),
            blocked_by=fields.need("blocked_by", lambda found: strict.each(found, strict.text)),
            candidates=fields.need("candidates", lambda found: strict.each(found, self._considered)),
            steps=fields.need("steps", lambda found: strict.each(found, lambda one: LampStep(one["id"], one["lamp"]))),
        )
        fields.finish()
        return plan

    def _considered(self, document: object) -> ConsideredLampOption:
        fields = Fields(document)
        found = ConsideredLampOption(
            name=fields.need("name", strict.name),
            title=fields.need("title", strict.text),
            change=fields.need("change", self.change_from_json),
            rules=fields.need("rules", lambda each: strict.each(each, codec_of(Rule).read)),
            refused=None,
            why_not=fields.need("why_not", strict.text),
        )
        fields.finish()
        return found

    def plan_to_json(self, plan: LampPlan) -> Row:
        texts = ("plan_id", "created_at", "expires_at", "headline", "chosen")
        return {key: getattr(plan, key) for key in texts} | {
            "protocol": PROTOCOL,
            "created_from": codec_of(CreatedFrom).write(plan.created_from),
            "basis": self.snapshot_to_json(plan.basis),
            "policy": policy_to_json(plan.policy),
            "change": self.change_to_json(plan.change),
            "verdict": plan.assessment.value,
            "blocked_by": list(plan.blocked_by),
            "candidates": [
                {
                    "name": one.name,
                    "title": one.title,
                    "change": self.change_to_json(one.change),
                    "rules": [codec_of(Rule).write(rule) for rule in one.rules],
                    "why_not": one.why_not,
                }
                for one in plan.candidates
            ],
            "steps": [{"id": one.id, "lamp": one.lamp} for one in plan.steps],
        }

    def verdict_to_json(self, verdict: LampVerdict) -> Row:
        return {
            "format_version": "1.0",
            "plan_id": verdict.plan_id,
            "result": verdict.result.value,
            "observed_at": verdict.observed_at,
            "score": {"tasks_as_forecast": len(verdict.steps) - 1 - len(verdict.dark), "tasks": len(verdict.steps) - 1},
            "differences": list(verdict.differences),
        }

    def members(self, snapshot: LampSnapshot) -> int:
        return len(snapshot.lit)

    def snapshot_lines(self, before: LampSnapshot, after: LampSnapshot) -> Iterable[Line]:
        return maps("lamp", dict(before.lit), dict(after.lit))

    def guarded(self, snapshot: LampSnapshot) -> Guarded:
        lit = sum(burns for _, burns in snapshot.lit)
        return Guarded({"lit": lit}, (Heading(1, f"{lit} of {len(snapshot.lit)} lamps are lit."),))

    def facts(self, snapshot: LampSnapshot) -> tuple[tuple[str, str], ...]:
        return (("Lamps", str(len(snapshot.lit))),)

    def hosts(self, snapshot: LampSnapshot) -> tuple[Host, ...]:
        return tuple(Host(f"socket-{name}", (name,), "burns" if lit else "dark") for name, lit in snapshot.lit)

    def addresses(self, snapshot: LampSnapshot) -> tuple[str | None, ...]:
        return tuple(f"socket-{name}" for name, _ in snapshot.lit)

    def settings(self, snapshot: LampSnapshot) -> tuple[Setting, ...]:
        return ()

    def example(self, snapshot: LampSnapshot) -> Row | None:
        return {"light": snapshot.lit[0][0]} if snapshot.lit else None

    def check_change(self, document: object) -> None:
        self.change_from_json(document)

    def change_for(self, document: object, snapshot: LampSnapshot) -> LampChange:
        return self.change_from_json(document)

    def change_of(self, request: Any, snapshot: LampSnapshot) -> LampChange:
        raise InvalidInput("lamps are asked for by a Change")

    def refuse_misfit(self, snapshot: LampSnapshot, change: LampChange) -> None:
        strangers = [lamp for lamp in change.events if lamp not in dict(snapshot.lit)]
        if strangers:
            raise InvalidInput(f"the group has no lamp {strangers[0]!r}", "events")

    def records_per_second(self, change: LampChange) -> float | None:
        return None

    def sentence(self, change: LampChange, snapshot: LampSnapshot) -> str:
        return f"light {', '.join(change.events)}"

    def refuse_settings(self, snapshot: LampSnapshot) -> None:
        """It has none."""

    def assign(self, snapshot: LampSnapshot, release: str | None, settings: Any) -> Row:
        return {"lamps": dict(snapshot.lit)}

    def forecast(self, snapshot: LampSnapshot, change: LampChange, times: int) -> tuple[str, ...]:
        self.refuse_misfit(snapshot, change)
        return change.events

    def forecast_to_json(self, forecast: Any, detail: Detail) -> Row:
        return {"lit": list(forecast)}

    def forecast_blocks(self, snapshot: LampSnapshot, forecast: Any, detail: Detail) -> Iterator[Block]:
        yield Heading(1, f"{len(forecast)} of {len(snapshot.lit)} lamps are lit.")

    def search_work(self, snapshot: LampSnapshot, change: LampChange) -> int:
        return len(change.events)

    def propose(self, snapshot: LampSnapshot, change: LampChange) -> tuple[LampOption, ...]:
        self.refuse_misfit(snapshot, change)
        return (LampOption(BASELINE_NAME, "Light all at once", change), LampOption(EACH, "Light one after the other", change))

    def evaluate_all(
        self, snapshot: LampSnapshot, options: Iterable[LampOption], tell: Callable[[str], None], times: int
    ) -> tuple[EvaluatedLampOption, ...]:
        return tuple(map(evaluated, options))

    def evaluator(self, snapshot: LampSnapshot) -> Callable[[LampOption], EvaluatedLampOption]:
        return evaluated

    def option_to_json(self, option: LampOption) -> Row:
        return {"name": option.name, "title": option.title, "change": self.change_to_json(option.change)}

    def option_from_json(self, document: object) -> LampOption:
        found = strict.mapping(document)
        return LampOption(found["name"], found["title"], self.change_from_json(found["change"]))

    def evaluated_to_json(self, evaluated: EvaluatedLampOption) -> Row:
        return {"option": self.option_to_json(evaluated.option), "dark_s": evaluated.dark_s}

    def evaluated_from_json(self, document: object) -> EvaluatedLampOption:
        found = strict.mapping(document)
        return EvaluatedLampOption(self.option_from_json(found["option"]), found["dark_s"])

    def assemble(
        self,
        snapshot: LampSnapshot,
        change: LampChange,
        evaluated: tuple[EvaluatedLampOption, ...],
        policy: Policy,
        now: datetime,
        requested_by: str | None,
    ) -> LampPlan:
        plan = assemble(snapshot, change, evaluated, policy, now)
        return replace(plan, plan_id=plan_id_in(self.plan_to_json(plan)))

    def reviewed(self, plan: LampPlan) -> PlanReview:
        return lamp_review.reviewed(plan, self.request(plan))

    def title(self, plan: LampPlan) -> str:
        return self.sentence(plan.change, plan.basis)

    def request(self, plan: LampPlan) -> str:
        return self.sentence(plan.change, plan.basis)

    def figures(self, plan: LampPlan) -> Mapping[str, Any]:
        return {}

    def plan_lines(self, before: LampPlan, after: LampPlan) -> Iterator[Line]:
        yield from maps("option", *({one.name: one.title for one in plan.candidates} for plan in (before, after)))

    def option_rows(self, plan: LampPlan) -> list[Row]:
        return [{"moved": 0} for _ in plan.candidates]

    def too_early(self, plan: LampPlan, waiting: Any, given: Any) -> str | None:
        return None

    def writes(self, plan: LampPlan) -> Mapping[str, Any]:
        return {}

    def step_text(self, step: Any) -> str:
        return f"Light {step.lamp}" if step.lamp else "Wait"

    def staleness(self, plan: LampPlan, fresh: LampSnapshot) -> Staleness:
        return staleness(plan, fresh, drifts(plan, fresh))

    def waits(self, step: AnyStep) -> bool:
        assert isinstance(step, LampStep), "a step of this kind's plans"
        return step.lamp is None

    def next_action(self, plan: LampPlan, journal: Journal, fresh: LampSnapshot, now: datetime) -> Next:
        return applying.next_action(_Applying(), plan, journal, fresh, now)

    def compared(
        self, plan: LampPlan, journal: Journal, basis: LampSnapshot, after: str, until: AnyStep, fresh: LampSnapshot
    ) -> rounds.RoundCompared | None:
        raise CannotPredict("Lamps burn or do not: nothing is between two steps.")

    def verify(self, plan: LampPlan, fresh: LampSnapshot) -> LampVerdict:
        return verifying.verify(_Verifying(), plan, fresh)

    def verdict_figures(self, verdict: LampVerdict) -> Iterable[tuple[str, str]]:
        return (("Lamps dark", str(len(verdict.dark))),)

    def verdict_rows(self, verdict: LampVerdict) -> tuple[tuple[str, str, str, str], ...]:
        return tuple((lamp, "burns", "yes", "no") for lamp in verdict.dark)

    def decoded(self, snapshot: LampSnapshot) -> Row:
        return {"group": {"protocol": PROTOCOL, "members": len(snapshot.lit)}}

    def targets(self, snapshot: LampSnapshot) -> list[Row]:
        return []

    def order_change(self, before: LampSnapshot, after: LampSnapshot) -> Row | None:
        return None

    def losses(self, snapshot: LampSnapshot, first: int, last: int | None, budget_ms: int | None) -> Row:
        return {"losses": [], "places": []}

    def forecast_losses(self, snapshot: LampSnapshot, which: Iterable[Row]) -> list[Row]:
        return []


_KIND = LampKind()
LAMP_KIND = Registered(PROTOCOL, "tests.harness.lamps", lambda: _KIND, lambda: _KIND, lambda: PAST, lambda: REDACTING)
