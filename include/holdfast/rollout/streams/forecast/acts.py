"""The batches of a change as they take time: who is started, whom the group has to miss first, what it stands still for."""

import math

from holdfast.rollout.contract.times import METADATA_MAX_AGE_S, Act
from holdfast.rollout.streams.change.change import (
    AddClient,
    AddPartitions,
    Batch,
    RemoveClient,
    ReplaceClient,
    RestartClient,
    SetTopology,
    StopApplication,
)
from holdfast.rollout.streams.events import outage, static_members
from holdfast.rollout.streams.events.scene import Scene


def act_of(batch: Batch, scene: Scene, rebalances: int) -> Act:
    """`scene`: the group after the batch; `rebalances`: how many followed from it."""
    events = [event for _, event in batch.events]
    all_down = [event for event in events if isinstance(event, StopApplication | SetTopology)]
    missed = any(
        isinstance(event, ReplaceClient)
        or (isinstance(event, RemoveClient) and not event.leaves)
        or (isinstance(event, RestartClient) and not event.within_session)
        for event in events
    )
    starts = sum(isinstance(event, AddClient | ReplaceClient | RestartClient) for event in events)
    return Act(
        rebalances=rebalances,
        starts=len(scene.clients) if all_down else starts,
        noticed_s=math.ceil(outage.session_timeout_s(scene)) if missed or all_down else 0,
        stopped_s=math.ceil(60 * max((one.minutes for one in events if isinstance(one, StopApplication)), default=0)),
        refresh_s=_refresh_s(scene) if any(isinstance(event, AddPartitions) for event in events) else 0,
        unseen=static_members.causes_no_rebalance(batch),
    )


def _refresh_s(scene: Scene) -> int:
    given = dict(scene.config).get("metadata.max.age.ms")
    return math.ceil(int(str(given)) / 1000) if isinstance(given, int | str) and str(given).isdecimal() else METADATA_MAX_AGE_S
