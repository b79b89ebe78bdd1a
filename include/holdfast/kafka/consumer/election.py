"""The assignor that the group coordinator selects. Kafka's brokers: `GroupMetadata.selectProtocol`, `ClassicGroup.selectProtocol`.

Of the protocols that every member has, each member votes for its first; the one with the most votes wins.
"""

from collections.abc import Sequence

from holdfast.errors import CannotPredict
from holdfast.kafka.consumer.group import Assignor, LeaderFailure, Member
from holdfast.kafka.consumer.release import coordinator_is_in_java

_TIES_IN_JAVA = (Assignor.STICKY, Assignor.RANGE, Assignor.ROUNDROBIN, Assignor.COOPERATIVE_STICKY)
"""The order of a Java HashMap of these names."""
_TIES_IN_SCALA = (Assignor.COOPERATIVE_STICKY, Assignor.ROUNDROBIN, Assignor.RANGE, Assignor.STICKY)
"""The order of Scala 2.13's own map: the broker published for Scala 2.13."""


def chosen_assignor(members: Sequence[Member], broker_release: str | None) -> Assignor | LeaderFailure:
    """Raise CannotPredict where votes are equal and it is unknown how this coordinator breaks ties."""
    common = frozenset(members[0].assignors).intersection(*(member.assignors for member in members))
    if not common:
        return LeaderFailure("InconsistentGroupProtocolException: no assignor is in the list of every member")
    votes = dict.fromkeys(Assignor, 0)
    for member in members:
        votes[next(assignor for assignor in member.assignors if assignor in common)] += 1
    most = max(votes.values())
    first = [assignor for assignor in Assignor if votes[assignor] == most]
    if len(first) == 1:
        return first[0]
    if broker_release is None:
        raise CannotPredict(
            f"{' and '.join(first)} have {most} votes each. Which one the coordinator picks depends on the brokers:"
            " give their release as broker_release."
        )
    return min(first, key=(_TIES_IN_JAVA if coordinator_is_in_java(broker_release) else _TIES_IN_SCALA).index)
