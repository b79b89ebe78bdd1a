"""A Plan for a plain consumer group: the best way by the policy, with reasons. No clock: `now` is an argument.

The values are those of the contract's Plan; what differs from Kafka Streams is what a way costs.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from holdfast.errors import InvalidInput
from holdfast.rollout.consumer.change.change import ConsumerChange, RestartConsumer, SetAssignors
from holdfast.rollout.consumer.forecast import warning_words
from holdfast.rollout.consumer.forecast.course import Course
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.forecast.positions import OffsetWarning
from holdfast.rollout.consumer.limits import rules
from holdfast.rollout.consumer.options import ways
from holdfast.rollout.consumer.options.choice import CRITERIA, Weighed, ranked
from holdfast.rollout.consumer.options.evaluation import WayForecast
from holdfast.rollout.consumer.options.ways import Way
from holdfast.rollout.consumer.plan import effect_words
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedPartition, ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import ConsumerStep, steps_of
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.plan_words import BASELINE, option_name
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.contract.verdicts import PLAINLY, PlanVerdict, Rule, Status
from holdfast.rollout.facts.said import Said, told
from holdfast.rollout.options.criteria import first_lost
from holdfast.rollout.policy.policy import Policy, Review
from holdfast.rollout.timing import timeline
from holdfast.rollout.timing.time_rules import expires


@dataclass(frozen=True, slots=True)
class Considered:
    """One way that was weighed. `summary` None: `refused` says why nothing can be predicted. `why_not`: empty if it is chosen.

    `read_twice`: records that are read a second time, at most; None: not known. `course`: of the chosen and of the plain way, where
    anybody can tell. `times` and `effort_counts` None: another version made the plan.
    """

    name: str
    title: str
    change: ConsumerChange
    summary: ConsumerSummary | None
    rules: tuple[Rule, ...]
    warnings: tuple[Said[OffsetWarning], ...]
    unknown: tuple[str, ...]
    refused: str | None
    why_not: str
    settings: tuple[SettingChange, ...] = ()
    read_twice: int | None = None
    course: Course | None = None
    times: Times | None = None
    effort_counts: EffortCounts | None = None


@dataclass(frozen=True, slots=True)
class ConsumerPlan:
    """`plan_id` is a digest of everything else. `chosen` None: there is nothing to do, or no way can be predicted.

    `basis`: the group that it was made for, without what moves every second.
    """

    plan_id: str
    created_at: str
    expires_at: str
    created_from: CreatedFrom
    basis: ConsumerSnapshot
    policy: Policy
    change: ConsumerChange
    verdict: PlanVerdict
    headline: str
    wrong_if: str
    blocked_by: tuple[str, ...]
    chosen: str | None
    candidates: tuple[Considered, ...]
    steps: tuple[ConsumerStep, ...]
    preconditions: tuple[str, ...]
    requested_by: str | None = None
    """As in `streams.plan.plan.Plan`."""

    @property
    def chosen_way(self) -> Considered | None:
        return next((one for one in self.candidates if one.name == self.chosen), None)

    @property
    def plain_way(self) -> Considered | None:
        return next((one for one in self.candidates if one.name == PLAINLY), None)


def assemble(
    snapshot: ConsumerSnapshot,
    change: ConsumerChange,
    foreseen: Iterable[WayForecast],
    policy: Policy,
    now: datetime,
    fingerprints: CreatedFrom,
) -> ConsumerPlan:
    """The plan, without its ID, from the forecast of every way. Raise InvalidInput for a `now` without time zone, or other ways."""
    if now.tzinfo is None:
        raise InvalidInput("the time of a plan needs a time zone; give it in UTC")
    by_name = {one.name: one for one in foreseen}
    proposed = ways.propose(snapshot, change)
    if [way.name for way in proposed] != list(by_name):
        raise InvalidInput("the forecasts are not those of the options for this change; search again")
    plain = timeline.of_acts(by_name[PLAINLY].acts, policy)
    asked = sum(act.rebalances > 0 for act in by_name[PLAINLY].acts), timeline.own_seconds(plain)
    weighed = [_weigh(place, way, by_name[way.name], snapshot, policy, (now, *asked)) for place, way in enumerate(proposed)]
    nothing = not change.events
    chosen = None if nothing else min((one for one in weighed if one.possible), key=ranked, default=None)
    blocked_by = () if nothing else _blocked_by(weighed, chosen, policy)
    made = now.astimezone(UTC).replace(microsecond=0)
    return ConsumerPlan(
        plan_id="",
        created_at=_instant(made),
        expires_at=_instant(expires(() if chosen is None else (chosen.times,), policy, made, fingerprints.valid_from(made))),
        created_from=fingerprints,
        basis=basis_of(snapshot),
        policy=policy,
        change=change,
        verdict=_verdict(nothing, chosen, blocked_by, policy),
        headline=_headline(nothing, chosen, weighed, blocked_by),
        wrong_if="" if chosen is None else chosen.way.wrong_if,
        blocked_by=blocked_by,
        chosen=None if chosen is None else chosen.way.name,
        candidates=tuple(_considered(one, chosen) for one in weighed),
        steps=() if chosen is None or blocked_by else steps_of(chosen.way.change, chosen.summary, snapshot),
        preconditions=() if chosen is None else chosen.way.preconditions,
    )


def basis_of(snapshot: ConsumerSnapshot) -> ConsumerSnapshot:
    """What a plan remembers of the group: not offsets, and not what could not be read, of which the ways speak."""
    topics = tuple(
        replace(topic, partitions=tuple(ConsumedPartition(one.replica_racks) for one in topic.partitions))
        for topic in snapshot.topics
    )
    return replace(snapshot, topics=topics, unknown=(), assigned=None)


def _weigh(
    place: int, way: Way, foreseen: WayForecast, snapshot: ConsumerSnapshot, policy: Policy, asked: tuple[datetime, int, int]
) -> Weighed:
    """`asked`: when, the rebalances that the requested change causes by itself, and the seconds of its own steps."""
    excluded, counts = way.name in policy.exclude, _counts(way)
    if foreseen.summary is None:
        why = rules.rule("forecast", foreseen.refused or "", "can be predicted", Status.FAIL, policy)
        return Weighed(place, way, foreseen, (why,), excluded, Times(None, None), counts)
    times = Times(None, None) if foreseen.unsettled is not None else timeline.of_acts(foreseen.acts, policy)
    found = rules.judge(foreseen, foreseen.summary, way.change, snapshot, policy, rules.Needed(asked[0], times, *asked[1:]))
    return Weighed(place, way, foreseen, found, excluded, times, counts)


def _counts(way: Way) -> EffortCounts:
    """Everything is done by people. Settings for the time of the roll are a restart more, each way."""
    restarts = sum(
        len(item.member_ids) if isinstance(item, SetAssignors) else isinstance(item, RestartConsumer) for item in way.change.events
    )
    manual = sum(not isinstance(item, Then) for item in way.change.events)
    return EffortCounts(restarts, manual, 0)


def _blocked_by(weighed: list[Weighed], chosen: Weighed | None, policy: Policy) -> tuple[str, ...]:
    if chosen is None:
        reasons = dict.fromkeys(one.foreseen.refused for one in weighed if one.foreseen.refused is not None)
        return tuple(reasons) or ("Your policy excludes every option.",)
    over = tuple(f"{rule.name}: {rule.found}, limit {rule.limit}" for rule in chosen.failed if rule.blocking)
    if policy.review is not Review.NEVER:
        return over
    asking = (rule for rule in chosen.rules if rule.status is not Status.PASS and not (rule.blocking and rule in chosen.failed))
    return (*over, *(f"{rule.name}: {rule.found}. This needs review, and your policy never asks for one" for rule in asking))


def _verdict(nothing: bool, chosen: Weighed | None, blocked_by: tuple[str, ...], policy: Policy) -> PlanVerdict:
    if nothing:
        return PlanVerdict.NOTHING_TO_DO
    if chosen is None or blocked_by:
        return PlanVerdict.BLOCKED
    clean = all(rule.status is Status.PASS for rule in chosen.rules)
    return PlanVerdict.SAFE if clean and policy.review is not Review.ALWAYS else PlanVerdict.REVIEW


def _headline(nothing: bool, chosen: Weighed | None, weighed: list[Weighed], blocked_by: tuple[str, ...]) -> str:
    """What would skip data stands before everything else."""
    if nothing:
        return "Nothing to do: the change has no events."
    if chosen is None:
        return blocked_by[0] if any(one.foreseen.refused for one in weighed) else f"Blocked: {blocked_by[0]}"
    first = "".join(f"{warning} " for warning in map(warning_words.sentence, chosen.foreseen.warnings))
    effect = effect_words.effect(chosen.summary, chosen.times)
    if blocked_by:
        return f"{first}Blocked: even the best option, {option_name(chosen.way.name)}, exceeds a limit. {effect}"
    if chosen.way.name == PLAINLY:
        return f"{first}{chosen.way.title}: {effect}"
    plain = next((one for one in weighed if one.way.name == PLAINLY and one.foreseen.summary is not None), None)
    without = "" if plain is None else f" {BASELINE}: {effect_words.effect(plain.summary, plain.times)}"
    return f"{first}{chosen.way.title}: {effect}{without}"


def _considered(one: Weighed, chosen: Weighed | None) -> Considered:
    foreseen = one.foreseen
    return Considered(
        name=one.way.name,
        title=one.way.title,
        change=one.way.change,
        summary=foreseen.summary,
        rules=one.rules,
        warnings=told(foreseen.warnings, warning_words.sentence),
        unknown=foreseen.unknown,
        refused=foreseen.refused,
        why_not="" if one is chosen else _why_not(one, chosen),
        settings=one.way.settings,
        read_twice=foreseen.read_twice,
        course=foreseen.course if one is chosen or one.way.name == PLAINLY else None,
        times=one.times if one is chosen or one.way.name == PLAINLY else replace(one.times, phases=(), rebalances=()),
        effort_counts=one.effort_counts,
    )


def _why_not(loser: Weighed, chosen: Weighed | None) -> str:
    """The first thing by which it lost, in words."""
    if loser.excluded:
        return "Excluded by your policy."
    if loser.foreseen.refused is not None or chosen is None:
        return loser.foreseen.refused or "No option is recommended."
    if loser.way.drawback:
        return loser.way.drawback
    lost = first_lost(CRITERIA, loser, chosen)
    return "Equal to the recommended option, which comes first in the list." if lost is None else lost.explain(loser, chosen)


def _instant(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
