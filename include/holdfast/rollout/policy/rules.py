"""The rules of a policy by name: what each means, which have no default limit, and which of them a stated limit makes blocking."""

from collections.abc import Collection

CONVERGES = "converges"

MEANINGS = {
    "forecast": "Kafka's decisions can be predicted",
    CONVERGES: "Rebalancing ends",
    "reads-on": "Each new reader of a partition finds a committed offset",
    "collateral-migration": "Collateral migration: tasks or partitions that move between members that the change does not touch",
    "moved": "All tasks or partitions that migrate",
    "without-caught-up-copy": "Longest time that a task restores its state, in addition to the session timeout",
    "without-caught-up-copy-at-once": "Tasks that restore at the same time",
    "partition-downtime": "Longest time that a partition has no reader",
    "time-to-stable": "Time until nothing is pending",
    "finish-before": "End of the rollout if it starts now",
    "windows": "Whether the rollout is within the allowed hours",
    "rebalances": "Extra rebalances: those that the requested change would not cause; each interrupts the group briefly",
    "restored-bytes": "Bytes restored from Kafka in total",
    "restored-bytes-per-hour": "Bytes restored from Kafka per hour",
    "disk": "Whether restored state fits on the disks",
    "copies-on-one-client": "Whether a client holds far more than its share, even temporarily",
    "copied-in-time": "Whether a state directory can be copied in time",
    "back-in-interval": "Whether a client starts before the coordinator computes the next target",
    "joined-in-delay": "Whether clients that start together join before the first target is computed",
    "actions": "Whether every step is of an allowed kind",
    "untouchable-hosts": "Hosts that no step may touch",
    "evidence": "Whether all inputs are known",
}
"""For readers who see a name for the first time; without a full stop. In the order in which a review lists them."""

RULES = tuple(MEANINGS)
"""All rules, of every kind of group. Any of them may block: a team that must never skip data blocks by `reads-on`. Those whose
limit the policy does not state are left out."""

ONLY_IF_STATED = (
    "moved",
    "without-caught-up-copy-at-once",
    "finish-before",
    "windows",
    "restored-bytes-per-hour",
    "copies-on-one-client",
    "actions",
    "untouchable-hosts",
)
"""Rules without a default limit. A limit that the team states blocks."""

_RULES_OF_LIMITS = {
    "moved_percent_most": ("collateral-migration",),
    "without_caught_up_copy_s_most": ("without-caught-up-copy", "partition-downtime"),
    "time_to_stable_s_most": ("time-to-stable",),
    "rebalances_most": ("rebalances",),
    "restored_bytes_most": ("restored-bytes",),
    "disk_free_bytes_least": ("disk",),
}


def blocking_by(stated: Collection[str]) -> tuple[str, ...]:
    """A stated limit is meant: the rules that use it then block, unless `blocking` says which rules do."""
    return tuple(rule for limit, rules in _RULES_OF_LIMITS.items() if limit in stated for rule in rules)
