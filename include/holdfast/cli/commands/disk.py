"""`holdfast disk`: all that a state directory holds, wherever it is."""

import click

from holdfast import wiring
from holdfast.cli import cluster, documents, hosts
from holdfast.cli import shape as shapes
from holdfast.cli.views import disk_view
from holdfast.errors import HoldfastError
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.json.record import codec_of


@click.command
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@hosts.named_option
@hosts.snapshot_option
@hosts.options
@cluster.timeout_option()
@shapes.options
def command(
    urls: tuple[str, ...], named: tuple[str, ...], of_snapshot: str | None, timeout_s: float, shape: str | None, as_json: bool
) -> int:
    """Read state directories (<state.dir>/<application.id>): process ID, lock, tasks, offsets, free space.

    A URL is a path, file://…, ssh://USER@HOST:PORT/PATH, kubernetes://…, or any URL that fsspec supports. {host} in it stands for
    each --host, or for the hosts of --snapshot. Nothing is written, and no lock is taken. Exit status: 0, or 1 if a directory could
    not be read.
    """
    answers = wiring.read_directories(hosts.expanded(urls, named, of_snapshot), timeout_s, hosts.access())
    if shapes.is_text(shape, as_json=as_json):
        disk_view.show(answers)
    else:
        found = [_document(url, answer) for url, answer in answers]
        documents.print_document({"format_version": "1.0", "state_directories": found})
    return 1 if any(isinstance(answer, HoldfastError) for _, answer in answers) else 0


def _document(url: str, answer: wiring.DirectoryAnswer) -> dict[str, object]:
    if isinstance(answer, HoldfastError):
        return {"url": wiring.public_url(url), "problem": str(answer)}
    directory, unknown = answer
    written = codec_of(StateDirectory).write(directory)
    return {**written, "unknown": [{"what": one.what, "reason": one.reason} for one in unknown]}
