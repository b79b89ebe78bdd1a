"""One recorded rebalance decided again, and one sequence of rebalances forecast again: the result, with its reasons as values."""

from enum import StrEnum

from holdfast.kafka import java
from holdfast.rollout.json.codec import BOOLEAN, INSTANT, NAME, TEXT, TEXTS, choice, integer, items, nullable, number
from holdfast.rollout.json.record import codec_of, member, record

_COUNT = integer(0, java.INT_MAX)
_SECONDS = number("a number of seconds", -1e12, 1e12)


class Judged(StrEnum):
    """How Holdfast's decision compares with the recorded one.

    `EQUAL`: every value of what is unknown gives the recorded decision. `INFERRED`: some values do, so that the decision itself
    shows them. `DIFFERENT`: none does. `NOT_JUDGED`: the records do not have what decides.
    """

    EQUAL = "equal"
    INFERRED = "inferred"
    DIFFERENT = "different"
    NOT_JUDGED = "not judged"


class Because(StrEnum):
    """Why a rebalance is inferred or not judged: what the records do not show."""

    END_OFFSETS = "end offsets"
    """The end offsets of that moment decide, and are gone."""
    RELEASE = "release"
    """The release of the leader (or of the coordinator) is unknown, and releases differ."""
    LEADER = "leader"
    """Which member led is unknown, or it is not among the members."""
    SETTINGS = "settings"
    """Settings that were not given decide."""
    STATE = "state of subtopologies"
    """Whether a subtopology keeps state is unknown."""
    JAVA = "order in the JVM"
    """The leader's JVM decides by what it generates anew at each start."""
    NEWER_MEMBERS = "members newer than the leader"
    ASSIGNOR = "assignor"
    """An assignor that is not covered, such as one of the application's own."""
    METADATA_VERSION = "metadata version"
    """A member's user data is of a version that is unknown."""
    MALFORMED = "malformed record"
    LEADER_ERROR = "error of the leader"
    """The leader sent an error to all members, for reasons that the records do not show."""
    RACKS = "racks"
    """The racks of that moment's replicas decide, and are gone."""
    TOPICS = "topics"
    """The partitions of that moment's topics are unknown."""
    PREVIOUS_TARGET = "previous target"
    """The target before it is not recorded whole: compaction removed a part."""
    MEMBER_ORDER = "order of members"
    """The order in which the coordinator read its members decides."""
    BROKER_JAVA = "Java of the broker"
    """The broker's Java is unknown, and the orders of sets in Java 18 and in Java 19 decide differently."""
    DISKS = "offsets on disks"
    """What members reported of their disks decides (brokers from 4.4 on), and is not recorded."""
    WORK = "work limit"
    """It would take more work than is allowed."""


class Role(StrEnum):
    """In what a task (or a partition) differs."""

    ACTIVE = "active"
    STANDBY = "standby"
    NEXT_REBALANCE = "next rebalance"
    ERROR = "error code"


@record
class TaskDifference:
    """`what`: the task or partition (empty: all). `holdfast`, `recorded`: the members that have it in this role, sorted."""

    what: str = member(TEXT)
    role: Role = member(choice(Role))
    holdfast: tuple[str, ...] = member(TEXTS)
    recorded: tuple[str, ...] = member(TEXTS)


@record
class RebalanceResult:
    """One completed rebalance. `number`: its generation, or the assignment epoch. `releases`: those tried that give the recorded
    decision, one of each line that behaves alike; `tried`: all that were."""

    number: int = member(_COUNT)
    completed_at: str = member(INSTANT)
    judged: Judged = member(choice(Judged))
    because: tuple[Because, ...] = member(items(choice(Because)), default=())
    detail: str = member(TEXT, "The reason in words, where there is more to say.", default="", omit=True)
    releases: tuple[str, ...] = member(TEXTS, default=(), omit=True)
    tried: tuple[str, ...] = member(TEXTS, default=(), omit=True)
    differences: tuple[TaskDifference, ...] = member(items(codec_of(TaskDifference)), default=(), omit=True)
    mismatch: str | None = member(nullable(TEXT), "The file that it was written to.", default=None, omit=True)


class NotForecast(StrEnum):
    """Why a sequence is not compared."""

    INTERRUPTED = "members changed before it was stable"
    NOT_JUDGED = "a rebalance of it is not judged"
    UNFINISHED = "it has no stable end yet"
    NOT_PREDICTED = "it cannot be predicted"


@record
class SequenceResult:
    """The rebalances from a change of the group to the next stable state. `rounds`, `seconds`: recorded. `…_at_least`, `…_at_most`:
    forecast from what the members reported in the first of them; None: nothing was forecast. `learnt_from`: how many
    earlier courses of this group the seconds are learnt from; None: they follow from what Holdfast assumes. `not_compared`: why.

    Of a group whose broker assigns: its targets, forecast from when members joined and left; `seconds` from the last of that until
    every member had what the last target gave it."""

    first: int = member(_COUNT)
    last: int = member(_COUNT)
    rounds: int = member(_COUNT)
    seconds: float = member(_SECONDS)
    rounds_at_least: int | None = member(nullable(_COUNT), default=None)
    rounds_at_most: int | None = member(nullable(_COUNT), default=None)
    seconds_at_least: float | None = member(nullable(_SECONDS), default=None)
    seconds_at_most: float | None = member(nullable(_SECONDS), default=None)
    end_differences: tuple[TaskDifference, ...] = member(items(codec_of(TaskDifference)), default=(), omit=True)
    not_compared: NotForecast | None = member(nullable(choice(NotForecast)), default=None, omit=True)
    detail: str = member(TEXT, default="", omit=True)
    learnt_from: int | None = member(nullable(_COUNT), default=None, omit=True)
    inferred: bool = member(BOOLEAN, "A decision of it is inferred: its stable end is counted apart.", default=False, omit=True)

    @property
    def compared(self) -> bool:
        return self.not_compared is None

    @property
    def end_equal(self) -> bool:
        return self.compared and not self.end_differences

    @property
    def rounds_within(self) -> bool:
        low, high = self.rounds_at_least, self.rounds_at_most
        return self.compared and low is not None and high is not None and low <= self.rounds <= high

    @property
    def seconds_within(self) -> bool:
        low, high = self.seconds_at_least, self.seconds_at_most
        return self.compared and low is not None and high is not None and low <= self.seconds <= high

    @property
    def end_inferred(self) -> bool:
        """As forecast, where the records themselves show what was decided."""
        return self.inferred and self.end_equal

    @property
    def course(self) -> bool:
        """Compared, and more than one rebalance, as recorded or as forecast, or one that takes time: its number and its duration
        could be wrong."""
        return self.compared and (max(self.rounds, self.rounds_at_most or 0) > 1 or bool(self.seconds_at_most))


@record
class Setting:
    """A setting that the decisions depend on, and where its value is from."""

    name: str = member(NAME)
    value: str = member(TEXT)
    source: str = member(TEXT, "`given`, `default`, or `records`: found in the group's own rebalances.")
