"""Losses of synthetic groups with standbys, walked and one by one; prints what came out, as JSON. Run by `test_compiled`."""

import json
import random
from dataclasses import replace

from benchmarks import synthetic_fleet

import holdfast
from holdfast.kafka.streams.compiled import jit
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.forecast.compiled import rebalances, walks
from holdfast.rollout.streams.forecast.course import carried_out
from holdfast.rollout.streams.forecast.stage import Ground
from holdfast.rollout.streams.forecast.work import allowed
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

RELEASES = ("2.6.3", "2.8.2", "3.1.2", "3.2.3", "3.5.1", "3.9.1", "4.3.1")


def settled(number: int) -> Snapshot:
    """A group of a release in turn, with one or two standbys."""
    snapshot = synthetic_fleet.group(number, 5).after
    config = dict(snapshot.config) | {"num.standby.replicas": 1 + number % 2}
    config.pop("rack.aware.assignment.tags", None)
    return replace(snapshot, kafka_release=RELEASES[number % len(RELEASES)], config=tuple(config.items()))


def both(snapshot: Snapshot, lost: ProcessId) -> tuple[bool, int]:
    """Whether both courses of losing this client are equal; and the rebalances."""
    change = Change((RemoveClient(lost, leaves=False),))
    walked, one_by_one = (
        carried_out(Ground(snapshot, allowed(snapshot), most_rounds=2_000, walks_due=due), change)
        for due in (walks.after(0), walks.never)
    )
    return walked == one_by_one, len(walked.rounds)


def main() -> None:
    chance = random.Random(1)
    different, losses, passed = [], 0, 0
    for number in range(60):
        snapshot = settled(number)
        if 2 <= len(snapshot.clients) <= 9:
            lost = chance.choice(snapshot.clients).process_id
            equal, count = both(snapshot, lost)
            losses, passed = losses + 1, passed + count
            if not equal:
                different.append((number, str(lost)))
    compiled = jit.is_installed() and hasattr(rebalances.go_on, "signatures") and bool(rebalances.go_on.signatures)
    found = {"from": holdfast.__file__, "compiled": compiled, "different": different, "losses": losses, "rebalances": passed}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
