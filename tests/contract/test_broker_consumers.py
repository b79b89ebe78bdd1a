"""Consumer groups whose broker assigns, from a real broker with real consumers: the Snapshot, and the target after a change."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from kafka.admin import KafkaAdminClient, NewTopic
from tests.harness.kafka.broker import Broker
from tests.harness.kafka.plain_app import PlainGroup

from holdfast.cli.main import holdfast

pytestmark = pytest.mark.live

GROUP = "shop"
TOPICS = {"orders": 7, "payments": 3, "clicks": 20}
Document = dict[str, Any]


@pytest.fixture(scope="module")
def bootstrap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Broker(tmp_path_factory.mktemp("broker")) as broker:
        admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
        admin.create_topics([NewTopic(name, partitions, 1) for name, partitions in TOPICS.items()])
        admin.close()
        yield broker.bootstrap


@pytest.fixture
def consumers(bootstrap: str, tmp_path: Path) -> Iterator[PlainGroup]:
    group = PlainGroup("4.3.1", GROUP, bootstrap, TOPICS, tmp_path / "consumers")
    try:
        yield group
    finally:
        group.stop()


def run(*arguments: str) -> str:
    done = CliRunner().invoke(holdfast, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def collected(bootstrap: str) -> Document:
    return json.loads(run("snapshot", "--group", GROUP, "--bootstrap-server", bootstrap))  # type: ignore[no-any-return]


def until(bootstrap: str, good: Callable[[Document], bool]) -> Document:
    ends_at = time.monotonic() + 300
    while not good(found := collected(bootstrap)):
        assert time.monotonic() < ends_at, f"still {found}"
        time.sleep(0.5)
    return found


def settled(members: int) -> Callable[[Document], bool]:
    return lambda found: found["group_state"] == "Stable" and len(found["members"]) == members


def partitions(members: Mapping[str, Any], key: str) -> Document:
    return {name: sorted(map(tuple, member[key])) for name, member in members.items()}


def assigned(document: Document, folder: Path) -> Document:
    """What `holdfast assign` answers."""
    file = folder / "snapshot.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    answer = json.loads(run("assign", str(file)))
    assert answer["undetermined_partitions"] == []
    return partitions(answer["members"], "partitions")


def test_the_target_after_each_change_is_what_is_assigned_from_the_snapshot_before(
    bootstrap: str, consumers: PlainGroup, tmp_path: Path
) -> None:
    for number in range(3):
        consumers.start(f"app-{number}", ())
        consumers.wait_until_assigned(f"app-{number}")
    first = until(bootstrap, settled(3))
    assert (first["protocol"], first["broker_release"], first["assignor"]) == ("consumer", "4.3", "uniform")
    assert {name: len(topic["partitions"]) for name, topic in first["topics"].items()} == TOPICS
    assert all(member["member_type"] == "consumer" for member in first["members"].values())
    assert sum(len(member["target"]) for member in first["members"].values()) == sum(TOPICS.values())
    assert assigned(first, tmp_path) == partitions(first["members"], "target")  # a target is a fixed point

    consumers.close("app-1")
    without = until(bootstrap, settled(2))
    stay = {name: member for name, member in first["members"].items() if name in without["members"]}
    assert len(stay) == 2
    assert assigned(first | {"members": stay}, tmp_path) == partitions(without["members"], "target")

    consumers.start("app-3", (), instance="static-3")
    consumers.wait_until_assigned("app-3")
    again = until(bootstrap, settled(3))
    (new,) = again["members"].keys() - without["members"].keys()
    assert again["members"][new]["instance_id"] == "static-3"
    joined = {new: again["members"][new] | {"target": [], "assignment": []}}
    assert assigned(without | {"members": without["members"] | joined}, tmp_path) == partitions(again["members"], "target")

    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    admin.create_topics([NewTopic("unread", 2, 1)])
    admin.create_partitions({"orders": 12})
    admin.close()
    grown = until(bootstrap, lambda found: settled(3)(found) and sum(len(m["target"]) for m in found["members"].values()) == 35)
    assert "unread" not in grown["topics"]
    assert assigned(again | {"topics": grown["topics"]}, tmp_path) == partitions(grown["members"], "target")


def test_a_roll_of_real_consumers_is_as_it_was_forecast(bootstrap: str, consumers: PlainGroup, tmp_path: Path) -> None:
    """Epochs and targets of each restart, and the end of all of it. A plan that was made before it, when no member ID was known, is
    verified after it. All that was recorded of it, and of the test before, is decided again."""
    for number in range(3):
        consumers.start(f"app-{number}", ())
        consumers.wait_until_assigned(f"app-{number}")
    first = before = until(bootstrap, settled(3))
    plan = planned(first, tmp_path, {"rolling_restart": {}})
    events: list[Document] = []
    for step in plan["change"]["events"][::2]:
        old = step["restart_consumer"]["member_id"]
        app = first["members"][old]["client_id"]
        consumers.close(app)
        without = until(bootstrap, settled(2))
        consumers.start(app, ())
        consumers.wait_until_assigned(app)
        after = until(bootstrap, settled(3))
        (new,) = after["members"].keys() - without["members"].keys()
        restart = {"restart_consumer": {"member_id": old, "new_member_id": new}}
        assert forecast(before, tmp_path, restart) == [
            (one["group_epoch"], partitions(one["members"], "target")) for one in (without, after)
        ]
        events += [restart, {"then": "stable"}]
        before = after
    assert forecast(first, tmp_path, *events)[-1] == (before["group_epoch"], partitions(before["members"], "target"))

    verdict = verified(plan, before, tmp_path)
    assert (verdict["result"], verdict["differences"]) == ("as forecast", [])
    every = sum(len(topic["partitions"]) for topic in before["topics"].values())
    assert verdict["score"] == {"partitions_as_forecast": every, "partitions": every}
    assert {one["shown"] for one in verdict["steps"]} == {"happened"}
    elsewhere = json.loads(json.dumps(before))
    one, other, _ = elsewhere["members"].values()
    one["assignment"], other["assignment"] = other["assignment"], one["assignment"]
    assert verified(plan, elsewhere, tmp_path)["result"] == "different"

    past = json.loads(run("backtest", "--group", GROUP, "--bootstrap-server", bootstrap, "--json"))
    (group,) = past["groups"]
    assert {one["judged"] for one in group["rebalances"]} <= {"equal", "inferred"}, past
    assert (len(group["rebalances"]) >= 6, group["not_recorded"]) == (True, 0), past  # of the roll; one target may be of two epochs


def planned(document: Document, folder: Path, *events: Document) -> Document:
    """A plan of which the change is carried out as requested."""
    file, change, policy = folder / "first.json", folder / "roll.json", folder / "policy.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    change.write_text(json.dumps({"format_version": "1.0", "events": events}), encoding="utf-8")
    policy.write_text(json.dumps({"format_version": "1.0", "exclude": ["within-interval", "other-order"]}), encoding="utf-8")
    done = CliRunner().invoke(holdfast, ["plan", str(file), str(change), "--policy", str(policy), "--json"])
    assert done.exit_code in (0, 2), done.output
    plan: Document = json.loads(done.stdout)
    assert plan["chosen"] == "baseline"
    return plan


def verified(plan: Document, document: Document, folder: Path) -> Document:
    file, after = folder / "plan.json", folder / "after.json"
    file.write_text(json.dumps(plan), encoding="utf-8")
    after.write_text(json.dumps(document), encoding="utf-8")
    done = CliRunner().invoke(holdfast, ["verify", str(file), "--snapshot", str(after), "--json"])
    assert done.exit_code in (0, 2, 3), done.output
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def forecast(document: Document, folder: Path, *events: Document) -> list[tuple[int, Document]]:
    """The epoch and the assignment of each target that `holdfast forecast` answers."""
    file, change = folder / "snapshot.json", folder / "change.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    change.write_text(json.dumps({"format_version": "1.0", "events": events}), encoding="utf-8")
    (outcome,) = json.loads(run("forecast", str(file), str(change), "--json"))["outcomes"]
    assert not any(one["assignment"]["undetermined_partitions"] for one in outcome["targets"])
    return [(one["group_epoch"], partitions(one["assignment"]["members"], "partitions")) for one in outcome["targets"]]
