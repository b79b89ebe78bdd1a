"""A group whose stores are in memory: it keeps no process ID, so every start of a client generates a new one (`time_campaign`)."""

import re
import time
from collections import Counter
from dataclasses import replace
from typing import Any

from tests.live import observe
from tests.live.experiment import _STEADY_S, Run, process_ids

from holdfast.rollout.streams.snapshot import replay
from holdfast.rollout.streams.snapshot.snapshot import Generation, Snapshot, Stores

IN_MEMORY = {"wordcount.in.memory": "true"}
_UUID = re.compile(r"-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-StreamThread-")


class ForgetfulRun(Run):
    """Its clients are known by the names that they were started with, and their process IDs by their logs."""

    def snapshot(self) -> Snapshot:
        """As an operator takes it who says what the stores are."""
        return replace(observe.snapshot(self.application, [], self.folder), stores=Stores.IN_MEMORY)

    def process_id(self, name: str) -> str:
        """What the client drew."""
        found = _UUID.findall(self.clients[name].log.read_text(encoding="utf-8", errors="replace"))
        assert found, f"the log of {name} says no process ID"
        return str(Counter(found).most_common(1)[0][0])

    def _settled(self, since: int) -> tuple[Generation, ...]:
        """As that of a group that keeps its IDs, by how many threads each process has."""
        for client in self.clients.values():
            client.wait_running()
        expected = sorted(client.threads for client in self.clients.values())
        deadline = time.monotonic() + self.experiment.settle_timeout_s
        steady_since, seen = time.monotonic(), 0
        while time.monotonic() < deadline:
            found = tuple(one for one in self.generations() if one.number > since)
            if found and found[-1].number != seen:
                steady_since, seen = time.monotonic(), found[-1].number
            whole = found and sorted(process_ids(found[-1]).values()) == expected
            if whole and replay.leaders_decision(found[-1]).settled and time.monotonic() - steady_since >= _STEADY_S:
                return found
            time.sleep(1)
        raise TimeoutError(f"no settled generation after {since} with {expected} threads\n{self.logs()}")


def perform(timed: Any, run: ForgetfulRun) -> None:
    """`timed`: a `time_campaign.Timed` of this run."""
    run.start()
    names = list(run.clients)
    stable: dict[str, Any] = {"then": "stable"}
    ids = [run.process_id(name) for name in names]
    rolled = [{"restart_client": {"process_id": one}} for one in ids]
    events = [rolled[0], *(event for one in rolled[1:] for event in (stable, one))]
    timed.change("rolling restart of three, in memory", events, [timed.restart(name) for name in names])
    old = run.process_id(names[-1])
    by = {"process_id": None, "threads": run.experiment.threads}
    replaced = {"replace_client": {"process_id": old, "by": by, "state": "empty"}}
    timed.change("replacement, in memory", [replaced], [timed.restart(names[-1])])
    timed.change(
        "scale-in, just stopped, in memory",
        [{"remove_client": {"process_id": run.process_id(names[0]), "leaves": False}}],
        [timed.end(names[0])],
    )
