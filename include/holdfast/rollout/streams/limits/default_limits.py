"""Default limits by group size, where the team states none: twelve rebalances are many for six tasks and few for 200.

They are a function of what a change has to move at least: one client's share of the stateful tasks, `max.warmup.replicas` of them
in each probing rebalance. A reshuffle of everything still exceeds them.
"""

import math

from holdfast.rollout.policy.policy import LEAST_REBALANCES, LEAST_SECONDS
from holdfast.rollout.streams.snapshot.passing_settings import PROBING, PROBING_DEFAULT, WARMUPS, WARMUPS_DEFAULT, number_set
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


def probes_for_a_share(snapshot: Snapshot) -> int:
    """The probing rebalances that it takes until one client's share of the stateful tasks has been warmed up elsewhere."""
    stateful = sum(task.stateful for task in snapshot.tasks)
    share = math.ceil(stateful / max(1, len(snapshot.clients)))
    return math.ceil(share / max(1, number_set(snapshot, WARMUPS, WARMUPS_DEFAULT)))


def rebalances(snapshot: Snapshot) -> int:
    """Beyond those that the change itself causes."""
    return max(LEAST_REBALANCES, 2 * probes_for_a_share(snapshot) + 2)


def seconds(snapshot: Snapshot) -> int:
    """Until the last rebalance is over."""
    interval = math.ceil(number_set(snapshot, PROBING, PROBING_DEFAULT) / 1000)
    return max(LEAST_SECONDS, 2 * probes_for_a_share(snapshot) * interval)
