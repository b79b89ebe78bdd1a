"""The impact of an option: the figures that `criteria` compares. The `options/impact.py` of each kind of group fills them."""

from dataclasses import dataclass

from holdfast.rollout.contract.times import EffortCounts, Times


@dataclass(frozen=True, slots=True)
class Impact:
    """The figures that options are compared by: lower is better; infinity: unknown."""

    collateral: float
    """Collateral migration: tasks (partitions) that leave members which the change does not touch."""
    downtime_s: float
    """Total downtime in task-seconds (partition-seconds)."""
    rebalances: int
    moved: float
    """Tasks (partitions) that migrate for any reason."""
    effort: EffortCounts
    manual_work: int
    """Rank of manual work and risk; for comparison only."""
    manual_text: str
    times: tuple[Times, ...]
    """The durations of each outcome."""
    over_s: float = 0
    """Seconds until all state is restored, usual value; infinity: never."""
    longest_restore_s: int = 0
    """The longest restore of a task, in seconds."""
    restored_records: int = 0
    restored_s: int = 0
    """The longest restore of one client, in seconds."""
    cold_hand_overs: int = 0
    """Hand-overs to a disk that has never had the task."""
    hand_overs: float = 0
    """All hand-overs, target by target, where they are forecast so."""
    late: bool = False
    """`downtime_s` is that of a state directory copied too late."""
    unsettled: str | None = None
    """Why the group does not become stable. None: it does, or unknown."""
