"""From the costs of the options for a consumer group to one Plan, with its ID. No clock: `now` is an argument."""

from dataclasses import replace
from datetime import datetime

from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.change.json import consumer_change_to_json
from holdfast.rollout.consumer.limits.rules import judge
from holdfast.rollout.consumer.options.evaluation import EvaluatedConsumerOption
from holdfast.rollout.consumer.options.impact import COUNTED, impact_of
from holdfast.rollout.consumer.plan import effect_words
from holdfast.rollout.consumer.plan.json import relied_on, with_id
from holdfast.rollout.consumer.plan.plan import Considered, ConsumerPlan
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import ConsumerStep, steps_of
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.times import Times
from holdfast.rollout.facts import refusals
from holdfast.rollout.facts.missing_inputs import not_known
from holdfast.rollout.facts.sourced_text import Said, told
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.offsets import warning_words
from holdfast.rollout.options import conclusion, selection
from holdfast.rollout.options.option import RankedOption
from holdfast.rollout.policy.json import policy_to_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.timing import timeline

Ranked = RankedOption[EvaluatedConsumerOption]


def assemble(
    snapshot: ConsumerSnapshot,
    change: ConsumerChange,
    evaluated: tuple[EvaluatedConsumerOption, ...],
    policy: Policy,
    now: datetime,
    requested_by: str | None = None,
) -> ConsumerPlan:
    """The plan. `evaluated`: those of `proposals.propose`, in its order. Raise InvalidInput for a `now` without time zone."""
    made = conclusion.in_utc(now)
    found = conclusion.concluded(ranked(snapshot, evaluated, policy, made), policy, made, nothing=not change.events)
    chosen = found.chosen
    created_from = CreatedFrom(
        snapshot=fingerprint(relied_on(snapshot)),
        change=fingerprint(consumer_change_to_json(change)),
        policy=fingerprint(policy_to_json(policy)),
        captured_at=snapshot.captured_at,
    )
    plan = ConsumerPlan(
        plan_id="",
        basis=basis_of(snapshot),
        change=change,
        candidates=tuple(_considered(one, chosen) for one in found.options),
        steps=() if chosen is None or found.blocked else _steps(chosen, snapshot),
        unknown=() if chosen is None else not_known(chosen.evaluated.unknown),
        requested_by=requested_by,
        **found.fields(created_from, _effect, () if chosen is None else chosen.known.times, _warnings(chosen)),
    )
    return with_id(plan)


def ranked(
    snapshot: ConsumerSnapshot, evaluated: tuple[EvaluatedConsumerOption, ...], policy: Policy, made: datetime
) -> tuple[Ranked, ...]:
    """Every option with what the policy says about it."""
    baseline = next((one for one in evaluated if one.option.name == BASELINE_NAME), None)
    acts = () if baseline is None else baseline.acts
    requested = sum(act.of_the_change for act in acts)
    unstated = conclusion.unstated(made, timeline.of_acts(acts, policy))
    return conclusion.ranked(
        evaluated,
        policy,
        lambda one: judge(one, snapshot, policy, requested, unstated),
        lambda one: impact_of(one, policy),
    )


def _warnings(chosen: Ranked | None) -> str:
    """Skipped data ranks before everything else."""
    return "" if chosen is None else "".join(f"{one} " for one in map(warning_words.sentence, chosen.evaluated.warnings))


def _effect(one: Ranked) -> str:
    assert one.evaluated.summary is not None, "only what was forecast has an effect"
    return effect_words.effect(one.evaluated.summary, one.evaluated.rebalances, *one.known.times)


def _steps(chosen: Ranked, snapshot: ConsumerSnapshot) -> tuple[ConsumerStep, ...]:
    (times,) = chosen.known.times
    return steps_of(chosen.evaluated.option.change, chosen.evaluated.rebalances, times.rebalancing_ends, snapshot)


def basis_of(snapshot: ConsumerSnapshot) -> ConsumerSnapshot:
    """What a plan remembers of the group: not offsets, and not what could not be read, which the options name."""
    topics = tuple(
        replace(topic, partitions=tuple(ConsumedPartition(one.replica_racks) for one in topic.partitions))
        for topic in snapshot.topics
    )
    return replace(snapshot, topics=topics, unknown=(), assigned=None)


def _considered(one: Ranked, chosen: Ranked | None) -> Considered:
    evaluated, option = one.evaluated, one.evaluated.option
    whole = one is chosen or one.name == BASELINE_NAME
    lost = Said("") if one is chosen else selection.why_not(one, chosen, COUNTED)
    times = Times(None, None) if one.impact is None else one.impact.times[0]
    return Considered(
        name=option.name,
        title=option.title,
        change=option.change,
        summary=evaluated.summary,
        rules=one.rules,
        warnings=told(evaluated.warnings, warning_words.sentence),
        unknown=not_known(evaluated.unknown),
        refused=None if evaluated.refused is None else refusals.sentence(evaluated.refused),
        refusal=evaluated.refused,
        why_not=lost.text,
        reason=lost.fact,
        settings=option.settings,
        read_twice=evaluated.read_twice,
        course=evaluated.course if whole else None,
        rebalances_most=evaluated.rebalances_most,
        times=times if whole else replace(times, phases=(), rebalances=()),
        effort_counts=option.effort,
    )
