"""What the page "Which protocol" shows: the comparison for a group's newest snapshot, or one that a run of `compare_protocols` has
made; each with the deploys that were typed.

A deploy's price does not depend on how often it happens: prices are worked out once for a snapshot. That takes the server's
processor for seconds: for one group at a time, and only up to a size.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from threading import Lock

from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import planning
from holdfast.airflow_wiring.airflow_objects import POLICY_VARIABLE
from holdfast.errors import HoldfastError, InvalidInput, TooMuchWork
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.kinds.protocols import compare as comparing
from holdfast.rollout.kinds.protocols import table, words
from holdfast.rollout.kinds.protocols.comparison import MOST_MONTHLY, CountedFrom, Deploy, DeployKind, ProtocolComparison
from holdfast.rollout.kinds.protocols.deploys import counted, deploys
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.document_blocks import Block
from holdfast.web import overview
from holdfast.web.new import new_page
from holdfast.workflows import snapshots
from holdfast.workflows.comparing import kept

FIELDS: Mapping[str, tuple[DeployKind, str]] = {
    "restarts": (DeployKind.RESTART, "Rolling restarts"),
    "replacements": (DeployKind.REPLACE, "Hosts replaced"),
    "scale_outs": (DeployKind.SCALE_OUT, "Scale-outs by one"),
    "scale_ins": (DeployKind.SCALE_IN, "Scale-ins by one"),
}
"""By the name of a field: the deploy, and its label."""
MOST_RUNS = 10
MOST_DRAWS = 6
MOST_MEMBERS, MOST_WORK = 40, 6_000
"""Of a group that is compared here: members, and members times what they are assigned (20 consumers of 300 partitions)."""
WAIT_S = 20.0
_one_at_a_time = Lock()


class Busy(HoldfastError):
    """Another group is being compared."""


@dataclass(frozen=True, slots=True)
class ProtocolsView:
    """`headline`, `blocks`: the comparison. Without them `problems` says by field what was wrong, or `refused` why there is none.
    `command`: what gives the same, with more draws, on a command line. `runs`: the newest comparisons that runs have made, by name;
    `run`: the one that is shown; nothing: none of them."""

    taken: str
    headline: str
    blocks: tuple[Block, ...]
    problems: Mapping[str, str]
    refused: str
    command: str
    runs: tuple[str, ...]
    run: str


def view(place: LakeAddress, cluster: str, group_id: str, typed: Mapping[str, str], run: str = "") -> ProtocolsView:
    """`typed`: by the name of a field. `run`: the name of a comparison in the lake. Raise InvalidInput where the lake has no
    snapshot of the group, or no such comparison, Busy while another group is compared."""
    lake = FsspecLake(place)
    snapshot_id = snapshots.latest(lake, cluster, group_id) if group_id else None
    if snapshot_id is None:
        raise InvalidInput(overview.NO_SNAPSHOT)
    snapshot = overview.snapshot(place, snapshot_id)
    of_a_run = kept.load(lake, cluster, group_id, run) if run else None
    given, problems = monthly(typed)
    headline, blocks, refused = "", tuple[Block, ...](), ""
    if not problems:
        try:
            found = _compared(place, snapshot_id, snapshot, given) if of_a_run is None else _with(of_a_run, given)
            headline, blocks = words.headline(found), words.blocks(found)[1:]  # the page has a heading of its own
        except Busy:
            raise
        except HoldfastError as refusal:
            refused = str(refusal)
    taken = (snapshot if of_a_run is None else of_a_run).captured_at or ""
    runs = tuple(islice(kept.newest_first(lake, cluster, group_id), MOST_RUNS))
    return ProtocolsView(taken, headline, blocks, problems, refused, _command(given), runs, run)


def _with(found: ProtocolComparison, given: Mapping[DeployKind, float]) -> ProtocolComparison:
    """With what was typed in place of what the run was given, or has counted."""
    each = (Deploy(one.kind, given[one.kind], CountedFrom.GIVEN) if one.kind in given else one for one in found.deploys)
    return comparing.with_deploys(found, tuple(each))


def monthly(typed: Mapping[str, str]) -> tuple[dict[DeployKind, float], dict[str, str]]:
    """Deploys a month, and what is wrong by field. What is empty is not given."""
    given, problems = dict[DeployKind, float](), dict[str, str]()
    for name, (kind, _) in FIELDS.items():
        text = typed.get(name, "").strip()
        if not text:
            continue
        try:
            number = float(text) if text.isascii() and "_" not in text else math.nan
        except ValueError:
            number = math.nan
        if 0 <= number <= MOST_MONTHLY:
            given[kind] = number
        else:
            problems[name] = f"a number from 0 to {MOST_MONTHLY:,} is needed, such as 8 or 0.5"
    return given, problems


def _compared(place: LakeAddress, snapshot_id: str, snapshot: AnySnapshot, given: Mapping[DeployKind, float]) -> ProtocolComparison:
    group = table.comparable(snapshot)
    about = group.about(snapshot)
    if about.members > MOST_MEMBERS or about.members * about.assigned > MOST_WORK:
        raise TooMuchWork(
            f"This group has {about.members:,} members and {about.assigned:,} assigned to them, which takes too long for a page."
            " Trigger `compare_protocols` for it: this page shows what the run has found. Or use the command below, on another"
            " machine than Airflow's api-server."
        )
    limits = planning.limits(new_page.team_policy(), POLICY_VARIABLE)
    prices = _prices(place, snapshot_id, Policy() if limits is None else limits.policy)
    return comparing.with_deploys(prices, deploys(given, counted(group.seen(snapshot, None))))


@lru_cache(maxsize=64)
def _prices(place: LakeAddress, snapshot_id: str, policy: Policy) -> ProtocolComparison:
    with _alone():
        return comparing.compare(overview.snapshot(place, snapshot_id), deploys({}, None), policy, most_draws=MOST_DRAWS)


@contextmanager
def _alone() -> Iterator[None]:
    if not _one_at_a_time.acquire(timeout=WAIT_S):
        raise Busy("Another group is being compared. Try again in a minute.")
    try:
        yield
    finally:
        _one_at_a_time.release()


def _command(given: Mapping[DeployKind, float]) -> str:
    options = (f"--{name.replace('_', '-')} {given[kind]:g}" for name, (kind, _) in FIELDS.items() if kind in given)
    return " ".join(("holdfast compare-protocols snapshot.json", *options))
