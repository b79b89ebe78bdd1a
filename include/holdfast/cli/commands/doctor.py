"""`holdfast doctor`: what is missing to collect a group, forecast its rebalances and plan for it."""

import click
from rich.table import Table
from rich.text import Text

from holdfast import wiring
from holdfast.adapters.deadline import Deadline
from holdfast.cli import cluster, doctor_config, documents, hosts
from holdfast.cli.views import terminal
from holdfast.rollout.text.format import printable
from holdfast.workflows.doctor import Check, CheckStatus

LONGEST_REMEDY = 4_000
_STYLES = {CheckStatus.OK: "green", CheckStatus.LIMITED: "yellow", CheckStatus.MISSING: "bold red"}


@click.command
@click.argument("snapshot", required=False)
@cluster.cluster_options
@hosts.options
@click.option("--group", help="The group: the application.id of a Kafka Streams application, or a consumer group.")
@click.option("--state-dir", "state_dirs", metavar="URL", multiple=True, help="<state.dir>/<application.id> of one client.")
@hosts.named_option
@click.option("--folder", "folders", metavar="URL", multiple=True, help="A folder that must be writable, such as the lake.")
@click.option("--actors", metavar="FILE", help="What acts on the group's clients: the lines of sudoers, or the Role, for it.")
@doctor_config.options
@click.option("--json", "as_json", is_flag=True, help="The checks, or the findings, as JSON.")
def command(
    snapshot: str | None,
    bootstrap_server: str,
    command_config: str | None,
    timeout_s: float,
    group: str | None,
    state_dirs: tuple[str, ...],
    named: tuple[str, ...],
    folders: tuple[str, ...],
    actors: str | None,
    config: bool,
    app_config: str | None,
    policy: str | None,
    kafka_release: str | None,
    as_json: bool,
) -> int:
    """Check what Holdfast needs: permissions (the fewest), Java, Spark, folders. With --config: judge the settings of a group.

    {host} in --state-dir stands for each --host, or else for the hosts of the group's members. The exit status is 1 if
    a requirement is missing. Without --bootstrap-server only --state-dir, --folder and --actors are looked
    at.

    --config judges the settings of the group in SNAPSHOT (a file, or - for standard input), or of --group at --bootstrap-server:
    each finding has its fix, and what it costs this group (by forecasts) or where Kafka documents it. The exit status is 1 if there
    are findings.
    """
    if config:
        given = doctor_config.Given(app_config, policy, kafka_release)
        where = None if snapshot is not None else cluster.connection(bootstrap_server, command_config)
        return doctor_config.judged(snapshot, where, group, state_dirs, named, timeout_s, given, as_json=as_json)
    if snapshot is not None or app_config or policy or kafka_release:
        raise click.UsageError("SNAPSHOT, --app-config, --policy and --kafka-release are for --config.")
    directories = hosts.expanded(state_dirs, named)
    without_cluster = not bootstrap_server and command_config is None and bool(directories or folders or actors)
    if group is None and (actors or not without_cluster):
        raise click.UsageError("Missing option '--group'.")
    acts = () if actors is None else _acts(actors, group or "")
    if group is None or without_cluster:
        checks = wiring.examine_places(directories, folders, Deadline(timeout_s), hosts.access())
    else:
        where = cluster.connection(bootstrap_server, command_config)
        checks = wiring.examine(where, group, directories, folders, timeout_s, hosts.access())
    checks += acts
    if as_json:
        fields = ("name", "status", "found", "remedy")
        document = [{field: str(getattr(check, field)) for field in fields} for check in checks]
        documents.print_document({"format_version": "1.0", "checks": document})
    else:
        _print_table(checks)
    return 1 if any(check.status is CheckStatus.MISSING for check in checks) else 0


def _acts(file: str, group: str) -> tuple[Check, ...]:
    from holdfast.adapters import yaml_text
    from holdfast.adapters.hosts import actors_file

    ssh, content = hosts.access().ssh, documents.read_bytes(file, yaml_text.LARGEST)
    with documents.naming(file):
        lines = actors_file.rights(content, group, None if ssh is None else ssh.user)
    if lines is None:
        return ()
    return (Check("right: act on clients (optional)", CheckStatus.LIMITED, "not checked: only acts would show it", lines),)


def _print_table(checks: tuple[Check, ...]) -> None:
    """Actions are in lines of their own, never cut or wrapped: it holds commands that are pasted."""
    terminal.show(_table(checks))
    todo = [check for check in checks if check.remedy and check.status is not CheckStatus.OK]
    for check in todo:
        click.echo(f"\n{printable(check.name)}:")
        for line in check.remedy.splitlines():
            click.echo(f"  {printable(line, LONGEST_REMEDY)}")


def _table(checks: tuple[Check, ...]) -> Table:
    table = terminal.table("check", "status", "found")
    for check in checks:
        found = Text(printable(check.found, LONGEST_REMEDY))
        table.add_row(Text(printable(check.name)), Text(check.status, style=_STYLES[check.status]), found)
    return table
