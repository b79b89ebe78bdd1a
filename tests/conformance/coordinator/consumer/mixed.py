"""Random changes to a consumer group that moves between the protocols, and has members of both."""

import base64
import random
from typing import Any

from tests.conformance.coordinator.consumer.described import classic_snapshot, computed, mismatch, partitions_of, snapshot_of
from tests.conformance.coordinator.targets import Case

from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case

_ASSIGNORS = (["range"], ["cooperative-sticky"], ["range", "cooperative-sticky"], ["sticky"])
_POLICIES = ("bidirectional", "bidirectional", "bidirectional", "Upgrade", "disabled")


class MixedChange:
    """`script`: for the coordinator; `settled`: the step that shows the mixed group before the change. A classic group comes into
    being, and some of its members are converted first; then the change begins."""

    def __init__(self, chance: random.Random, release: str) -> None:
        self._chance, self._release = chance, release
        self._steps: list[Case] = []
        self._classic: dict[str, str | None] = {}  # by the name in the script, with instance IDs
        self._consumers: dict[str, str | None] = {}
        self._static, self._assignors = chance.choice((0, 0, 0.5, 1)), chance.choice(_ASSIGNORS)
        self._topics = {"orders": chance.randint(1, 12), "users": chance.choice((1, 3, 8))}
        self._reads = [list(self._topics), list(self._topics), ["orders"]] if chance.random() < 0.3 else [list(self._topics)]
        count = chance.choice((2, 2, 3, 3, 4, 5))
        self.config = {"group.consumer.migration.policy": chance.choice(_POLICIES[:4])}
        if chance.random() < 0.15:
            self.config["group.max.size"] = str(count)
        for number in range(count):
            self._join_classic(f"host-{number}" if chance.random() < self._static else None, chosen=False)
        for _ in range(4):
            self._do("sleep", ms=3_000)
        self._settle()
        self.classic = len(self._steps) - 1
        self.conversions: list[Case] = []
        for member in chance.sample(list(self._classic), chance.randint(1, count - 1)):
            reads = next(one["topics"] for one in self._steps if one["do"] == "join classic" and one["id"] == member)
            fast = {"within_rebalance": True} if chance.random() < 0.3 else {}
            new = self._convert(member, "consumer", within=bool(fast), reads=reads)
            self._settle()
            event = {"member_id": member, "new_member_id": new, "to": "consumer"} | fast
            self.conversions += [{"convert_consumer": event}, {"then": "stable"}]
        self.settled = len(self._steps) - 1
        self.events: list[Case] = []
        self._began: list[int] = []  # the step with which each of them does
        for _ in range(chance.choice((1, 2, 3, 5))):
            began = len(self._steps)
            self._event()
            self._settle()
            self.events.append({"then": "stable"})
            self._began += [began] * (len(self.events) - len(self._began))

    @property
    def script(self) -> Case:
        return {"config": self.config, "topics": [list(one) for one in self._topics.items()], "steps": self._steps}

    def _do(self, what: str, **more: Any) -> None:
        self._steps.append({"do": what, **more})

    def _beats(self) -> None:
        """Members of a classic group are quick: none hears of the next rebalance before it has its part of the last."""
        for _ in range(3):
            if self._classic:
                self._do("heartbeat classic, together", ids=[*self._classic])
            for member in self._consumers:
                self._do("heartbeat, and what follows", id=member)

    def _settle(self) -> None:
        """Later than the assignment interval, before and after."""
        self._do("sleep", ms=2_000)
        self._beats()
        self._do("sleep", ms=2_000)

    def _join_classic(self, instance: str | None, *, chosen: bool = True, reads: list[str] | None = None) -> str:
        """The script makes the ID of a dynamic one, which only a group of the new protocol takes; the coordinator makes others."""
        name = base64.urlsafe_b64encode(self._chance.randbytes(16)).decode().rstrip("=")
        own = {"member_id": name} if chosen and instance is None else {}
        self._classic[name] = instance
        self._do(
            "join classic",
            id=name,
            instance=instance,
            topics=reads or self._chance.choice(self._reads),
            assignors=self._assignors,
            **own,
        )
        return name

    def _join(self, instance: str | None, reads: list[str] | None = None) -> str:
        name = base64.urlsafe_b64encode(self._chance.randbytes(16)).decode().rstrip("=")
        self._consumers[name] = instance
        self._do("join", id=name, instance=instance, rack=None, assignor=None, topics=reads or self._chance.choice(self._reads))
        return name

    def _stop(self, member: str) -> str | None:
        """A static member that stops says so with the new protocol only."""
        if member in self._classic:
            instance = self._classic.pop(member)
            if instance is None:
                self._do("leave classic", id=member)
            return instance
        instance = self._consumers.pop(member)
        self._do("leave" if instance is None else "stop", id=member)
        return instance

    def _convert(self, member: str, to: str, *, within: bool = False, reads: list[str] | None = None) -> str:
        instance = self._stop(member)
        if not within:
            self._settle()
        return self._join(instance, reads) if to == "consumer" else self._join_classic(instance, reads=reads)

    def _event(self) -> None:
        chance = self._chance
        there = [*self._classic, *self._consumers]
        if not there:
            return
        member = chance.choice(there)
        type_of = lambda one: "classic" if one in self._classic else "consumer"  # noqa: E731
        verb = chance.choice(("convert", "convert", "convert", "restart", "add", "remove"))
        if verb == "add":
            to = chance.choice(("classic", "consumer"))
            reads = chance.choice(self._reads)
            new = self._join(None, reads) if to == "consumer" else self._join_classic(None, reads=reads)
            event = {"member_id": new, "subscription": reads, "member_type": to} | self._listed(to)
            self.events.append({"add_consumer": event})
        elif verb == "remove" and (self._classic | self._consumers)[member] is None:
            self._stop(member)
            self.events.append({"remove_consumer": {"member_id": member}})
        else:
            now = type_of(member)
            to = now if verb == "restart" else "consumer" if now == "classic" else "classic"
            within = (self._classic | self._consumers)[member] is None and chance.random() < 0.3
            new = self._convert(member, to, within=within)
            event = {"member_id": member, "new_member_id": new, "subscription": self._steps[-1]["topics"]}
            event |= {"within_interval": True} if within else {}
            converts = event | {"to": to} | self._listed(to)
            self.events.append({"restart_consumer": event} if verb == "restart" else {"convert_consumer": converts})

    def _listed(self, to: str) -> Case:
        return {"assignors": self._assignors} if to == "classic" else {}

    # What came of it.

    def wrong(self, answer: Case) -> tuple[str, int, bool]:
        """What is otherwise than forecast; the targets that were compared; and whether the group became a classic one."""
        shown = answer["steps"]
        ids = {name: one for step in shown for name, one in step.get("ids", {}).items() if one}
        first = shown[self.settled]
        snapshot = snapshot_of(first, self._release, answer["ids"], self._topics, self.config)
        for one in snapshot["members"].values():
            one |= self._listed(one["member_type"])
        converts = _becomes_classic(shown, self.settled)
        events = [_with_ids(one, ids) for one, at in zip(self.events, self._began, strict=True) if at <= (converts or at)]
        until = len(shown) if converts is None else converts
        found = computed(shown[self.settled : until])
        given: Any = {"snapshot": snapshot, "change": {"format_version": "1.0", "events": events}}
        outcome: Case = forecast_case(given, Detail.FULL)["outcomes"][0]
        problem = mismatch(outcome["targets"], found)
        return problem or self._converted(outcome, shown, converts), len(found), converts is not None

    @property
    def begins_static(self) -> bool:
        """Whether a static member converts the group."""
        return next(one for one in self._steps if one["do"] == "join")["instance"] is not None

    def wrong_from_classic(self, answer: Case) -> str:
        """The same of the conversions that make the classic group a mixed one, from its own snapshot."""
        shown = answer["steps"]
        ids = {name: one for step in shown for name, one in step.get("ids", {}).items() if one}
        first, members = shown[self.classic], self._members(ids)
        snapshot = classic_snapshot(first, self._release, answer["ids"], self._topics, self.config, members)
        events = [_with_ids(one, ids) for one in self.conversions]
        given: Any = {"snapshot": snapshot, "change": {"format_version": "1.0", "events": events}}
        outcome: Case = forecast_case(given, Detail.FULL)["outcomes"][0]
        found = computed(shown[self._converts(shown) - 1 : self.settled + 1])
        found = [one for one in found if one["group_epoch"] != first["generation"]]  # what the group had then
        problem = mismatch(outcome["targets"], found)
        (conversion,) = outcome["conversions"]
        problem = problem or _led(outcome.get("rebalances", []), shown[self._converts(shown) - 1])
        return problem or ("" if conversion["to"] == "consumer" and conversion["event"] == 0 else f"forecast {conversion}")

    def _converts(self, shown: list[Case]) -> int:
        """The step after which the group is one of the new protocol."""
        return next(number for number, one in enumerate(shown) if number > self.classic and one["members"])

    def _members(self, ids: dict[str, str]) -> Case:
        """By member ID: what classic members have joined with."""
        joined = (one for one in self._steps[: self.classic] if one["do"] == "join classic")
        return {ids[one["id"]]: {"subscription": one["topics"], "assignors": one["assignors"]} for one in joined}

    def comes_back(self, answer: Case) -> bool:
        """Whether the last consumer of the new protocol left, so that the group became classic, and came back."""
        shown = answer["steps"]
        converts = _becomes_classic(shown, self.settled)
        return converts is not None and any(one["members"] for one in shown[converts:])

    def _converted(self, outcome: Case, shown: list[Case], step: int | None) -> str:
        conversion = next((one for one in outcome.get("conversions", ()) if one["to"] == "classic"), None)
        if (conversion is None) != (step is None):
            return f"forecast {conversion}, coordinator: classic since step {step}"
        if step is None:
            return ""
        theirs = shown[step]["classic"]
        at_once = shown[step]["generation"] > shown[step - 1]["epoch"]  # one that is alone has rebalanced by its end
        rebalances = theirs["state"] != "Stable" or at_once
        left = {*conversion["member_ids"]}
        if conversion["rebalances"] != rebalances or (left and left != {*theirs["members"]}):
            return f"forecast {conversion}, coordinator {theirs}"
        later = [began for began in self._began if began > step]
        return _led(outcome.get("rebalances", []), shown[later[0] - 1 if later else -1])


def _led(rebalances: list[Case], shown: Case) -> str:
    """What the leader has assigned last otherwise than forecast. `rebalances`: without any the group is as it was."""
    if not rebalances:
        return ""
    last = rebalances[-1]
    ours = {name: sorted(map(tuple, each)) for name, each in last["members"].items()}
    theirs = {name: sorted(map(tuple, partitions_of(one))) for name, one in shown["classic"]["members"].items()}
    if (last["generation"], ours) == (shown["generation"], theirs):
        return ""
    return f"rebalance: forecast {last['generation']} {ours}, leader {shown['generation']} {theirs}"


def _becomes_classic(shown: list[Case], settled: int) -> int | None:
    """The first step after which the group is one of the classic protocol."""
    return next((number for number, one in enumerate(shown) if number > settled and not one["classic"]["error"]), None)


def _with_ids(event: Case, ids: dict[str, str]) -> Case:
    """`ids`: those that the coordinator made."""
    ((verb, content), *_) = event.items()
    return (
        event
        if verb == "then"
        else {verb: {key: ids.get(str(one), one) if "member_id" in key else one for key, one in content.items()}}
    )
