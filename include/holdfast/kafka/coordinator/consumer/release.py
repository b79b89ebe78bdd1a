"""What each release of the group coordinator does differently for consumer groups: one `Behaviour` per line of releases that behave
alike.

The release is the coordinator's (the broker's). A field is a fact that some release changed. A line is in the table because its own
`kafka-group-coordinator` jar gives what Holdfast gives (tests/conformance); everything else is refused by name.
"""

from dataclasses import dataclass, replace

from holdfast.errors import Unsupported
from holdfast.kafka.release_lines import ReleaseLines, patches

FIRST_CLIENTS = "3.7.0"
"""The first clients with `group.protocol` (KIP-848)."""
FIRST_TO_REFUSE_CLASSIC = "4.3.1"
"""The first brokers that let no member of the classic protocol join a group of the new one where
`group.consumer.migration.policy` is `disabled`."""
FIRST_FOR_PRODUCTION = "4.0"
"""The first brokers and clients whose consumer groups of the new protocol are meant for production."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The facts about one line of releases; the values here are those of the oldest line."""

    releases: tuple[str, ...]
    """Every release of this line, oldest first."""

    extra_goes_to_the_first: bool = True
    """4.0.0: where members are subscribed alike, `uniform` gives the partitions that are left over after an equal share to the
    first members. From 4.0.1 on a member with room for one leaves it to others, while enough of them follow."""

    map_has_both: bool = True
    """Up to 4.3 a static member that computes a target in the heartbeat with which it comes back may be put into the assignor's map
    before its former self is taken out of it. From 4.4 on the map never has both."""

    has_interval: bool = False
    """From 4.3 targets are at least `consumer.assignment.interval.ms` apart (KIP-1263)."""

    static_conversion_computes: bool = False
    """4.0.0: a static member that converts a classic group raises its epoch, and computes a target."""

    counts_returns_twice: bool = True
    """Up to 4.3 a static member that comes back under another member ID counts as one more for `group.consumer.max.size`."""

    classic_members_compute: bool = True
    """Up to 4.2 a member of the classic protocol hears of an epoch that was raised, and computes the target as it rejoins. From 4.3
    on it hears of targets that others have computed."""

    stale_group_rebalances: bool = False
    """From 4.3 on a group that becomes classic because a static member comes back with the classic protocol rebalances where its
    epoch has been raised since its last target; before, surely only where that member subscribes otherwise."""

    assignor_raises_epoch: bool = False
    """From 4.4 a heartbeat with which most members ask for another assignor raises the group's epoch; before, the next target that
    is computed for another reason is the first with it."""

    interval_ends_when_empty: bool = False
    """From 4.4 a group that loses its last member forgets when its last target was computed: the first member that joins then
    computes one at once."""


def _lines() -> tuple[Behaviour, ...]:
    line_4_0_0 = Behaviour(releases=("4.0.0",), static_conversion_computes=True)
    line_4_0_1 = replace(
        line_4_0_0,
        releases=(*patches("4.0", 1, 2), *patches("4.1", 0, 2), *patches("4.2", 0, 1)),
        extra_goes_to_the_first=False,
        static_conversion_computes=False,
    )
    line_4_3 = replace(
        line_4_0_1, releases=patches("4.3", 0, 1), has_interval=True, classic_members_compute=False, stale_group_rebalances=True
    )
    line_4_4 = replace(
        line_4_3,
        releases=("4.4.0",),
        assignor_raises_epoch=True,
        counts_returns_twice=False,
        interval_ends_when_empty=True,
        map_has_both=False,
    )
    return line_4_0_0, line_4_0_1, line_4_3, line_4_4


LINES = _lines()
"""Oldest first."""

_TABLE = ReleaseLines(LINES)
RELEASES = _TABLE.releases
"""Every release that is covered, line by line."""


def behaviour(release: str) -> Behaviour:
    """What the coordinator of this release does for consumer groups. `release` is like `4.3.1`, or `4.3` where all of 4.3 behave
    alike. Else raise Unsupported, with the reason."""
    found = _TABLE.find(release)
    if isinstance(found, Behaviour):
        return found
    if found:
        raise Unsupported(f"Releases of Kafka {release} differ for consumer groups; give one of {', '.join(found)}.")
    raise Unsupported(
        f"Kafka release {release!r} is not covered for consumer groups of the new protocol. Covered are {RELEASES[0]} to"
        f" {RELEASES[-1]}."
    )
