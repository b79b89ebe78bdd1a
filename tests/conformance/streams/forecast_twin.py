"""A second forecast, written from the contract's text alone: the JVM decides every round, the members' reports are worked out here.

It shares no code with `holdfast.rollout`. What it knows of a group is the JVM driver's question (`random_groups`) and a Change's
JSON; what it makes is the rounds of one outcome, in the driver's words. The rules of what members report are the contract's five.
"""

import dataclasses
import json
import math
import re
from collections.abc import Callable
from typing import Any

from tests.conformance.streams.groups import Case, tasks_of
from tests.conformance.streams.twin_words import batches, order

LATEST = -2
LONG_MAX = 2**63 - 1
MOST_ROUNDS = 2_000

Ask = Callable[[str, Case], Case]
"""What a release's own leader answers to a question."""


class TooLong(Exception):
    """More rounds than it is worth to put to a JVM."""


@dataclasses.dataclass
class Round:
    trigger: str
    at_seconds: float
    answer: Case
    restoring: dict[str, int]


@dataclasses.dataclass
class Course:
    rounds: list[Round]
    stable: bool
    active_moved: int
    process_ids: list[str]
    there: list[list[str]]
    """The process IDs after each batch of events."""


def course(case: Case, change: Case, release: str, ask: Ask) -> Course:
    """The rounds of a change without markers for new random IDs."""
    twin = _Twin(case, change.get("assume", {}), release, ask)
    before = twin.owners()
    there = []
    for events, wait in batches(change):
        twin.carry_out(events)
        there.append(twin.processes())
        returns = [event for event in events if event.get("restart_client", {}).get("within_session")]
        if returns and all(event in returns or "set_config" in event or "set_release" in event for event in events):
            continue  # a client that returns in time brings new settings, and those cause no rebalance
        if not twin.rebalance(once=wait == "rebalance"):
            break
    last = next((one.answer for one in reversed(twin.rounds) if one.answer.get("clients")), None)
    after = before if twin.rounds else twin.owners()
    if last is not None:
        after = {task: process for process, client in last["clients"].items() for task in client["active"]}
    moved = sum(before.get(task) != after.get(task) for task in twin.stateful)
    return Course(twin.rounds, twin.stable, moved, sorted(twin.processes(), key=order), there)


class _Twin:
    def __init__(self, case: Case, assume: Case, release: str, ask: Ask) -> None:
        self.case, self.assume, self.release, self.ask = json.loads(json.dumps(case)), assume, release, ask
        self.runs = release
        """What the members run when an event comes; `release` is what those that start then run."""
        self.members: list[Case] = self.case["members"]
        self.config: Case = dict(case["config"])
        self.leader: str = case["leader"]
        self.read_tasks()
        self.stateful = [task for task, ends in self.ends.items() if ends]
        self.failure: str | None = None
        self.rounds: list[Round] = []
        self.at_seconds: float = 0
        self.stable = True
        self.disks_before: dict[str, dict[str, int]] = {}
        self.running: set[tuple[str, str]] = set()
        """Copies that a client was handed in the round before, by process and task."""

    def read_tasks(self) -> None:
        self.sources: dict[str, list[Any]] = {}
        self.ends: dict[str, list[int]] = {}
        for task, sources, changelogs in tasks_of(self.case["subtopologies"]):
            self.sources[task] = sources
            self.ends[task] = [self.case["ends"][topic][int(task.partition("_")[2])] for topic in changelogs]

    def processes(self) -> list[str]:
        return list(dict.fromkeys(member["process"] for member in self.members))

    def of(self, process: str) -> list[Case]:
        return [member for member in self.members if member["process"] == process]

    def end(self, task: str) -> int:
        return min(sum(self.ends.get(task, [])), LONG_MAX)

    @property
    def _exact(self) -> bool:
        """Whether a closed copy counts its last record."""
        return self.assume.get("closed_copies") == "end" or _minor(self.release) >= (4, 3)

    def closed(self, task: str) -> int:
        """What a copy that was closed at its end reports."""
        if self._exact:
            return self.end(task)
        return min(sum(max(end - 1, 0) for end in self.ends.get(task, [])), LONG_MAX)

    def owners(self) -> dict[str, str]:
        """Who runs which stateful task now: who owns its first owned partition, or else says so."""
        owner = {tuple(partition): member["process"] for member in self.members for partition in member["owned"]}
        running = {task: member["process"] for member in self.members for task, sum_ in member["sums"].items() if sum_ == LATEST}
        found = {}
        for task in self.stateful:
            owned = [owner[tuple(partition)] for partition in self.sources[task] if tuple(partition) in owner]
            if owned or task in running:
                found[task] = owned[0] if owned else running[task]
        return found

    # Rule 5, and 4: what events do.

    def carry_out(self, events: list[Case]) -> None:
        for event in events:  # a client that starts now reads its disk as the new release does
            self.release = event.get("set_release", {}).get("kafka_release", self.release)
        self.disks_before = {process: self.disk(process) for process in self.processes()}
        self.delay_s: float = 0
        for event in events:
            ((verb, content),) = event.items()
            getattr(self, f"_{verb}")(content)
        self.at_seconds += self.delay_s
        there = self.processes()
        if self.leader not in there and there:
            self.leader = min(there, key=order)

    def disk(self, process: str) -> dict[str, int]:
        """What a client's state directory holds once it is closed."""
        return {task: self.closed(task) if total == LATEST else total for task, total in self._reported(process).items()}

    def _add_client(self, new: Case) -> None:
        self.members += self._made(new, None, {})

    def _remove_client(self, gone: Case) -> None:
        if not gone.get("leaves", True):
            default = 10_000 if _minor(self.runs) < (3, 0) else 45_000
            self.delay_s = max(self.delay_s, int(self.config.get("session.timeout.ms", default)) / 1000)
        self._forget(gone["process_id"])

    def _set_threads(self, event: Case) -> None:
        process = event["process_id"]
        own = self.of(process)
        more = event["threads"] - len(own)
        if more > 0:
            taken = [_number(member["id"]) for member in own]
            free = [number for number in range(1, 100) if number not in taken][:more]
            ids = event.get("member_ids") or [self._ids(process, number)[-1] for number in free]
            place = self.members.index(own[-1]) + 1
            self.members[place:place] = [_like(own[0]) | {"id": one, "process": process, "owned": [], "sums": {}} for one in ids]
            return
        oldest = sorted(own, key=lambda member: (_number(member["id"]), member["id"]))
        gone = event.get("member_ids") or [member["id"] for member in oldest[:-more]]
        stay = [member for member in own if member["id"] not in gone]
        first = min(stay, key=lambda member: member["id"])
        first["sums"] = dict(first["sums"])
        known = {task for member in stay for task in member["sums"]}
        for member in own:
            if member["id"] in gone:
                for task, total in member["sums"].items():
                    if task not in known:
                        first["sums"][task] = self.closed(task) if total == LATEST else total
        self.members = [member for member in self.members if member["id"] not in gone]

    def _add_partitions(self, event: Case) -> None:
        for subtopology in self.case["subtopologies"]:
            for source in subtopology["sources"]:
                if source[0] == event["topic"]:
                    before = max(width for _, width in subtopology["sources"])
                    source[1] = event["partitions"]
                    if source[1] > before and subtopology["stores"]:
                        if not event.get("changelogs_grown"):
                            self.failure = "StreamsException: a changelog is too narrow"
                        for store in subtopology["stores"]:
                            ends = self.case["ends"][f"app-{store}-changelog"]
                            ends[before:] = [0] * (source[1] - before)
        self.read_tasks()

    def _stop_application(self, event: Case) -> None:
        self.delay_s = max(self.delay_s, event["minutes"] * 60)
        for process in self.processes():
            held, own = self.disk(process), self.of(process)
            for member in own:
                member["owned"], member["sums"] = [], {}
            min(own, key=lambda member: member["id"])["sums"] = held
        self.running = set()

    def _replace_client(self, event: Case) -> None:
        old, state = self.of(event["process_id"]), event.get("state", "empty")
        held: dict[str, int] = {}
        if state == "kept":
            held = self.disk(event["process_id"])
        elif state != "empty":
            held = self.disks_before[state["copied_from"]]
        self._forget(event["process_id"])
        self.members += self._made(event["by"], old, held)

    def _restart_client(self, event: Case) -> None:
        process = event["process_id"]
        new = process if event.get("keeps_process_id", True) else event["new_process_id"]
        if event.get("within_session"):
            self._return(process, new, kept=event.get("keeps_state", True))
            return
        held = self.disk(process) if event.get("keeps_state", True) else {}
        old = self.of(process)
        back = [member | {"process": new, "owned": [], "sums": {}} for member in old]
        ids = event.get("member_ids")
        if ids is None and event.get("threads", len(old)) != len(old):
            ids = self._ids(new, event["threads"])
        if ids is not None:
            back = [_like(old[0]) | {"id": one, "process": new, "owned": [], "sums": {}} for one in ids]
        min(back, key=lambda member: member["id"])["sums"] = held
        place = self.members.index(old[0])
        self._forget(process)
        self.members[place:place] = back

    def _return(self, process: str, new: str, *, kept: bool) -> None:
        """Static members: they run what they ran, as if they had not been away, and the new process ID waits."""
        for member in self.of(process):
            owned = [tuple(partition) for partition in member["owned"]]
            sums = {}
            if kept:
                sums = {task: self.closed(task) if total == LATEST else total for task, total in member["sums"].items()}
            for task in self.sources:
                if self.ends[task] and any(tuple(partition) in owned for partition in self.sources[task]):
                    sums[task] = LATEST
            member["process"], member["sums"] = new, sums
        self.leader = new if self.leader == process else self.leader
        self.running = {(new if one == process else one, task) for one, task in self.running if kept or one != process}

    def _set_config(self, settings: Case) -> None:
        self.config |= settings

    def _set_release(self, event: Case) -> None:
        """4.3 counts one more a changelog of what older releases have left (docs/state-directory.md)."""
        more = _minor(self.runs) < (4, 3) <= _minor(event["kafka_release"]) and self.assume.get("closed_copies") != "end"
        self.runs = event["kafka_release"]
        for member in self.members:
            member.pop("version", None)
            for task, total in member["sums"].items() if more else ():
                if 0 < total < self.end(task):
                    member["sums"][task] = min(total + len(self.ends[task]), self.end(task))

    def _made(self, new: Case, old: list[Case] | None, held: dict[str, int]) -> list[Case]:
        threads = new.get("threads") or len(new.get("member_ids") or old or ())
        ids = new.get("member_ids") or self._ids(new["process_id"], threads)
        base = _like(old[0]) if old else {}
        base |= {"rack": new["rack"]} if "rack" in new else {}
        base |= {"tags": new["client_tags"]} if "client_tags" in new else {}
        made = [base | {"id": one, "process": new["process_id"], "owned": [], "sums": {}} for one in ids]
        min(made, key=lambda member: member["id"])["sums"] = dict(held)
        return made

    def _ids(self, process: str, threads: int) -> list[str]:
        end = "00000000-0000-0000-0000-000000000000"
        return [f"app-{process}-StreamThread-{number}-consumer-{end}" for number in range(1, threads + 1)]

    def _forget(self, process: str) -> None:
        self.members = [member for member in self.members if member["process"] != process]
        self.running = {copy for copy in self.running if copy[0] != process}

    # The rounds.

    def rebalance(self, *, once: bool) -> bool:
        """One, or until nothing is pending. False: it does not get there."""
        trigger, seen = "change", set()
        while True:
            state = repr(self.members)
            if state in seen:
                self.stable = False
                return False
            seen.add(state)
            if len(self.rounds) >= MOST_ROUNDS:
                raise TooLong
            answer = (
                {"error": self.failure}
                if self.failure
                else self.ask(self.release, self.case | {"members": self.members, "leader": self.leader, "config": self.config})
            )
            self.rounds.append(Round(trigger, self.at_seconds, answer, self._begun(answer)))
            if "consumers" not in answer or any(one["code"] for one in answer["consumers"].values()):
                self.stable = False
                return False
            asked = {one["next"] for one in answer["consumers"].values()}
            pending = "immediate" if "immediate" in asked else "probing" if "probing" in asked else None
            passed = None  # all the time in the world
            if pending == "immediate" or (once and pending):
                passed = 0.0
            elif pending == "probing":
                passed = int(self.config.get("probing.rebalance.interval.ms", 600_000)) / 1000
            self._report(answer, passed)
            self.stable = pending is None
            if once or pending is None:
                return True
            trigger = pending
            self.at_seconds += passed or 0

    def _begun(self, answer: Case) -> dict[str, int]:
        """What each client begins to restore: copies that it was not handed before, from what it reports to their end."""
        if "consumers" not in answer:
            return {}
        begun: dict[str, int] = {}
        running = set()
        for process in self.processes():
            has = self._reported(process)
            for member in self.of(process):
                given = answer["consumers"][member["id"]]
                for task in (*given["active"], *given["standby"]):
                    if not self.ends.get(task):
                        continue
                    running.add((process, task))
                    if (process, task) not in self.running:
                        begun[process] = begun.get(process, 0) + self._lacking(task, has.get(task))
        self.running = running
        return {process: records for process, records in begun.items() if records}

    def _lacking(self, task: str, value: int | None) -> int:
        """Records from what is reported to the end. A complete copy that was closed may report one too few a changelog."""
        end = self.end(task)
        if value == LATEST:
            return 0
        if value is None or not 0 <= value <= end:
            return end
        return 0 if not self._exact and end - value <= len(self.ends[task]) else end - value

    def _reported(self, process: str) -> dict[str, int]:
        """What a client reports. A disk holds a task once: of two reports the running one counts, or the furthest."""
        found: dict[str, int] = {}
        for member in self.of(process):
            for task, total in member["sums"].items():
                known = found.setdefault(task, total)
                found[task] = LATEST if LATEST in (known, total) else max(known, total)
        return found

    def _report(self, answer: Case, passed: float | None) -> None:
        """Rules 1 to 3. `passed`: seconds until the next rebalance, None where the group has settled."""
        after = []
        for process in self.processes():
            before = self._reported(process)
            given = {member["id"]: answer["consumers"][member["id"]] for member in self.of(process)}
            run = {task for one in given.values() for task in (*one["active"], *one["standby"])}
            for member in self.of(process):
                own = given[member["id"]]
                sums = {}
                if self.assume.get("dormant_copies") != "dropped":
                    for task, total in member["sums"].items():
                        if task not in run:
                            sums[task] = self.closed(task) if total == LATEST else total
                for task in own["standby"]:
                    sums[task] = self._progress(task, before.get(task, 0), passed)
                for task in own["active"]:
                    if self.ends[task]:
                        sums[task] = LATEST
                owned = [list(partition) for task in own["active"] for partition in self.sources[task]]
                after.append(member | {"owned": owned, "sums": sums})
        places = {member["id"]: number for number, member in enumerate(self.members)}
        self.members = sorted(after, key=lambda member: places[member["id"]])

    def _progress(self, task: str, before: int, passed: float | None) -> int:
        """Rule 2."""
        end, catch_up = self.end(task), self.assume.get("catch_up", "probing rebalance")
        if before == LATEST or passed is None or catch_up == "next rebalance":
            return end
        if isinstance(catch_up, dict) and passed:
            start = before if before <= end else 0  # beyond the end it is corrupt: restored from the beginning
            gained = catch_up["records_per_second"] - catch_up.get("grows_per_second", 0)
            return min(end, start + math.floor(max(gained, 0) * passed))
        return end if passed else before


def _like(member: Case) -> Case:
    """What a client's new members have from its old ones."""
    return {key: member[key] for key in ("rack", "tags") if key in member}


def _number(member_id: str) -> int:
    """A thread's number; who does not say comes last."""
    found = re.search(r"-StreamThread-(\d+)-consumer", member_id)
    return int(found[1]) if found else 10**9


def _minor(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".")[:2])
