"""What each rank of a new random process ID moves, counted without events that leave all ranks and threads as they are."""

from typing import Any

import pytest
from tests.harness.article import change, fleet

from holdfast.rollout.streams.change import shorthands
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.process_ids import chances, sampled_ranks
from holdfast.rollout.streams.process_ids.sampled_ranks import Counted
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.passing_settings import ASSIGNOR, ASSIGNORS

STABLE = {"then": "stable"}
DOCUMENT, IDS = fleet(5, 23, 4)
REPLACED = {"replace_client": {"process_id": IDS[1], "by": {"process_id": None, "threads": 2, "host": "new"}, "state": "empty"}}
ROLL = {"rolling_restart": {"set_config": {"max.warmup.replicas": 9}}}
STICKY = {ASSIGNOR: f"{ASSIGNORS}.LegacyStickyTaskAssignor"}


def more_threads(process_id: str) -> dict[str, Any]:
    return {"set_threads": {"process_id": process_id, "threads": 3}}


@pytest.mark.parametrize(
    "events",
    [
        (REPLACED,),
        (ROLL, STABLE, REPLACED, STABLE, ROLL),
        ({"set_config": {"num.standby.replicas": 1}}, {"restart_client": {"process_id": IDS[0], "keeps_state": False}}, REPLACED),
        ({"restart_client": {"process_id": IDS[2]}}, more_threads(IDS[3]), STABLE, REPLACED),
        (REPLACED, STABLE, {"restart_client": {"process_id": IDS[2], "keeps_process_id": False, "new_process_id": IDS[1]}}),
        ({"add_partitions": {"topic": "input", "partitions": 25}}, STABLE, REPLACED),
    ],
)
@pytest.mark.parametrize("config", [{}, STICKY], ids=["by ranks", "sticky"])
def test_it_is_what_all_events_together_move(events: tuple[dict[str, Any], ...], config: dict[str, str]) -> None:
    snapshot = snapshot_from_json(DOCUMENT | {"config": config})
    asked = shorthands.written_out(snapshot, change_from_json(change(*events)))
    every = chances.chances(tuple(client.process_id for client in snapshot.clients), asked)

    counted = Counted().of(snapshot, asked, every)

    assert len(set(counted)) > (1 if not config else 0)
    assert counted == tuple(sampled_ranks.moved_by(snapshot, (asked.with_process_ids(one.process_ids) for one in every)))


def test_options_that_differ_in_settings_and_restarts_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot, counted = snapshot_from_json(DOCUMENT), Counted()
    baseline, rolled = (
        shorthands.written_out(snapshot, change_from_json(change(*events))) for events in ((REPLACED,), (ROLL, STABLE, REPLACED))
    )
    every = chances.chances(tuple(client.process_id for client in snapshot.clients), baseline)
    found = counted.of(snapshot, baseline, every)
    monkeypatch.setattr(sampled_ranks, "moved_by", None)

    assert counted.of(snapshot, rolled, every) == found
