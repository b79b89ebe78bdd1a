"""`holdfast seed`: write a process ID into a state directory."""

import click

from holdfast import wiring
from holdfast.cli import cluster, documents, hosts
from holdfast.cli import shape as shapes
from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.text.format import listed, printable

_SHOWN = 5


@click.command
@click.argument("url")
@click.argument("process_id")
@click.option("--replaces", metavar="ID", help="The process ID that is there now. Any other is never overwritten.")
@hosts.named_option
@hosts.snapshot_option
@hosts.options
@cluster.timeout_option()
@shapes.options
def command(
    url: str,
    process_id: str,
    replaces: str | None,
    named: tuple[str, ...],
    of_snapshot: str | None,
    timeout_s: float,
    shape: str | None,
    as_json: bool,
) -> int:
    """Write PROCESS_ID into the state directory URL (<state.dir>/<application.id>): the client that starts there takes it.

    It is written completely or not at all, and never while a client runs on the directory. It replaces only the ID that
    --replaces names. No two clients of a group may have one process ID: a URL with {host} needs exactly one host.
    """
    wanted, former = ProcessId.parse(process_id), None if replaces is None else ProcessId.parse(replaces)
    url = _only_one(url, hosts.expanded((url,), named, of_snapshot))
    files = wiring.process_metadata_files(timeout_s, hosts.access())
    files.write(url, wanted, former)
    shown = wiring.public_url(url)
    if shapes.is_text(shape, as_json=as_json):
        click.echo(f"{shown} holds process ID {wanted}.")
    else:
        documents.print_document({"format_version": "1.0", "url": shown, "process_id": str(wanted)})
    return 0


def _only_one(url: str, found: tuple[str, ...]) -> str:
    if len(found) > 1:
        raise InvalidInput(
            f"{printable(url, 200)} stands for {len(found)} directories ({printable(listed(found[:_SHOWN]), 500)}), and a"
            " process ID is one client's: give --host with its host"
        )
    return found[0]
