"""The differences between releases of the Java consumer: one `Behaviour` per line of releases that behave alike.

A field is a fact that some release changed, with the Kafka issue that changed it. The lines are not those of Kafka Streams. A line
is in the table because its own jar gives what Holdfast gives (tests/conformance); everything else is refused by name.
"""

from dataclasses import dataclass, replace

from holdfast.errors import Unsupported
from holdfast.kafka.release_lines import ReleaseLines, is_older, patches


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The facts about one line of releases; the values here are those of the oldest line."""

    releases: tuple[str, ...]
    """Every release of this line, oldest first."""

    leader_checks_cooperative: bool = True
    """The leader throws where its cooperative assignor hands a partition over that another member still owns. From 2.8.2 and 3.0.1
    (and in all of 3.1) it trusts its own assignor (KAFKA-13406)."""

    cooperative_generation: bool = False
    """From 2.8.1 a cooperative-sticky member says in its user data from which generation it owns what it owns (KAFKA-13081)."""

    owned_sorted_on_wire: bool = False
    """From 2.8.1 owned partitions travel by topic and number (KAFKA-12898); before, by topic in the order of a HashMap."""

    conflicts_invalidate: bool = False
    """From 2.8.1 a partition that two members of the highest generation claim is neither's (KAFKA-13081); before, both keep it."""

    one_reading_of_user_data: bool = False
    """From 3.0 the user data is rewound before it is read again (KAFKA-12984); before, the general algorithm forgot what members
    that were already read had reported."""

    exact_quotas: bool = False
    """From 3.0 members above their quota give up the surplus at once (KAFKA-12464); before, others took it from them later."""

    claims_replace_owner: bool = False
    """From 3.1 the last claimant counts as a contested partition's owner when a third one claims it."""

    all_generations_claim: bool = False
    """From 3.4.1 members of all generations may claim, the newest has it (KAFKA-14639); before, only the newest
    generation's did."""

    older_claim_replaces_owner: bool = False
    """3.4.1 to 3.5.1: a claim that is refused because it is older is remembered as the owner's all the same."""

    racks: bool = False
    """From 3.5 partitions go to members in the racks of their replicas where balance allows (KIP-881)."""

    balanced_within_one: bool = False
    """From 3.5.2 a partition that could move to a member with one less does not make an assignment unbalanced (KAFKA-15106)."""

    kept_in_partition_order: bool = False
    """From 3.7.1 members keep what comes first by number and topic (KAFKA-16277); before, what is first in their report."""

    returns_stay_owned: bool = False
    """From 3.7.1 a partition that comes back to the member that would have lost it is handed to it at once (KAFKA-15170)."""

    rack_quotas_kept: bool = False
    """From 3.7.1 the assignment by racks counts who is above the lower quota; before, the leader could throw."""

    session_timeout_ms: int = 10_000
    """`session.timeout.ms` unless it is set: 45 s from 3.0 (KIP-735)."""

    two_default_assignors: bool = False
    """From 3.0 a consumer's default list is range and cooperative-sticky (KIP-726); before, range alone."""


def _lines() -> tuple[Behaviour, ...]:
    line_2_6 = Behaviour(releases=patches("2.6", 0, 3) + patches("2.7", 0, 2) + patches("2.8", 0, 0))
    line_2_8_1 = replace(
        line_2_6, releases=("2.8.1",), cooperative_generation=True, owned_sorted_on_wire=True, conflicts_invalidate=True
    )
    line_2_8_2 = replace(line_2_8_1, releases=("2.8.2",), leader_checks_cooperative=False)
    line_3_0_0 = replace(
        line_2_8_1,
        releases=("3.0.0",),
        one_reading_of_user_data=True,
        exact_quotas=True,
        session_timeout_ms=45_000,
        two_default_assignors=True,
    )
    line_3_0_1 = replace(line_3_0_0, releases=patches("3.0", 1, 2), leader_checks_cooperative=False)
    line_3_1 = replace(
        line_3_0_1,
        releases=patches("3.1", 0, 2) + patches("3.2", 0, 3) + patches("3.3", 0, 2) + patches("3.4", 0, 0),
        claims_replace_owner=True,
    )
    line_3_4_1 = replace(line_3_1, releases=("3.4.1",), all_generations_claim=True, older_claim_replaces_owner=True)
    line_3_5 = replace(line_3_4_1, releases=patches("3.5", 0, 1), racks=True)
    line_3_5_2 = replace(
        line_3_5,
        releases=("3.5.2", *patches("3.6", 0, 2), "3.7.0"),
        older_claim_replaces_owner=False,
        balanced_within_one=True,
    )
    line_3_7_1 = replace(
        line_3_5_2,
        releases=patches("3.7", 1, 2)
        + patches("3.8", 0, 1)
        + patches("3.9", 0, 2)
        + patches("4.0", 0, 2)
        + patches("4.1", 0, 2)
        + patches("4.2", 0, 1)
        + patches("4.3", 0, 1),
        kept_in_partition_order=True,
        returns_stay_owned=True,
        rack_quotas_kept=True,
    )
    return line_2_6, line_2_8_1, line_2_8_2, line_3_0_0, line_3_0_1, line_3_1, line_3_4_1, line_3_5, line_3_5_2, line_3_7_1


LINES = _lines()
"""Oldest first."""

_TABLE = ReleaseLines(LINES)
RELEASES = _TABLE.releases
"""Every release that is covered, line by line."""


def behaviour(release: str) -> Behaviour:
    """What this release does. `release` is like `3.9.1`; `3.9` will do where all of 3.9 behave alike. Else raise Unsupported."""
    found = _TABLE.find(release)
    if isinstance(found, Behaviour):
        return found
    if found:
        raise Unsupported(f"The consumers of Kafka {release} differ; give one of them: {', '.join(found)}.")
    raise Unsupported(f"Kafka release {release!r} is not covered for consumer groups. Covered are 2.6.0 to 4.3.1.")


def subscription_version(release: str) -> int:
    """The version of the subscription that a member of this release sends: 3 from 3.4 on (KIP-881), 1 before. It is not in the
    lines: 3.4.0 decides as 3.3 does."""
    return 1 if is_older(release, "3.4") else 3


def resets_by_duration(release: str) -> bool:
    """Whether `auto.offset.reset` may be `by_duration` (KIP-1106, from 4.0). It is not in the lines: 3.9 decides as 4.0 does."""
    return not is_older(release, "4.0")


def coordinator_is_in_java(broker_release: str) -> bool:
    """Whether brokers of this release have the group coordinator in Java only: from 4.0. The classic one, in Scala, breaks ties of
    votes in another order. Brokers may be of releases that no table covers."""
    return not is_older(broker_release, "4")
