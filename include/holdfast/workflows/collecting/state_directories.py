"""State directories in a collection, for both kinds of Streams group: all that can be read, and what contradicts the group."""

from collections.abc import Callable, Sequence
from typing import Any

from holdfast.errors import HoldfastError
from holdfast.ports import StateDirectoryReader
from holdfast.rollout.disks.host_templates import HOST, Hosts
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.workflows.collecting.observed import Observed

FIELD = "state_directories"
BARE = (
    "no checkpoint file, and no offsets in the stores themselves, where 4.3 keeps them (RocksDB is read on local disks only; what"
    " an open store knows is written when it is flushed)"
)


def _expanded(urls: tuple[str, ...], hosts: Sequence[str], found: Observed[Any]) -> tuple[str, ...]:
    """URLs with `{host}` become one for each host that the group's members are on, as the broker sees their addresses."""
    if not any(HOST in url for url in urls):
        return urls
    known = Hosts.of(hosts)
    if not known.names and not known.no_names:
        found.note(FIELD, "the URLs with {host} were not read: the group has no members now, so its hosts are unknown")
    if known.no_names:
        found.note(FIELD, f"{len(known.no_names)} of the members' addresses are no addresses, and were left out")
    return tuple(dict.fromkeys(one for url in urls for one in known.expanded(url)))


def read(
    disks: StateDirectoryReader,
    urls: tuple[str, ...],
    found: Observed[Any],
    hosts: Sequence[str],
    as_kept: Callable[[StateDirectory], StateDirectory] = lambda one: one,
) -> tuple[StateDirectory, ...]:
    """All that can be read; what cannot be is noted. `hosts`: of the group's members; `as_kept`: what becomes of each."""
    urls = _expanded(urls, hosts, found)
    directories: list[StateDirectory] = []
    for answer in disks.read_many(urls).values() if urls else ():
        if isinstance(answer, HoldfastError):
            found.note(FIELD, str(answer))
            continue
        directory, unknown = answer
        found.unknown.extend(unknown)
        twin = next((each for each in directories if directory.process_id and each.process_id == directory.process_id), None)
        if twin:
            found.note(
                FIELD,
                f"{twin.url} and {directory.url} have one process ID, {directory.process_id}: Kafka would treat them as one client",
            )
        directories.append(as_kept(directory))
    return tuple(directories)


def note_who_runs(directory: StateDirectory, found: Observed[Any], *, is_member: bool) -> None:
    """A lock and a group that contradict each other: one of them is about to change, or the disk is not the member's own."""
    held = directory.lock.held if directory.lock else None
    if is_member and held is False:
        found.note(
            f"{FIELD}.{directory.url}",
            f"no process holds its .lock, but process {directory.process_id} is a member of the group: the client has stopped and"
            " its session has not timed out yet, or it runs on another disk with the same process ID",
        )
    elif held and not is_member:
        found.note(
            f"{FIELD}.{directory.url}",
            "a client holds its .lock, but its process ID is no member's: the client is starting, or has just been fenced out, or"
            " its process metadata was written over while it ran",
        )


def note_bare(directory: StateDirectory, found: Observed[Any]) -> None:
    """Tasks whose offsets no file shows."""
    bare = [str(task.task_id) for task in directory.tasks if task.non_empty and not task.checkpoint]
    if bare:
        found.note(f"{FIELD}.{directory.url}", f"{', '.join(bare)}: {BARE}")
