"""Snapshots of many groups of one cluster into the lake: within a time limit, with bounded memory, despite failing brokers.

A run is known by its name. Begun again, it goes on where it was: no group twice, none left out. What could not be read is named in
its report, with the reason (docs/collection.md).
"""

import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from urllib.parse import unquote

from holdfast.errors import ClusterTrouble, HoldfastError, Unsupported
from holdfast.kafka.wire import group_metadata
from holdfast.ports import ClusterReader, Lake, ManyGroupsReader, ReadDirectory, StateDirectoryReader
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.tables.collection_report import CollectionReport, Unread, Why
from holdfast.workflows import snapshots
from holdfast.workflows.collecting import one_group, registry
from holdfast.workflows.collecting.collect_runs import Run
from holdfast.workflows.collecting.collector import OneGroup, StatedByOperator
from holdfast.workflows.collecting.settling import Patience
from holdfast.workflows.collecting.together import Aside, together

AT_ONCE = 128
"""Groups that are being read together. Their questions share requests; their members' bytes share the memory."""
_AGAIN_AT_ONCE = 8
"""What was too much for a broker, or for one answer, may be read in smaller parts."""
_WRITTEN_TOGETHER = 64
_TOLD_EVERY_S = 5.0
_REBALANCE_S = 8.0
"""How long a group's rebalance is waited for: the others go on meanwhile."""
PAUSES_S = (2.0, 10.0, 30.0)
"""Before what may have passed is asked again, at the end."""
_SHARE_OF_READING = 0.9
"""Of the time: what was read has to be written, too."""
_OFFSETS_TOPIC = "__consumer_offsets"
log = logging.getLogger(__name__)
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a group beforehand."""

    given: StatedByOperator
    state_dirs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Groups by name or by pattern (`*`, `?`, `[…]`), each with what is known of it. A name wins, then the first pattern that fits.

    Patterns are for the groups that a collector `lists`; any other group that is named is refused by its name.
    """

    about: Mapping[str, About]

    @property
    def patterns(self) -> tuple[str, ...]:
        return tuple(name for name in self.about if _WILD.search(name))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in self.about if not _WILD.search(name))

    def of(self, group_id: str) -> About | None:
        if group_id in self.about:
            return self.about[group_id]
        return next((self.about[pattern] for pattern in self.patterns if fnmatchcase(group_id, pattern)), None)


@dataclass(frozen=True, slots=True)
class Time:
    """How much there is of it, and how it passes. `pauses_s`: before what may have passed is asked again."""

    limit_s: float
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    now: Callable[[], datetime]
    pauses_s: tuple[float, ...] = PAUSES_S


@dataclass(frozen=True, slots=True)
class _ReadAside:
    """State directories that are read while others go on: a host that does not answer holds up its own group only."""

    disks: StateDirectoryReader
    aside: Aside

    def read(self, url: str) -> tuple[StateDirectory, tuple[Unknown, ...]]:
        return self.aside(lambda: self.disks.read(url))  # type: ignore[no-any-return]

    def read_many(self, urls: Collection[str]) -> Mapping[str, ReadDirectory | HoldfastError]:
        return self.aside(lambda: self.disks.read_many(urls))  # type: ignore[no-any-return]


@dataclass(slots=True)
class _Collection:
    """One run while it goes on. `unread`: by group, why there is no snapshot of it yet."""

    cluster: ManyGroupsReader
    disks: StateDirectoryReader
    wanted: Wanted
    run: Run
    time: Time
    tell: Callable[[str], None]
    at_once: int
    began: float
    total: int = 0
    ready: list[AnySnapshot] = field(default_factory=list)
    unread: dict[str, HoldfastError] = field(default_factory=dict)
    told_at: float = 0.0

    @property
    def left_s(self) -> float:
        return self.began + _SHARE_OF_READING * self.time.limit_s - self.time.clock()

    def read_all(self, group_ids: list[str]) -> None:
        """What may pass is asked again at the end, a few groups at a time; what is not reached is unread."""
        waiting, at_once = group_ids, self.at_once
        for pause in (0.0, *self.time.pauses_s):
            if not waiting or self.left_s <= pause:
                break
            self.time.sleep(pause)
            self._read(waiting, at_once)
            at_once = min(at_once, _AGAIN_AT_ONCE)
            waiting = [group_id for group_id in waiting if _may_pass(self.unread.get(group_id))]
        self._write()

    def _read(self, group_ids: list[str], at_once: int) -> None:
        for done in together(self.cluster, self._while_there_is_time(group_ids), at_once, self._snapshot):
            if done.refusal is not None:
                self.unread[done.name] = done.refusal.with_traceback(None)
            elif done.result is not None:
                self.unread.pop(done.name, None)
                self.ready.append(done.result)
            if len(self.ready) >= _WRITTEN_TOGETHER:
                self._write()
            if self.time.clock() - self.told_at >= _TOLD_EVERY_S:
                self.say_how_far()

    def _while_there_is_time(self, group_ids: Iterable[str]) -> Iterator[str]:
        for group_id in group_ids:
            if self.left_s > 0:
                yield group_id
            elif group_id not in self.unread:
                self.unread[group_id] = ClusterTrouble(f"not reached within the {self.time.limit_s:g} s allowed for this cluster")

    def _snapshot(self, group_id: str, reader: ClusterReader, aside: Aside) -> AnySnapshot:
        about = self.wanted.of(group_id)
        assert about is not None, "only wanted groups are read"
        try:
            return self._collected(group_id, about, reader, aside)
        except HoldfastError:
            raise
        except Exception as fault:  # what is wrong with us about one group costs no other its snapshot
            log.exception("reading the group %r", group_id)
            raise Unsupported(f"an internal error of Holdfast, {type(fault).__name__}: its log has the details") from fault

    def _collected(self, group_id: str, about: About, reader: ClusterReader, aside: Aside) -> AnySnapshot:
        patience = Patience(_REBALANCE_S, lambda seconds: aside(lambda: self.time.sleep(seconds)), self.time.clock)
        wanted = OneGroup(self.run.cluster, group_id, about.state_dirs, patience, self.time.now, about.given)
        return one_group.snapshot(reader, _ReadAside(self.disks, aside), wanted)

    def _write(self) -> None:
        self.run.keep(self.ready)
        self.ready.clear()

    def say_how_far(self) -> None:
        self.told_at = self.time.clock()
        done = self.run.taken + len(self.ready)
        lacking = f", {len(self.unread):,} not" if self.unread else ""
        self.tell(f"{self.run.cluster}: {done:,} of {self.total:,} groups read{lacking}, {self.told_at - self.began:.0f} s")


def collect(
    cluster: ManyGroupsReader,
    disks: StateDirectoryReader,
    lake: Lake,
    wanted: Wanted,
    *,
    cluster_name: str,
    run_name: str,
    time: Time,
    tell: Callable[[str], None],
    at_once: int = AT_ONCE,
) -> CollectionReport:
    """The report, as written to the lake. Raise what the lake raises, and ClusterTrouble if no broker answers at all."""
    began = time.clock()
    run = Run.begin(lake, cluster_name, run_name, time.now())
    group_ids, left_out, unlisted = _which(cluster, wanted, lake, cluster_name)
    for line in unlisted:
        tell(f"{cluster_name}: {line}")
    waiting = [group_id for group_id in _in_order(cluster, group_ids) if not run.has(group_id)]
    collection = _Collection(cluster, disks, wanted, run, time, tell, at_once, began, len(group_ids))
    collection.say_how_far()
    collection.read_all(waiting)
    collection.say_how_far()
    return run.finish(
        groups=len(group_ids),
        unread=(_unread(wanted, group_id, reason) for group_id, reason in collection.unread.items()),
        left_out=left_out,
        unlisted=unlisted,
        seconds=time.clock() - began,
    )


def _may_pass(reason: HoldfastError | None) -> bool:
    return isinstance(reason, ClusterTrouble) and not reason.lasting


def _unread(wanted: Wanted, group_id: str, reason: HoldfastError) -> Unread:
    not_covered = isinstance(reason, Unsupported) and group_id not in wanted.about
    return Unread(group_id, Why.NOT_COVERED if not_covered else Why.NOT_READ, str(reason))


def _which(
    cluster: ManyGroupsReader, wanted: Wanted, lake: Lake, cluster_name: str
) -> tuple[tuple[str, ...], Mapping[str, int], tuple[str, ...]]:
    """The groups to read; what fits a pattern and is not meant, with how many; and which brokers did not list theirs."""
    found = dict.fromkeys(wanted.names)
    if not wanted.patterns:
        return tuple(found), {}, ()
    listed, unlisted = cluster.listed()
    left_out: dict[str, int] = {}
    for one in listed:
        if one.group_id in found or wanted.of(one.group_id) is None:
            continue
        if any(collector.lists(one) for collector in registry.COLLECTORS):
            found[one.group_id] = None
        else:
            what = one.kind if one.kind != "classic" else one.protocol_type or "without members ever"
            left_out[what] = left_out.get(what, 0) + 1
    if unlisted:
        # A broker that is silent now has groups all the same: those that were here before are asked for by name.
        found |= {group_id: None for group_id in _known_before(lake, cluster_name) if wanted.of(group_id) is not None}
    return tuple(found), left_out, unlisted


def _known_before(lake: Lake, cluster_name: str) -> tuple[str, ...]:
    """The groups of which the latest day has snapshots."""
    folder = (snapshots.FOLDER, snapshots.segment("cluster", cluster_name))
    days = [name for name in lake.names(folder) if name.startswith("day=")]
    groups = lake.names((*folder, days[-1])) if days else ()
    return tuple(unquote(name.removeprefix("group=")) for name in groups if name.startswith("group="))


def _in_order(cluster: ManyGroupsReader, group_ids: Iterable[str]) -> list[str]:
    """Those that share a coordinator, and a partition of its topic, one after the other."""
    topics, _ = cluster.topics((_OFFSETS_TOPIC,))
    count = len(topics[0].partitions) if topics else 1
    return sorted(group_ids, key=lambda group_id: (group_metadata.partition_for(group_id, count), group_id))
