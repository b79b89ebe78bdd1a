"""`holdfast policy`: the default policy, as a file to start a team's policy from."""

import click

from holdfast.cli import documents
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import schemas
from holdfast.rollout.policy.json import policy_to_json
from holdfast.rollout.policy.policy import Policy

LEFT_OUT: dict[str, object] = {"acts": [], "lag_most": None, "silenced": []}
"""The defaults that JSON leaves out, so that plans of former versions keep their fingerprint."""


@click.command
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(as_json: bool) -> int:
    """Print the default policy as YAML, with an explanation of each line.

    All limits are commented out: remove the # from those that your team sets. A limit that is set blocks plans that exceed it.
    """
    own = policy_to_json(Policy())
    if as_json:
        documents.print_document(own)
        return 0
    about = schemas.CONTRACTS["policy"].shape()["properties"]
    lines = [
        "# Holdfast's default policy. Remove the # from the limits that you set; see docs/policy.md.",
        'format_version: "1.0"',
    ]
    for field, value in (own | LEFT_OUT).items():
        if field != "format_version":
            lines += ["", f"# {about[field]['description']}", f"# {field}: {dumps(value)}"]
    click.echo("\n".join(lines))
    return 0
