"""Every round of a consumer group's forecast against the twin (`plain_twin`): random groups, random changes, the published jars.

A failure prints its seed and a case made small; what differed once is a line of `forecast_cases.jsonl`, where it stays.

    HOLDFAST_SEED=N                    the cases of an earlier run
    HOLDFAST_CONFORMANCE_CASES=N       number of cases per release
    HOLDFAST_CONFORMANCE_RELEASES=all  every release of the table, or a list with commas; otherwise one or more of each line
"""

import collections
import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.consumer import groups as plain_groups
from tests.conformance.consumer import twin as plain_twin
from tests.conformance.consumer.assignors_jvm import PlainJvm
from tests.conformance.consumer.groups import Case
from tests.conformance.consumer.random_changes import random_forecast_case
from tests.conformance.consumer.test_assignors import JUDGED
from tests.conformance.streams.smaller import shrunk

from holdfast.errors import HoldfastError
from holdfast.kafka.consumer.release import RELEASES, behaviour
from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case

pytestmark = pytest.mark.jvm

CASES = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 25)
RECORDED = Path(__file__).parent / "forecast_cases.jsonl"
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))


def _releases() -> tuple[str, ...]:
    asked = os.environ.get("HOLDFAST_CONFORMANCE_RELEASES", "")
    if asked == "all":
        return RELEASES
    return tuple(asked.split(",")) if asked else JUDGED


@pytest.mark.parametrize("jvm", _releases(), indirect=True)
def test_the_twin_sees_every_round_the_same(jvm: PlainJvm) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: {CASES} forecasts for Kafka {release}")
    seen: collections.Counter[str] = collections.Counter()
    for line in RECORDED.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        _, found = compared(entry["case"], entry["change"], jvm)
        assert found == "", f"{entry['why']} ({release}): {found}"
    for seed in range(SEED, SEED + 4 * CASES):
        if seed >= SEED + CASES and seen["stable"] > CASES / 2:
            break
        case, change = random_forecast_case(seed)
        kind, found = compared(case, change, jvm, living={"wire": True} if seed % 2 else None)
        if found:
            _fail(f"HOLDFAST_SEED={seed}: {found}", case, change, jvm)
        seen[kind] += 1
    print(dict(seen))
    assert seen["stable"] > CASES / 2, "most of the groups settle"
    assert seen["refused"] <= CASES / 4, "most of the changes that are drawn can be forecast"


def compared(case: Case, change: Case, jvm: PlainJvm, living: Case | None = None) -> tuple[str, str]:
    """What kind of forecast it is, and what the twin sees otherwise. `living`: as in `plain_twin.course`."""
    checks = behaviour(jvm.release).leader_checks_cooperative
    try:
        theirs = plain_twin.course(case, change, lambda question: jvm.ask([question])[0], leader_checks=checks, living=living)
    except plain_twin.Tie:
        theirs = None
    except plain_twin.TooLong:
        return "long", ""
    snapshot = plain_groups.snapshot_of(case, jvm.release) | {"generation": case.get("group_generation")}
    if "broker" in case:
        snapshot["broker_release"] = f"{case['broker']}.0.0"
    try:
        answer = json.loads(json.dumps(forecast_case({"snapshot": snapshot, "change": change}, Detail.FULL)))
    except HoldfastError as refusal:
        known = "Which one the coordinator picks" in str(refusal) if theirs is None else "the leader is unknown" in str(refusal)
        return "refused", "" if known else f"refused: {refusal}"
    if theirs is None:
        return "tie", "ours sees no tie"
    (outcome,) = answer["outcomes"]
    ours = [(one["trigger"], _said(one["assignment"])) for one in outcome["rounds"]]
    for number, (their, our) in enumerate(zip(theirs.rounds, ours, strict=False)):
        if _without_text(their) != _without_text(our):
            return "different", f"round {number}:\nKafka {their}\nours  {our}"
    facts = (len(theirs.rounds), theirs.stable, theirs.member_ids), (len(ours), outcome["stable"], outcome["member_ids"])
    if facts[0] != facts[1]:
        return "different", f"Kafka {facts[0]}, ours {facts[1]}"
    return "stable" if theirs.stable else "failing", ""


def _said(assignment: Case) -> Case:
    """Without what the JVM does not say."""
    return {key: value for key, value in assignment.items() if key != "format_version"}


def _without_text(one: tuple[str, Case]) -> object:
    """The text of an error is Kafka's own affair, its class is not."""
    trigger, said = one
    if "error" in said:
        return trigger, "no assignor" if "no assignor" in said["error"] else said["error"].partition(":")[0]
    return trigger, said


def _fail(where: str, case: Case, change: Case, jvm: PlainJvm) -> None:
    both = {"case": case, "change": change}

    def differs(candidate: Case) -> bool:
        try:
            found = compared(candidate["case"], candidate["change"], jvm)[1]
        except (KeyError, IndexError, ValueError):  # the change no longer fits the group
            return False
        return bool(found) and not found.startswith("refused")

    small = shrunk(both, differs, _without_one_part) if differs(both) else both
    found = compared(small["case"], small["change"], jvm)[1]
    pytest.fail(f"Kafka {jvm.release} and Holdfast differ ({where}):\n{found}\n{json.dumps(small)}", pytrace=False)


def _without_one_part(both: Case) -> Iterator[Case]:
    events = both["change"]["events"]
    for place in range(len(events)):
        yield copy.deepcopy(both | {"change": both["change"] | {"events": events[:place] + events[place + 1 :]}})
    for case in plain_groups.without_one_part(both["case"]):
        yield copy.deepcopy(both | {"case": case})
