"""`holdfast doctor --config`: what the settings of a group cost it, from a snapshot file or from the running group."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import click

from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.cli import cluster, documents, hosts, progress, reading
from holdfast.cli.views import blocks_view
from holdfast.kafka.release import RELEASES
from holdfast.kafka.streams import config_check
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.kinds import any_document, settings
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings import words
from holdfast.rollout.settings.json import report_to_json
from holdfast.workflows.collecting.collector import StatedByOperator

_Command = TypeVar("_Command", bound=Callable[..., object])


_JUDGED_TOGETHER = ("session.timeout.ms", "heartbeat.interval.ms")
"""A collection refuses some pairs of them; here such a pair is a finding."""


@dataclass(frozen=True, slots=True)
class Given:
    """What `--config` takes in addition to the group."""

    app_config: str | None
    policy: str | None
    kafka_release: str | None


def options(command: _Command) -> _Command:
    """`--config`, and what belongs to it."""
    for option in (
        click.option("--kafka-release", metavar="R", help="With --config: the release that the application runs, such as 3.9.1."),
        click.option("--policy", metavar="FILE", help="With --config: limits, restore speed and silenced rules, as YAML or JSON."),
        click.option("--app-config", metavar="FILE", help="With --config: the application's properties; all of them are judged."),
        click.option("--config", is_flag=True, help="Judge the settings of the group in SNAPSHOT, or of --group."),
    ):
        command = option(command)
    return command


def judged(
    snapshot: str | None,
    where: ClusterConnection | None,
    group: str | None,
    state_dirs: tuple[str, ...],
    named: tuple[str, ...],
    timeout_s: float,
    given: Given,
    *,
    as_json: bool,
) -> int:
    """Print the report; the exit status."""
    properties = cluster.properties_file(given.app_config) if given.app_config else None
    policy = reading.limits(given.policy).policy if given.policy else Policy()
    if snapshot is not None:
        taken = reading.value(snapshot, any_document.snapshot_from_json)
    else:
        if where is None or group is None:
            raise click.UsageError("--config needs SNAPSHOT, or --group and --bootstrap-server.")
        taken = wiring.collect_any(
            where, group, hosts.expanded(state_dirs, named), _stated(properties or {}, given), timeout_s, hosts.access()
        )
    with progress.telling("Forecasting what the settings cost"):
        report = settings.examined(_of_release(taken, given), properties, policy)
    if as_json:
        documents.print_document(report_to_json(report))
    else:
        blocks_view.show(tuple(words.blocks(report)))
    return 1 if report.findings else 0


def _stated(properties: Mapping[str, str], given: Given) -> StatedByOperator:
    """What a collection takes of the application: a value that Kafka would refuse is a finding, and must not stop it."""
    release = given.kafka_release or RELEASES[-1]
    taken = {
        key: value
        for key, value in properties.items()
        if config_check.accepts(release, key, value) and not key.endswith(_JUDGED_TOGETHER)
    }
    return StatedByOperator(given.kafka_release, taken, {}, (), None, None)


def _of_release(snapshot: AnySnapshot, given: Given) -> AnySnapshot:
    """The same group with the release that was given."""
    if given.kafka_release is None or snapshot.kafka_release == given.kafka_release:
        return snapshot
    document = any_document.snapshot_to_json(snapshot) | {"kafka_release": given.kafka_release}
    return any_document.snapshot_from_json(document)
