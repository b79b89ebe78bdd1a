"""The changelogs that follow from an application's own topology, and from which of their topics exist."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.membership import TaskPartitions
from holdfast.kafka.topology_description import Described
from holdfast.workflows.collecting.streams.settings import GroupSettings

CHANGELOG = "-changelog"
_REMEDY = (
    ". Give the description of the version that runs, of the topology that is built with the application's properties"
    " (topology.optimization numbers subtopologies anew)"
)


def with_described(
    settings: GroupSettings, group_id: str, assigned: Iterable[TaskPartitions], existing: Collection[str]
) -> GroupSettings:
    """The settings with the changelogs of each subtopology whose own are not given. `assigned`: the tasks of the members, with
    their partitions; `existing`: topics with the application's prefix. Raise InvalidInput for the topology of another
    application."""
    prefix = f"{group_id}-"
    _refuse_another(settings.described, assigned, prefix)
    stated = {subtopology for subtopology, _ in settings.changelogs}
    found = list(settings.changelogs)
    for one in settings.described:
        topics = [_changelog(prefix, *each, existing, settings.reuses_sources) for each in one.stores]
        if one.number not in stated and None not in topics:
            found += [(one.number, topic) for topic in dict.fromkeys(filter(None, topics))] or [(one.number, "")]
    return replace(settings, changelogs=tuple(found))


def undecided(settings: GroupSettings, group_id: str, existing: Collection[str]) -> Iterator[tuple[int, str]]:
    """(subtopology, store) of a table whose changelog depends on a setting that is not given."""
    stated = {subtopology for subtopology, _ in settings.changelogs}
    for one in settings.described:
        for store, table in one.stores:
            if one.number not in stated and _changelog(f"{group_id}-", store, table, existing, settings.reuses_sources) is None:
                yield one.number, store


def without_changelog(settings: GroupSettings, group_id: str, existing: Collection[str]) -> Iterator[tuple[int, str]]:
    """(subtopology, store) of what has no changelog, or one that this user may not see."""
    for one in settings.described:
        for store, table in one.stores:
            if _changelog(f"{group_id}-", store, table, existing, settings.reuses_sources) == "":
                yield one.number, store


def _changelog(prefix: str, store: str, table: str | None, existing: Collection[str], reuses_sources: bool | None) -> str | None:
    """That of one store; "": none. None: unknown, for want of `topology.optimization`."""
    if table is not None and reuses_sources:
        return table
    own = f"{prefix}{store}{CHANGELOG}"
    if own in existing:
        return own
    return None if table is not None and reuses_sources is None else ""


def _refuse_another(described: Iterable[Described], assigned: Iterable[TaskPartitions], prefix: str) -> None:
    reads: dict[int, set[str]] = {}
    for task, partitions in assigned:
        reads.setdefault(task.subtopology, set()).update(partition.topic for partition in partitions)
    known = {one.number: one.sources for one in described}
    for subtopology, topics in sorted(reads.items()):
        if subtopology not in known:
            raise InvalidInput(f"it has no subtopology {subtopology}, of which the group runs tasks{_REMEDY}", "--topology")
        sources = known[subtopology]
        if sources is not None and topics != {f"{prefix}{one}" if f"{prefix}{one}" in topics else one for one in sources}:
            says, has = ", ".join(sources), ", ".join(sorted(topics))
            raise InvalidInput(f"its subtopology {subtopology} reads {says}; that of the group reads {has}{_REMEDY}", "--topology")
