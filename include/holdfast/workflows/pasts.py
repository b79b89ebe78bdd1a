"""The past of groups in the lake, for a night's judging: `past/cluster=C/day=YYYY-MM-DD/group=G/<life>.records`.

Only the newest is kept of a cluster: the brokers still have what is in it. The older is removed once the newest is there, so that a
run that is killed leaves one of them whole.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace

from holdfast.errors import HoldfastError
from holdfast.ports import Lake, LakePath
from holdfast.rollout.backtest import past_file
from holdfast.rollout.backtest.past_file import PastHeader
from holdfast.rollout.backtest.past_groups import SpooledPast
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.backtest.stops import Stop
from holdfast.rollout.journal.seal import SigningKeys
from holdfast.rollout.journal.stops import stops_of
from holdfast.workflows import backtest, journals, leases
from holdfast.workflows import plan as plans
from holdfast.workflows.collecting.collector import StatedByOperator
from holdfast.workflows.snapshots import segment

FOLDER = "past"
MOST_FILES = 20_000
MOST_PLANS = 50
"""Of a group, whose journals are read."""


@dataclass(frozen=True, slots=True)
class Kept:
    """`files`: how many were written. `left_out`: what is not among them, each with the reason."""

    files: int
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class When:
    """`day`: of the run, such as 2026-11-20; `read_at`: ISO 8601, UTC."""

    cluster: str
    day: str
    read_at: str


def keep(lake: Lake, when: When, past: SpooledPast, given_of: Callable[[str], Given]) -> Kept:
    """Write the past of each group, then remove what else there is of the cluster: of other days, and of an earlier run of this
    day what this one did not write again."""
    cluster = when.cluster
    place = (FOLDER, segment("cluster", cluster), segment("day", when.day))
    left_out, lives = list(past.unread), dict[str, int]()
    written = set[LakePath]()
    for one in past.groups:
        life = lives[one.group_id] = lives.get(one.group_id, 0) + 1
        if len(written) == MOST_FILES:
            left_out.append(f"groups after {one.group_id}: {MOST_FILES:,} files are written at most")
            break
        given = given_of(one.group_id)
        header = PastHeader(
            cluster,
            one.group_id,
            when.read_at,
            one.coordinated,
            given.release,
            given.broker_release,
            given.config,
            given.changelogs,
            given.brokers_newest,
            given.group_configs,
            given.stopped,
        )
        content = past_file.written(header, one.frames())
        if content is None:
            left_out.append(f"{one.group_id}: its coordinator has written more records than are kept, and each counts")
            continue
        path = (*place, segment("group", one.group_id), f"{life}.records")
        lake.write(path, content)
        written.add(path)
    _remove_others(lake, place, written)
    return Kept(len(written), tuple(left_out))


def _remove_others(lake: Lake, newest: LakePath, written: AbstractSet[LakePath]) -> None:
    for day in lake.names(newest[:-1]):
        if day != newest[-1]:
            lake.remove((*newest[:-1], day))
    groups = {path[:-1] for path in written}
    for name in lake.names(newest):
        group = (*newest, name)
        others = [(*group, life) for life in lake.names(group)] if group in groups else [group]
        for path in others:
            if path not in written:
                lake.remove(path)


def stated(group_id: str, operator: StatedByOperator) -> Given:
    """What a connection says of a group. What is no application's is left out: the records show it."""
    try:
        given = backtest.stated(group_id, operator.kafka_release, operator.application, operator.overrides)
    except HoldfastError:
        given = Given()
    return replace(given, broker_release=operator.broker_release)


def stops(lake: Lake, group: tuple[str, str], keys: SigningKeys) -> tuple[Stop, ...]:
    """When members of a group (its cluster and ID) were stopped by rollouts: from the journals of the newest plans that were
    applied to it. Journals that cannot be read, or trusted where there are keys, say nothing."""
    found: dict[Stop, None] = {}
    for plan_id in leases.applied_to(lake, group, keys)[:MOST_PLANS]:
        if plans.is_id(plan_id):
            with suppress(HoldfastError):
                kept = journals.read(lake, plan_id, keys)
                journals.refuse_broken(kept, keys)
                found.update(dict.fromkeys(stops_of(kept.journal)))
    return tuple(sorted(found))


def has_rollouts(lake: Lake, cluster: str) -> bool:
    """Whether a plan was ever applied to a group of that cluster, by the name that the lake has it under."""
    return bool(lake.names((leases.FOLDER, segment("cluster", cluster))))
