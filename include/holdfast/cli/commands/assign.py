"""`holdfast assign`: what the group's leader would decide in one rebalance, now."""

import sys

import click

from holdfast.cli import documents
from holdfast.workflows.forecast import answer_lines, assign_document


@click.command
@click.argument("snapshot")
@click.option("--kafka-release", metavar="R", help="The release of Kafka Streams, such as 3.9.1; over the Snapshot's own.")
@click.option("--set", "pairs", metavar="KEY=VALUE", multiple=True, help="A setting of the leader, put over the Snapshot's own.")
@click.option("--json", "as_json", is_flag=True, help="As it is anyway: an Assignment is JSON.")
@click.option("--jsonl", is_flag=True, help="A Snapshot a line in, an Assignment a line out, in order.")
def command(snapshot: str, kafka_release: str | None, pairs: tuple[str, ...], jsonl: bool, as_json: bool) -> int:  # noqa: ARG001 - every command that prints has --json
    """What the leader of the group in SNAPSHOT (a file, or - for standard input) would decide now, as JSON.

    A leader that would fail is an answer too.
    """
    settings = documents.settings(pairs)
    if jsonl:
        answers = answer_lines(documents.read_lines(snapshot), lambda line: assign_document(line, kafka_release, settings))
        return documents.print_lines(answers)
    document = documents.read_document(snapshot)
    with documents.naming(snapshot):
        answer = assign_document(document, kafka_release, settings)
    documents.print_document(answer, indent=2 if sys.stdout.isatty() else None)
    return 0
