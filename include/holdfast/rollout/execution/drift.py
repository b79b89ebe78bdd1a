"""How a group differs from the one that a plan was made for: the values."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.kafka.vocabulary import ProcessId


class Kind(StrEnum):
    """What drifted."""

    GROUP = "group"
    FACT = "fact"
    SETTING = "setting"
    TASKS = "tasks"
    CLIENT = "client"
    THREADS = "threads"
    PLACE = "place"
    HOST = "host"
    MEMBERS = "members"
    OWNER = "owner"
    TIME = "time"
    UNDER_WAY = "under way"
    NOT_GIVEN = "not given"


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference between the group that a plan was made for and a fresh snapshot. `matters`: the plan no longer holds."""

    kind: Kind
    found: str
    matters: bool
    why: str
    process_id: ProcessId | None = None
