"""`holdfast plan`: the options for a change, one recommended, and why not the others."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from holdfast.cli import documents, progress, reading, signing
from holdfast.cli.views import blocks_view
from holdfast.rollout.backtest.results import Backtest
from holdfast.rollout.contract.assessment import Assessment
from holdfast.rollout.group.values import AnyChange, AnyPlan
from holdfast.rollout.journal import seal
from holdfast.rollout.json import strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.kinds import any_document, ci
from holdfast.rollout.kinds.any_document import plan_to_json
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy import floor
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text import document_blocks
from holdfast.workflows import plan as workflow

STATUS = {Assessment.NOTHING_TO_DO: 0, Assessment.SAFE: 2, Assessment.REVIEW: 2, Assessment.BLOCKED: 3}


def _github(plan: AnyPlan) -> None:
    """Annotations on standard output; the whole of it on the page of the run, where GitHub says which file that is."""
    click.echo(ci.github(plan).encode(), nl=False)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as page:
            page.write(document_blocks.for_comment(workflow.blocks(plan), ci.LONGEST_SUMMARY))


SHAPES: dict[str, Callable[[AnyPlan], None]] = {
    "text": lambda plan: blocks_view.show(workflow.blocks(plan)),
    "markdown": lambda plan: blocks_view.show(workflow.blocks(plan), markdown=True),
    "comment": lambda plan: click.echo(document_blocks.for_comment(workflow.blocks(plan), ci.LONGEST_COMMENT).encode(), nl=False),
    "junit": lambda plan: click.echo(ci.junit(plan, workflow.blocks(plan)).encode(), nl=False),
    "github": _github,
}
FAILS_ON = {
    "plan": frozenset({Assessment.NOTHING_TO_DO}),
    "review": frozenset({Assessment.NOTHING_TO_DO, Assessment.SAFE}),
    "blocked": frozenset({Assessment.NOTHING_TO_DO, Assessment.SAFE, Assessment.REVIEW}),
}
"""By what is to fail: the assessments that do not."""


@click.command
@click.argument("snapshot")
@click.argument("change")
@click.option("--policy", metavar="FILE", help="Your team's limits, as YAML or JSON. [default: Holdfast's defaults]")
@click.option(
    "--team-policy",
    metavar="FILE",
    envvar="HOLDFAST_TEAM_POLICY",
    help="The team's policy. --policy, and the speed that a Change assumes, can only be stricter; looser values are refused.",
)
@click.option(
    "--requested-by", metavar="NAME", help="Who requests the plan. It is stored in the plan; four_eyes requires another approver."
)
@click.option(
    "--lake",
    metavar="URL",
    envvar="HOLDFAST_LAKE",
    help="Store the plan in this lake (a folder or an fsspec URL), under plans/<plan id>/.",
)
@click.option(
    "--seed-files",
    "seeds_for",
    metavar="URL",
    help="The clients are pods of a StatefulSet, with this directory: kubernetes://CLUSTER/NAMESPACE/NAME-{ordinal}/CONTAINER/PATH."
    " Also make a ConfigMap with the plan's process IDs and a patch that adds an init container.",
)
@click.option("--backtest", "backtest_file", metavar="FILE", help="The JSON of holdfast backtest: the plan begins with its score.")
@reading.work_option
@click.option("--json", "as_json", is_flag=True, help="Print only the Plan's JSON; the same as --format json.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "json", *(shape for shape in SHAPES if shape != "text")]),
    default="text",
    show_default=True,
    help="text for a reader; markdown: the content of plan.md; comment: the same, within the limit of a GitHub comment; junit: a"
    " report with one test per rule; github: annotations of a workflow.",
)
@click.option(
    "--fail-on",
    type=click.Choice([*FAILS_ON]),
    default="plan",
    show_default=True,
    help="The lowest assessment with an exit status other than 0: any plan, one that needs review, or one that is blocked.",
)
@signing.key_option
def command(
    snapshot: str,
    change: str,
    policy: str | None,
    team_policy: str | None,
    requested_by: str | None,
    lake: str | None,
    seeds_for: str | None,
    backtest_file: str | None,
    work: int,
    as_json: bool,
    shape: str,
    fail_on: str,
    key_file: str | None,
) -> int:
    """Compare the options for CHANGE in the group of SNAPSHOT, and recommend one (files, or - for standard input).

    Exit status: 0 nothing to do, 2 a plan, 3 blocked, 1 an error. With --fail-on review, 0 for plans within policy
    too; with --fail-on blocked, 0 for every plan that is not blocked.
    """
    if as_json and shape not in {"text", "json"}:
        raise click.UsageError("--json contradicts this --format; give one of them.")
    from holdfast.adapters import key_file as key_files

    keys = key_files.read(key_file)
    strict.refuse_secrets({"--requested-by": requested_by})
    if [snapshot, change, policy, team_policy].count(documents.STANDARD_INPUT) > 1:
        raise click.UsageError("Only one of SNAPSHOT, CHANGE and --policy can be standard input; put the others into files.")
    taken = (documents.label(snapshot), documents.read_document(snapshot))
    found = None if backtest_file is None else reading.value(backtest_file, codec_of(Backtest).read)
    made = _made(taken, change, _limits(policy, team_policy), requested_by, work, found)
    files = _seed_files(made, taken, seeds_for)
    if lake:
        from holdfast.adapters.lake.lake import FsspecLake

        workflow.keep(FsspecLake(lake), made, keys, files)
        click.echo(f"Plan {made.plan_id} is stored in {lake}.", err=True)
        signing.say_unsigned("It is", keys)
    if as_json or shape == "json":
        documents.print_document(seal.signed(plan_to_json(made), seal.Sealed.PLAN, keys))
    else:
        SHAPES[shape](made)
        if shape in {"text", "markdown"}:
            click.echo(workflow.with_files("", files).encode(), nl=False)
    return 0 if made.assessment in FAILS_ON[fail_on] else STATUS[made.assessment]


@dataclass(frozen=True, slots=True)
class _Limits:
    """What holds, and the team's policy that it may only tighten."""

    policy: Policy
    team: Policy | None


def _limits(policy: str | None, team_policy: str | None) -> _Limits:
    requested = reading.limits(policy) if policy else None
    if team_policy is None:
        return _Limits(Policy() if requested is None else requested.policy, None)
    team = reading.limits(team_policy).policy
    if policy is None or requested is None:
        return _Limits(team, team)
    with documents.naming(policy):
        return _Limits(floor.tightened(team, requested.policy, requested.stated, datetime.now(UTC)), team)


def _seed_files(made: AnyPlan, taken: tuple[str, object], url: str | None) -> dict[str, str]:
    if url is None:
        return {}
    from holdfast import wiring

    return wiring.seed_files(made, any_document.snapshot_from_json(taken[1]), url)


def _made(
    taken: tuple[str, object], change: str, limits: _Limits, requested_by: str | None, work: int, found: Backtest | None
) -> AnyPlan:
    requested = (documents.label(change), documents.read_document(change))

    def refuse(change: AnyChange) -> None:
        if limits.team is not None:
            floor.refuse_faster(kind_of(change).records_per_second(change), limits.team)

    with progress.telling("Searching for options") as tell:
        plan: AnyPlan = workflow.make_from(
            taken,
            requested,
            limits.policy,
            datetime.now(UTC),
            lambda option: tell(f"Forecasting {option}"),
            requested_by,
            work,
            refuse=refuse,
            found=found,
        )
    return plan
