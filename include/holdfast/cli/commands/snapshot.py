"""`holdfast snapshot`: the current state of one running group."""

import click

from holdfast import wiring
from holdfast.cli import cluster, documents, hosts
from holdfast.kafka import topology_description
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import any_document
from holdfast.rollout.streams.snapshot.snapshot import Stores
from holdfast.workflows.collecting.collector import StatedByOperator


@click.command
@cluster.cluster_options
@hosts.options
@click.option("--group", required=True, help="The group: the application.id of a Kafka Streams application, or a consumer group.")
@click.option(
    "--state-dir",
    "state_dirs",
    metavar="URL",
    multiple=True,
    help="<state.dir>/<application.id> of one client; {host}: of the client on each member's host. May be repeated.",
)
@hosts.named_option
@click.option("--kafka-release", metavar="R", help="The release of Kafka Streams that the application runs, such as 3.9.1.")
@click.option(
    "--broker-release",
    metavar="R",
    help="The release of the group's coordinator, for a group whose broker assigns; only needed where brokers do not show it.",
)
@click.option("--app-config", metavar="FILE", help="The application's properties; only settings that affect assignments are used.")
@click.option(
    "--set",
    "pairs",
    metavar="KEY=VALUE",
    multiple=True,
    help="A setting of the application, which replaces that of --app-config; or a config of a group whose broker assigns.",
)
@click.option(
    "--changelog",
    "changelogs",
    metavar="SUBTOPOLOGY=TOPIC",
    multiple=True,
    help="A changelog that Holdfast cannot infer; give all of a subtopology's changelogs, or none: 1= for a stateless one.",
)
@click.option(
    "--topology",
    metavar="FILE",
    help="What the application's Topology.describe() prints: shows which subtopologies keep state, and where.",
)
@click.option(
    "--stores",
    type=click.Choice([str(one) for one in Stores]),
    help="Where the application keeps its state. Without a store on disk, every restart generates a new process ID.",
)
@click.option("--name", help="The name of the cluster in the snapshot. Default: its ID.")
@click.option("--json", "as_json", is_flag=True, help="No effect; the output is always JSON.")
@click.option(
    "-o", "--output", metavar="FILE", default=documents.STANDARD_INPUT, help="Write to this file, completely or not at all."
)
def command(
    bootstrap_server: str,
    command_config: str | None,
    timeout_s: float,
    group: str,
    state_dirs: tuple[str, ...],
    named: tuple[str, ...],
    kafka_release: str | None,
    broker_release: str | None,
    app_config: str | None,
    pairs: tuple[str, ...],
    changelogs: tuple[str, ...],
    topology: str | None,
    stores: str | None,
    name: str | None,
    output: str,
    as_json: bool,  # noqa: ARG001 - every command that prints has --json
) -> int:
    """Take a Snapshot of a running group (Kafka Streams or consumers), as JSON.

    Its field `unknown` lists what could not be read and what was assumed.
    """
    where = cluster.connection(bootstrap_server, command_config, name)
    application = cluster.properties_file(app_config) if app_config else {}
    described = None if topology is None else documents.read_bytes(topology, topology_description.LONGEST).decode(errors="replace")
    given = StatedByOperator(
        kafka_release, application, dict(documents.settings(pairs)), changelogs, stores, broker_release, described
    )
    taken = wiring.collect_any(where, group, hosts.expanded(state_dirs, named), given, timeout_s, hosts.access())
    document = any_document.snapshot_to_json(taken)
    if output == documents.STANDARD_INPUT:
        documents.print_document(document)
    else:
        documents.write_text_whole(output, dumps(document, indent=2) + "\n")
    return 0
