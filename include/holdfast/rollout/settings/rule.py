"""What a rule of the doctor of settings is: what it looks at, for whom, by which source, how it is fixed, how it is priced.

A rule is a value of the tables in `rules/`. Its `look` is a pure function of the `Subject`; it returns facts, and `words` makes
sentences of them with the rule's own text.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.rollout.settings.subject import Subject
from holdfast.rollout.settings.vocabulary import Kind, Shown


class SourceKind(StrEnum):
    KIP = "KIP"
    ISSUE = "issue"
    PAGE = "documentation"
    CLASS = "class"


@dataclass(frozen=True, slots=True)
class Source:
    """`name`: KIP-441, KAFKA-10716, a page of Kafka's documentation with its entry, a class of the published jars."""

    kind: SourceKind
    name: str


def kip(number: int) -> Source:
    return Source(SourceKind.KIP, f"KIP-{number}")


def issue(number: int) -> Source:
    return Source(SourceKind.ISSUE, f"KAFKA-{number}")


def page(name: str) -> Source:
    return Source(SourceKind.PAGE, name)


def java(name: str) -> Source:
    return Source(SourceKind.CLASS, name)


@dataclass(frozen=True, slots=True)
class Releases:
    """From `first` on, before `fixed_in`; None: no bound. `only`: these, and no other."""

    first: str | None = None
    fixed_in: str | None = None
    only: tuple[str, ...] = ()

    @property
    def bounded(self) -> bool:
        return bool(self.only or self.first or self.fixed_in)

    def has(self, release: str) -> bool:
        if self.only:
            return release in self.only
        number = _number(release)
        if not number:
            return False
        return (self.first is None or number >= _number(self.first)) and (self.fixed_in is None or number < _number(self.fixed_in))


ALL = Releases()


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".") if part.isdecimal())


class Where(StrEnum):
    """Where a fix is made."""

    APPLICATION = "application"
    GROUP = "group"
    TOPIC = "topic"
    BROKER = "broker"
    DEPLOYMENT = "deployment"
    RELEASE = "release"


@dataclass(frozen=True, slots=True)
class Fix:
    """`value` None: the key is removed. `where` RELEASE: the value is the first release without the problem."""

    key: str
    value: str | None
    where: Where = Where.APPLICATION


class Unit(StrEnum):
    COUNT = "count"
    MS = "ms"
    SECONDS = "seconds"
    BYTES = "bytes"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure, or a name, that the rule's text has a place for."""

    name: str
    value: int | float | str
    unit: Unit = Unit.COUNT


def ms(name: str, value: int) -> Figure:
    return Figure(name, value, Unit.MS)


def seconds(name: str, value: float) -> Figure:
    return Figure(name, value, Unit.SECONDS)


def octets(name: str, value: int) -> Figure:
    return Figure(name, value, Unit.BYTES)


def text(name: str, value: str) -> Figure:
    return Figure(name, value, Unit.TEXT)


class Scenario(StrEnum):
    """What is forecast to price a setting."""

    SCALE_OUT = "a client joins"
    LOSS = "a client is lost and not replaced"
    RESTART = "a client restarts"


class Measure(StrEnum):
    """What of the forecast is compared. Seconds of restoring are records at the policy's restore speed."""

    PROBING = "probing rebalances"
    REBALANCES = "rebalances"
    STABLE_S = "seconds until the group is stable"
    RESTORING_S = "seconds until the last task runs that restores first"
    STOPPED_S = "seconds without an owner"
    AT_ONCE = "records restored at the same time"
    RESTORED = "records restored"
    MOVED = "stateful tasks that move to another client"


IN_SECONDS = (Measure.STABLE_S, Measure.RESTORING_S, Measure.STOPPED_S)


@dataclass(frozen=True, slots=True)
class World:
    """How a group is in one of the two forecasts: `settings` are put over those that it has.

    `loses_state`, `new_id`: a client that restarts has an empty disk, a new process ID. `in_session`: it is back before its session
    times out. `away`: the group rebalances without it first. `forgets`: a copy that is not run is deleted. `by_rate`: copies catch
    up at the policy's restore speed, and not by the next probing rebalance. `on_disk`: all stores are on disk, wherever they are.
    """

    settings: tuple[tuple[str, ConfigValue], ...] = ()
    loses_state: bool = False
    new_id: bool = False
    in_session: bool = False
    away: bool = False
    forgets: bool = False
    by_rate: bool = False
    on_disk: bool = False


AS_IS = World()


@dataclass(frozen=True, slots=True)
class Worth:
    """When a difference is a finding: the present group has `at_least` so much, and `times` what it has once the setting is"
    " fixed."""

    at_least: float
    times: float = 2.0

    def met(self, as_is: float, fixed: float) -> bool:
        return as_is >= self.at_least and as_is >= self.times * fixed and as_is > fixed


@dataclass(frozen=True, slots=True)
class Question:
    """How the cost is forecast: this group with the present setting, and with the fixed one."""

    scenario: Scenario
    measure: Measure
    worth: Worth
    fixed: World
    as_is: World = AS_IS


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule found. `fixes`: all of them end it; `instead`: so do these alone, where the others are not what is wanted. The
    first of the `questions` whose forecasts differ is its price."""

    settings: tuple[Shown, ...]
    fixes: tuple[Fix, ...]
    figures: tuple[Figure, ...] = ()
    questions: tuple[Question, ...] = ()
    instead: tuple[Fix, ...] = ()


Look = Callable[[Subject], Hit | tuple[Hit, ...] | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """`says`: what the setting does, with places for the figures of a hit. `keys`: the settings that it looks at.

    `cited`: the source alone makes it a finding, and a forecast only adds its price. Otherwise it is none without a difference.
    """

    name: str
    says: str
    keys: tuple[str, ...]
    sources: tuple[Source, ...]
    look: Look
    kinds: tuple[Kind, ...] = (Kind.CLASSIC,)
    releases: Releases = ALL
    cited: bool = True
