"""What every event of a Change answers for itself. An event is one module of this folder and one line of `table`.

Code that works with any event never looks which one it has: it asks one of the questions below. An answer that most events share is
given here, so a module says what is special about its event, and nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Self

from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.streams.events.parts import fields
from holdfast.rollout.streams.events.parts.fields import Settings
from holdfast.rollout.streams.events.parts.new_client import NewClient
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot.named_clients import Known
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.drafts import Draft
from holdfast.rollout.streams.steps.identity import Identity

Name = Callable[[ProcessId], str]
"""What a client is called in words."""


@dataclass(frozen=True, slots=True)
class Before:
    """The scene before events that take effect together, and the process IDs that clients leave in them: others may take those."""

    scene: Scene
    left: set[ProcessId]


@dataclass(frozen=True, slots=True)
class StepContext:
    """What steps are written for: `config`, the group's settings by then; `identity`, how clients get their process IDs."""

    snapshot: Snapshot
    config: Mapping[str, ConfigValue]
    identity: Identity


class About(Enum):
    """Of whom an event speaks. `ONE_CLIENT` has `process_id`, or a name in `client`; `CLIENTS` has `process_ids`, or `clients`."""

    NO_CLIENT = 0
    ONE_CLIENT = 1
    CLIENTS = 2


class Statement(ABC):
    """What may be in the list of a Change, markers aside: an event, or a shorthand for several (`rolling_restart`)."""

    __slots__ = ()

    # Its JSON: `{VERB: …}`.

    VERB: ClassVar[str]
    ABOUT: ClassVar[About] = About.NO_CLIENT
    """Whom it names, by process ID or otherwise."""

    @classmethod
    def codec(cls) -> Codec[Self]:
        """The JSON shape of what is behind the verb: of the fields of a record, unless the event says otherwise."""
        own: Codec[Self] = codec_of(cls)
        match cls.ABOUT:
            case About.ONE_CLIENT:
                return fields.named(own)
            case About.CLIENTS:
                return fields.all_named(own)
            case About.NO_CLIENT:
                return own

    @classmethod
    def known_after(cls, content: Mapping[str, object], present: list[Known]) -> list[Known]:  # noqa: ARG003 - for those who need it
        """The clients that can be named once this has happened, from JSON that has not been checked yet."""
        return present

    def threads_made(self) -> int:
        """Stream threads that it starts: bounded, and counted as work."""
        return 0

    def partitions_made(self) -> int:
        """Partitions or tasks that it brings: bounded, and counted as work."""
        return 0

    # In words.

    @abstractmethod
    def sentence(self, name: Name) -> str:
        """With all that was given, as part of a sentence: `restart app-2, its state lost`."""

    @abstractmethod
    def title(self, host: Name) -> tuple[str, str]:
        """Verb and object, as short as can be. `host`: the short name of a client."""

    # Process IDs.

    def draws_id(self) -> bool:
        """Whether it leaves one process ID to chance."""
        return False

    def restarts_as_it_was(self) -> ProcessId | None:
        """The client that stops and, once its session is over, is back as it was, with its process ID, state and members."""
        return None

    def will_draw_ids(self) -> bool:
        """Whether the events that a shorthand stands for do."""
        return False

    def keeps_ids_and_threads(self) -> bool:
        """Whether every client has the process ID and the threads after it that it had before, and tasks are the same."""
        return False

    def with_id(self, process_id: ProcessId) -> Self:  # noqa: ARG002 - for those who need it
        """The same with that ID."""
        raise AssertionError(f"{self.VERB} draws no process ID")

    def without_disk(self) -> "Statement":
        """The same where nothing is kept on disk: a client that restarts comes back under a new random process ID, with nothing."""
        return self

    # What an option may make of it.

    def keeping_id(self) -> "Statement":
        """The same, but a client that comes back keeps the process ID that would be lost."""
        return self

    def keeping_disk(self) -> "Statement":
        """The same, but a client that comes back with nothing keeps its process ID and its state."""
        return self

    def wiped(self) -> "Statement":
        """The same, but a client that comes back has an empty disk."""
        return self

    def returning_late(self) -> "Statement":
        """The same, but a client that comes back is away for longer than its session timeout."""
        return self

    def returning_unseen(self, snapshot: Snapshot) -> "Statement":  # noqa: ARG002 - for those who need it
        """The same, but a static client returns, or is taken over, before its session times out: without a rebalance."""
        return self

    def loses_disk(self) -> bool:
        """Whether a client leaves permanently, or comes back with nothing."""
        return False

    # Whom it is about.

    def new_ids(self) -> tuple[ProcessId | None, ...]:
        """The IDs under which clients join or come back. None: a new random one."""
        return ()

    def displaced(self) -> tuple[ProcessId, ...]:
        """The clients that it takes away, or takes the state or the ID of: their tasks need a place anyway."""
        return ()

    # What it carries, and who comes back.

    def settings_set(self) -> Settings:
        """The settings that clients have from then on."""
        return ()

    def may_be_late(self) -> bool:
        """Whether a client is stopped that is to be back, itself or another one for it, before its session times out."""
        return False

    def unseen_returns(self, endpoints: frozenset[ProcessId]) -> frozenset[ProcessId]:  # noqa: ARG002 - for those who need it
        """Static clients that come back without a rebalance; if the event names none and means all, those with `endpoints`."""
        return frozenset()

    def moves_tasks(self) -> bool:
        """Whether a client comes, goes or comes back, or shares change: then settings that pass may help."""
        return False

    def restarts(self, clients: int) -> int:  # noqa: ARG002 - for those who need it
        """How many clients operators restart for it, of `clients` in the group."""
        return 0

    # Its steps.

    @abstractmethod
    def drafts(self, context: StepContext) -> tuple[Draft, ...]:
        """What people and Holdfast do for it. Raise Unsupported where no step does."""


class Event(Statement):
    """What takes effect before a rebalance, with all others of its batch."""

    __slots__ = ()

    CARRIED: ClassVar[bool] = False
    """Whether clients take it along when they restart, and it causes no rebalance itself."""
    ALL_DOWN: ClassVar[bool] = False
    """Whether every client is stopped for it and started again."""
    REFRESHES_METADATA: ClassVar[bool] = False
    """Whether the group notices it only with its next metadata refresh."""

    @abstractmethod
    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:
        """The scene once it has taken effect. Raise InvalidInput, with the field, where it does not fit the group."""

    def gone_and_came(self) -> tuple[tuple[ProcessId, ...], tuple[ProcessId | None, ...]]:
        """The process IDs that leave the group with it, and those that come."""
        return (), ()

    def begins_anew(self, clients: tuple[Client, ...]) -> tuple[ProcessId, ...]:  # noqa: ARG002 - for those who need it
        """The clients that begin anew: whatever they ran before, they run nothing now. `clients`: those there after it."""
        return ()

    def reads_disks_as(self) -> str | None:
        """The release whose rules hold for disks that are read from then on; None: no other."""
        return None

    # As it takes time.

    def comes_back(self) -> ProcessId | None:
        """The client that is stopped and comes back, itself or another one for it."""
        return None

    def replaces(self) -> bool:
        """Whether another client comes for the one that is stopped."""
        return self.comes_back() is not None and self.joining() is not None

    def is_late(self) -> bool:
        """Whether that client is away for longer than its session lasts."""
        return False

    def session_ends(self) -> bool:
        """Whether the group has to miss a client until its session times out."""
        return False

    def returns_unseen(self) -> bool:
        """Whether static members return in time: without a rebalance."""
        return False

    def starts(self) -> int:
        """How many clients are started, where not all are."""
        return 0

    def stopped_minutes(self) -> float:
        """How long all clients are stopped."""
        return 0

    # What it costs.

    def joining(self) -> NewClient | None:
        """The client that it brings."""
        return None

    def on_another_disk(self) -> tuple[ProcessId | None, ...]:
        """Clients that start on a disk that was not observed."""
        return ()

    def renamed(self) -> tuple[tuple[ProcessId, ProcessId], ...]:
        """Clients that come back with their state: the new process ID, and the one they had."""
        return ()
