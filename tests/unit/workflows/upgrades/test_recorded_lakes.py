"""Is everything read that each released version wrote into a lake, and does what was approved stay approved?"""

import json
import shutil
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from tests.fakes.lake import MemoryLake
from tests.harness.plans import NOON, article_plan
from tests.recorded import lake as recorded_lake

import holdfast
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.lake.table_schemas import TABLES
from holdfast.cli.main import holdfast as command_line
from holdfast.errors import InvalidInput, Unsupported
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.journal.seal import SigningKeys
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import any_document, approval
from holdfast.rollout.policy.json import policy_from_json, policy_to_json
from holdfast.workflows import journals, snapshots
from holdfast.workflows import plan as plans
from holdfast.workflows.upgrades import migrate
from holdfast.workflows.writers import versions

RELEASES = sorted(recorded_lake.RECORDED.glob("holdfast-*.zip"))


class Recorded:
    """What a version wrote, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: dict[str, Any] = json.loads((folder / "said.json").read_text())
        self.lake = FsspecLake(str(folder / "lake"))
        self.keys = SigningKeys.read(self.said["key"], "the recorded key")

    def plans(self, *states: str) -> Iterator[tuple[str, dict[str, Any]]]:
        return ((plan_id, said) for plan_id, said in self.said["plans"].items() if not states or said["state"] in states)

    def files(self) -> dict[str, bytes]:
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module", params=RELEASES, ids=lambda path: path.stem)
def unpacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("recorded")
    with zipfile.ZipFile(request.param) as packed:
        packed.extractall(folder)
    return Recorded(folder)


@pytest.fixture
def recorded(unpacked: Recorded, tmp_path: Path) -> Recorded:
    """To write into."""
    shutil.copytree(unpacked.folder, tmp_path / "copy")
    return Recorded(tmp_path / "copy")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["migrate", *arguments], standalone_mode=False)


def test_this_version_is_recorded() -> None:
    """`python -m tests.recorded.lake` does it, when the version has its number."""
    assert f"holdfast-{holdfast.__version__}" in [path.stem for path in RELEASES]


def test_who_keeps_a_plan_says_which_version_it_is() -> None:
    lake = MemoryLake()
    for _ in range(2):
        plans.keep(lake, article_plan())
    assert versions.of(lake) == (holdfast.__version__,)


def test_a_release_is_newer_than_what_came_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    lake = MemoryLake()
    for version in ("1.2.0", "1.2.0rc1", "1.10.0", "1.2"):
        lake.write(("versions", f"{version}.json"), b"{}")
    lake.write(("versions", "README.md"), b"no version")
    assert versions.of(lake) == ("1.2", "1.2.0rc1", "1.2.0", "1.10.0")
    monkeypatch.setattr(holdfast, "__version__", "1.2.0rc1")
    assert versions.newer(lake) == ("1.2.0", "1.10.0")


def test_every_document_is_read(unpacked: Recorded) -> None:
    found = migrate.examine(unpacked.lake, NOON)

    assert found.unread == []
    assert found.versions == (unpacked.said["version"],)
    assert {"plans", "decisions", "journals", "verdicts", "summaries", "leases", "snapshots", "documents of drafts"} <= {
        *found.read
    }
    assert found.read["plans"] == len(unpacked.said["plans"])
    assert {plan_id for plan_id, _ in found.waiting} == {plan_id for plan_id, _ in unpacked.plans("waits")}


def test_a_plan_keeps_its_digest_and_its_signature(unpacked: Recorded) -> None:
    for plan_id, said in unpacked.plans():
        plan = plans.load(unpacked.lake, plan_id, unpacked.keys)
        assert approval.fingerprint(plan) == said["fingerprint"]
        assert [one.id for one in plan.steps] == said["steps"]
        assert plans.standing(unpacked.lake, plan_id, unpacked.keys).good
        assert plans.markdown(plan)


def test_a_plan_that_waits_is_approved_by_what_was_shown_before_the_upgrade(recorded: Recorded) -> None:
    waiting = [*recorded.plans("waits")]
    assert len(waiting) >= 3
    for plan_id, said in waiting:
        plan = plans.load(recorded.lake, plan_id, recorded.keys)
        who = "ann" if not plan.policy.four_eyes else "bob"
        asked_by = plan.requested_by or "ann"
        shown = Approval(plan_id, True, who, "", "2026-11-20T12:00:30Z", plan_fingerprint=said["fingerprint"], asked_by=asked_by)
        plans.keep_approval(recorded.lake, shown, recorded.keys)
        kept = plans.approval_of(recorded.lake, plan_id, recorded.keys)
        assert kept is not None
        approval.refuse_unapproved(plan, kept)


def test_what_was_decided_stays_decided(unpacked: Recorded) -> None:
    for plan_id, said in unpacked.plans("approved", "applied", "rejected"):
        kept = plans.approval_of(unpacked.lake, plan_id, unpacked.keys)
        assert kept is not None
        assert (kept.says, kept.plan_fingerprint) == (
            "rejected" if said["state"] == "rejected" else "approved",
            said["fingerprint"],
        )
    for plan_id, _ in unpacked.plans("applied"):
        journal = journals.read(unpacked.lake, plan_id, unpacked.keys)
        journals.refuse_broken(journal, unpacked.keys)
        assert journal.journal.entries
        assert plans.score_of(unpacked.lake, plan_id) is not None


def test_snapshots_say_the_same(unpacked: Recorded) -> None:
    for snapshot_id, said in unpacked.said["snapshots"].items():
        assert fingerprint(any_document.snapshot_to_json(snapshots.load(unpacked.lake, snapshot_id))) == said


def test_tables_have_the_same_rows_in_the_columns_of_then(unpacked: Recorded) -> None:
    assert len(unpacked.said["tables"]) >= 15
    for name, said in unpacked.said["tables"].items():
        assert recorded_lake.rows_of(unpacked.lake, name, said["columns"]) == said, name


def test_a_policy_and_a_connection_are_read(unpacked: Recorded) -> None:
    read = policy_to_json(policy_from_json(json.loads((unpacked.folder / "policy.json").read_text())))
    assert unpacked.said["policy"].items() <= json.loads(dumps(read)).items()
    properties = json.loads((unpacked.folder / "connection.json").read_text())
    assert ClusterConnection.of("", properties, "prod").bootstrap_servers == ("broker-1:9093", "broker-2:9093")


def test_migrate_adds_what_lacks_and_changes_nothing(recorded: Recorded) -> None:
    (lacking, _), *_ = recorded.plans("waits")
    lake = recorded.folder / "lake"
    (lake / "plans" / lacking / "summary.json").unlink()
    (lake / "versions" / f"{recorded.said['version']}.json").unlink()
    before = recorded.files()

    dry = run("--lake", str(lake), "--dry-run")
    assert dry.return_value == 0, dry.output
    assert recorded.files() == before
    assert "Would be added:" in dry.output
    done = run("--lake", str(lake))
    added = {f"lake/plans/{lacking}/summary.json", f"lake/versions/{holdfast.__version__}.json"}
    assert {*recorded.files()} - {*before} == added
    assert {name: content for name, content in recorded.files().items() if name not in added} == before
    assert all(name.removeprefix("lake/") in dry.output and name.removeprefix("lake/") in done.output for name in added)
    assert plans.summary_of(recorded.lake, lacking).plan_id == lacking
    again = run("--lake", str(lake))
    assert "Nothing is to be migrated." in again.output
    assert f"Holdfast {holdfast.__version__}. This is {holdfast.__version__}." in again.output


def test_an_older_version_says_what_it_cannot_read_and_whose_it_is(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newer version has made a plan with a field of its own, a snapshot of the next format, and a column of another type."""
    lake = recorded.folder / "lake"
    (plan_id, _), *_ = recorded.plans("waits")
    edit(lake / "plans" / plan_id / "plan.json", moon="full")
    snapshot = next(iter(recorded.said["snapshots"]))
    newest = max(one for one in recorded.said["snapshots"] if one.rsplit("/", 1)[0] == snapshot.rsplit("/", 1)[0])
    edit(lake / newest, format_version="2.0")
    for version in ("9.10.0", "9.2.0", "0.0.1"):
        (lake / "versions" / f"{version}.json").write_text("{}")
    monkeypatch.setitem(TABLES, "groups", TABLES["groups"].set(3, TABLES["groups"].field(3).with_type(pa.bool_())))
    whose = f"Holdfast 9.2.0, 9.10.0 has written into this lake, and this is {holdfast.__version__}: install 9.10.0 again"

    with pytest.raises(InvalidInput, match="moon") as unknown:
        plans.load(recorded.lake, plan_id)
    assert whose in str(unknown.value)
    with pytest.raises(Unsupported, match=r"is unknown; this Holdfast reads 1\.x") as major:
        snapshots.load(recorded.lake, newest)
    assert whose in str(major.value)
    said = run("--lake", str(lake), "--dry-run")
    assert said.return_value == 1
    assert whose in said.output
    for path in (f"plans/{plan_id}/plan.json: the field 'moon' is unknown", f"{newest}: format_version", "tables/v1/groups/"):
        assert f"  {path}" in said.output
    as_json = json.loads(run("--lake", str(lake), "--dry-run", "--json").output)
    assert {one["path"] for one in as_json["cannot_read"]} >= {f"plans/{plan_id}/plan.json", newest}
    assert as_json["newer"] == ["9.2.0", "9.10.0"]


def test_a_plan_that_would_be_written_otherwise_is_named(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a new field is written that says nothing yet: its approval would be refused."""
    write = any_document.plan_to_json
    monkeypatch.setattr(any_document, "plan_to_json", lambda plan: write(plan) | {"added": None})
    found = migrate.examine(recorded.lake, NOON)

    assert {one.path for one in found.unread if one.path.endswith("plan.json")} == {
        f"plans/{plan_id}/plan.json" for plan_id, _ in recorded.plans()
    }
    assert {one.path for one in found.unread if one.path.endswith("approval.json")} == {
        f"plans/{plan_id}/approval.json" for plan_id, _ in recorded.plans("approved", "applied", "rejected")
    } or all("other bytes" not in one.problem for one in found.unread)


def test_a_plan_waits_no_longer_than_it_is_valid(unpacked: Recorded) -> None:
    assert migrate.examine(unpacked.lake, NOON + timedelta(days=8)).waiting == []
    assert datetime.fromisoformat(migrate.examine(unpacked.lake, NOON).waiting[0][1]) > NOON


def edit(path: Path, **fields: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))
