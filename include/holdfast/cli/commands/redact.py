"""`holdfast redact`: a snapshot that can be shared."""

from collections.abc import Iterator
from pathlib import Path

import click

from holdfast.cli import documents
from holdfast.errors import InvalidInput
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.sharing import redacted
from holdfast.rollout.kinds.sharing.redacted import Redacted, Same
from holdfast.rollout.redaction.found import Role
from holdfast.rollout.text.format import listed, many, printable

KEEP, HIDE = "keep", "hide"
_PRIVATE = 0o600
_NAMES = {
    Role.GROUP: ("group ID", "group IDs"),
    Role.TOPIC: ("topic", "topics"),
    Role.MEMBER: ("member ID without a random end", "member IDs without a random end"),
    Role.PROCESS: ("process ID that is no UUID", "process IDs that are no UUIDs"),
}
_SAME = {
    Same.YES: "The decision in a rebalance now is the same.",
    Same.NO: "The decision in a rebalance now differs: hash codes decide it.",
    Same.REFUSED: "Neither group can be decided now: both are refused.",
}


@click.command
@click.argument("snapshot")
@click.option("--json", "as_json", is_flag=True, help="No effect; the output is always JSON.")
@click.option("--output", "-o", metavar="FILE", help="Write the snapshot here, not to standard output.")
@click.option("--change", metavar="CHANGE", help="A Change for the group: its names are replaced by the same.")
@click.option("--change-output", metavar="FILE", help="Where the change without names is written. Needed with --change.")
@click.option(
    "--mapping", metavar="FILE", help="Write which name each stands for, to translate answers. Keep it: only you can read it."
)
@click.option(
    "--hash-codes",
    type=click.Choice([KEEP, HIDE]),
    default=KEEP,
    show_default=True,
    help="keep: names whose hash codes decide keep them. hide: no hash code is kept, and decisions may differ.",
)
def command(
    snapshot: str,
    output: str | None,
    change: str | None,
    change_output: str | None,
    mapping: str | None,
    hash_codes: str,
    as_json: bool,  # noqa: ARG001 - every command that prints has --json
) -> int:
    """Print SNAPSHOT (a file, or - for standard input) without names: it can be shared, and Kafka decides the same for it.

    Names of groups, hosts, topics, members, processes, racks, tags, stores and directories are replaced, the same always by the
    same. Kept are their order, numbers, times, offsets, releases, Kafka's own settings, and 4 digits of each random ID. Sentences
    and other settings are left out.

    Where hash codes decide (sticky assignors), topics and the application ID keep their hash code of 32 bits: who has a list of
    likely names can find them by it. The command says so on standard error; --hash-codes hide replaces these too.
    """
    _refuse_misuse(snapshot, output, change, change_output, mapping)
    document = documents.read_document(snapshot)
    with documents.naming(snapshot):
        group = any_document.snapshot_from_json(document)
    asked = None if change is None else documents.read_document(change)
    with documents.naming(snapshot if change is None else change):
        found = redacted.redacted(group, asked, keeps_hash_codes=hash_codes == KEEP)
    if mapping is not None:
        documents.write_text_whole(mapping, f"{dumps(redacted.mapping_to_json(found), indent=2)}\n", _PRIVATE)
    if change_output is not None:
        documents.write_text_whole(change_output, f"{dumps(found.change, indent=2)}\n")
    if output is None:
        documents.print_document(found.snapshot)
    else:
        documents.write_text_whole(output, f"{dumps(found.snapshot, indent=2)}\n")
    for line in _notes(found):
        click.echo(line, err=True)
    click.echo(_SAME[redacted.decides_the_same(group, found)], err=True)
    return 0


def _refuse_misuse(snapshot: str, output: str | None, change: str | None, change_output: str | None, mapping: str | None) -> None:
    if (change is None) != (change_output is None):
        raise click.UsageError("--change and --change-output belong together: what is read, and where it is written.")
    if snapshot == change == documents.STANDARD_INPUT:
        raise click.UsageError("SNAPSHOT and CHANGE cannot both be standard input; put one into a file.")
    written = [str(Path(path).absolute()) for path in (output, change_output, mapping) if path is not None]
    read = [str(Path(path).absolute()) for path in (snapshot, change) if path not in (None, documents.STANDARD_INPUT)]
    if len({*written, *read}) < len(written) + len(set(read)):
        raise click.UsageError("Each file can be one thing: what is read, the snapshot, the change or the mapping.")
    if mapping is not None and Path(mapping).exists():
        raise InvalidInput(f"{mapping!r} exists: a mapping is needed for as long as answers come. Give another file.")


def _notes(found: Redacted) -> Iterator[str]:
    """What its owner should know before it is shared."""
    if found.hash_codes:
        kept = listed([many(count, *_NAMES[role]) for role, count in found.hash_codes.items()])
        yield (
            f"The hash code (32 bits) of {kept} is kept, because the assignor decides by it: who has a list of likely names can"
            f" find them. --hash-codes {HIDE} replaces these too; decisions may differ then."
        )
    if found.settings:
        shown = printable(listed(list(found.settings)), 500)
        yield f"Left out: {many(len(found.settings), 'setting')} that Kafka does not have or that name something ({shown})."
    if found.generations:
        yield f"Left out: {many(found.generations, 'rebalance')} whose bytes cannot be read."
