"""`holdfast forecast`: every rebalance that a change causes."""

import click

from holdfast.cli import documents, progress
from holdfast.cli.reading import work_option
from holdfast.cli.views import blocks_view
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds.registry import kind_of
from holdfast.workflows.deciding import answer_lines
from holdfast.workflows.forecast import forecast_case, read_forecast


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
@work_option
@click.option(
    "--jsonl", is_flag=True, help='Read one {"snapshot": …, "change": …} per line, write one Forecast per line, in the same order.'
)
def command(snapshot: str, change: str | None, detail: str, as_json: bool, work: int, jsonl: bool) -> int:
    """Forecast every rebalance that CHANGE causes in the group of SNAPSHOT (files, or - for standard input)."""
    level = Detail(detail)
    if jsonl:
        if change is not None:
            raise click.UsageError("With --jsonl there is one argument: the file with the cases.")
        return documents.print_lines(
            answer_lines(documents.read_lines(snapshot), lambda case: dumps(forecast_case(loads(case), level, work)))
        )
    if change is None:
        raise click.UsageError("Missing argument 'CHANGE': a Change document, as a file or - for standard input.")
    if snapshot == change == documents.STANDARD_INPUT:
        raise click.UsageError("SNAPSHOT and CHANGE cannot both be standard input; put one into a file.")
    given = [(documents.label(path), documents.read_document(path)) for path in (snapshot, change)]
    with progress.telling("Forecasting every rebalance"):
        group, answer = read_forecast(given[0], given[1], work)
    kind = kind_of(group)
    if as_json:
        documents.print_document(kind.forecast_to_json(answer, level), indent=None)
    else:
        blocks_view.show(tuple(kind.forecast_blocks(group, answer, level)))
    return 0
