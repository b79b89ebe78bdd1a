"""The assumptions of a forecast that no request of a coordinator shows: what members report of their disks (from 4.4 on)."""

from enum import StrEnum

from holdfast.rollout.json.codec import either
from holdfast.rollout.json.record import member, record


class Offsets(StrEnum):
    """Which offsets members report. DIRECTORIES: new members what the state directory of their client holds, where the Snapshot has
    it; NONE: new members nothing; DISKS: all members what the disk of their client holds, by all that the Snapshot shows of it."""

    DIRECTORIES = "state directories"
    NONE = "none"
    DISKS = "disks"


@record(defaults=True)
class BrokerAssume:
    offsets: Offsets = member(either(Offsets), "What members report of their disks, from 4.4 on.", default=Offsets.DIRECTORIES)
