"""The arrays of a group without one of its clients, or with another in its place: made from those of the current group.

The losses of one group have nearly all of it in common: what other clients report, and what copies of each task report. Where the
tasks are going depends on how many threads clients have and on their tags, in process-ID order, not on who they are: it is worked
out once for all losses that are alike in that.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from holdfast.kafka import java, java_hash
from holdfast.kafka.streams.compiled.arrays import ABSENT, NONE, Facts, Ints, Reported
from holdfast.kafka.streams.group import Client, Group
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.forecast.compiled import group_reports, packing
from holdfast.rollout.streams.forecast.compiled.reports import Rules
from holdfast.rollout.streams.scene.reports import Reports


class Lost(NamedTuple):
    """A group that has lost a client. `process_ids`: of its clients, by number."""

    process_ids: tuple[ProcessId, ...]
    facts: Facts
    rules: Rules
    reported: Reported


_Alike = tuple[tuple[int, tuple[tuple[str, str], ...]], ...]
"""Of each client, in process-ID order: its threads, and its tags."""


class OneClientLess:
    """Of one group that is modelled by arrays. `tasks`: by number, in the order of TaskId."""

    def __init__(self, group: Group, rules: Reports, one: packing.Packed) -> None:
        self._group, self._rules, self._one = group, rules, one
        self.tasks = one.tasks
        self._clients = tuple(group.clients[at] for at in one.clients)
        self._targets: dict[_Alike, tuple[Ints, Ints]] = {}

    @classmethod
    def of(cls, group: Group, rules: Reports) -> "OneClientLess | None":
        """None: something about the group is modelled by `leader` only."""
        one = packing.packed(group, rules)
        return None if one is None else cls(group, rules, one)

    def lose(self, lost: ProcessId, after: tuple[Client, ...], leads: ProcessId | None) -> Lost | None:
        """`after`: the clients then, of which the others are as they were, and one that is new reports nothing. None: see `of`."""
        clients = sorted(after, key=lambda client: client.process_id)
        alike = tuple((len(client.consumers), client.client_tags) for client in clients)
        process_ids = tuple(client.process_id for client in clients)
        known = self._targets.get(alike)
        if known is None:
            group = replace(self._group, clients=after, leader_process_id=leads)
            packed = packing.packed(group, self._rules)
            if packed is None:
                return None
            self._targets[alike] = packed.facts.target, packed.facts.target_standbys
            return Lost(process_ids, packed.facts, packed.rules, packed.reported)
        number_of = {client.process_id: number for number, client in enumerate(self._clients) if client.process_id != lost}
        before = np.array([number_of.get(process_id, NONE) for process_id in process_ids], np.int64)
        capacities = [capacity for capacity, _ in alike]
        first_member = np.array([0, *np.cumsum(capacities)], np.int64)
        facts = self._facts(clients, before, capacities, first_member, leads)
        facts = facts._replace(target=known[0], target_standbys=known[1])
        return Lost(process_ids, facts, self._one.rules, self._reported(before, first_member))

    def _facts(
        self, clients: list[Client], before: Ints, capacities: list[int], first_member: Ints, leads: ProcessId | None
    ) -> Facts:
        codes = self._one.facts.client_codes[before]
        for number in np.flatnonzero(before == NONE).tolist():
            codes[number] = java_hash.bits_of(java.uuid_hash(clients[number].process_id.bits))
        leader = min(client.process_id for client in clients) if leads is None else leads
        return self._one.facts._replace(
            members=np.array(capacities, np.int64),
            first_member=first_member,
            client_of=np.repeat(np.arange(len(clients), dtype=np.int64), capacities),
            weights=packing.weights(capacities),
            client_codes=codes,
            crowded=packing.crowded(codes),
            prober=next((number for number, client in enumerate(clients) if client.process_id == leader), NONE),
        )

    def _reported(self, before: Ints, first_member: Ints) -> Reported:
        """`before`: the number that each client had; `NONE`: it is new."""
        one = self._one.reported
        members = np.full(int(self._one.facts.first_member[-1]) + 1, NONE, np.int64)  # the last is that of `NONE`
        for number, had in enumerate(before.tolist()):
            if had != NONE:
                first, end = self._one.facts.first_member[had : had + 2].tolist()
                members[first:end] = np.arange(first_member[number], first_member[number] + end - first)
        sums = one.sums[before]
        sums[before == NONE] = ABSENT
        return group_reports.reported(sums, members[one.by[before]], members[one.owner])
