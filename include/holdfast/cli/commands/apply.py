"""`holdfast apply`: apply the steps of an approved plan that can be applied now."""

from datetime import UTC, datetime

import click

from holdfast.cli import documents, reading, signing
from holdfast.cli import shape as shapes
from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.journal.seal import Kind, SigningKeys
from holdfast.rollout.json import instants
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.kinds import any_kind
from holdfast.rollout.kinds.approval import fingerprint
from holdfast.workflows import apply as workflow
from holdfast.workflows import plan as plans

DEFAULT_LAKE = ".holdfast/lake"


@click.command
@click.argument("plan")
@click.option(
    "--snapshot",
    "fresh",
    required=True,
    metavar="FRESH",
    help="A current snapshot of the group: newer than the approval and at most 5 minutes old.",
)
@click.option("--approval", metavar="FILE", help="The approval of this plan, as JSON.")
@click.option("--approved-by", metavar="NAME", help="Approve the plan in this name; needs --reason.")
@click.option("--reason", metavar="TEXT", help="The reason for --approved-by.")
@click.option(
    "--state-dir-of",
    "state_dirs",
    multiple=True,
    metavar="PROCESS_ID=DIRECTORY",
    help="State directory (STATE_DIR/APPLICATION_ID) of the client that will start as PROCESS_ID. May be repeated.",
)
@click.option(
    "--confirm",
    "confirmed",
    multiple=True,
    metavar="STEP",
    help="Confirm that this manual step is done. May be repeated, in order.",
)
@click.option(
    "--force-lease",
    "force",
    is_flag=True,
    help="Take over the lease of this group, and allow a step in progress to continue in another directory or on another host. Use"
    " it only when the other run has certainly ended. It is recorded.",
)
@signing.key_option
@shapes.options
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
    force: bool,
    key_file: str | None,
    shape: str | None,
    as_json: bool,
) -> int:
    """Apply the steps of PLAN (a file) that can be applied now, and print its journal and checklist.

    Automated steps write process-metadata files into the given state directories; all other steps are manual. Do the step that the
    checklist waits for, take a new snapshot, and run this command again. Confirm steps that no snapshot can show with --confirm.
    """
    from holdfast.adapters import key_file as key_files
    from holdfast.adapters import this_process
    from holdfast.adapters.lake.lake import FsspecLake
    from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles

    keys = key_files.read(key_file)
    made, stands = signing.value(plan, any_kind.plan_from_json, Kind.PLAN, keys)
    group = reading.value(fresh, any_kind.snapshot_from_json)
    store = FsspecLake(lake)
    answer = _approval(made, approval, approved_by, reason, keys) or plans.approval_of(store, made.plan_id, keys)
    if answer is None:
        raise click.UsageError("An approval is needed: --approval FILE, or --approved-by NAME with --reason TEXT.")
    me = this_process.owner()
    words = tuple(workflow.Confirmation(step, me.name, "confirmed on the command line") for step in confirmed)
    hands = workflow.Hands(
        store,
        LocalProcessMetadataFiles(),
        _directories(state_dirs),
        lambda: datetime.now(UTC),
        keys,
        me,
        this_process.has_ended,
        force,
    )
    applied = workflow.apply(made, group, answer, words, hands, approved_here=approved_by is not None)
    workflow.refuse_if_requested_too_early(applied, hands)
    signing.say_unchecked(f"Plan {made.plan_id}", stands)
    signing.say_unsigned(f"The journal of plan {made.plan_id} is", keys)
    if shapes.is_text(shape, as_json=as_json):
        from holdfast.cli.views import applied_view

        applied_view.show(applied)
    else:
        documents.print_document(workflow.applied_to_json(applied))
    return 0


def _approval(plan: AnyPlan, file: str | None, by: str | None, reason: str | None, keys: SigningKeys) -> Approval | None:
    """None: none is given here; the lake may have one."""
    if file is not None:
        if by is not None or reason is not None:
            raise click.UsageError("Give --approval, or --approved-by with --reason, not both.")
        return signing.value(file, codec_of(Approval).read, Kind.APPROVAL, keys)[0]
    if by is None and reason is None:
        return None
    if by is None or reason is None:
        raise click.UsageError("--approved-by NAME and --reason TEXT go together.")
    at = instants.to_second(datetime.now(UTC))
    return Approval(plan.plan_id, True, by, reason, at, plan_fingerprint=fingerprint(plan))


def _directories(pairs: tuple[str, ...]) -> dict[ProcessId, str]:
    found: dict[ProcessId, str] = {}
    for pair in pairs:
        process_id, equals, directory = pair.partition("=")
        if not equals or not directory:
            raise InvalidInput(f"--state-dir-of {pair!r}: PROCESS_ID=DIRECTORY is needed")
        found[ProcessId.parse(process_id)] = directory
    return found
