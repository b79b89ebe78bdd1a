"""The batches of a change in time: which clients start, which sessions must time out, which tasks are unavailable. In seconds."""

import math

from holdfast.rollout.contract.times import METADATA_MAX_AGE_S, TimedBatch
from holdfast.rollout.streams.events import batches
from holdfast.rollout.streams.events.batches import Batch
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.scene import Scene


def act_of(batch: Batch, scene: Scene, rebalances: int) -> TimedBatch:
    """`scene`: the group after the batch; `rebalances`: how many followed from it."""
    events = [event for _, event in batch.events]
    all_down = any(event.ALL_DOWN for event in events)
    missed = all_down or any(event.session_ends() for event in events)
    return TimedBatch(
        rebalances=rebalances,
        starts=len(scene.clients) if all_down else sum(event.starts() for event in events),
        noticed_s=math.ceil(outage.session_timeout_s(scene)) if missed else 0,
        stopped_s=math.ceil(60 * max((event.stopped_minutes() for event in events), default=0)),
        refresh_s=_refresh_s(scene) if any(event.REFRESHES_METADATA for event in events) else 0,
        unseen=batches.causes_no_rebalance(batch),
        restarts=0 if all_down else sum(min(event.starts(), event.restarts(len(scene.clients))) for event in events),
    )


def _refresh_s(scene: Scene) -> int:
    given = dict(scene.config).get("metadata.max.age.ms")
    return math.ceil(int(str(given)) / 1000) if isinstance(given, int | str) and str(given).isdecimal() else METADATA_MAX_AGE_S
