"""`holdfast apply`: carry out an approved plan, step by step, as far as it goes now."""

from datetime import UTC, datetime

import click

from holdfast.cli import documents, reading
from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.approval import fingerprint
from holdfast.rollout.codec import any_kind
from holdfast.rollout.codec import plan as codec_plan
from holdfast.rollout.codec.any_kind import AnyPlan
from holdfast.rollout.journal import Approval
from holdfast.workflows import apply as workflow
from holdfast.workflows import plan as plans

DEFAULT_LAKE = ".holdfast/lake"


@click.command
@click.argument("plan")
@click.option("--snapshot", "fresh", required=True, metavar="FRESH", help="The group as it is now: a snapshot just taken.")
@click.option("--approval", metavar="FILE", help="The approval of this plan, as JSON.")
@click.option("--approved-by", metavar="NAME", help="Approve it here, by name …")
@click.option("--reason", metavar="TEXT", help="… and say why.")
@click.option(
    "--state-dir-of",
    "state_dirs",
    multiple=True,
    metavar="PROCESS_ID=DIRECTORY",
    help="Where the client that is to start as PROCESS_ID keeps its state: STATE_DIR/APPLICATION_ID. May be repeated.",
)
@click.option(
    "--confirm", "confirmed", multiple=True, metavar="STEP", help="Say that you did this step of yours. May be repeated, in order."
)
@click.option("--json", "as_json", is_flag=True, help="As it is anyway: what is printed is JSON.")
@click.option("--lake", metavar="URL", envvar="HOLDFAST_LAKE", default=DEFAULT_LAKE, show_default=True, help="For the journal.")
def command(
    plan: str,
    fresh: str,
    approval: str | None,
    approved_by: str | None,
    reason: str | None,
    state_dirs: tuple[str, ...],
    confirmed: tuple[str, ...],
    lake: str,
    as_json: bool,  # noqa: ARG001 - every command that prints has --json
) -> int:
    """Carry out the plan in PLAN (a file) as far as it goes now, and print its journal and checklist as JSON.

    Holdfast writes process-metadata files into the directories it is told of. All else is yours: do the step that the journal waits
    for, take a fresh snapshot, and call this again; a step that no snapshot can show is confirmed with --confirm.
    """
    from holdfast.adapters.lake import FsspecLake
    from holdfast.adapters.process_metadata import LocalProcessMetadataFiles

    made = reading.value(plan, any_kind.plan_from_json)
    group = reading.value(fresh, any_kind.snapshot_from_json)
    store = FsspecLake(lake)
    answer = _approval(made, approval, approved_by, reason) or plans.approval_of(store, made.plan_id)
    if answer is None:
        raise click.UsageError("An approval is needed: --approval FILE, or --approved-by NAME with --reason TEXT.")
    words = tuple(workflow.Confirmation(step, answer.by, "confirmed on the command line") for step in confirmed)
    hands = workflow.Hands(store, LocalProcessMetadataFiles(), _directories(state_dirs), lambda: datetime.now(UTC))
    applied = workflow.apply(made, group, answer, words, hands)
    workflow.refuse_if_asked_too_early(applied, hands)
    documents.print_document(workflow.applied_to_json(applied))
    return 0


def _approval(plan: AnyPlan, file: str | None, by: str | None, reason: str | None) -> Approval | None:
    """None: none is given here; the lake may have one."""
    if file is not None:
        if by is not None or reason is not None:
            raise click.UsageError("Give --approval, or --approved-by with --reason, not both.")
        return reading.value(file, codec_plan.approval_from_json)
    if by is None and reason is None:
        return None
    if by is None or reason is None:
        raise click.UsageError("--approved-by NAME and --reason TEXT go together.")
    at = datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
    return Approval(plan.plan_id, True, by, reason, at, plan_fingerprint=fingerprint(plan))


def _directories(pairs: tuple[str, ...]) -> dict[ProcessId, str]:
    found: dict[ProcessId, str] = {}
    for pair in pairs:
        process_id, equals, directory = pair.partition("=")
        if not equals or not directory:
            raise InvalidInput(f"--state-dir-of {pair!r}: PROCESS_ID=DIRECTORY is needed")
        found[ProcessId.parse(process_id)] = directory
    return found
