"""How fast recorded rebalances are judged: groups with long histories, from bytes as `__consumer_offsets` has them.

    python -m benchmarks.backtest                       20,000 rebalances of 40 groups, in two processes
    python -m benchmarks.backtest --rebalances 100000   as many as the goal says: 600 s
    python -m benchmarks.backtest --json                for machines

Groups of 6 clients, 12 threads and 36 tasks roll over and over: a client leaves, and comes back. Neither release nor settings are
given. The leaders' decisions are the model's own, encoded as on the wire. The topic itself is not read here: records come from the
file that the adapter puts them into. One decision in every hundred has two tasks exchanged: it must not count as equal or inferred.
"""

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Iterator
from uuid import UUID

import psutil
from tests.harness.kafka import recorded_rebalances

from holdfast.adapters.broker.recorded_groups import Spool, spool
from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.group import Client, Consumer, Group
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.backtest.results import Given
from holdfast.workflows import backtest

GOAL_S = 600
OF_THE_GOAL = 100_000
SWAPPED = 100
RELEASES = ("2.8.2", "3.4.1", "3.9.1", "4.3.1")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rebalances", type=int, default=20_000)
    parser.add_argument("--groups", type=int, default=40)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tasks", type=int, default=36)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with spool(lambda _: True) as past:
        swapped = sum(1 for _ in _filled(past, given))
        past.file.flush()
        began, made_s = time.perf_counter(), time.process_time()
        known = {f"app-{number:05}": _given(number, given) for number in range(given.groups)}
        about = backtest.About("synthetic", "2026-11-20T00:00:00Z")
        found = backtest.run(past, known.__getitem__, about, given.processes)
        seconds = time.perf_counter() - began
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu_s = sum(one.ru_utime + one.ru_stime for one in used) - made_s
    score = found.backtest.score
    peak = psutil.Process().memory_info().rss // 2**20
    figures = {
        "rebalances": score.rebalances,
        "seconds": round(seconds, 1),
        "cpu_ms_each": round(1000 * cpu_s / score.rebalances, 1),
        "of_the_goal": round(seconds / score.rebalances * OF_THE_GOAL / GOAL_S, 2),
        "equal": score.equal,
        "inferred": score.inferred,
        "different": score.different,
        "not_judged": score.not_judged,
        "swapped": swapped,
        "sequences": score.sequences,
        "ends_equal": score.ends_equal,
        "rss_mib": peak,
    }
    if given.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        sys.stdout.write("\n".join(f"{name:12} {value:,}" for name, value in figures.items()) + "\n")
    return 0 if score.different + score.not_judged >= swapped else 1


def _group(number: int, given: argparse.Namespace) -> Group:
    """Clients with nothing on their disks, one standby in every third group, and 20,000 records or 2,000 a changelog."""
    chance = random.Random(f"{given.seed}/{number}")  # noqa: S311 - not for secrets
    clients = tuple(
        Client(
            process,
            tuple(Consumer(f"app-{process}-{thread}", f"app-{process}-{thread}") for thread in range(given.threads)),
            host=f"host-{index}",
        )
        for index in range(given.clients)
        for process in (ProcessId.of(UUID(int=chance.getrandbits(128), version=4)),)
    )
    tasks = recorded_rebalances.of_tasks(0, given.tasks, 20_000 if number % 2 else 2_000)
    config = AssignorConfig(num_standby_replicas=int(number % 3 == 0))
    return Group(RELEASES[number % len(RELEASES)], config, tasks, clients, clients[0].process_id)


def _given(number: int, given: argparse.Namespace) -> Given:
    """What a cluster shows: end offsets of the changelogs now. Neither release nor settings."""
    return Given(changelogs=((f"app-{number:05}-store-changelog", (20_000 if number % 2 else 2_000,) * given.tasks),))


def _filled(past: Spool, given: argparse.Namespace) -> Iterator[None]:
    """Puts the histories there. Yields for each rebalance with two tasks swapped."""
    each = given.rebalances // given.groups
    for number in range(given.groups):
        group = _group(number, given)
        chance = random.Random(f"{given.seed}/{number}/history")  # noqa: S311 - not for secrets
        for found in recorded_rebalances.history(group, each, chance):
            other = recorded_rebalances.swapped(found) if found.number % SWAPPED == 0 else None
            record = recorded_rebalances.value(other or found, recorded_rebalances.STARTED_MS)
            past.take(recorded_rebalances.key(f"app-{number:05}"), record, recorded_rebalances.STARTED_MS)
            if other is not None:
                yield


if __name__ == "__main__":
    sys.exit(main())
