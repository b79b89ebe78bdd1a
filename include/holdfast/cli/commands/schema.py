"""`holdfast schema`: the JSON Schema of a contract."""

import click

from holdfast.cli import documents
from holdfast.rollout.kinds import schemas


@click.command(epilog=f"CONTRACT is one of: {', '.join(schemas.CONTRACTS)}.")
@click.argument("contract", metavar="CONTRACT", type=click.Choice(list(schemas.CONTRACTS)))
@click.option("--json", "as_json", is_flag=True, help="No effect; the output is always JSON.")
def command(contract: str, as_json: bool) -> int:  # noqa: ARG001 - every command that prints has --json
    """Print the JSON Schema (draft 2020-12) of CONTRACT."""
    documents.print_document(schemas.schema_of(contract))
    return 0
