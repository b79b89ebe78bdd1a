"""What the doctor of settings found, as values: findings with their price, what a policy silences, and what could not be judged."""

from dataclasses import dataclass

from holdfast.rollout.settings.rule import Hit, Measure, Rule, Scenario


@dataclass(frozen=True, slots=True)
class Price:
    """Both figures are of forecasts of this group: with the present setting, and with the fixed one."""

    scenario: Scenario
    measure: Measure
    as_is: float
    fixed: float


@dataclass(frozen=True, slots=True)
class Finding:
    """`price` None: the source alone makes it a finding. `not_priced`: why no forecast was possible, where one was tried."""

    rule: Rule
    hit: Hit
    price: Price | None = None
    not_priced: str | None = None


@dataclass(frozen=True, slots=True)
class Silenced:
    """A finding that the policy silences, with the policy's reason."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """`judged`: how many rules were looked at. `not_judged`: those whose forecast was refused, and why. `unknown_keys`: keys
    of the application that no release of Kafka has: they are its own, and are not judged."""

    group_id: str
    findings: tuple[Finding, ...]
    silenced: tuple[Silenced, ...] = ()
    judged: int = 0
    not_judged: tuple[tuple[Rule, str], ...] = ()
    unknown_keys: tuple[str, ...] = ()
    basis: "Basis | None" = None


@dataclass(frozen=True, slots=True)
class Basis:
    """What the judgement was based on. `complete`: the application's properties were given. `release` None: unknown, so that rules
    about a release were left out. `differs`: settings of which the snapshot and the properties say different things. `filled_in`:
    keys whose values something else fills in, which are not judged."""

    release: str | None
    complete: bool
    differs: tuple[str, ...] = ()
    filled_in: tuple[str, ...] = ()
