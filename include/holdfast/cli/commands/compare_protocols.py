"""`holdfast compare-protocols`: what a group's deploys cost under each protocol that it could have."""

import click

from holdfast.cli import documents, progress, reading
from holdfast.cli import shape as shapes
from holdfast.cli.views import blocks_view
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.protocols import from_past, words
from holdfast.rollout.kinds.protocols.comparison import COMPARISON, MOST_MONTHLY, DeployKind
from holdfast.rollout.policy.policy import Policy

_MONTHLY = click.FloatRange(0, MOST_MONTHLY)


@click.command
@click.argument("snapshot")
@click.option("--restarts", type=_MONTHLY, help="Rolling restarts of all clients a month.")
@click.option("--replacements", type=_MONTHLY, help="Hosts replaced a month.")
@click.option("--scale-outs", type=_MONTHLY, help="Clients added a month.")
@click.option("--scale-ins", type=_MONTHLY, help="Clients removed a month.")
@click.option("--past", "past_file", metavar="FILE", help="The group's file in past/ of the lake: counts what is not given.")
@click.option("--policy", metavar="FILE", help="Your team's policy, for its speeds. [default: Holdfast's defaults]")
@click.option("--seed", type=click.IntRange(0, 10**6), default=0, show_default=True, help="Of the random IDs that are drawn.")
@reading.work_option
@shapes.options
def command(
    snapshot: str,
    restarts: float | None,
    replacements: float | None,
    scale_outs: float | None,
    scale_ins: float | None,
    past_file: str | None,
    policy: str | None,
    seed: int,
    work: int,
    shape: str | None,
    as_json: bool,
) -> int:
    """Compare what the deploys of the classic group in SNAPSHOT (a file, or - for standard input) cost under the classic
    protocol, with static members, and under the new protocol of each coordinator release.

    Deploys that are not given are counted in the group's past, where --past or the snapshot has one; else one a month is
    assumed.
    """
    text = shapes.is_text(shape, as_json=as_json)
    counts = (restarts, replacements, scale_outs, scale_ins)
    given = {kind: count for kind, count in zip(DeployKind, counts, strict=True) if count is not None}
    group = reading.value(snapshot, any_document.snapshot_from_json)
    past = None if past_file is None else (documents.label(past_file), documents.read_bytes(past_file, from_past.MOST_BYTES))
    limits = Policy() if policy is None else reading.limits(policy).policy
    with progress.telling("Comparing protocols") as tell:
        found = from_past.compare(group, given, past, limits, seed, work, tell)
    if text:
        blocks_view.show(words.blocks(found))
    else:
        documents.print_document(COMPARISON.write(found))
    return 0
