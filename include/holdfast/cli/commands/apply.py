"""`holdfast apply`: apply the steps of an approved plan that can be applied now."""

from datetime import UTC, datetime

import click

from holdfast import wiring
from holdfast.adapters.hosts.kubernetes import address
from holdfast.cli import cluster, documents, hosts, reading, signing
from holdfast.cli import shape as shapes
from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.disks.host_templates import HOST
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.journal.seal import Sealed, SigningKeys
from holdfast.rollout.json import instants
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.approval import fingerprint
from holdfast.workflows import apply as workflow
from holdfast.workflows import plan as plans
from holdfast.workflows import seed_places

DEFAULT_LAKE = ".holdfast/lake"


@click.command
@click.argument("plan")
@click.option(
    "--snapshot",
    "fresh",
    metavar="FRESH",
    help="A current snapshot of the group: newer than the approval and at most 5 minutes old. A run takes its own.",
)
@click.option(
    "--run",
    "run",
    is_flag=True,
    help="Carry out the whole plan: every step that the plan's policy (acts) lets Holdfast do. It watches the group after each.",
)
@click.option("--actors", metavar="FILE", help="With --run: the commands that stop and start the group's clients (YAML).")
@click.option(
    "--accept-rebalances",
    "accept",
    flag_value=Halt.REBALANCES.value,
    help="With --run: continue although the last run halted because of more rebalances than forecast. It is recorded.",
)
@click.option(
    "--back",
    "back",
    is_flag=True,
    help="Go back: with --run roll back what was done of the plan, the last step first; without it list the rollbacks, and confirm"
    " manual ones (--confirm). Refused where another plan for the group was begun since.",
)
@click.option(
    "--accept-divergence",
    "accept",
    flag_value=Halt.DIVERGENCE.value,
    help="With --run: continue although the last run halted because tasks were not where the forecast has them. It is recorded, and"
    " what follows is compared with the forecast from there on.",
)
@cluster.cluster_options
@click.option("--approval", metavar="FILE", help="The approval of this plan, as JSON.")
@click.option("--approved-by", metavar="NAME", help="Approve the plan in this name; needs --reason.")
@click.option("--reason", metavar="TEXT", help="The reason for --approved-by.")
@click.option(
    "--state-dir-of",
    "state_dirs",
    multiple=True,
    metavar="[PROCESS_ID=]DIRECTORY",
    help="State directory (STATE_DIR/APPLICATION_ID) of the client that will start as PROCESS_ID; {host} is the host that the plan"
    " names for it. Without PROCESS_ID, a URL with {host} or {ordinal} is for every client of the plan. May be repeated.",
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
@hosts.options
@signing.key_option
@shapes.options
@click.option(
    "--lake",
    metavar="URL",
    envvar="HOLDFAST_LAKE",
    default=DEFAULT_LAKE,
    show_default=True,
    help="The lake of the journal.",
)
def command(
    plan: str,
    fresh: str | None,
    run: bool,
    actors: str | None,
    accept: str | None,
    back: bool,
    bootstrap_server: str,
    command_config: str | None,
    timeout_s: float,
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
    checklist waits for, take a new snapshot, and run this command again. Steps that no snapshot can show need --confirm.

    With --run Holdfast carries out by itself every step that the policy of the plan lists (acts; docs/apply.md). Exit status of a
    run: 0 as forecast, 2 it waits for a person, 3 it halted or the end is different or not compared, 1 an error; with --back 0
    means that the group has the clients that the plan was made for.
    """
    given = bool(actors or accept)
    _refuse_mixed(fresh, bootstrap_server or command_config, confirmed, run=run, given=given, back=back)
    from holdfast.adapters import key_file as key_files
    from holdfast.adapters import this_process
    from holdfast.adapters.lake.lake import FsspecLake

    keys = key_files.read(key_file)
    made, stands = signing.value(plan, any_document.plan_from_json, Sealed.PLAN, keys)
    store = FsspecLake(lake)
    answer = _approval(made, approval, approved_by, reason, keys) or plans.approval_of(store, made.plan_id, keys)
    if answer is None:
        raise click.UsageError("An approval is needed: --approval FILE, or --approved-by NAME with --reason TEXT.")
    me = this_process.owner()
    words = tuple(workflow.Confirmation(step, me.name, "confirmed on the command line") for step in confirmed)
    files, directories = wiring.process_metadata_files(hosts=hosts.access()), _directories(made, state_dirs)
    hands = workflow.Hands(store, files, directories, lambda: datetime.now(UTC), keys, me, this_process.has_ended, force)
    signing.say_unchecked(f"Plan {made.plan_id}", stands)
    signing.say_unsigned(f"The journal of plan {made.plan_id} is", keys)
    as_text = shapes.is_text(shape, as_json=as_json)
    if run:
        from holdfast.cli.commands import apply_run

        where = apply_run.Where(cluster.connection(bootstrap_server, command_config, made.basis.cluster), actors, timeout_s)
        return apply_run.run(made, answer, hands, where, accept=Halt(accept) if accept else False, back=back, as_text=as_text)
    if back:
        from holdfast.cli import rollbacks

        rollbacks.show(made, answer, words, hands, as_text=as_text)
        return 0
    group = reading.value(str(fresh), any_document.snapshot_from_json)
    applied = workflow.apply(made, group, answer, words, hands, approved_here=approved_by is not None)
    workflow.refuse_if_requested_too_early(applied, hands)
    _show(applied, as_text=as_text)
    return 0


def _show(applied: workflow.Applied, *, as_text: bool) -> None:
    if as_text:
        from holdfast.cli.views import applied_view

        applied_view.show(applied)
    else:
        documents.print_document(workflow.applied_to_json(applied))


def _refuse_mixed(fresh: str | None, where: str | None, confirmed: tuple[str, ...], *, run: bool, given: bool, back: bool) -> None:
    if run and (fresh is not None or confirmed):
        raise click.UsageError("A run takes its own snapshots, and confirms nothing: leave --snapshot and --confirm out.")
    if not run and (given or where):
        raise click.UsageError("--actors, --accept-rebalances, --accept-divergence and the cluster's options are for --run.")
    if back and fresh is not None:
        raise click.UsageError("--back without --run only lists rollbacks and confirms them: leave --snapshot out.")
    if not run and not back and fresh is None:
        raise click.UsageError("A current snapshot is needed: --snapshot FRESH; or --run, which takes its own.")


def _approval(plan: AnyPlan, file: str | None, by: str | None, reason: str | None, keys: SigningKeys) -> Approval | None:
    """None: none is given here; the lake may have one."""
    if file is not None:
        if by is not None or reason is not None:
            raise click.UsageError("Give --approval, or --approved-by with --reason, not both.")
        return signing.value(file, codec_of(Approval).read, Sealed.APPROVAL, keys)[0]
    if by is None and reason is None:
        return None
    if by is None or reason is None:
        raise click.UsageError("--approved-by NAME and --reason TEXT go together.")
    at = instants.to_second(datetime.now(UTC))
    return Approval(plan.plan_id, True, by, reason, at, plan_fingerprint=fingerprint(plan))


def _directories(plan: AnyPlan, given: tuple[str, ...]) -> dict[ProcessId, str]:
    """By the process ID that each is to have; a template without one is for all that the plan writes."""
    found: dict[ProcessId, str] = {}
    for one in given:
        process_id, equals, directory = one.partition("=")
        if equals and directory and "://" not in process_id:
            found[ProcessId.parse(process_id)] = directory
        elif address.is_address(one) and address.ORDINAL in one:
            found |= wiring.directories_in_pods(plan, one, hosts.access())
        elif HOST in one:
            found |= {write.process_id: one for write in seed_places.writes_of(plan)}
        else:
            raise InvalidInput(f"--state-dir-of {one!r}: PROCESS_ID=DIRECTORY is needed, or a URL with {{host}} or {{ordinal}}")
    return seed_places.placed(plan, found)
