"""What each release of the group coordinator does differently: one `Behaviour` per line of releases that behave alike.

The release is the coordinator's (the broker's), not that of the clients. A field is a fact that some release changed. A line is in
the table because its own `kafka-group-coordinator` jar gives what Holdfast gives (tests/conformance); everything else is refused by
name.
"""

from dataclasses import dataclass, replace

from holdfast.errors import Unsupported
from holdfast.kafka.release_lines import ReleaseLines, patches


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The facts about one line of releases; the values here are those of the oldest line."""

    releases: tuple[str, ...]
    """Every release of this line, oldest first."""

    sticks_to_current: bool = False
    """From 4.4 a streams member's current assignment is what the assignor sticks to; before, its previous target."""

    offsets_count: bool = False
    """From 4.4 members that report an offset of a task (KAFKA-20719) may take it over next to its standbys, the latest first."""

    first_standby_hides_others: bool = False
    """Up to 4.3 where the first of a task's previous standbys is in a process that has the task already, none of the others is
    taken (KAFKA-20899)."""

    initial_epoch: int = 0
    """The epoch of a group that has never had a member: 0 up to 4.2, 1 from 4.3 on."""

    first_epoch: int = 2
    """What follows epoch 0: 2 up to 4.2, so that a new group's first is 2 in every release."""

    has_interval: bool = False
    """From 4.3 targets are at least `streams.assignment.interval.ms` apart (KIP-1263)."""

    interval_ends_when_empty: bool = False
    """From 4.4 a group that loses its last member forgets when its last target was computed: without an initial delay the first
    member that joins then computes one at once."""

    static_members: bool = False
    """From 4.4 members may be static (KAFKA-20169); before, the coordinator refuses them."""

    processes_computed: bool = False
    """From 4.4 the map of processes is filled by `computeIfAbsent`, before by `putIfAbsent`: the order in a bucket is
    reversed, and its table grows later."""


def _lines() -> tuple[Behaviour, ...]:
    line_4_2 = Behaviour(releases=patches("4.2", 0, 1), first_standby_hides_others=True)
    line_4_3 = replace(line_4_2, releases=patches("4.3", 0, 1), initial_epoch=1, first_epoch=1, has_interval=True)
    line_4_4 = replace(
        line_4_3,
        releases=("4.4.0",),
        sticks_to_current=True,
        offsets_count=True,
        first_standby_hides_others=False,
        interval_ends_when_empty=True,
        static_members=True,
        processes_computed=True,
    )
    return line_4_2, line_4_3, line_4_4


LINES = _lines()
"""Oldest first."""

_TABLE = ReleaseLines(LINES)
RELEASES = _TABLE.releases
"""Every release that is covered, line by line."""

FIRST_CLIENTS = "4.1.0"
"""The first Kafka Streams with `group.protocol=streams` (KIP-1071)."""
FIRST_FOR_PRODUCTION = "4.2"
"""The first brokers and clients whose streams groups are meant for production."""
FIRST_WITH_STATIC_MEMBERS = "4.4"
"""Of brokers (`static_members`) and of clients (KAFKA-20169)."""
LOSES_GROUPS = ("4.2", "4.2.0")
"""Brokers that cannot load a group again that was moved while its committed offsets were kept (KAFKA-20254)."""

_REFUSED = {
    "4.0": "its coordinator has no streams groups",
    "4.1": "its assignor (early access) goes through sets in the order of the objects' addresses in memory, so that its answer "
    "changes from call to call",
}


METADATA_VERSIONS = {27: "4.1", 29: "4.2", 30: "4.3", 33: "4.4"}
"""The newest `metadata.version` that brokers of each minor release support: brokers show that, and not their release."""


def minor_of(metadata_version: int) -> str | None:
    """The minor release of a broker that supports `metadata.version` up to this one. None: it is none of those known."""
    return METADATA_VERSIONS.get(metadata_version)


def known(release: str) -> Behaviour | None:
    """As `behaviour`; None: it is not covered."""
    found = _TABLE.find(release)
    return found if isinstance(found, Behaviour) else None


def behaviour(release: str) -> Behaviour:
    """What the coordinator of this release does for streams groups. `release` is like `4.3.1`, or `4.3` where all of 4.3 behave
    alike. Else raise Unsupported, with the reason."""
    found = known(release)
    if found is not None:
        return found
    minor = ".".join(release.split(".")[:2])
    if minor in _REFUSED:
        raise Unsupported(f"A streams group of a coordinator of Kafka {release} cannot be predicted: {_REFUSED[minor]}.")
    raise Unsupported(f"Kafka release {release!r} is not covered for streams groups. Covered are 4.2.0 to 4.4.0.")
