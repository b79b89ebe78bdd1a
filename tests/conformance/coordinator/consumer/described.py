"""What a whole coordinator describes of a consumer group: as a Snapshot, as the targets that it has computed, and what of them is
otherwise than forecast."""

import itertools
from collections.abc import Iterator
from typing import Any

from tests.conformance.coordinator.targets import Case

from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case


def targets_of(snapshot: Case, events: list[Case]) -> list[Case]:
    """As they are forecast."""
    answer: Any = forecast_case({"snapshot": snapshot, "change": {"format_version": "1.0", "events": events}}, Detail.FULL)
    targets: list[Case] = answer["outcomes"][0]["targets"]
    return targets


def snapshot_of(shown: Case, release: str, ids: dict[str, str], topics: dict[str, int], config: Case) -> Case:
    """The Snapshot of what the coordinator shows. `topics`: the partitions of each; `config`: of the brokers, all that it has."""
    return {
        "format_version": "1.0",
        "group_id": "shop",
        "protocol": "consumer",
        "broker_release": release,
        "client_release": "4.0.0",  # all assign alike
        "group_epoch": shown["epoch"],
        "assignment_epoch": shown["assignment epoch"],
        "assignor": shown["assignor"],
        "config": config,
        "topics": {
            name: {"id": ids[name], "partitions": [{"id": number} for number in range(count)]} for name, count in topics.items()
        },
        "members": {
            name: {
                "instance_id": one["instance"],
                "member_epoch": one["epoch"],
                "member_type": ("classic", "consumer")[one["type"]],
                "subscription": one["topics"],
                "subscription_regex": one["regex"] or None,
                "assignment": list(_each(one["assignment"])),
                "target": list(_each(one["target"])),
            }
            for name, one in shown["members"].items()
        },
    }


def classic_snapshot(shown: Case, release: str, ids: dict[str, str], topics: dict[str, int], config: Case, members: Case) -> Case:
    """The Snapshot of a classic group, as DescribeGroups lists it. `members`: what each has joined with."""
    return {
        "format_version": "1.0",
        "group_id": "shop",
        "protocol": "consumer-classic",
        "kafka_release": "4.0.0",  # of its consumers: all assign alike
        "broker_release": release,
        "group_state": shown["classic"]["state"],
        "generation": shown["generation"],
        "config": config,
        "topics": {
            name: {"id": ids[name], "partitions": [{"id": number} for number in range(count)]} for name, count in topics.items()
        },
        "consumers": {
            name: members[name] | _owned(one, members[name], shown["generation"])
            for name, one in shown["classic"]["members"].items()
        },
    }


def _owned(one: Case, joined: Case, generation: int) -> Case:
    """What a classic member has, and reports if its assignor is a sticky one."""
    owned = partitions_of(one)
    found = {"group_instance_id": one["instance"], "assigned": owned}
    sticky = any("sticky" in name for name in joined["assignors"])
    return found | ({"owned": owned, "owned_generation": generation} if sticky else {})


def partitions_of(member: Case) -> list[Any]:
    """What the coordinator shows as assigned to it."""
    return list(_each(member["assignment"]))


def _each(owned: list[Any]) -> Iterator[list[Any]]:
    return ([topic, number] for topic, numbers in owned for number in numbers)


def computed(shown: list[Case]) -> list[Case]:
    """The targets that the coordinator computed, from what was described after each step, the first of which is before them."""
    return [
        {
            "group_epoch": after["assignment epoch"],
            "members": {name: list(_each(one["target"])) for name, one in after["members"].items()},
        }
        for before, after in itertools.pairwise(shown)
        if after["members"] and after["assignment epoch"] != before["assignment epoch"]
    ]


def mismatch(forecast: list[Case], found: list[Case]) -> str:
    """What differs first; empty: nothing. Undetermined partitions may be anywhere."""
    epochs = [one["group_epoch"] for one in forecast], [one["group_epoch"] for one in found]
    if epochs[0] != epochs[1]:
        return f"epochs: forecast {epochs[0]}, coordinator {epochs[1]}"
    for ours, theirs in zip(forecast, found, strict=True):
        free = {*map(tuple, ours["assignment"]["undetermined_partitions"]), *map(tuple, ours.get("after_undetermined", ()))}
        own = {name: {*map(tuple, given["partitions"])} - free for name, given in ours["assignment"]["members"].items()}
        other = {name: {*map(tuple, given)} - free for name, given in theirs["members"].items()}
        if own != other:
            return f"target of epoch {theirs['group_epoch']}: forecast {own}, coordinator {other}"
        if list(own) != list(other):
            return f"target of epoch {theirs['group_epoch']}: members as forecast {list(own)}, as listed {list(other)}"
    return ""
