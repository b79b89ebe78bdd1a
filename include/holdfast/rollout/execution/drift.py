"""Differences between a group and the snapshot that its plan was made for: the values."""

from enum import StrEnum

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.json.codec import BOOLEAN, NAME, TEXT, choice, items, nullable
from holdfast.rollout.json.kafka_codecs import PROCESS_ID
from holdfast.rollout.json.record import codec_of, derived, member, record
from holdfast.rollout.json.strict import FORMAT_VERSION


class DriftKind(StrEnum):
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
    IN_PROGRESS = "in progress"
    NOT_GIVEN = "not given"


@record
class Drift:
    """One difference between the group that a plan was made for and a fresh snapshot. `matters`: the plan no longer holds."""

    kind: DriftKind = member(choice(DriftKind))
    found: str = member(TEXT)
    matters: bool = member(BOOLEAN)
    why: str = member(TEXT)
    process_id: ProcessId | None = member(nullable(PROCESS_ID), default=None, needed=True)


@record(version=FORMAT_VERSION, about="How a fresh snapshot differs from what a plan relies on, and whether that matters to it.")
class Staleness:
    """`drifts`: all that is different, those that matter first."""

    plan_id: str = member(NAME)

    @property
    @derived(BOOLEAN)
    def stale(self) -> bool:
        return any(one.matters for one in self.drifts)

    drifts: tuple[Drift, ...] = member(items(codec_of(Drift)))


STALENESS = codec_of(Staleness)
