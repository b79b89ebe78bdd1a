"""What the next target of a group whose broker assigns moves, whatever raises its epoch."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.harness import command_line
from tests.unit.rollout.broker_streams.streams_groups import Case, snapshot, targets

from holdfast.errors import CannotPredict, Unsupported
from holdfast.rollout.broker_streams.guard import guard
from holdfast.rollout.broker_streams.guard.guard import BrokerGuard, Trap
from holdfast.rollout.broker_streams.guard.json import GUARD
from holdfast.rollout.broker_streams.kind.kind import BrokerStreamsKind
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.text import document_blocks
from holdfast.rollout.text.format import capital

OWNED = {
    "m9": ("p1", ["0_4", "1_5"], ["1_2"]),
    "m17": ("p2", ["0_3", "1_1", "1_2"], ["1_0"]),
    "m8": ("p3", ["0_1", "1_0", "1_4"], ["1_3"]),
    "m0": ("p1", ["0_0", "0_2", "1_3"], ["1_1"]),
    "m4": ("p2", ["0_5"], ["1_4", "1_5"]),
}
"""What 4.3.1's assignor itself left after one of six members had gone: it is no fixed point of it."""


def latent(**differs: Any) -> Case:
    members = {
        name: {"process_id": process, "host": f"host-{process}"}
        | {key: {"active": active, "standby": standby} for key in ("assignment", "target")}
        for name, (process, active, standby) in OWNED.items()
    }
    return snapshot(members=members, config={"streams.num.standby.replicas": 1}) | differs


def look(document: Case) -> BrokerGuard:
    return guard.look(SNAPSHOT.read(document))


def text(document: Case) -> str:
    return document_blocks.to_text(BrokerStreamsKind().guarded(SNAPSHOT.read(document)).blocks)


def test_a_group_at_rest_can_hold_a_target_that_would_not_be_computed_again() -> None:
    found = look(latent())

    assert [(str(one.task), one.stateful, one.before, one.after, one.cold) for one in found.moved] == [
        ("1_4", True, "p3", "p2", False)  # to where its standby is
    ]
    assert (found.stateful_moved, found.stateful_tasks, found.cold_moves) == (1, 6, 0)
    assert [str(one) for one in found.standbys_moved] == ["1_4"]
    assert found.between_threads == found.findings == ()
    assert [(one.process_id, one.stateful_now, one.stateful_next) for one in found.clients] == [
        ("p1", 2, 2),
        ("p2", 2, 3),
        ("p3", 2, 1),
    ]


def test_it_is_the_target_that_any_cause_gives() -> None:
    """One whose epoch has been raised, and nothing else changed, is forecast the same target."""
    (forecast,) = targets({"then": "stable"}, of=latent(group_epoch=13))
    assert GUARD.write(look(latent()))["next_target"] == forecast["assignment"]


def test_a_config_that_no_target_has_seen() -> None:
    found = look(snapshot(config={"streams.num.standby.replicas": 1}))
    assert (found.moved, len(found.standbys_moved)) == ((), 6)
    assert "Standbys of 6 tasks move." in text(snapshot(config={"streams.num.standby.replicas": 1}))


def owning(**tasks: list[str]) -> Case:
    document = snapshot()
    for name, active in tasks.items():
        document["members"][name]["assignment"] = document["members"][name]["target"] = {"active": active}
    return document


def test_another_thread_of_the_same_client_is_no_move() -> None:
    document = owning(a0=["1_0"], a1=["0_0", "0_1", "1_1"])
    found = look(document)
    assert (found.moved, [str(one) for one in found.between_threads]) == ((), ["1_1"])
    assert "1 task changes the thread inside the same client." in text(document)


def test_a_task_without_an_owner_and_a_stateless_one() -> None:
    document = owning(c1=["1_0", "1_4", "0_5"], c0=["0_4"], a0=["0_0"])
    found = look(document)
    assert [(str(one.task), one.stateful, one.before, one.after, one.cold) for one in found.moved] == [
        ("0_5", False, "c", "a", False),
        ("1_5", True, None, "c", False),
    ]
    read = text(document)
    assert "1 stateless task moves." in read
    assert "To a client whose disk has never had the task: 0." in read


def test_a_quiet_group() -> None:
    assert not look(snapshot()).moved
    assert text(snapshot()).splitlines()[0] == "The next target moves no stateful task."
    assert "Unknown: config: not read" in text(snapshot(unknown=[{"what": "config", "reason": "not read"}]))


def test_many_moves_are_cut() -> None:
    document = snapshot(topics={name: {"partitions": [{"id": one} for one in range(40)]} for name in snapshot()["topics"]})
    assert "more, see --json" in text(document)


THREAD = "shop-c-StreamThread-1-consumer"


@pytest.mark.parametrize(("host", "trap"), [("host-c", Trap.EARLIER_START), ("host-d", Trap.TWICE)])
def test_one_process_id_twice(host: str, trap: Trap) -> None:
    document = snapshot()
    document["members"]["c0"] |= {"client_id": THREAD}
    document["members"]["c1"] |= {"client_id": THREAD, "host": host}
    (found,) = look(document).findings
    assert (found.trap, found.process_ids) == (trap, ("c",))
    assert f"{capital(trap)}: 2 members report this process ID" in text(document)


def test_one_client_id_for_all_threads_says_nothing() -> None:
    document = snapshot()
    for one in document["members"].values():
        one["client_id"] = "shop"
    assert look(document).findings == ()


@pytest.mark.parametrize(
    ("differs", "said"),
    [
        ({"members": {}}, "has no client"),
        ({"members": {}, "group_state": "Empty"}, r"has no client \(Empty\)"),
        ({"group_state": "Assigning"}, "was Assigning, not Stable: its group epoch"),
        ({"group_state": "Reconciling"}, "was Reconciling, not Stable: its members"),
        ({"group_state": "NotReady"}, "was NotReady, not Stable: its topology"),
        ({"group_state": "Dead"}, "was Dead, not Stable"),
        ({"group_state": None, "group_epoch": 13}, "was Assigning"),
        ({"topics": {"orders": {"partitions": [{"id": 0}]}}}, "users"),
        ({"broker_release": None}, "broker_release"),
    ],
)
def test_a_group_that_is_not_at_rest_is_refused(differs: Case, said: str) -> None:
    with pytest.raises(CannotPredict, match=said):
        look(snapshot(**differs))


def test_early_access_is_refused() -> None:
    with pytest.raises(Unsupported, match=r"4\.1"):
        look(snapshot(broker_release="4.1.0"))


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "snapshot.json"
    path.write_text(json.dumps(latent()))
    done = command_line.run(["guard", path])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == (
        "The group is stable, but its next target moves 1 stateful task of 6, whatever triggers it."
    )
    answer = json.loads(command_line.run(["guard", path, "--json"]).stdout)
    assert answer["moved"] == [{"task_id": "1_4", "stateful": True, "before": "p3", "after": "p2", "cold": False}]

    path.write_text(json.dumps(latent(group_state="Reconciling")))
    assert command_line.run(["guard", path]).returncode == 1
