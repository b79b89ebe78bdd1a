"""Real consumers through a join, a leave, a crash and the migration to cooperative-sticky: the forecast is what happened.

Member IDs are the broker's to give, so that each forecast is made afterwards, from the snapshot before, with the IDs that it gave.
Every completed rebalance since is compared with a round, partition by partition.

`HOLDFAST_LIVE_RELEASES` repeats it with other releases.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.harness.kafka.broker import Broker
from tests.harness.kafka.plain_app import SESSION_S, PlainGroup
from tests.live.observe import generations

from holdfast.errors import ClusterTrouble
from holdfast.kafka.wire.consumer_protocol import decode_assignment, decode_subscription
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.streams.snapshot.snapshot import Generation
from holdfast.workflows.forecast import forecast_case

pytestmark = pytest.mark.live

RELEASES = tuple((os.environ.get("HOLDFAST_LIVE_RELEASES") or "3.9.1").split(","))
TOPICS = {"orders": 7, "returns": 4}
STICKY = ("sticky",)
RANGE, BOTH, COOPERATIVE = ("range",), ("cooperative-sticky", "range"), ("cooperative-sticky",)
_SETTLES_WITHIN_S = 300
_QUIET_S = 1.5

Document = dict[str, Any]


class Watched:
    """A group, and what the product says of it."""

    def __init__(self, group: PlainGroup, folder: Path) -> None:
        self.group, self._folder = group, folder
        self.seen = 0
        """The newest generation that was looked at."""

    def settle(self, names: set[str]) -> None:
        """Return once exactly these consumers share all partitions and nothing has happened for a while."""
        deadline, quiet_since, before = time.monotonic() + _SETTLES_WITHIN_S, time.monotonic(), -1
        while time.monotonic() < deadline:
            found: tuple[Generation, ...] = ()
            with contextlib.suppress(ClusterTrouble):  # no member has joined yet: there is no __consumer_offsets
                found = generations(self.group.bootstrap, self.group.group_id)
            last = found[-1] if found else None
            if last is None or last.number != before or {one.client_id for one in last.members} != names or not _whole(last):
                before, quiet_since = (last.number if last else -1), time.monotonic()
            elif time.monotonic() - quiet_since > _QUIET_S:
                return
            time.sleep(0.2)
        raise AssertionError(f"{names} did not settle\n{self.group.log_tails()}")

    def look(self, assignors: tuple[str, ...]) -> Document:
        """`holdfast snapshot` as an operator runs it."""
        properties = self._folder / "group.properties"
        settings = self.group.settings | {"partition.assignment.strategy": ",".join(assignors)}
        properties.write_text("".join(f"{key}={value}\n" for key, value in settings.items()), encoding="utf-8")
        about = ("--group", self.group.group_id, "--kafka-release", self.group.release, "--app-config", str(properties))
        done = _holdfast("snapshot", "--bootstrap-server", self.group.bootstrap, *about)
        assert done.returncode == 0, done.stderr
        snapshot: Document = json.loads(done.stdout)
        self.seen = snapshot["generation"]
        return snapshot

    def plan(self, snapshot: Document, *events: Document) -> Path:
        """`holdfast plan`, of a change whose new member ID the broker has not made yet."""
        files = [self._folder / name for name in ("snapshot.json", "change.json", "plan.json")]
        documents = (snapshot, {"format_version": "1.0", "events": list(events)})
        for file, document in zip(files, documents, strict=False):
            file.write_text(json.dumps(document), encoding="utf-8")
        done = _holdfast("plan", *map(str, files[:2]), "--json")
        assert done.returncode == 2, done.stderr
        files[2].write_text(done.stdout, encoding="utf-8")
        return files[2]

    def verdict(self, plan: Path) -> Document:
        """`holdfast verify`, on the current cluster."""
        done = _holdfast("verify", str(plan), "--bootstrap-server", self.group.bootstrap)
        assert done.returncode in (0, 2, 3), done.stderr
        verdict: Document = json.loads(done.stdout)
        return verdict

    def happened(self) -> list[Generation]:
        """The rebalances since the last look."""
        return [one for one in generations(self.group.bootstrap, self.group.group_id) if one.number > self.seen]

    def foreseeable(self) -> list[Generation]:
        """Without those that a slow member causes.

        On a busy machine a member's SyncGroup may come after another one has already revoked and joined again. It then joins with
        what it owned before, and the group needs one round more (`ConsumerOutcome.rebalances_most`).
        """
        happened = self.happened()
        return [one for before, one in zip([None, *happened], happened, strict=False) if before is None or not _missed(before, one)]


def _holdfast(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "holdfast.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def _whole(generation: Generation) -> bool:
    return sum(len(decode_assignment(one.assignment).partitions) for one in generation.members) == sum(TOPICS.values())


def _missed(before: Generation, after: Generation) -> bool:
    """Whether a member joined with partitions that the rebalance before had not left to it."""
    given = {one.member_id: decode_assignment(one.assignment).partitions for one in before.members}
    return any(
        not set(decode_subscription(one.subscription).owned) <= set(given[one.member_id])
        for one in after.members
        if one.member_id in given
    )


def _assigned(generation: Generation) -> dict[str, list[list[object]]]:
    return {
        one.member_id: sorted([part.topic, part.partition] for part in decode_assignment(one.assignment).partitions)
        for one in generation.members
    }


def _member_ids(happened: list[Generation]) -> dict[str, str]:
    """The member ID that each client last had."""
    return {one.client_id: one.member_id for generation in happened for one in generation.members}


def _id_of(snapshot: Document, name: str) -> str:
    (found,) = (member for member, about in snapshot["consumers"].items() if about["client_id"] == name)
    return found


def _joins(member_id: str, assignors: tuple[str, ...], **more: str) -> Document:
    return {"add_consumer": {"member_id": member_id, "assignors": list(assignors), "subscription": list(TOPICS)} | more}


def _compare(snapshot: Document, events: list[Document], happened: list[Generation]) -> Document:
    """The forecast's rounds are the rebalances that came about. Returns the outcome."""
    change = {"format_version": "1.0", "events": events}
    answer = forecast_case({"snapshot": snapshot, "change": change}, Detail.FULL)
    (outcome,) = json.loads(json.dumps(answer))["outcomes"]
    foreseen = [
        {member: part["partitions"] for member, part in one["assignment"]["consumers"].items()} for one in outcome["rounds"]
    ]
    assert foreseen == [_assigned(one) for one in happened], json.dumps({"snapshot": snapshot, "change": change})
    assert [one["assignment"]["assignor"] for one in outcome["rounds"]] == [one.protocol for one in happened]
    return outcome  # type: ignore[no-any-return]


@pytest.mark.parametrize("release", RELEASES)
def test_what_happens_is_what_was_forecast(release: str, tmp_path: Path) -> None:
    with Broker(tmp_path / "broker", properties={"group.initial.rebalance.delay.ms": "3000"}) as broker:
        group = PlainGroup(release, f"billing-{release}", broker.bootstrap, TOPICS, tmp_path / "consumers")
        watched = Watched(group, tmp_path)
        group.create_topics()
        try:
            for name in ("a", "b"):
                group.start(name, RANGE)
            watched.settle({"a", "b"})
            _joins_leaves_crashes(watched)
            _migrates(watched)
            _joins_cooperatively(watched)
            _restarts(watched)
        finally:
            group.stop()


@pytest.mark.parametrize("release", RELEASES)
def test_a_static_member_that_is_back_in_time_is_not_noticed(release: str, tmp_path: Path) -> None:
    """It comes back under another member ID and remembers what it is handed again: the next rebalance goes by that."""
    with Broker(tmp_path / "broker", properties={"group.initial.rebalance.delay.ms": "3000"}) as broker:
        group = PlainGroup(release, f"static-{release}", broker.bootstrap, TOPICS, tmp_path / "consumers")
        group.settings["session.timeout.ms"] = "120000"
        watched = Watched(group, tmp_path)
        group.create_topics()
        try:
            for name in ("a", "b", "c"):
                group.start(name, STICKY, instance=f"i-{name}")
            watched.settle({"a", "b", "c"})
            before = watched.look(STICKY)
            group.close("b")
            group.start("b", STICKY, instance="i-b")
            group.wait_until_assigned("b")
            assert watched.happened() == [], "a return in time causes no rebalance"
            back = _id_of(watched.look(STICKY), "b")
            assert back != _id_of(before, "b")
            group.start("d", STICKY, instance="i-d")
            watched.settle({"a", "b", "c", "d"})
            happened = watched.happened()
            events = [
                {"restart_consumer": {"member_id": _id_of(before, "b"), "new_member_id": back, "within_session": True}},
                {"then": "stable"},
                _joins(_member_ids(happened)["d"], STICKY, group_instance_id="i-d"),
            ]
            outcome = _compare(before, events, happened)
            assert (outcome["summary"]["moved"], outcome["summary"]["needless"]) == (2, 0)
        finally:
            group.stop()


def _as_planned(watched: Watched, plan: Path, expected: list[int]) -> None:
    """Every partition is read by whom the plan has it, under the ID that the broker made; in as many rebalances."""
    verdict = watched.verdict(plan)
    assert verdict["result"] == "as forecast", json.dumps(verdict)
    assert verdict["score"] == {"partitions_as_forecast": sum(TOPICS.values()), "partitions": sum(TOPICS.values())}
    assert verdict["rebalances"] == {"expected": expected, "found": len(watched.happened())}


def _joins_leaves_crashes(watched: Watched) -> None:
    group, before = watched.group, watched.look(RANGE)
    plan = watched.plan(before, _joins("whoever comes", RANGE))
    assert watched.verdict(plan)["result"] == "not yet"
    group.start("c", RANGE)
    watched.settle({"a", "b", "c"})
    happened = watched.happened()
    _as_planned(watched, plan, [1, 1])
    _compare(before, [_joins(_member_ids(happened)["c"], RANGE)], happened)

    before = watched.look(RANGE)
    group.close("b")
    watched.settle({"a", "c"})
    _compare(before, [{"remove_consumer": {"member_id": _id_of(before, "b")}}], watched.happened())

    before = watched.look(RANGE)
    group.kill("c")
    watched.settle({"a"})
    happened = watched.happened()
    outcome = _compare(before, [{"remove_consumer": {"member_id": _id_of(before, "c"), "leaves": False}}], happened)
    assert outcome["rounds"][0]["noticed_seconds"] == SESSION_S


def _migrates(watched: Watched) -> None:
    """Two bounces, member by member: closed, and started again once the others share the rest."""
    group, before = watched.group, watched.look(RANGE)
    group.start("d", RANGE)
    watched.settle({"a", "d"})
    events: list[Document] = [{"add": ("d", RANGE)}, {"then": "stable"}]
    names = {"a", "d"}
    for bounce, assignors in enumerate((BOTH, COOPERATIVE), start=1):
        for old in sorted(names):
            new = f"{old[0]}{bounce}"
            group.close(old)
            watched.settle(names - {old})
            group.start(new, assignors)
            names = names - {old} | {new}
            watched.settle(names)
            events += [{"gone": old}, {"then": "stable"}, {"add": (new, assignors)}, {"then": "stable"}]
    happened = watched.foreseeable()
    ids = {about["client_id"]: member for member, about in before["consumers"].items()} | _member_ids(happened)
    requested = []
    for event in events:
        if "add" in event:
            requested.append(_joins(ids[event["add"][0]], event["add"][1]))
        elif "gone" in event:
            requested.append({"remove_consumer": {"member_id": ids[event["gone"]]}})
        else:
            requested.append(event)
    outcome = _compare(before, requested, happened)
    assert {one["assignment"]["assignor"] for one in outcome["rounds"]} == {"range", "cooperative-sticky"}


def _joins_cooperatively(watched: Watched) -> None:
    before = watched.look(COOPERATIVE)
    plan = watched.plan(before, _joins("whoever comes", COOPERATIVE))
    watched.group.start("e", COOPERATIVE)
    watched.settle({"a2", "d2", "e"})
    happened = watched.foreseeable()
    _as_planned(watched, plan, [2, 3])
    outcome = _compare(before, [_joins(_member_ids(happened)["e"], COOPERATIVE)], happened)
    assert [one["trigger"] for one in outcome["rounds"]] == ["change", "immediate"]
    assert before["leader_member_id"] in before["consumers"]
    assert not [offset for topic in before["topics"].values() for offset in topic["partitions"] if offset["end_offset"] != 10]


def _restarts(watched: Watched) -> None:
    """A dynamic consumer leaves when it is closed: the others have its partitions before it is back, unless they are slow."""
    before = watched.look(COOPERATIVE)
    restart = {"member_id": _id_of(before, "e"), "new_member_id": "whoever comes"}
    plan = watched.plan(before, {"restart_consumer": restart})
    watched.group.close("e")
    watched.group.start("e", COOPERATIVE)
    watched.group.wait_until_assigned("e")
    watched.settle({"a2", "d2", "e"})
    verdict = watched.verdict(plan)
    assert verdict["result"] == "as forecast", json.dumps(verdict)
    least, most = verdict["rebalances"]["expected"]
    assert least <= verdict["rebalances"]["found"] <= most
    happened = watched.foreseeable()
    back = _member_ids(happened)["e"]
    fast = back in _assigned(happened[0])
    _compare(before, [{"restart_consumer": restart | {"new_member_id": back, "within_rebalance": fast}}], happened)
