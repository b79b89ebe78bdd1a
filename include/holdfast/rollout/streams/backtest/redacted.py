"""A question without names: groups, hosts, topics, members, processes, racks and tags are replaced, the same always by the same.

Kept is everything that decides: the order of process IDs, member IDs, topics and racks, tasks, offsets, and who owns what. Where
hash codes of names decide too (as with the public sticky assignor), the answer may be another one: it is judged again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from uuid import UUID

from holdfast.kafka.streams.config import DECIDING
from holdfast.kafka.vocabulary import ProcessId, TopicPartition
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.numbered import numbered
from holdfast.rollout.streams.backtest.question import Settings, StreamsQuestion
from holdfast.rollout.streams.snapshot import renamed_generation

_TAGS = "rack.aware.assignment.tags"
_KEPT = frozenset(DECIDING) - {_TAGS}
"""Settings that decide, and name nothing of the application's (a class of its own is not modelled)."""
_WORDS = {role: role.value for role in (Role.TOPIC, Role.MEMBER, Role.HOST, Role.CLIENT, Role.INSTANCE, Role.RACK, Role.TAG)} | {
    Role.TAG_VALUE: "zone"
}


class _Names:
    """The replacement of everything that has a name. All keep their order, as Java orders them."""

    def __init__(self, question: StreamsQuestion) -> None:
        found = Found("", streams=False)
        renamed_generation.take(found, question.generation)
        found.add(Role.TOPIC, *(partition.topic for task in question.tasks for partition in task.partitions))
        configured = dict(question.config).get(_TAGS)
        found.add(Role.TAG, *(configured if isinstance(configured, tuple) else ()))
        self._new = {role: numbered(word, found.of(role)) for role, word in _WORDS.items()}
        self._processes = _processes(map(ProcessId.parse, found.of(Role.PROCESS)))

    def of(self, role: Role, name: str) -> str:
        bare = name.removeprefix("/") if role is Role.HOST else name
        return self._new[role][bare] if bare else name

    def process(self, process_id: ProcessId) -> ProcessId:
        return self._processes[process_id]


def redacted(question: StreamsQuestion) -> StreamsQuestion:
    """Raise MalformedBytes or Unsupported where its members cannot be read: then it cannot be redacted either."""
    names = _Names(question)
    tasks = tuple(
        replace(task, partitions=tuple(TopicPartition(names.of(Role.TOPIC, one.topic), one.partition) for one in task.partitions))
        for task in question.tasks
    )
    return replace(
        question,
        tasks=tasks,
        config=_settings(question.config, names),
        alternatives=tuple(_settings(one, names) for one in question.alternatives),
        generation=renamed_generation.renamed(question.generation, names),
    )


def _settings(config: Settings, names: _Names) -> Settings:
    found: dict[str, ConfigValue] = {name: value for name, value in config if name in _KEPT}
    tags = dict(config).get(_TAGS)
    if isinstance(tags, tuple) and tags:
        found[_TAGS] = tuple(names.of(Role.TAG, str(tag)) for tag in tags)
    return tuple(sorted(found.items()))


def _processes(found: Iterable[ProcessId]) -> Mapping[ProcessId, ProcessId]:
    """IDs at even distances, in the order of the real ones."""
    ordered = sorted(set(found))
    step = 2**63 // (len(ordered) + 1)
    return {
        process: ProcessId.of(UUID(int=(step * (number + 1)) << 64 | 1 << 63 | number + 1))
        for number, process in enumerate(ordered)
    }
