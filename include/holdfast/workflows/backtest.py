"""Every recorded rebalance of every group decided again, a group at a time, on as many processors as there are."""

import multiprocessing
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace

from holdfast.errors import HoldfastError
from holdfast.kafka.coordinator.config_keys import NUMBERS
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.ports import ManyGroupsReader
from holdfast.rollout.backtest.judged import RebalanceResult
from holdfast.rollout.backtest.past_groups import PastGroup, PastGroups
from holdfast.rollout.backtest.results import Backtest, Given, GroupBacktest, merged
from holdfast.rollout.backtest.score import total
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.kinds import backtests
from holdfast.rollout.kinds.backtests import AnyQuestion
from holdfast.workflows.collecting.streams import settings

FEW_RECORDS = 2_000
"""Up to here one process does it: others take a second to start."""
MOST_MISMATCHES = 20
"""Of one group that are kept, the first ones."""
_CHANGELOG = "-changelog"


@dataclass(frozen=True, slots=True)
class Judged:
    """One history of a group, judged. `mismatches`: the first questions whose answers differ."""

    group_id: str
    result: GroupBacktest | None
    mismatches: tuple[tuple[AnyQuestion, RebalanceResult], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The backtest, and the mismatches of each group."""

    backtest: Backtest
    mismatches: tuple[tuple[str, AnyQuestion, RebalanceResult], ...]


@dataclass(frozen=True, slots=True)
class About:
    """`cluster`: its name; `made_at`, `since`: moments, ISO 8601, UTC."""

    cluster: str
    made_at: str
    since: str | None = None


def run(
    past: PastGroups,
    given_of: Callable[[str], Given],
    about: About,
    processes: int | None = None,
    tell: Callable[[str], object] = len,
) -> Found:
    """Judge all groups. `processes`: None: one a processor. `tell` is handed a line now and then."""
    lives: dict[str, list[Judged]] = {}
    results: dict[tuple[str, str], list[GroupBacktest]] = {}
    for one in _judged(past.groups, given_of, processes, tell):
        lives.setdefault(one.group_id, []).append(one)
        if one.result is not None:  # a group that has moved to another protocol has a score of each
            results.setdefault((one.group_id, one.result.protocol), []).append(one.result)
    groups = [merged(results[which]) for which in sorted(results)]
    mismatches = tuple(
        (group_id, *mismatch) for group_id in sorted(lives) for one in lives[group_id] for mismatch in one.mismatches
    )
    score = total([one.score for one in groups])
    return Found(Backtest(about.cluster, about.made_at, about.since, score, tuple(groups), past.unread), mismatches)


def _judged(
    groups: Sequence[PastGroup], given_of: Callable[[str], Given], processes: int | None, tell: Callable[[str], object]
) -> Iterator[Judged]:
    """In the order of the groups, so that the lives of a group are in theirs."""
    count = processes or os.cpu_count() or 1
    if count == 1 or len(groups) < 2 or sum(one.records for one in groups) <= FEW_RECORDS:
        for number, one in enumerate(groups, 1):
            yield judge_group(one, given_of(one.group_id))
            _tell(tell, number, len(groups))
        return
    found: dict[int, Judged] = {}
    largest_first = sorted(range(len(groups)), key=lambda index: -groups[index].records)
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        submitted = {pool.submit(judge_group, groups[index], given_of(groups[index].group_id)): index for index in largest_first}
        for done in as_completed(submitted):
            found[submitted[done]] = done.result()
            _tell(tell, len(found), len(groups))
    yield from (found[index] for index in range(len(groups)))


def _tell(tell: Callable[[str], object], done: int, of: int) -> None:
    if done == of or done % max(1, of // 20) == 0:
        tell(f"{done:,} of {of:,} groups judged")


def judge_group(past: PastGroup, given: Given) -> Judged:
    """One group, whose records are read twice or more, one at a time."""
    mismatches: list[tuple[AnyQuestion, RebalanceResult]] = []

    def differs(question: AnyQuestion, result: RebalanceResult) -> None:
        if len(mismatches) < MOST_MISMATCHES:
            mismatches.append((question, result))

    result = backtests.backtest(past.group_id, past.entries, given, differs)
    troubles = past.unreadable()
    if result is not None and troubles:
        result = replace(result, notes=(*result.notes, *troubles))
    return Judged(past.group_id, result, tuple(mismatches))


def stated(
    group_id: str,
    release: str | None,
    application: Mapping[str, str],
    overrides: Mapping[str, ConfigValue],
    since: str | None = None,
) -> Given:
    """What an operator gave. Raise InvalidInput and Unsupported as a snapshot does."""
    known = settings.read(group_id, release, application, overrides)
    given = {name for name in settings.ASSIGNOR_KEYS if name in application} | set(overrides)
    return Given(release=release, config=tuple(one for one in known.config if one[0] in given), since=since)


def changelog_ends(
    cluster: ManyGroupsReader, group_ids: Sequence[str]
) -> dict[str, tuple[tuple[str, tuple[int | None, ...]], ...]]:
    """By group: the end offset of each partition of its changelog topics now. What cannot be read is left out."""
    try:
        names = [name for name in cluster.topic_names() if name.endswith(_CHANGELOG)]
        owners = {name: owner for name in names if (owner := _owner(name, group_ids)) is not None}
        topics, _ = cluster.topics(tuple(sorted(owners)))
        partitions = tuple(TopicPartition(topic.name, one.id) for topic in topics for one in topic.partitions)
        ends = dict(cluster.end_offsets(partitions)[0])
    except HoldfastError:
        return {}
    found: dict[str, list[tuple[str, tuple[int | None, ...]]]] = {}
    for topic in topics:
        count = max((one.id for one in topic.partitions), default=-1) + 1
        each = tuple(ends.get(TopicPartition(topic.name, number)) for number in range(count))
        found.setdefault(owners[topic.name], []).append((topic.name, each))
    return {group_id: tuple(sorted(topics)) for group_id, topics in found.items()}


def group_configs(cluster: ManyGroupsReader, group_ids: Collection[str]) -> dict[str, tuple[tuple[str, ConfigValue], ...]]:
    """By group whose broker assigns: those of its configs that are numbers. What cannot be read is left out."""
    return {
        group_id: tuple((one.name, one.value) for one in read if one.name in NUMBERS)
        for group_id, read in cluster.configs(group_ids).items()
        if not isinstance(read, HoldfastError)
    }


def _owner(topic: str, group_ids: Sequence[str]) -> str | None:
    """The longest application ID that its name begins with."""
    return max((one for one in group_ids if topic.startswith(f"{one}-")), key=len, default=None)
