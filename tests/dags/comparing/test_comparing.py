"""`compare_protocols`: a comparison from a snapshot in the lake, once for each run, and for the groups of its requester alone."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.dags.test_teams import team, teams
from tests.harness.groups_at_rest import by_broker
from tests.unit.cli.commands.test_compare_protocols import past_of
from tests.unit.rollout.kinds.protocols.groups import consumers

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring.protocols import comparing, form
from holdfast.airflow_wiring.teams.rights import NotTheirs
from holdfast.errors import InvalidInput, StatePathTrouble, Unsupported
from holdfast.rollout.kinds.protocols.comparison import MOST_MONTHLY, CountedFrom, DeployKind
from holdfast.workflows import snapshots
from holdfast.workflows.comparing import kept

RUN = "manual__2026-11-27T20:00:00+00:00"
FORM = {name: param.value for name, param in form.fields().items()} | {"cluster": "local", "group": "readers"}


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested does not depend on their number."""
    monkeypatch.setattr("holdfast.rollout.kinds.protocols.compare.MOST_DRAWS", 2)


@pytest.fixture
def kept_group(lake: FsspecLake) -> str:
    return keep(lake, 6)


def keep(lake: FsspecLake, partitions: int, group: str = "readers") -> str:
    taken = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    found = replace(consumers(3, partitions), cluster="local", group_id=group, captured_at=taken)
    return snapshots.keep(lake, found)


def compared(lake: FsspecLake, run: str = RUN, user: str | None = "ann", **given: Any) -> Any:
    folder = comparing.compare(run, FORM | given, user)
    assert folder.startswith("comparisons/cluster=local/group=readers/manual-2026-11-27T20-")
    assert lake.read((*folder.split("/"), "comparison.md"), 10**6).startswith(b"# readers: ")
    return kept.load(lake, "local", "readers", folder.split("/")[-1])


def test_the_newest_snapshot_is_compared_with_what_the_form_gives(lake: FsspecLake, kept_group: str) -> None:
    found = compared(lake, restarts=8, scale_ins=0, seed=3)
    assert (found.members, found.assigned, found.seed) == (3, 6, 3)
    given = {one.kind: (one.monthly, one.source) for one in found.deploys}
    assert given == {
        DeployKind.RESTART: (8, CountedFrom.GIVEN),
        DeployKind.REPLACE: (1, CountedFrom.ASSUMED),
        DeployKind.SCALE_OUT: (1, CountedFrom.ASSUMED),
        DeployKind.SCALE_IN: (0, CountedFrom.GIVEN),
    }
    assert {one.release for one in found.protocols} == {None, "4.2.1", "4.3.1", "4.4.0"}


def test_an_older_snapshot_is_compared_where_it_is_named(lake: FsspecLake, kept_group: str) -> None:
    keep(lake, 9)
    assert compared(lake).assigned == 9
    assert compared(lake, RUN.replace("20:00:00+", "20:00:01+"), snapshot=kept_group).assigned == 6


def test_a_run_compares_once(lake: FsspecLake, kept_group: str) -> None:
    first = compared(lake, restarts=2)
    keep(lake, 9)
    assert compared(lake, restarts=3) == first
    names = [*kept.newest_first(lake, "local", "readers")]
    assert len(names) == 1
    assert compared(lake, RUN.replace("20:00", "20:01")).assigned == 9
    assert [*kept.newest_first(lake, "local", "readers")][1:] == names


def test_deploys_are_counted_in_the_newest_past_in_the_lake(lake: FsspecLake, kept_group: str) -> None:
    for day, life in (("2026-11-25", "1"), ("2026-11-26", "9"), ("2026-11-26", "10")):
        other = "readers" if life == "10" else "another"
        lake.write(("past", "cluster=local", f"day={day}", "group=readers", f"{life}.records"), past_of(other))
    assert {one.source for one in compared(lake, restarts=1).deploys} == {CountedFrom.GIVEN, CountedFrom.PAST}


def test_what_cannot_be_compared_is_refused_and_leaves_nothing(lake: FsspecLake, kept_group: str) -> None:
    new = replace(by_broker(), cluster="local", group_id="new", captured_at="2026-11-27T20:00:00Z")
    refusals: tuple[tuple[dict[str, str], type[Exception], str], ...] = (
        ({"group": "others"}, InvalidInput, "no snapshot of such a group"),
        ({"snapshot": "plans/1"}, InvalidInput, "not a snapshot ID"),
        ({"snapshot": kept_group[:-6] + "0.json"}, StatePathTrouble, "0.json"),
        ({"group": "others", "snapshot": kept_group}, InvalidInput, "a snapshot of group 'readers' of cluster 'local'"),
        ({"group": "new", "snapshot": snapshots.keep(lake, new)}, Unsupported, "of a new protocol already"),
    )
    for given, error, says in refusals:
        with pytest.raises(error, match=says):
            comparing.compare(RUN, FORM | given, "ann")
    assert lake.names(("comparisons",)) == ()


def test_a_group_of_another_team_is_refused_before_anything_is_read(
    lake: FsspecLake, kept_group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = teams(team(groups=({"cluster": "local", "group": "readers"},)))
    monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_TEAMS", json.dumps(mine))
    for user in ("bob", None):
        with pytest.raises(NotTheirs):
            comparing.compare(RUN, FORM, user)
    with pytest.raises(NotTheirs):
        comparing.compare(RUN, FORM | {"group": "no such group"}, "ann")
    assert compared(lake).group_id == "readers"


def test_what_is_read_back_is_of_that_group(lake: FsspecLake, kept_group: str) -> None:
    compared(lake)
    (name,) = kept.newest_first(lake, "local", "readers")
    content = lake.read((*kept.place("local", "readers", name), kept.DOCUMENT), 10**6)
    lake.write((*kept.place("local", "others", name), kept.DOCUMENT), content)
    with pytest.raises(InvalidInput, match="of another group"):
        kept.load(lake, "local", "others", name)
    for other in ("", "../readers", f"{name}/x", "no-such-run", "x" * 200):
        with pytest.raises(InvalidInput, match="no such comparison"):
            kept.load(lake, "local", "readers", other)


def test_the_form_takes_what_the_command_line_takes() -> None:
    assert (form.MOST_MONTHLY, len(form.FIELDS)) == (MOST_MONTHLY, len(DeployKind))
