"""What each limit of a policy is about, for a reader who meets its name for the first time."""

SAYS = {
    "forecast": "What Kafka will decide can be predicted.",
    "converges": "It comes to an end.",
    "reads-on": "Whoever takes a partition over finds where to go on.",
    "moved-without-need": "What changes hands between those that the change does not touch, beyond the share of somebody new.",
    "moved": "What changes hands in all.",
    "without-caught-up-copy": "How long a task waits while its state is restored. The time until the group notices comes on top.",
    "without-caught-up-copy-at-once": "How many tasks wait for their state at the same time.",
    "standing-still": "How long nobody reads a partition.",
    "time-to-stable": "Until nothing is pending.",
    "finish-before": "When it is over, if it begins now.",
    "windows": "Whether it falls into the hours that you allow.",
    "rebalances": "Each interrupts the whole group for a moment.",
    "restored-bytes": "What is read back from Kafka in all.",
    "restored-bytes-per-hour": "What is read back from Kafka in an hour.",
    "disk": "Whether what is restored fits on the disks.",
    "copies-on-one-client": "Whether one client gets far more than its share, if only for a while.",
    "copied-in-time": "Whether a disk can be copied in time.",
    "actions": "Kinds of steps that you allow.",
    "untouchable-hosts": "Hosts on which nothing may be done.",
    "evidence": "Whether everything it rests on is known.",
}
