"""`holdfast backtest`: past rebalances decided again, and compared with what Kafka decided."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from holdfast import wiring
from holdfast.cli import cluster, documents, reading, signing
from holdfast.cli import shape as shapes
from holdfast.cli.views import blocks_view
from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator import release as coordinators
from holdfast.kafka.coordinator.consumer import release as of_consumers
from holdfast.ports import Lake
from holdfast.rollout.backtest import words
from holdfast.rollout.backtest.judged import Judged
from holdfast.rollout.backtest.results import Backtest
from holdfast.rollout.journal.seal import SigningKeys
from holdfast.rollout.json import instants, strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.kinds import backtests, mismatch_file
from holdfast.workflows import backtest as workflow

DIFFERENT, NOTHING_JUDGED = 3, 4
READING_S = 600.0


@click.command
@cluster.with_timeout(cluster.timeout_option(READING_S, "the reading"))
@click.option("--group", help="One group: the application.id of a Kafka Streams application, or a consumer group.")
@click.option("--all", "every", is_flag=True, help="All groups of the cluster.")
@click.option("--since", metavar="TIME", help="Judge no rebalance before this moment (ISO 8601), such as 2026-11-20T00:00:00Z.")
@click.option("--kafka-release", metavar="R", help="The release of the clients. Not given: every release that fits is tried.")
@click.option("--broker-release", metavar="R", help="The release of the brokers, for groups whose broker assigns.")
@click.option("--app-config", metavar="FILE", help="The application's properties; only settings that affect assignments are used.")
@click.option("--set", "pairs", metavar="KEY=VALUE", multiple=True, help="A setting, which replaces that of --app-config.")
@click.option("--mismatches", "folder", metavar="FOLDER", help="Write each mismatch there, without names.")
@click.option("--mismatch", "file", metavar="FILE", help="Judge a mismatch of such a file again, instead of a cluster.")
@click.option("--processes", type=click.IntRange(1, 256), help="Number of processes that judge. Default: one per processor.")
@click.option(
    "--lake", metavar="URL", envvar="HOLDFAST_LAKE", help="Take when members were stopped from the journals of the plans there."
)
@click.option("--cluster", "name", metavar="NAME", help="The cluster's name in that lake. Default: the ID that its brokers say.")
@signing.key_option
@shapes.options
def command(
    bootstrap_server: str,
    command_config: str | None,
    timeout_s: float,
    group: str | None,
    every: bool,
    since: str | None,
    kafka_release: str | None,
    broker_release: str | None,
    app_config: str | None,
    pairs: tuple[str, ...],
    folder: str | None,
    file: str | None,
    processes: int | None,
    lake: str | None,
    name: str | None,
    key_file: str | None,
    shape: str | None,
    as_json: bool,
) -> int:
    """Decide every rebalance that __consumer_offsets still holds again, and compare task by task with what Kafka decided.

    Settings that are not given are found in the group's own rebalances.

    Exit status: 0 all that was judged is equal, 3 a decision or a stable end differs, 4 nothing could be judged, 1 an error.
    """
    text = shapes.is_text(shape, as_json=as_json)
    if file is not None:
        return _again(file, text=text)
    if (group is None) is not every:
        raise click.UsageError("Give either --group or --all.")
    if every and (app_config or pairs):
        raise click.UsageError("--app-config and --set are of one group; give --group.")
    where = cluster.connection(bootstrap_server, command_config, name)
    application = cluster.properties_file(app_config) if app_config else {}
    given = workflow.stated(group or "", kafka_release, application, dict(documents.settings(pairs)), _moment(since))
    if broker_release is not None:
        given = replace(given, broker_release=_of_brokers(broker_release))
    found = wiring.backtest(
        where, group, given, timeout_s, processes, lambda line: click.echo(line, err=True), _journals(lake, key_file)
    )
    backtest = found.backtest if folder is None else _written(folder, found)
    if text:
        blocks_view.show(words.blocks(backtest))
    else:
        documents.print_document(codec_of(Backtest).write(backtest))
    return _status(backtest)


def _journals(lake: str | None, key_file: str | None) -> tuple[Lake, SigningKeys] | None:
    if not lake:
        return None
    from holdfast.adapters import key_file as key_files
    from holdfast.adapters.lake.lake import FsspecLake

    return FsspecLake(lake), key_files.read(key_file)


def _of_brokers(release: str) -> str:
    """Some are covered for consumer groups only: targets of streams groups are not judged then, and the reason is given."""
    of_streams = coordinators.known(release)
    if of_streams is not None:
        return of_streams.releases[-1]
    of_consumers.behaviour(release)
    return release


def _status(backtest: Backtest) -> int:
    score = backtest.score
    if not score.perfect:
        return DIFFERENT
    return 0 if score.judged or score.inferred else NOTHING_JUDGED


def _moment(since: str | None) -> str | None:
    if since is None:
        return None
    try:
        moment = datetime.fromisoformat(since)
    except ValueError:
        raise InvalidInput(f"a moment such as 2026-11-20T00:00:00Z is needed, {strict.shown(since)} was found", "--since") from None
    return instants.to_millisecond(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))


def _written(folder: str, found: workflow.Found) -> Backtest:
    """With the names of the files. One that is another mismatch without its names is not written."""
    files: dict[tuple[str, int], str] = {}
    for number, (group_id, question, result) in enumerate(found.mismatches, 1):
        sent = mismatch_file.sendable(question)
        if sent is None:
            click.echo(f"rebalance {result.number} of {group_id}: without its names it is another mismatch; not written", err=True)
            continue
        path = Path(folder) / f"mismatch-{number:03}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        documents.write_text_whole(str(path), strict.dumps(mismatch_file.to_json(sent.question), indent=2) + "\n")
        files[group_id, result.number] = str(path)
    groups = tuple(
        replace(
            group,
            rebalances=tuple(
                replace(one, mismatch=files[group.group_id, one.number]) if (group.group_id, one.number) in files else one
                for one in group.rebalances
            ),
        )
        for group in found.backtest.groups
    )
    return replace(found.backtest, groups=groups)


def _again(file: str, *, text: bool) -> int:
    question = reading.value(file, mismatch_file.from_json)
    result: Any = backtests.judge(question)
    if text:
        blocks_view.show(words.of_one(result))
    else:
        documents.print_document(codec_of(type(result)).write(result))
    return DIFFERENT if result.judged is Judged.DIFFERENT else NOTHING_JUDGED if result.judged is Judged.NOT_JUDGED else 0
