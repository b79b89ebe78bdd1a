"""`holdfast diff`, `schema`, `policy`, `show --snapshot`: what they print, their exit status, and documents of another kind."""

import copy
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.harness.article import AFTER, LAST, A, B, C, Document, altered, change, group
from tests.harness.plans import REPLACE_FIRST, article_plan, with_client, without_client

from holdfast.adapters import yaml_text
from holdfast.cli import progress
from holdfast.cli.main import COMMANDS, holdfast
from holdfast.errors import HoldfastError
from holdfast.rollout.kinds.schemas import CONTRACTS
from holdfast.rollout.policy.json import policy_from_json, policy_to_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.plan import json as plan_json

PLAN = plan_json.plan_to_json(article_plan())
OTHER_PLAN = plan_json.plan_to_json(article_plan(Policy(exclude=("copy-process-metadata",), rebalances_most=3)))
REPLACED = with_client(without_client(group(AFTER), C), LAST, group(AFTER)["clients"][C])


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(holdfast, [str(one) for one in arguments], standalone_mode=False)


def files(folder: Path, **documents: object) -> list[Path]:
    found = []
    for name, document in documents.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(document))
        found.append(path)
    return found


def differences(result: Result) -> list[tuple[str, str]]:
    return [(one["part"], one["what"]) for one in json.loads(result.stdout)["differences"]]


class TestDiff:
    @pytest.mark.parametrize("document", [group(AFTER), PLAN])
    def test_the_same_is_status_0(self, tmp_path: Path, document: Document) -> None:
        paths = files(tmp_path, a=document, b=document)

        assert run("diff", *paths).return_value == 0
        assert "do not differ" in run("diff", *paths).stdout
        assert json.loads(run("diff", *paths, "--json").stdout)["same"] is True

    def test_another_process_id_is_another_order(self, tmp_path: Path) -> None:
        done = run("diff", *files(tmp_path, a=group(AFTER), b=REPLACED), "--json")

        assert done.return_value == 2
        first = json.loads(done.stdout)["differences"][0]
        assert (first["before"], first["after"]) == (f"{C} {A} {B}", f"{A} {B} {LAST}")
        assert ("process-ID order", "stateful tasks dealt to another client") in differences(done)
        assert ("client", LAST) in differences(done)

    @pytest.mark.parametrize(
        ("path", "value", "difference"),
        [
            (["config", "max.warmup.replicas"], 5, ("setting", "max.warmup.replicas")),
            (["kafka_release"], "3.9.1", ("group", "Kafka Streams release")),
            (["tasks", "1_0", "changelogs"], [], ("task", "1_0")),
            (["tasks", "1_0", "changelogs"], None, ("task", "1_0")),
            (["tasks", "1_0", "changelogs", 0, 2], 900, ("lags", "end offsets of changelogs, together")),
            (["clients", A, "host"], "elsewhere", ("client", A)),
            (["topics"], {"t": {"partitions": [{"id": 0}]}}, ("topic", "t")),
            (["unknown"], [{"what": "leader", "reason": "no right"}], ("unknown", "leader")),
            (["state_directories"], [{"url": "file:/a", "process_id": A}], ("state directory", "file:/a")),
        ],
    )
    def test_each_part_is_told(self, tmp_path: Path, path: list[object], value: object, difference: tuple[str, str]) -> None:
        done = run("diff", *files(tmp_path, a=group(AFTER), b=altered(group(AFTER), path, value)), "--json")

        assert done.return_value == 2
        assert difference in differences(done)

    def test_a_thread_less_and_its_owner(self, tmp_path: Path) -> None:
        fewer = copy.deepcopy(group(AFTER))
        fewer["clients"][A]["consumers"].popitem()
        done = run("diff", *files(tmp_path, a=group(AFTER), b=fewer), "--json")

        assert {("threads", A), ("members", A), ("owner", "1_4")} <= set(differences(done))

    def test_two_plans(self, tmp_path: Path) -> None:
        done = run("diff", *files(tmp_path, a=PLAN, b=OTHER_PLAN), "--json")

        assert done.return_value == 2
        assert {("plan", "recommended"), ("made from", "policy"), ("step", "2")} <= set(differences(done))

    def test_text_is_plain_where_nobody_watches(self, tmp_path: Path) -> None:
        done = run("diff", *files(tmp_path, a=group(AFTER), b=altered(REPLACED, ["cluster"], "local")))

        assert "process-ID order" in done.stdout
        assert "\x1b" not in done.stdout

    @pytest.mark.parametrize(
        ("before", "after", "said"),
        [
            (group(AFTER), PLAN, "a.json is a Snapshot and"),
            (group(AFTER), change(REPLACE_FIRST), "b.json: this is a Change; two Snapshots or two Plans are needed"),
            ([], group(AFTER), "a.json: this is nothing that Holdfast compares"),
            (group(AFTER), altered(group(AFTER), ["group_id"], "other"), "give two of one group"),
            (group(AFTER), altered(group(AFTER), ["tasks"], 1), "b.json: tasks"),
        ],
    )
    def test_what_cannot_be_compared_is_refused(self, tmp_path: Path, before: object, after: object, said: str) -> None:
        done = run("diff", *files(tmp_path, a=before, b=after))

        assert isinstance(done.exception, HoldfastError)
        assert said in str(done.exception)


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_schema_is_printed(name: str) -> None:
    done = run("schema", name)

    assert done.return_value == 0
    assert json.loads(done.stdout)["$schema"].endswith("2020-12/schema")


def test_the_default_policy_is_yaml_that_says_nothing_new() -> None:
    printed = run("policy").stdout
    all_set = "\n".join(
        line.removeprefix("# ") if ":" in line and line[2:].split(":")[0].isidentifier() else line for line in printed.splitlines()
    )

    assert policy_from_json(yaml_text.loads(printed)) == Policy()
    assert policy_to_json(policy_from_json(yaml_text.loads(all_set))) == policy_to_json(Policy())
    assert json.loads(run("policy", "--json").stdout) == policy_to_json(Policy())


@pytest.mark.thorough
def test_a_policy_in_yaml_is_read(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("format_version: 1.0\nexclude: [copy-process-metadata]  # no hands there\n")
    done = run("plan", *files(tmp_path, s=group(AFTER), c=change(REPLACE_FIRST)), "--policy", policy, "--json")

    assert json.loads(done.stdout)["chosen"] == "seed-process-id"

    policy.write_text("format_version: 1.0\nexcludes: [a]\n")
    refused = run("plan", *files(tmp_path, s=group(AFTER), c=change(REPLACE_FIRST)), "--policy", policy)
    assert "policy.yaml: the field 'excludes' is unknown (did you mean 'exclude'?)" in str(refused.exception)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "s"), "s.json: this is a Snapshot; a Plan is needed"),
        (("assign", "p"), "p.json: this is a Plan; a Snapshot is needed"),
        (("guard", "c"), "c.json: this is a Change; a Snapshot is needed"),
        (("forecast", "s", "p"), "p.json: this is a Plan; a Change is needed"),
        (("forecast", "c", "c"), "c.json: this is a Change; a Snapshot is needed"),
        (("plan", "p", "c"), "p.json: this is a Plan; a Snapshot is needed"),
        (("plan", "s", "s"), "s.json: this is a Snapshot; a Change is needed"),
        (("plan", "s", "c", "--policy", "s"), "s.json: this is a Snapshot; a Policy is needed"),
        (("apply", "s", "--snapshot", "s"), "s.json: this is a Snapshot; a Plan is needed"),
        (("verify", "p", "--snapshot", "p"), "p.json: this is a Plan; a Snapshot is needed"),
    ],
)
def test_a_document_of_another_kind_is_named(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    files(tmp_path, s=group(AFTER), c=change(REPLACE_FIRST), p=PLAN)
    done = run(*(tmp_path / f"{one}.json" if len(one) == 1 else one for one in arguments))

    assert isinstance(done.exception, HoldfastError)
    assert said in str(done.exception)


class TestShow:
    def test_a_plan_that_still_holds(self, tmp_path: Path) -> None:
        plan, fresh = files(tmp_path, p=PLAN, s=altered(group(AFTER), ["captured_at"], "2026-11-20T12:30:00Z"))
        done = run("show", plan, "--snapshot", fresh)

        assert done.return_value == 0
        assert done.stdout.startswith("This plan is still valid: no drift.")

    def test_one_that_does_not(self, tmp_path: Path) -> None:
        plan, fresh = files(tmp_path, p=PLAN, s=REPLACED)
        done = run("show", plan, "--snapshot", fresh)

        assert done.return_value == 3
        assert f"! Client {C}" in done.stdout
        assert json.loads(run("show", plan, "--snapshot", fresh, "--json").stdout)["stale"] is True

    def test_json_is_the_plan(self, tmp_path: Path) -> None:
        assert json.loads(run("show", *files(tmp_path, p=PLAN), "--json").stdout) == PLAN


def test_every_command_has_json() -> None:
    assert [name for name in COMMANDS if "--json" not in run(name, "--help").stdout] == []


def test_progress_is_one_line_after_a_while(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with progress.telling("quick"):
        pass
    assert capsys.readouterr().err == ""

    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    teller = progress._Teller("first")
    teller.say("second")
    teller._begin()
    teller.end()
    teller._begin()
    assert capsys.readouterr() == ("", "second …\n")
