"""An explanation of each policy rule, for readers who see its name for the first time; without a full stop."""

MEANINGS = {
    "forecast": "Kafka's decisions can be predicted",
    "converges": "Rebalancing ends",
    "reads-on": "Each new reader of a partition finds a committed offset",
    "moved-without-need": "Collateral migration: tasks or partitions that move between members that the change does not touch",
    "moved": "All tasks or partitions that migrate",
    "without-caught-up-copy": "Longest time that a task restores its state, in addition to the session timeout",
    "without-caught-up-copy-at-once": "Tasks that restore at the same time",
    "standing-still": "Longest time that a partition has no reader",
    "time-to-stable": "Time until nothing is pending",
    "finish-before": "End of the rollout if it starts now",
    "windows": "Whether the rollout is within the allowed hours",
    "rebalances": "Number of rebalances; each interrupts the group briefly",
    "restored-bytes": "Bytes restored from Kafka in total",
    "restored-bytes-per-hour": "Bytes restored from Kafka per hour",
    "disk": "Whether restored state fits on the disks",
    "copies-on-one-client": "Whether a client holds far more than its share, even temporarily",
    "copied-in-time": "Whether a state directory can be copied in time",
    "actions": "Whether every step is of an allowed kind",
    "untouchable-hosts": "Hosts that no step may touch",
    "evidence": "Whether all inputs are known",
}
