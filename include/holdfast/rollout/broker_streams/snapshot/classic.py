"""A classic group that is to become a streams group: what of it decides how it moves.

In a Snapshot that has it the members are those of the classic group, with what they run now: the streams group does not exist yet,
and its epoch is that of a group which has never had a member.
"""

from holdfast.kafka import java
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.facts.moves import PREVENTIONS, Prevention
from holdfast.rollout.json.codec import BOOLEAN, integer, items
from holdfast.rollout.json.record import codec_of, member, record


@record(closed=False)
class ClassicGroup:
    """`session_timeout_ms`: how long it keeps members that stop; `heartbeat_ms`: how long before its end a member may have sent its
    last heartbeat. `prevents`: what keeps it from moving. `reported`: copies that its members report, as state directories."""

    session_timeout_ms: int = member(integer(1, java.INT_MAX))
    heartbeat_ms: int = member(integer(0, java.INT_MAX), default=0)
    keeps_process_ids: bool = member(BOOLEAN, "Whether there is a store on disk: else no process ID is kept.", default=True)
    names_topics: bool = member(BOOLEAN, "Whether the topology is known to subscribe to topics by name.", default=False)
    prevents: tuple[Prevention, ...] = member(PREVENTIONS, default=(), omit=True)
    reported: tuple[StateDirectory, ...] = member(items(codec_of(StateDirectory)), default=(), omit=True)
