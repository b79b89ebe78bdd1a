"""A second forecast of consumer groups, from the contract's text alone: the JVM decides every round, the reports are worked out
here.

It shares no code with `holdfast.rollout`; what it knows of a group is the JVM driver's question and a Change's JSON.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

from tests.conformance.streams.twin_words import batches

Case = dict[str, Any]
Ask = Callable[[Case], Case]
"""What the release's own assignor answers."""

TIES = {"3": ("cooperative-sticky", "roundrobin", "range", "sticky"), "4": ("sticky", "range", "roundrobin", "cooperative-sticky")}
MOST_ROUNDS = 60
_NEW: Case = {"owned": [], "generation": None, "begins": True}


class Tie(Exception):
    """It is unknown which assignor the coordinator picks."""


class TooLong(Exception):
    """More rounds than it is worth to put to a JVM."""


@dataclasses.dataclass
class Course:
    rounds: list[tuple[str, Case]]
    """Trigger and Assignment, as the contract has it."""
    stable: bool
    member_ids: list[str]


def course(case: Case, change: Case, ask: Ask, *, leader_checks: bool, living: Case | None = None) -> Course:
    """`living`: the JVM's own members remember (`PlainMember`; `wire`: what they are handed travels as bytes).

    What the twin says that they own then only serves for what is revoked.
    """
    twin = _Twin(case, ask, leader_checks=leader_checks)
    twin.living = living
    for events, wait in batches(change):
        for event in events:
            ((verb, content),) = event.items()
            getattr(twin, f"_{verb}")(content)
        if not twin.rebalance(once=wait == "rebalance"):
            break
    return Course(twin.rounds, twin.stable, list(twin.members))


def elected(members: list[Case], broker: str | None) -> str | None:
    """The assignor with most votes among those that all have; None: there is none."""
    common = set(members[0]["assignors"]).intersection(*(member["assignors"] for member in members))
    votes: dict[str, int] = {}
    for member in members:
        for assignor in member["assignors"]:
            if assignor in common:
                votes[assignor] = votes.get(assignor, 0) + 1
                break
    if not votes:
        return None
    first = [assignor for assignor, count in votes.items() if count == max(votes.values())]
    if len(first) > 1 and broker is None:
        raise Tie
    return first[0] if len(first) == 1 else min(first, key=TIES[broker].index)


def cooperative(member: Case) -> bool:
    return set(member["assignors"]) == {"cooperative-sticky"}


class _Twin:
    def __init__(self, case: Case, ask: Ask, *, leader_checks: bool) -> None:
        self.ask, self.leader_checks, self.broker = ask, leader_checks, case.get("broker")
        self.members: dict[str, Case] = {member["id"]: dict(member) for member in case["members"]}
        self.topics = dict(case["topics"])
        self.leader = case["members"][0]["id"]
        self.generation = max([case.get("group_generation") or 0, *(one["generation"] or 0 for one in case["members"])])
        self.rounds: list[tuple[str, Case]] = []
        self.stable = True
        self.living: Case | None = None

    # What events do.

    def _add_consumer(self, new: Case) -> None:
        made = {"id": new["member_id"], "assignors": new["assignors"], "subscription": new["subscription"]}
        self.members[new["member_id"]] = made | _named(new) | _NEW

    def _remove_consumer(self, gone: Case) -> None:
        del self.members[gone["member_id"]]

    def _replace_consumer(self, event: Case) -> None:
        old = self.members.pop(event["member_id"])
        by = event["by"]
        self.members[by["member_id"]] = old | _named(by) | {"id": by["member_id"]} | _NEW

    def _restart_consumer(self, event: Case) -> None:
        old, new = event["member_id"], event.get("new_member_id") or event["member_id"]
        made = self.members[old] | _named(event) | {"id": new} | _NEW
        if old == self.leader and self.members[old].get("instance") and self.members[old].get("instance") == made.get("instance"):
            self.leader = new
        del self.members[old]
        self.members[new] = made

    def _set_assignors(self, event: Case) -> None:
        for old, new in event["member_ids"].items():
            self._restart_consumer({"member_id": old, "new_member_id": new, "assignors": event["assignors"]})

    def _add_partitions(self, event: Case) -> None:
        more = event["partitions"] - len(self.topics[event["topic"]])
        self.topics[event["topic"]] = self.topics[event["topic"]] + event.get("replica_racks", [[]] * more)

    def _add_topic(self, event: Case) -> None:
        self.topics[event["topic"]] = event.get("replica_racks", [[]] * event["partitions"])

    def _remove_topic(self, event: Case) -> None:
        del self.topics[event["topic"]]

    # The rounds.

    def rebalance(self, *, once: bool) -> bool:
        """One, or until nothing is pending. False: it does not get there."""
        if len(self.members) == 1:
            self.leader = next(iter(self.members))
        trigger = "change"
        while True:
            if len(self.rounds) >= MOST_ROUNDS:
                raise TooLong
            assignor = elected(list(self.members.values()), self.broker)
            answer = {"error": "no assignor"} if assignor is None else self._asked(assignor)
            if "error" in answer:
                self.rounds.append((trigger, {"error": answer["error"]}))
                self.stable = False
                return False
            self.generation += 1
            said: Case = {}
            for name, member in self.members.items():
                given = answer[name]["partitions"]
                revoked = [one for one in member["owned"] if one not in given] if cooperative(member) else []
                said[name] = {
                    "partitions": sorted(given),
                    "withheld": sorted(answer[name]["withheld"]),
                    "revoked": sorted(map(list, {tuple(one) for one in revoked})),
                    "next_rebalance": "immediate" if revoked else "none",
                }
                if assignor == "sticky" or cooperative(member):
                    member["owned"], member["generation"] = given, self.generation
            self.rounds.append((trigger, {"assignor": assignor, "consumers": said}))
            if once or all(one["next_rebalance"] == "none" for one in said.values()):
                return True
            trigger = "immediate"

    def _asked(self, assignor: str) -> Case:
        leader = self.members.get(self.leader)
        members = list(self.members.values())
        checked = self.leader_checks and (cooperative(leader) if leader else all(map(cooperative, members)))
        return self.ask({"ask": "assign", "assignor": assignor, "members": members, "topics": self.topics, "checked": checked})


def _named(new: Case) -> Case:
    """What an event gives, in the driver's words."""
    words = {"assignors": "assignors", "subscription": "subscription", "rack": "rack", "group_instance_id": "instance"}
    return {words[key]: value for key, value in new.items() if key in words}
