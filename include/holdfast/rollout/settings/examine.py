"""Every rule against one group: what it finds, what that costs, and what the policy silences."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from holdfast import secrecy
from holdfast.errors import HoldfastError
from holdfast.kafka.streams import config_check
from holdfast.rollout.settings.case import Case, Figures
from holdfast.rollout.settings.findings import Basis, Finding, Price, Report, Silenced
from holdfast.rollout.settings.rule import Fix, Hit, Question, Rule, Scenario, World
from holdfast.rollout.settings.subject import Subject
from holdfast.rollout.settings.table import RULES
from holdfast.rollout.settings.vocabulary import Shown

_SHOWN_KEYS = 100
_MOST_HITS = 100
"""Of one rule: a file may have a thousand wrong keys."""


def examine(case: Case) -> Report:
    """All findings, in the order of the rules."""
    subject, prices = case.subject, case.prices
    known: dict[tuple[Scenario, World], Figures | HoldfastError] = {}

    def figures(scenario: Scenario, world: World) -> Figures | HoldfastError:
        if (scenario, world) not in known:
            try:
                known[scenario, world] = prices(scenario, world)
            except HoldfastError as refusal:
                known[scenario, world] = refusal
        return known[scenario, world]

    judged = [rule for rule in RULES if applies(rule, subject)]
    found: list[Finding] = []
    refused: list[tuple[Rule, str]] = []
    for rule in judged:
        for hit in hits_of(rule, subject):
            price, reason = priced(hit, figures)
            if price is not None or rule.cited:
                found.append(Finding(rule, hit, price, reason if price is None else None))
            elif reason is not None:
                refused.append((rule, reason))
    filled_in = _names(subject.settings.filled_in)
    basis = Basis(subject.settings.release, subject.settings.complete, _names(case.differs), filled_in)
    kept, silenced = _silenced(found, subject)
    unknown = _names(_unknown(subject.settings.properties))
    return Report(case.group_id, kept, silenced, len(judged), tuple(refused), unknown, basis)


def hits_of(rule: Rule, subject: Subject) -> tuple[Hit, ...]:
    """What a rule finds, before any forecast."""
    found = rule.look(subject)
    hits = () if found is None else (found,) if isinstance(found, Hit) else found[:_MOST_HITS]
    return tuple(map(_without_secrets, hits))


def _without_secrets(hit: Hit) -> Hit:
    """What a rule made of keys and values of a file: nothing of a secret leaves here, whatever the rule."""
    return replace(
        hit,
        settings=tuple(Shown(_blotted(one.key), None if one.value is None else _blotted(one.value)) for one in hit.settings),
        fixes=_blotted_fixes(hit.fixes),
        instead=_blotted_fixes(hit.instead),
        figures=tuple(replace(one, value=_blotted(one.value)) if isinstance(one.value, str) else one for one in hit.figures),
    )


def _blotted_fixes(fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    return tuple(replace(one, key=_blotted(one.key), value=one.value and _blotted(one.value)) for one in fixes)


def _blotted(text: str) -> str:
    return secrecy.BLOT if secrecy.holds_secret(text) else text


def applies(rule: Rule, subject: Subject) -> bool:
    """A rule about some releases is not judged where the release is unknown."""
    release = subject.settings.release
    if subject.kind not in rule.kinds:
        return False
    return not rule.releases.bounded or (release is not None and rule.releases.has(release))


def priced(hit: Hit, figures: Callable[[Scenario, World], Figures | HoldfastError]) -> tuple[Price | None, str | None]:
    """The first question with a difference that is worth a finding; and why a forecast was refused, where one was."""
    reason: str | None = None
    for question in hit.questions:
        as_is, fixed = figures(question.scenario, question.as_is), figures(question.scenario, question.fixed)
        if isinstance(as_is, HoldfastError) or isinstance(fixed, HoldfastError):
            reason = secrecy.redact(str(as_is if isinstance(as_is, HoldfastError) else fixed))
            continue
        price = _difference(question, as_is, fixed)
        if price is not None:
            return price, None
    return None, reason


def _difference(question: Question, as_is: Figures, fixed: Figures) -> Price | None:
    before, after = as_is.get(question.measure), fixed.get(question.measure)
    if before is None or after is None or not question.worth.met(before, after):
        return None
    return Price(question.scenario, question.measure, before, after)


def _silenced(found: Iterable[Finding], subject: Subject) -> tuple[tuple[Finding, ...], tuple[Silenced, ...]]:
    reasons = {one.rule: one.reason for one in subject.policy.silenced}
    kept = tuple(one for one in found if one.rule.name not in reasons)
    return kept, tuple(Silenced(one, reasons[one.rule.name]) for one in found if one.rule.name in reasons)


def _names(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(secrecy.redact, sorted(keys)[:_SHOWN_KEYS]))


def _unknown(properties: Iterable[str]) -> Iterable[str]:
    return (key for key in properties if not config_check.is_known(key) and config_check.home_of(key) is None)
