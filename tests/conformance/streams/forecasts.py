"""A forecast through its JSON, and what in it the twin sees otherwise."""

import json
import random
from typing import Any

from tests.conformance.streams import forecast_twin, groups, random_changes, random_groups, snapshots, twin_words
from tests.conformance.streams.forecast_twin import Ask, Course
from tests.conformance.streams.groups import Case

from holdfast.errors import HoldfastError
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.json import forecast_to_json
from holdfast.rollout.streams.snapshot.json import snapshot_from_json

MOST_TASKS = 60
"""A case with more takes the JVM too many rounds."""


def random_forecast(seed: int, release: str) -> tuple[Case, Case] | None:
    """A group and a change, or None for a group that a forecast refuses (unknown end offsets), or a big one."""
    case = random_groups.random_case(seed, release)
    config = case["config"]
    config.pop("internal.task.assignor.class", None)
    for member in case["members"]:
        member.pop("code", None)
    if not snapshots.sayable(case) or any(end is None for ends in case["ends"].values() for end in ends):
        return None
    if sum(max(width for _, width in one["sources"]) for one in case["subtopologies"]) > MOST_TASKS:
        return None
    if random.Random(f"{seed}/static").random() < 0.3:
        for number, member in enumerate(case["members"]):
            member["instance"] = f"instance-{number}"
    return case, random_changes.random_change(seed, case, release)


def ours(case: Case, change: Case, release: str) -> Case:
    """The Forecast's JSON, or `{"refused": the error's class and text}`."""
    snapshot = snapshot_from_json(json.loads(json.dumps(snapshots.snapshot_of(case, release))))
    try:
        return json.loads(json.dumps(forecast_to_json(forecast(snapshot, change_from_json(change)))))
    except HoldfastError as refusal:
        return {"refused": f"{type(refusal).__name__}: {refusal}"}


def with_process_id(change: Case, chosen: str) -> Case:
    """The same change with this ID instead of the new random one."""
    change = json.loads(json.dumps(change))
    for event in change["events"]:
        for verb, content in event.items():
            client = content.get("by", content) if isinstance(content, dict) else {}
            if verb in ("add_client", "replace_client") and client.get("process_id", "") is None:
                client["process_id"] = chosen
            if verb == "restart_client" and not client.get("keeps_process_id", True) and client.get("new_process_id") is None:
                client["new_process_id"] = chosen
    return change


def named(change: Case) -> list[str]:
    """Every process ID that the change names."""
    found: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            found.extend(value[key] for key in ("process_id", "new_process_id") if isinstance(value.get(key), str))
            for one in value.values():
                walk(one)
        elif isinstance(value, list):
            for one in value:
                walk(one)

    walk(change["events"])
    return found


def differences(case: Case, change: Case, release: str, ask: Ask, answer: Case) -> list[str]:
    """What the twin sees otherwise, a line each."""
    found: list[str] = []
    known = {member["process"] for member in case["members"]} | set(named(change))
    for outcome in answer["outcomes"]:
        fresh = [process for process in outcome["process_ids"] if process not in known]
        resolved = with_process_id(change, fresh[0]) if fresh else change
        twin = forecast_twin.course(case, resolved, release, ask)
        found += _between(twin, outcome)
        if fresh and len(twin.there) == len(twin_words.batches(change)):
            next_to_it = dict.fromkeys(one for there in twin.there if fresh[0] in there for one in there if one != fresh[0])
            place = sorted([*next_to_it, fresh[0]], key=twin_words.order).index(fresh[0])
            chance = twin_words.chances(next_to_it)[place]
            if abs(chance - outcome["probability"]) > 1e-9:
                found.append(f"probability of {fresh[0]}: twin {chance}, ours {outcome['probability']}")
    if abs(sum(outcome["probability"] for outcome in answer["outcomes"]) - 1) > 1e-9:
        found.append("the probabilities do not add up to 1")
    return found


def _between(twin: Course, outcome: Case) -> list[str]:
    found = []
    theirs, rounds = twin.rounds, outcome["rounds"]
    for number, (one, other) in enumerate(zip(theirs, rounds, strict=False)):
        if (one.trigger, one.at_seconds) != (other["trigger"], other["at_seconds"]):
            found.append(
                f"round {number}: twin {one.trigger} at {one.at_seconds}, ours {other['trigger']} at {other['at_seconds']}"
            )
        different = groups.between(one.answer, snapshots.answer_of(other["assignment"]))
        if different:
            found.append(f"round {number}: {different}")
        if one.restoring != other["restoring"]:
            found.append(f"round {number} restores: twin {one.restoring}, ours {other['restoring']}")
        if found:
            return found
    summary = outcome["summary"]
    restored = sum(sum(one.restoring.values()) for one in theirs)
    figures = {
        "rounds": (len(theirs), len(rounds)),
        "stable": (twin.stable, outcome["stable"]),
        "active_moved": (twin.active_moved, summary["active_moved"]),
        "rebalances": (len(theirs), summary["rebalances"]),
        "seconds_to_stable": ((theirs[-1].at_seconds if theirs else 0) if twin.stable else None, summary["seconds_to_stable"]),
        "restore_records": (restored, summary["restore_records"]),
        "process_ids": (twin.process_ids, outcome["process_ids"]),
    }
    return [f"{name}: twin {one}, ours {other}" for name, (one, other) in figures.items() if one != other]
