"""Random changes to a consumer group in time: as `TimedChange`, with a consumer for each client."""

import itertools
import random
from typing import Any

from tests.conformance.coordinator.consumer.described import computed, mismatch, snapshot_of
from tests.conformance.coordinator.targets import Case
from tests.conformance.coordinator.timed import DELAY, STANDBYS, TICK, TimedChange

from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case

_TOPICS = {"orders": 7, "payments": 3}


class TimedGroupChange(TimedChange):
    """Its clients are consumers: the member ID is the one of the only thread."""

    VERBS = ("add", "remove", "restart", "restart", "within", "replace", "times", "crash", "crash and return")
    THREADS = (1,)
    DELAYS = (0,)
    BEHAVIOUR = staticmethod(behaviour)

    def __init__(self, chance: random.Random, release: str) -> None:
        self._assignor = chance.choice(("uniform", "range"))
        self._processes: dict[str, str] = {}
        super().__init__(chance, release)

    @property
    def script(self) -> Case:
        config = {f"group.{key}": value for key, value in _of_consumers(self._initial).items()}
        return {"config": config, "topics": [list(one) for one in _TOPICS.items()], "steps": self._steps}

    def _do(self, what: str, **more: Any) -> None:
        if what == "join":
            self._processes[more["id"]] = more.pop("process")
            more |= {"instance": None, "rack": None, "topics": list(_TOPICS), "assignor": self._assignor}
        elif what == "config":
            more["config"] = _of_consumers(more["config"])
        super()._do(what, **more)

    def of_consumers(self, shown: Case) -> list[Case]:
        """The events of the change, by member ID."""
        now = {self._processes[member]: member for member in shown["members"]}
        found: list[Case] = []
        for one in self.events:
            (verb, content), *_ = one.items()
            if verb == "set_config":
                found.append({verb: _of_consumers(content)})
            elif verb == "then":
                found.append(one)
            else:
                found.append(_event(verb, content, now))
        return found

    def forecast(self, shown: Case) -> Case:
        ids = self.ids
        snapshot = snapshot_of(shown, self._release, ids, _TOPICS, _of_consumers(self._initial))
        change = {"format_version": "1.0", "events": self.of_consumers(shown)}
        answer: Any = forecast_case({"snapshot": snapshot, "change": change}, Detail.FULL)
        outcome: Case = answer["outcomes"][0]
        return outcome

    ids: dict[str, str]
    """Of the topics, as the coordinator answers."""

    def without_owner(self, shown: list[Case]) -> dict[str, float]:
        found: dict[str, float] = {}
        steps = list(zip(self._at, shown, strict=True))[self.settled :]
        for (at, one), (following, _) in itertools.pairwise(steps):
            owned = {
                f"{topic}-{number}"
                for member, own in one["members"].items()
                if self._died.get(member, following) > at
                for topic, numbers in own["assignment"]
                for number in numbers
            }
            for name in (f"{topic}-{number}" for topic, count in _TOPICS.items() for number in range(count)):
                if name not in owned and following > at:
                    found[name] = found.get(name, 0) + (following - at) / 1000
        return found

    def wrong(self, shown: list[Case]) -> tuple[str, bool]:
        """As of `TimedChange`, partition by partition."""
        outcome = self.forecast(shown[self.settled])
        if not self._alive:
            return "", False
        least, _, most = outcome["summary"]["seconds_to_stable"]
        took = self.measured(shown)
        if not least - TICK <= took <= most + TICK:
            return f"stable after {took} s, forecast {outcome['summary']['seconds_to_stable']}", False
        targets = outcome["targets"]
        if mismatch(targets, computed(shown[self.settled :])):
            return "", False
        free = {
            f"{topic}-{number}"
            for one in targets
            for topic, number in (*one["assignment"]["undetermined_partitions"], *one.get("after_undetermined", ()))
        }
        spans = outcome["unowned_seconds"]
        for name, seconds in (dict.fromkeys(spans, 0.0) | self.without_owner(shown)).items():
            span = spans.get(name, [0, 0, 0])
            if name not in free and span is not None and not span[0] - TICK <= seconds <= span[2] + TICK:
                return f"{name} has had no owner for {seconds} s, forecast {span}", True
        return "", True


def _of_consumers(config: Case) -> Case:
    return {f"consumer.{key.removeprefix('streams.')}": value for key, value in config.items() if key not in (DELAY, STANDBYS)}


def _event(verb: str, content: Case, now: dict[str, str]) -> Case:
    """`now`: the member of each client, which is kept."""
    leaves = {key: content[key] for key in ("leaves", "within_interval") if key in content}
    if verb == "add_client":
        (now[content["process_id"]],) = content["member_ids"]
        return {"add_consumer": {"member_id": now[content["process_id"]], "subscription": list(_TOPICS)}}
    old = now.pop(content["process_id"])
    if verb == "remove_client":
        return {"remove_consumer": {"member_id": old} | leaves}
    if verb == "replace_client":
        (now[content["by"]["process_id"]],) = content["by"]["member_ids"]
        by = {"member_id": now[content["by"]["process_id"]]}
        return {"replace_consumer": {"member_id": old, "by": by} | leaves}
    (now[content["process_id"]],) = content["member_ids"]
    return {"restart_consumer": {"member_id": old, "new_member_id": now[content["process_id"]]} | leaves}
