"""A real application of five clients on machines with an sshd each, moved by runs of `holdfast apply --run` alone, while something
is killed at random moments: the run, all connections, an sshd, the broker; or a machine's network is slow. Each act is done once,
none is lost, the journal is whole, and the end is as forecast; where the group rebalanced more often (a broker that was killed, a
client that came back late), the run halted for it, that was accepted, and every task is where it was forecast. A sixth client that
joins midway halts the run before its next act. Root is needed (namespaces of the network and of mounts).

    python -m tests.live.running.campaign [--kind led|consumer|consumer-by-broker|by-broker|moving] [--releases 2.8.2,3.9.1,4.3.1]
        [--scenarios …] [--clients 5] [--rounds 2] [--kills 10] [--of run,run,connection,sshd,broker,slow] [--seed 1] [--network 19]
        [--into build/runs.jsonl]

One JSON line a round, and a summary at the end. It goes on after a round that is not as wanted, and its status is 1 then.
"""

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from tests.live.running import hosted, machines, moving, other_kinds
from tests.live.running.hosted import Document, Hosted
from tests.live.running.machines import Machine
from tests.live.running.scenarios import OF_OTHER_KINDS, SCENARIOS, Planned, joined_at, takes_out

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.workflows import journals

CLIENTS, SPARE = 5, 2
LONGEST_S = 6.0
"""The longest between two kills: about as long as a restart and its rebalance."""
SLOW_S = 4.0
"""The longest that a machine's network is slow."""
MOST_RUNS = 60
_AGAIN_S = 2.0
LED = "led"
"""Streams groups whose leader assigns."""
MOVING = "moving"
"""Such groups that become groups whose broker assigns (`moving`)."""
_RELEASES = {LED: "2.8.2,3.9.1,4.3.1", "consumer": "3.9.1"}
"""Of the others `BY_BROKER`."""
JOINS_WITHIN_S = 30.0
"""Of a rolling restart of five clients."""
_BEGINS_S = 3.0
"""An act that was decided right before a client joined begins within this time: its command goes over SSH."""


def strike(kind: str, group: Hosted, chance: random.Random) -> None:
    """Kill what is no part of the run."""
    if kind == "broker":
        group.broker.crash()
        time.sleep(chance.uniform(0, 2))
        group.broker.start_again()
        return
    machine = chance.choice(group.machines)
    if kind == "slow":
        with machines.slowed(machine):
            time.sleep(chance.uniform(1, SLOW_S))
    elif kind == "connection":
        for one in group.machines:
            one.sshd.drop_connections()
    else:
        machine.sshd.crash()
        time.sleep(chance.uniform(0, 2))
        machine.sshd.start()


class Round:
    """Runs of one plan until it is done; `kills` of them, or of what they need, are killed meanwhile."""

    def __init__(self, group: Hosted, planned: Planned, chance: random.Random, kills: int, of: tuple[str, ...]) -> None:
        self._group, self._planned, self._chance, self._of = group, planned, chance, of
        self._left = self._most = kills
        self.kills: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        """How runs ended that were not killed."""
        self._next = 0.0
        self._done = self._accepted = False
        self._joins_at: float | None = None
        self._waits_for = ""
        """The step that the last run left to a person."""
        self.why = ""
        """Why the last run halted."""
        self.log = ""
        self._last: Document = {}
        """What the last run that was not killed has printed last."""

    def performed(self) -> Document:
        began = time.monotonic()
        if self._planned.joins is not None:
            self._joins_at = began + self._chance.uniform(0, JOINS_WITHIN_S)
        acts: tuple[tuple[str, str], ...] = ()
        more: tuple[str, ...] = ()
        for _ in range(MOST_RUNS):
            status, self.why = self._one_run(more)
            if self._done or (status == 3 and self._has_joined()):
                break
            more = ("--accept-rebalances",) if self.why == "rebalances" else ()
            self._accepted = self._accepted or self.why == "rebalances"
            if status == 2 and self._planned.by_hand is not None:
                acts += tuple(self._group.services.done)
                confirms = self._planned.by_hand(self._waits_for)
                self._group.services.forget()
                if confirms:
                    self._group.confirm(self._planned.plan, self._waits_for)
            elif status is not None:
                time.sleep(_AGAIN_S)
        acts += tuple(self._group.services.done)
        found = {"kills": dict(self.kills), "ends": dict(self.ends), "seconds": round(time.monotonic() - began)}
        if self._has_joined():
            return found | self._interrupted(acts)
        verdict = self._group.verdict(self._planned.plan) if self._done else {}
        score = verdict.get("score", verdict)
        of_what = "partitions" if "partitions_as_forecast" in score else "tasks"
        tasks = {"tasks_as_forecast": score.get(f"{of_what}_as_forecast"), "tasks": score.get(of_what)}
        found |= {"status": status, "result": verdict.get("result"), "rebalances": verdict.get("rebalances")} | tasks
        wrong = [*self._wrong_acts(acts), *_journal_wrong(self._group, self._planned)]
        if self._done:
            also, differs = self._planned.afterwards()
            found, wrong = found | also, wrong + differs
        if self._done and self._planned.afterwards_back is not None:
            wrong += self._went_back(self._planned.afterwards_back)
            found["kills"] = dict(self.kills)
        if status != 0 and not (self._accepted and tasks["tasks"] is not None and len(set(tasks.values())) == 1):
            wrong.append(f"status {status}, {verdict.get('result')}")
        if self._group.services.failed is not None:
            wrong.append(repr(self._group.services.failed))
        return found | {"wrong": wrong} | ({"log": self.log} if wrong else {})

    def _went_back(self, differs: Callable[[], list[str]]) -> list[str]:
        """What is wrong once all is rolled back, with as many kills as before."""
        self._group.services.forget()
        self._left, self._last = self._most, {}
        for _ in range(MOST_RUNS):
            status, self.why = self._one_run(("--back",))
            if status == 0:
                break
            if status is not None:
                time.sleep(_AGAIN_S)
        acts, wrong = tuple(self._group.services.done), differs()
        if (self._last.get("went_back") or {}).get("in_place") is not True:
            wrong.append(f"went back: {self._last.get('went_back')}, {self.why}")
        if acts != self._planned.acts[::-1]:
            wrong.append(f"rolled back: {acts}, done before: {self._planned.acts}")
        return wrong

    def _one_run(self, more: tuple[str, ...]) -> tuple[int | None, str]:
        """Its status, and why it halted; None: it was killed."""
        run = self._group.run(self._planned.plan, *self._planned.options, *more)
        self._next = time.monotonic() + self._chance.uniform(0.2, LONGEST_S)
        while not run.ended:
            if self._joins_at is not None and time.monotonic() >= self._joins_at:
                self._joins_at = None
                self._group.services.start(self._planned.joins or "")
            if self._left and time.monotonic() >= self._next:
                kind = self._chance.choice(self._of)
                self._left -= 1
                self.kills[kind] += 1
                if kind == "run":
                    run.kill()
                    run.end()
                    return None, ""
                strike(kind, self._group, self._chance)
                self._next = time.monotonic() + self._chance.uniform(0.2, LONGEST_S)
            time.sleep(0.02)
        status, lines = run.end()
        self._last = lines[-1] if lines else {}
        self._done = bool(lines) and lines[-1].get("done") is True
        if status == 2 and lines:
            self._waits_for = lines[-1]["waiting_for"]["step"]
        why = ""
        if status == 3 and lines and lines[-1].get("entries"):
            why = lines[-1]["entries"][-1].get("halt", "")
        self.ends[f"status {status}{f' ({why})' if why else ''}"] += 1
        if status not in (0, 2):
            self.log += run.log()[-3_000:]
        return status, why

    def _has_joined(self) -> bool:
        return self._planned.joins is not None and self._joins_at is None

    def _interrupted(self, acts: tuple[tuple[str, str], ...]) -> Document:
        """By the sixth client: the run has halted, and has begun nothing since that client was there. Takes that client out."""
        address = self._planned.joins or ""
        joined = joined_at(self._group, address)
        since = [round(one - joined, 1) for one in self._group.services.began if joined is not None and one > joined]
        wrong = [f"an act began {one} s after the sixth client had joined" for one in since if one > _BEGINS_S]
        if self.why not in ("drift", "divergence", "rebalances"):
            wrong.append(f"halted: {self.why}")
        if acts != self._planned.acts[: len(acts)]:
            wrong += self._wrong_acts(acts)
        if joined is None:
            wrong.append("no rebalance has the sixth client")
        wrong += _journal_wrong(self._group, self._planned, whole=False)
        takes_out(self._group, address)
        return {"halted": self.why, "acts": len(acts), "begun_after_s": since, "wrong": wrong} | (
            {"log": self.log} if wrong else {}
        )

    def _wrong_acts(self, acts: tuple[tuple[str, str], ...]) -> list[str]:
        return [] if acts == self._planned.acts else [f"done: {acts}, planned: {self._planned.acts}"]


def _journal_wrong(group: Hosted, planned: Planned, *, whole: bool = True) -> list[str]:
    """Whole, each act begun once and seen once, each step done once. `whole` False: at most once. A run that took over may begin
    one again: that its command was given twice is what the machines show."""
    plan_id = json.loads(planned.plan.read_text())["plan_id"]
    kept = journals.read(FsspecLake(str(group.folder / ".holdfast" / "lake")), plan_id)
    wrong = [] if kept.broken is None else [f"journal: {kept.broken.value}"]
    taken_over = sum(one.event is JournalEvent.TAKEN_OVER for one in kept.journal.entries)
    for event, acted in ((JournalEvent.BEGUN, True), (JournalEvent.ACTED, True), (JournalEvent.DONE, False)):
        found = Counter(one.step for one in kept.journal.entries if one.event is event and (one.acted is not None or not acted))
        wanted = Counter(planned.acting) if acted else Counter(step["id"] for step in planned.steps)
        wrong += [
            f"{event.value} of step {one}: {found[one]} times, not {most}"
            for one, most in wanted.items()
            if found[one] > most + (taken_over if event is JournalEvent.BEGUN else 0) or (whole and found[one] < most)
        ]
    return wrong


def campaign(given: argparse.Namespace, release: str, folder: Path, chance: random.Random) -> list[Document]:
    (folder / "machines").mkdir()
    rows: list[Document] = []
    known = SCENARIOS if given.kind == LED else moving.SCENARIOS if given.kind == MOVING else OF_OTHER_KINDS
    names = given.scenarios.split(",") if given.scenarios else list(known)
    with (
        machines.namespaces(folder / "machines", given.clients + SPARE, given.network) as made,
        _started(given, release, folder, made) as group,
    ):
        for number in range(given.rounds):
            for name in names:
                group.services.forget()
                shutil.rmtree(group.folder / ".holdfast", ignore_errors=True)
                if given.kind != MOVING:  # a broker that was killed last may have lost all sessions
                    group.wait_stable(len(group.runs_on()))
                planned = known[name](group, chance)
                found = Round(group, planned, chance, given.kills, tuple(given.of.split(","))).performed()
                rows.append({"kind": given.kind, "release": release, "round": number, "scenario": name} | found)
                print(json.dumps(rows[-1]), flush=True)
                if given.into is not None:
                    with given.into.open("a", encoding="utf-8") as out:
                        out.write(f"{json.dumps(rows[-1])}\n")
    return rows


def _started(given: argparse.Namespace, release: str, folder: Path, made: Sequence[Machine]) -> AbstractContextManager[Hosted]:
    host = f"10.77.{given.network}.1"
    if given.kind != LED:
        made_of = moving.Moving if given.kind == MOVING else other_kinds.KINDS[given.kind]
        return hosted.another_kind(folder, made_of, release, made, given.clients, host)
    return hosted.started(folder, release, made, given.clients, host, {"acceptable.recovery.lag": str(given.recovery_lag)})


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", default="")
    parser.add_argument("--kind", default=LED, choices=(LED, *other_kinds.KINDS, MOVING))
    parser.add_argument("--scenarios", default="")
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--kills", type=int, default=10, help="in each round, at most")
    parser.add_argument("--of", default="run,run,connection,sshd,broker,slow")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--network", type=int, default=19)
    parser.add_argument("--recovery-lag", type=int, default=10_000)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # it leaves no process behind
    chance = random.Random(given.seed)
    rows: list[Document] = []
    for release in (given.releases or _RELEASES.get(given.kind, other_kinds.BY_BROKER)).split(","):
        with tempfile.TemporaryDirectory() as folder:
            rows += campaign(given, release, Path(folder), chance)
    kills: Counter[str] = Counter()
    for row in rows:
        kills.update(row["kills"])
    wrong = [row for row in rows if row["wrong"]]
    accepted = sum("status 3 (rebalances)" in row["ends"] for row in rows)
    summary = {"rounds": len(rows), "kills": sum(kills.values()), "of": dict(kills), "accepted": accepted, "wrong": len(wrong)}
    print(json.dumps(summary))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
