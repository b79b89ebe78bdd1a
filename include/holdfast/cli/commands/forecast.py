"""`holdfast forecast`: every rebalance that a change causes."""

import click

from holdfast.cli import documents, progress, reading
from holdfast.cli.reading import work_option
from holdfast.cli.views import blocks_view
from holdfast.rollout.backtest.results import Backtest
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds.registry import kind_of
from holdfast.workflows.deciding import answer_lines
from holdfast.workflows.forecast import forecast_case, read_forecast, with_past


@click.command
@click.argument("snapshot")
@click.argument("change", required=False)
@click.option(
    "--detail",
    type=click.Choice([str(detail) for detail in Detail]),
    default=str(Detail.FULL),
    show_default=True,
    help="Rounds and outcomes, or outcomes only.",
)
@click.option("--json", "as_json", is_flag=True, help="Print only the Forecast's JSON.")
@click.option(
    "--backtest",
    "backtest_file",
    metavar="FILE",
    help="The JSON of holdfast backtest: the forecast has the group's score, and how long such changes took.",
)
@work_option
@click.option(
    "--jsonl", is_flag=True, help='Read one {"snapshot": …, "change": …} per line, write one Forecast per line, in the same order.'
)
def command(
    snapshot: str, change: str | None, detail: str, as_json: bool, backtest_file: str | None, work: int, jsonl: bool
) -> int:
    """Forecast every rebalance that CHANGE causes in the group of SNAPSHOT (files, or - for standard input)."""
    level = Detail(detail)
    if jsonl:
        if change is not None:
            raise click.UsageError("With --jsonl there is one argument: the file with the cases.")
        if backtest_file is not None:
            raise click.UsageError("--backtest is for one forecast; leave out --jsonl.")
        return documents.print_lines(
            answer_lines(documents.read_lines(snapshot), lambda case: dumps(forecast_case(loads(case), level, work)))
        )
    if change is None:
        raise click.UsageError("Missing argument 'CHANGE': a Change document, as a file or - for standard input.")
    if snapshot == change == documents.STANDARD_INPUT:
        raise click.UsageError("SNAPSHOT and CHANGE cannot both be standard input; put one into a file.")
    found = None if backtest_file is None else reading.value(backtest_file, codec_of(Backtest).read)
    given = [(documents.label(path), documents.read_document(path)) for path in (snapshot, change)]
    with progress.telling("Forecasting every rebalance"):
        group, answer = read_forecast(given[0], given[1], work)
    if found is not None:
        answer = with_past(answer, group, found)
    kind = kind_of(group)
    if as_json:
        documents.print_document(kind.forecast_to_json(answer, level), indent=None)
    else:
        blocks_view.show(tuple(kind.forecast_blocks(group, answer, level)))
    return 0
