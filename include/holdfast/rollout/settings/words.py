"""Findings of the doctor of settings in words, for every medium: text, Markdown and the page of the fleet."""

from collections.abc import Iterator

from holdfast.rollout.settings.findings import Finding, Price, Report
from holdfast.rollout.settings.rule import (
    IN_SECONDS,
    Figure,
    Fix,
    Measure,
    Releases,
    Rule,
    Scenario,
    Source,
    SourceKind,
    Unit,
    Where,
)
from holdfast.rollout.settings.vocabulary import Shown
from holdfast.rollout.text.document_blocks import Block, Heading, Lines, Paragraph, Table
from holdfast.rollout.text.format import amount_of_bytes, duration, many, printable

LONGEST = 400
_WHERE = {
    Where.APPLICATION: "in the application's properties",
    Where.GROUP: "in the group's configs (kafka-configs.sh --entity-type groups)",
    Where.TOPIC: "for the topics (kafka-reassign-partitions.sh)",
    Where.BROKER: "in the brokers' properties",
    Where.DEPLOYMENT: "in the deployment",
    Where.RELEASE: "as the release of the application",
}
_SCENARIOS = {
    Scenario.SCALE_OUT: "When a client joins",
    Scenario.LOSS: "When the busiest client is lost and not replaced",
    Scenario.RESTART: "When the busiest client restarts",
}
_MEASURES = {
    Measure.PROBING: "probing rebalances",
    Measure.REBALANCES: "rebalances",
    Measure.STABLE_S: "time until the group is stable",
    Measure.RESTORING_S: "longest restore of an unavailable task",
    Measure.STOPPED_S: "time without an owner",
    Measure.AT_ONCE: "records restored at the same time",
    Measure.RESTORED: "records restored",
    Measure.MOVED: "stateful tasks moved",
}


def blocks(report: Report) -> Iterator[Block]:
    """The report as a person reads it, its result as the title."""
    yield Heading(1, title(report))
    yield Paragraph(_basis(report))
    for finding in report.findings:
        yield Heading(2, finding.rule.name)
        yield Paragraph(says(finding.rule, finding.hit.figures))
        yield Lines(tuple(lines(finding)))
    if report.silenced:
        yield Heading(2, "Silenced by the policy")
        rows = tuple(
            (one.finding.rule.name, _settings(one.finding.hit.settings), printable(one.reason, LONGEST)) for one in report.silenced
        )
        yield Table(("rule", "setting", "reason"), rows)
    if report.not_judged:
        yield Heading(2, "No forecast")
        yield Table(("rule", "reason"), tuple((rule.name, printable(reason, LONGEST)) for rule, reason in report.not_judged))
    if report.basis is not None and report.basis.filled_in:
        yield Paragraph(f"Not judged, because something else fills them in: {', '.join(map(printable, report.basis.filled_in))}.")
    if report.unknown_keys:
        yield Paragraph(f"Not judged, because no release of Kafka has them: {', '.join(map(printable, report.unknown_keys))}.")


def title(report: Report) -> str:
    found = many(len(report.findings), "finding")
    silenced = f", {len(report.silenced)} silenced" if report.silenced else ""
    return f"Settings of {printable(report.group_id)}: {found if report.findings else 'no finding'}{silenced}"


def _basis(report: Report) -> str:
    basis = report.basis
    assert basis is not None, "a report has its basis"
    release = f"release {basis.release}" if basis.release else "release unknown, so that rules about a release are left out"
    given = (
        "with the application's properties, what they do not set being Kafka's default"
        if basis.complete
        else "without the application's properties (--app-config): only settings in the snapshot are known"
    )
    differs = (
        f" The properties count where the snapshot differs: {', '.join(map(printable, basis.differs))}." if basis.differs else ""
    )
    return f"{many(report.judged, 'rule')} judged; {release}; {given}.{differs}"


def lines(finding: Finding) -> Iterator[tuple[str, str]]:
    """Labelled: the settings, the cost, the fix, where it is met, the sources."""
    if finding.hit.settings:
        yield "setting", _settings(finding.hit.settings)
    if finding.price is not None:
        yield "costs", cost(finding.price)
    elif finding.not_priced is not None:
        yield "costs", f"no forecast: {printable(finding.not_priced, LONGEST)}"
    for one in finding.hit.fixes:
        yield "fix", fix(one)
    for one in finding.hit.instead:
        yield "or instead", fix(one)
    yield "releases", releases(finding.rule.releases)
    yield "source", sources(finding.rule)


def says(rule: Rule, figures: tuple[Figure, ...]) -> str:
    """A rule's text with the figures of a hit in it."""
    return rule.says.format(**{one.name: figure(one) for one in figures})


def figure(one: Figure) -> str:
    match one.unit:
        case Unit.MS:
            return milliseconds(int(one.value))
        case Unit.SECONDS:
            return _seconds(float(one.value))
        case Unit.BYTES:
            return amount_of_bytes(int(one.value))
        case Unit.COUNT:
            return f"{one.value:,}"
        case _:
            return printable(str(one.value), LONGEST)


def milliseconds(value: int) -> str:
    """`500 ms`, `45 s`, `10 min`."""
    return f"{value:,} ms" if value % 1000 else duration(value // 1000)


def cost(price: Price) -> str:
    """Both figures, in a sentence."""
    before, after = (_measured(price.measure, value) for value in (price.as_is, price.fixed))
    return f"{_SCENARIOS[price.scenario]}: {_MEASURES[price.measure]} {before}; once fixed: {after} (forecasts of this group)"


def _measured(measure: Measure, value: float) -> str:
    if measure in IN_SECONDS:
        return _seconds(value)
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _seconds(value: float) -> str:
    return duration(round(value)) if value >= 1 or value == 0 else f"{value:.1f} s"


def fix(one: Fix) -> str:
    key = printable(one.key)
    if one.where is Where.RELEASE:
        return f"upgrade {key} to {printable(one.value or '')}"
    what = f"remove {key}" if one.value is None else f"{key} = {printable(one.value, LONGEST)}"
    return f"{what}, {_WHERE[one.where]}"


def releases(which: Releases) -> str:
    if which.only:
        return ", ".join(which.only)
    if not which.bounded:
        return "all"
    since = f"from {which.first} on" if which.first else ""
    until = f"before {which.fixed_in}" if which.fixed_in else ""
    return ", ".join(one for one in (since, until) if one)


def sources(rule: Rule, *, short: bool = False) -> str:
    """`short`: pages of Kafka's documentation by their names alone."""
    return "; ".join(source(one, short=short) for one in rule.sources)


def source(one: Source, *, short: bool = False) -> str:
    match one.kind:
        case SourceKind.PAGE:
            return one.name if short or one.name.startswith(_ELSEWHERE) else f"Kafka documentation, {one.name}"
        case SourceKind.CLASS:
            return f"class {one.name}"
        case _:
            return one.name


_ELSEWHERE = "Kubernetes"


def _settings(settings: tuple[Shown, ...]) -> str:
    return "; ".join(setting(one) for one in settings)


def setting(one: Shown) -> str:
    return f"{printable(one.key)} = {printable(one.value, LONGEST)}" if one.value is not None else f"{printable(one.key)} (not set)"
