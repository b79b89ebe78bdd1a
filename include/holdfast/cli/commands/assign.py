"""`holdfast assign`: the leader's decision in a rebalance now."""

import sys

import click

from holdfast.cli import documents
from holdfast.workflows.deciding import answer_lines, assign_document, assign_text


@click.command
@click.argument("snapshot")
@click.option("--kafka-release", metavar="R", help="The release of Kafka Streams, such as 3.9.1; replaces that of the Snapshot.")
@click.option("--set", "pairs", metavar="KEY=VALUE", multiple=True, help="A setting of the leader; replaces that of the Snapshot.")
@click.option("--json", "as_json", is_flag=True, help="No effect; the output is always JSON.")
@click.option("--jsonl", is_flag=True, help="Read one Snapshot per line, write one Assignment per line, in the same order.")
def command(snapshot: str, kafka_release: str | None, pairs: tuple[str, ...], jsonl: bool, as_json: bool) -> int:  # noqa: ARG001 - every command that prints has --json
    """Print the decision of the group's leader in a rebalance now, as JSON. SNAPSHOT is a file, or - for standard input.

    A leader that would fail is a result too.
    """
    settings = documents.settings(pairs)
    if jsonl:
        answers = answer_lines(documents.read_lines(snapshot), lambda line: assign_text(line, kafka_release, settings))
        return documents.print_lines(answers)
    document = documents.read_document(snapshot)
    with documents.naming(snapshot):
        answer = assign_document(document, kafka_release, settings)
    documents.print_document(answer, indent=2 if sys.stdout.isatty() else None)
    return 0
