"""Runs of all DAGs in an Airflow of several workers (PostgreSQL, Celery), whose parts are killed at random moments.

    python -m tests.live.workers.campaign [--rounds 17] [--minutes 30] [--kills 6] [--seed 1] [--messages rabbitmq] [--into FILE]

As root, for each worker has namespaces of its own; with PostgreSQL, HAProxy and Redis (or RabbitMQ) of Debian's packages. A round
triggers every DAG: snapshots are taken of a real group on a real broker, Spark forecasts and judges the past, a change is planned
and approved, and the plan is carried out by one run: each client of the group in files is restarted once. One line a round, here
and in FILE. It ends with the first round that is not as it should be. At the end the tables must equal those that Spark makes of
the same lake in one piece.

It goes on where FILE ends, in a lake and an Airflow that are new: so 17 rounds may be done in several sittings of some `--minutes`.
"""

import argparse
import logging
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.harness.installed import environments
from tests.harness.installed.__main__ import cases
from tests.harness.pages.airflow_server import ROOT
from tests.harness.workers import servers
from tests.live.workers import many, outcome, results, tables
from tests.live.workers.dag_run import NOT_NOW, DagRun
from tests.live.workers.killing import Killer
from tests.live.workers.many import CLUSTER, IN_FILES, Many
from tests.live.workers.rollout import Rollout

PROVIDERS = ("celery", "postgres")
PATIENCE_S = 1_800.0
Document = dict[str, Any]


def one_round(this: Many, chance: random.Random, kills: int) -> Document:
    restarted = dict(this.world.restarted)
    rollout = Rollout(this)
    nightly = [DagRun.of(this.server, "backtest_groups", {"cluster": CLUSTER})]
    killer = Killer(this, chance, kills)
    started_again: list[str] = []
    rolled_out = False
    ends_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_at:
        started_again += this.keep_up()
        killer.look(rolled_out=rolled_out)
        try:
            ended = [one.go_on() for one in (*nightly, rollout)]
            rolled_out = ended[-1] and outcome.nothing_runs(this.server, IN_FILES)
            if rolled_out and len(nightly) == 1:  # the tables are to have all its snapshots
                nightly.append(DagRun.of(this.server, "collect_groups", {}))
            elif all(ended) and outcome.nothing_runs(this.server):
                break
        except NOT_NOW:
            pass
        time.sleep(0.5)
    now = this.world.restarted
    found: Document = {
        "killed": killer.killed,
        "killed_in_rollout": killer.in_rollout,
        "started_again": started_again,
        "cleared": rollout.cleared + sum(one.cleared for one in nightly),
        "restarted": sorted(now[one] - restarted[one] for one in now),
        "wrong": [*rollout.wrong(), *(problem for one in nightly for problem in one.wrong()), *outcome.wrong(this)],
    }
    if time.monotonic() >= ends_at:
        found["wrong"].append(f"not over after {PATIENCE_S:.0f} s")
    if set(found["restarted"]) != {1}:
        found["wrong"].append("not every client was restarted once")
    return found


def _environment(folder: Path) -> Path:
    """With the wheel of this checkout and Celery, next to constraints like those of the newest Airflow."""
    case = cases(None, None)[-1]
    place = folder / "installed"
    place.mkdir()
    return environments.environment(case, environments.wheel(place), place, PROVIDERS)


def _sitting(given: argparse.Namespace, folder: Path, ends_at: float) -> bool:
    """The rounds that FILE lacks and there is time for, and the tables of all of them. Whether all was as it should be."""
    programs = given.programs.absolute() if given.programs else _environment(folder)
    known = results.rounds(given.into)
    with many.brought_up(folder, programs, given.messages) as this:
        for number in range(len(known), given.rounds):
            if number > len(known) and time.monotonic() > ends_at:
                break
            began = time.monotonic()
            found = one_round(this, random.Random(f"{given.seed} {number}"), given.kills)
            results.keep(
                given.into, {"round": number, "messages": given.messages, "seconds": round(time.monotonic() - began)} | found
            )
            if found["wrong"]:
                print((this.server.home / "server.log").read_text()[-6000:], file=sys.stderr)
                return False
        compared = tables.compared(this, folder / "again", programs)
        results.keep(given.into, {"runs": outcome.runs(this.server)} | compared)
        return not compared["wrong"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.live.workers.campaign", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", type=Path, help="the bin folder of an environment that has the wheel; else one is made")
    parser.add_argument("--rounds", type=int, default=17, help="of six DAG runs each, and those that their assets trigger")
    parser.add_argument("--minutes", type=float, default=24 * 60, help="after which no round is begun, but the first")
    parser.add_argument("--kills", type=int, default=6, help="at most, in a round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--messages", choices=sorted(servers.BROKERS), default="redis", help="Celery's broker")
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "workers.jsonl", metavar="FILE")
    parser.add_argument("--keep", type=Path, help="a new folder for lake, logs and all else, that stays")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # all that was started ends with it
    logging.getLogger("kafka").setLevel(logging.CRITICAL)  # brokers go away here
    ends_at = time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory(prefix="holdfast-workers-") as name:
        folder = given.keep or Path(name)
        folder.mkdir(exist_ok=given.keep is None)
        folder.chmod(0o755)  # PostgreSQL's user has to pass
        fine = _sitting(given, folder, ends_at)
    print(results.table(given.into))
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
