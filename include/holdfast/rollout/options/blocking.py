"""What a plan says of itself, and why it must not be applied. Once, for every kind of group."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from holdfast.rollout.contract.assessment import BASELINE_NAME, Assessment, Rule, RuleStatus
from holdfast.rollout.contract.plan_words import BASELINE
from holdfast.rollout.facts.reasons import Block, Blocked
from holdfast.rollout.facts.refusals import applies, sentence
from holdfast.rollout.facts.sourced_text import Said
from holdfast.rollout.options.option import EvaluatedOption, Option, RankedOption
from holdfast.rollout.options.selection import Ranked, baseline_of
from holdfast.rollout.policy.policy import Policy, Review
from holdfast.rollout.policy.rules import CONVERGES

E = TypeVar("E", bound=EvaluatedOption[Option])


def blocked_by(options: Sequence[Ranked], chosen: Ranked | None, policy: Policy) -> tuple[Said[Blocked], ...]:
    """Why the plan must not be applied; none: it may be."""
    if chosen is None:
        refused = dict.fromkeys(
            one.evaluated.refused for one in options if one.evaluated.refused is not None and applies(one.evaluated.refused)
        )
        excluded = Said("Your policy excludes every option.", Blocked(Block.ALL_EXCLUDED))
        return tuple(Said(sentence(one), Blocked(Block.NOT_PREDICTED)) for one in refused) or (excluded,)
    over = tuple(_over(rule, chosen) for rule in chosen.failed if rule.blocking)
    if policy.review is not Review.NEVER:
        return over
    asking = (rule for rule in not_passed(chosen.rules) if not (rule.blocking and rule.status is RuleStatus.FAIL))
    return (*over, *map(_without_review, asking))


def _without_review(rule: Rule) -> Said[Blocked]:
    text = f"{rule.name}: {rule.found}. This needs review, and your policy never asks for one"
    return Said(text, Blocked(Block.NO_REVIEW, rule.name))


def not_passed(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.status is not RuleStatus.PASS)


def _over(rule: Rule, chosen: Ranked) -> Said[Blocked]:
    """Why this rule stops the plan: the real cause, where there is one behind it."""
    why = chosen.known.unsettled
    if rule.name == CONVERGES and why is not None:
        return Said(f"the group does not become stable. {why}", Blocked(Block.UNSETTLED, rule.name))
    return Said(f"{rule.name}: {rule.found}, limit {rule.limit}", Blocked(Block.LIMIT, rule.name))


def assessment(*, nothing: bool, chosen: Ranked | None, blocked: Sequence[Said[Blocked]], policy: Policy) -> Assessment:
    """`nothing`: there is nothing to do."""
    if nothing:
        return Assessment.NOTHING_TO_DO
    if chosen is None or blocked:
        return Assessment.BLOCKED
    clean = not not_passed(chosen.rules)
    return Assessment.SAFE if clean and policy.review is not Review.ALWAYS else Assessment.REVIEW


def headline(
    options: Sequence[RankedOption[E]],
    chosen: RankedOption[E] | None,
    blocked: Sequence[Said[Blocked]],
    effect: Callable[[RankedOption[E]], str],
    *,
    nothing: bool,
) -> str:
    """The plan in a line. `effect`: what an option does, in figures."""
    if nothing:
        return "Nothing to do: the group is already in the requested state."
    if chosen is None:
        first = blocked[0]
        return first.text if _is(first, Block.NOT_PREDICTED) else f"Blocked: {first.text}"
    if blocked and chosen.known.unsettled is not None:
        return f"Blocked: {blocked[0].text}"
    does = effect(chosen)
    if blocked:
        return f"Blocked: even the best option, {chosen.name}, exceeds a limit. {does}"
    sentence = f"{chosen.evaluated.option.title}: {does}"
    baseline = None if chosen.name == BASELINE_NAME else baseline_of(options)
    return sentence if baseline is None else f"{sentence} {BASELINE}: {effect(baseline)}"


def _is(sentence: Said[Blocked], kind: Block) -> bool:
    return sentence.fact is not None and sentence.fact.kind is kind
