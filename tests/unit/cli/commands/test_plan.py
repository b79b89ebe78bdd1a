"""`holdfast plan`, `show`, `apply` and `verify` as people and pipes use them: exit status, output, one message for bad input."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.harness import command_line
from tests.harness.article import AFTER, LAST, A, C, Document, altered, change, group, just_now
from tests.harness.plans import REPLACE_FIRST, restarted, without_client

from holdfast.adapters.state_dirs.process_metadata import FILE_NAME

UNPREDICTABLE = altered(group(AFTER), ["tasks", "1_0", "changelogs"], None)


def run(arguments: Sequence[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    """The command, in a folder of its own."""
    return command_line.run(arguments, folder)


def written(folder: Path, name: str, document: object) -> Path:
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


@pytest.fixture
def article(tmp_path: Path) -> tuple[Path, Path]:
    return written(tmp_path, "snapshot.json", just_now(group(AFTER))), written(tmp_path, "change.json", change(REPLACE_FIRST))


def made(tmp_path: Path, article: tuple[Path, Path]) -> tuple[Path, Document]:
    done = run(["plan", *article, "--json"], tmp_path)
    assert (done.returncode, done.stderr) == (2, "")
    return written(tmp_path, "plan.json", done.stdout), json.loads(done.stdout)


class TestPlan:
    def test_a_plan_is_status_2_and_text(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        done = run(["plan", *article], tmp_path)

        assert (done.returncode, done.stderr) == (2, "")
        assert "0 of 6 stateful tasks migrate" in done.stdout
        assert "\x1b" not in done.stdout

    @pytest.mark.thorough
    def test_json_is_the_plan_and_nothing_else(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        _, plan = made(tmp_path, article)

        assert (plan["chosen"], plan["verdict"]) == ("copy-process-metadata", "safe")

    @pytest.mark.parametrize(
        ("shape", "begins"),
        [("junit", "<?xml"), ("github", "::notice title=Plan "), ("markdown", "# Plan "), ("comment", "# Plan "), ("json", "{")],
    )
    def test_is_shaped_for_who_reads_it(self, tmp_path: Path, article: tuple[Path, Path], shape: str, begins: str) -> None:
        done = run(["plan", *article, "--format", shape], tmp_path)

        assert (done.returncode, done.stderr) == (2, "")
        assert done.stdout.startswith(begins)

    @pytest.mark.thorough
    def test_shows_the_whole_plan_on_the_page_of_a_github_run(
        self, tmp_path: Path, article: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        page = written(tmp_path, "page.md", "# Earlier step\n")
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))

        assert run(["plan", *article, "--format", "github"], tmp_path).returncode == 2
        assert page.read_text().startswith("# Earlier step\n# Plan ")

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        ("fail_on", "safe", "unsafe", "stopped"), [("plan", 2, 2, 3), ("review", 0, 2, 3), ("blocked", 0, 0, 3)]
    )
    def test_fails_a_pipeline_on_what_it_is_told_to(
        self, tmp_path: Path, article: tuple[Path, Path], fail_on: str, safe: int, unsafe: int, stopped: int
    ) -> None:
        asking = written(tmp_path, "policy.yaml", "format_version: 1.0\nreview: always\n")
        unpredictable = written(tmp_path, "unpredictable.json", UNPREDICTABLE)
        found = [
            run(["plan", *arguments, "--fail-on", fail_on], tmp_path).returncode
            for arguments in (article, (*article, "--policy", asking), (unpredictable, article[1]))
        ]

        assert found == [safe, unsafe, stopped]

    def test_takes_one_format(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        done = run(["plan", *article, "--json", "--format", "junit"], tmp_path)

        assert (done.returncode, done.stdout) == (1, "")
        assert "give one of them" in done.stderr

    @pytest.mark.parametrize(
        ("snapshot", "events", "status", "verdict"),
        [
            (group(AFTER), [{"set_config": {"max.warmup.replicas": 2}}], 0, "nothing to do"),
            (UNPREDICTABLE, [REPLACE_FIRST], 3, "blocked"),
        ],
    )
    def test_the_status_is_the_verdict(
        self, tmp_path: Path, snapshot: Document, events: list[object], status: int, verdict: str
    ) -> None:
        files = written(tmp_path, "s.json", snapshot), written(tmp_path, "c.json", change(*events))
        done = run(["plan", *files, "--json"], tmp_path)

        assert done.returncode == status
        assert json.loads(done.stdout)["verdict"] == verdict

    @pytest.mark.thorough
    def test_it_is_kept_in_a_lake(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        done = run(["plan", *article, "--json", "--lake", "a lake"], tmp_path)
        folder = tmp_path / "a lake" / "plans" / json.loads(done.stdout)["plan_id"]

        assert sorted(path.name for path in folder.iterdir()) == ["plan.json", "plan.md", "summary.json"]
        assert json.loads((folder / "plan.json").read_text()) == json.loads(done.stdout)

    def test_a_policy_is_read(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        policy = written(tmp_path, "policy.json", {"format_version": "1.0", "exclude": ["copy-process-metadata"]})
        done = run(["plan", *article, "--json", "--policy", policy], tmp_path)

        assert json.loads(done.stdout)["chosen"] == "seed-process-id"

    @pytest.mark.parametrize(
        ("snapshot", "requested", "policy", "said"),
        [
            ("no JSON", change(REPLACE_FIRST), None, "snapshot.json: the document is not JSON"),
            (
                group(AFTER, config={"max.warmup.replicas": 0}),
                change(REPLACE_FIRST),
                None,
                "snapshot.json: max.warmup.replicas is 0",
            ),
            (group(AFTER), change({"remove_client": {"process_id": LAST}}), None, "change.json"),
            (group(AFTER), change({"explode": {}}), None, "change.json"),
            (group(AFTER), change(REPLACE_FIRST), {"format_version": "1.0", "most": 1}, "policy.json"),
            (group(AFTER), change(REPLACE_FIRST), "no JSON", "policy.json"),
        ],
    )
    def test_bad_input_is_one_message_and_status_1(
        self, tmp_path: Path, snapshot: object, requested: object, policy: object, said: str
    ) -> None:
        arguments: list[str | Path] = [
            "plan", written(tmp_path, "snapshot.json", snapshot), written(tmp_path, "change.json", requested), "--lake", "lake",
        ]  # fmt: skip
        if policy is not None:
            arguments += ["--policy", written(tmp_path, "policy.json", policy)]
        done = run(arguments, tmp_path)

        assert (done.returncode, done.stdout) == (1, "")
        assert said in done.stderr
        assert "Traceback" not in done.stderr
        assert not (tmp_path / "lake").exists()


class TestShow:
    @pytest.mark.thorough
    def test_it_prints_what_plan_printed(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        plan, document = made(tmp_path, article)
        done = run(["show", plan], tmp_path)

        assert done.returncode == 0
        assert document["headline"] in done.stdout

    @pytest.mark.thorough
    def test_markdown_is_plan_md(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        run(["plan", *article, "--lake", "lake"], tmp_path)
        (folder,) = (tmp_path / "lake" / "plans").iterdir()

        assert run(["show", folder / "plan.json", "--markdown"], tmp_path).stdout == (folder / "plan.md").read_text()

    @pytest.mark.parametrize("content", ["", "{", "[]", '{"format_version": "1.0"}', '{"format_version": "3.0"}'])
    def test_what_is_no_plan_is_refused(self, tmp_path: Path, content: str) -> None:
        done = run(["show", written(tmp_path, "plan.json", content)], tmp_path)

        assert (done.returncode, done.stdout) == (1, "")
        assert "plan.json" in done.stderr or "format_version" in done.stderr
        assert "Traceback" not in done.stderr


class TestTheTeamSPolicy:
    @pytest.mark.thorough
    def test_is_only_tightened(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        team = written(tmp_path, "team.json", {"format_version": "1.0", "rebalances_most": 9, "review": "always"})
        looser = written(
            tmp_path, "looser.json", {"format_version": "1.0", "rebalances_most": 10, "review": "never", "blocking": []}
        )
        tighter = written(tmp_path, "tighter.json", {"format_version": "1.0", "rebalances_most": 8})

        refused = run(["plan", *article, "--policy", looser, "--team-policy", team], tmp_path)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert "looser.json: rebalances_most: 10 was asked for, the team's policy has 9; review: never" in refused.stderr
        made = json.loads(run(["plan", *article, "--policy", tighter, "--team-policy", team, "--json"], tmp_path).stdout)
        assert (made["policy"]["rebalances_most"], made["policy"]["review"]) == (8, "always")

    @pytest.mark.thorough
    def test_who_asked_stands_in_the_plan_and_no_approval_says_otherwise(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        four_eyes = written(tmp_path, "policy.json", {"format_version": "1.0", "four_eyes": True})
        made = json.loads(run(["plan", *article, "--policy", four_eyes, "--requested-by", "ann", "--json"], tmp_path).stdout)
        plan = written(tmp_path, "plan.json", made)

        def applied(**said: str) -> subprocess.CompletedProcess[str]:
            approval = {
                "format_version": "1.0", "plan_id": made["plan_id"], "approved": True, "by": "ann", "reason": "",
                "at": made["created_at"],
            }  # fmt: skip
            fresh = written(tmp_path, "fresh.json", just_now(group(AFTER)))
            told = written(tmp_path, "approval.json", approval | said)
            return run(["apply", plan, "--snapshot", fresh, "--approval", told], tmp_path)

        assert made["requested_by"] == "ann"
        assert "states that bob requested plan" in applied(asked_by="bob").stderr
        assert "ann requested plan" in applied(asked_by="ann").stderr
        assert applied(asked_by="ann", by="bob").returncode == 0


class TestApplyAndVerify:
    BY = ("--approved-by", "ann", "--reason", "seen")

    @pytest.mark.thorough
    def test_the_file_is_written_once_the_source_has_gone(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        plan, _ = made(tmp_path, article)
        state = tmp_path / "app-new"
        state.mkdir()
        where = ("--state-dir-of", f"{C}={state}")
        by_host = ("--state-dir-of", str(tmp_path / "{host}"))

        early = run(["apply", plan, "--snapshot", article[0], *self.BY, *where], tmp_path)
        assert (early.returncode, early.stdout) == (1, "")
        assert "still in the group" in early.stderr
        assert not (state / FILE_NAME).exists()

        gone = written(tmp_path, "gone.json", just_now(without_client(group(AFTER), C)))
        done = run(["apply", plan, "--snapshot", gone, *by_host], tmp_path)
        journal = json.loads(done.stdout)
        assert (done.returncode, journal["waiting_for"]["step"]) == (0, "3")
        assert json.loads((state / FILE_NAME).read_text()) == {"processId": C}
        assert [(entry["step"], entry["event"]) for entry in journal["entries"]] == [("1", "done"), ("2", "begun"), ("2", "done")]

        after = written(tmp_path, "back.json", just_now(restarted(group(AFTER), C)))
        applied = run(["apply", plan, "--snapshot", after], tmp_path)
        assert json.loads(applied.stdout)["done"] is True
        verified = run(["verify", plan, "--snapshot", article[0]], tmp_path)
        assert (verified.returncode, json.loads(verified.stdout)["result"]) == (2, "not yet")
        verified = run(["verify", plan, "--snapshot", after, "--lake", ".holdfast/lake"], tmp_path)
        assert (verified.returncode, json.loads(verified.stdout)["result"]) == (0, "as forecast")
        (folder,) = (tmp_path / ".holdfast" / "lake" / "plans").iterdir()
        assert (folder / "verdict.json").exists()

    @pytest.mark.thorough
    def test_a_stale_plan_prints_what_drifted(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        plan, _ = made(tmp_path, article)
        drifted = written(tmp_path, "drifted.json", just_now(without_client(group(AFTER), A)))
        done = run(["apply", plan, "--snapshot", drifted, *self.BY], tmp_path)

        assert (done.returncode, done.stdout) == (1, "")
        assert f"Client {A}" in done.stderr
        assert "has left the group" in done.stderr

    @pytest.mark.thorough
    def test_without_an_approval_nothing_is_done(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        plan, _ = made(tmp_path, article)
        done = run(["apply", plan, "--snapshot", article[0]], tmp_path)

        assert done.returncode == 1
        assert "An approval is needed" in done.stderr
        assert not (tmp_path / ".holdfast").exists()

    @pytest.mark.thorough
    def test_an_edited_plan_is_refused(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        _, document = made(tmp_path, article)
        document["verdict"] = "review"
        done = run(["apply", written(tmp_path, "plan.json", document), "--snapshot", article[0], *self.BY], tmp_path)

        assert done.returncode == 1
        assert "was edited after it was made" in done.stderr

    @pytest.mark.thorough
    @pytest.mark.parametrize("pair", ["nothing", f"{C}=", "x=/tmp"])
    def test_a_directory_that_is_none_is_refused(self, tmp_path: Path, article: tuple[Path, Path], pair: str) -> None:
        plan, _ = made(tmp_path, article)
        done = run(["apply", plan, "--snapshot", article[0], *self.BY, "--state-dir-of", pair], tmp_path)

        assert (done.returncode, done.stdout) == (1, "")

    @pytest.mark.thorough
    def test_a_group_that_went_another_way_is_status_3(self, tmp_path: Path, article: tuple[Path, Path]) -> None:
        plan, _ = made(tmp_path, article)
        swapped = group(AFTER | {A: (("0_1", "1_0"), ("0_4", "1_4")), C: (("0_0", "1_1"), ("0_3", "1_3"))})
        done = run(["verify", plan, "--snapshot", written(tmp_path, "after.json", restarted(swapped, C))], tmp_path)

        assert (done.returncode, json.loads(done.stdout)["result"]) == (3, "different")
