"""Differences between a group and the snapshot that its plan was made for: the values."""

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


@dataclass(frozen=True, slots=True)
class Staleness:
    """`drifts`: all that is different, those that matter first."""

    plan_id: str
    drifts: tuple[Drift, ...]

    @property
    def stale(self) -> bool:
        return any(one.matters for one in self.drifts)


def staleness_to_json(staleness: Staleness) -> dict[str, object]:
    return {
        "format_version": "1.0",
        "plan_id": staleness.plan_id,
        "stale": staleness.stale,
        "drifts": [
            {
                "kind": one.kind.value,
                "found": one.found,
                "matters": one.matters,
                "why": one.why,
                "process_id": None if one.process_id is None else str(one.process_id),
            }
            for one in staleness.drifts
        ],
    }
