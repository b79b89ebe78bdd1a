"""`holdfast migrate`: what of a lake this version reads, and what it adds."""

from datetime import UTC, datetime

import click

from holdfast.cli import documents
from holdfast.cli.views import migrated_view
from holdfast.workflows.upgrades import migrate as workflow


@click.command
@click.option("--lake", metavar="URL", envvar="HOLDFAST_LAKE", default=".holdfast/lake", show_default=True, help="The lake.")
@click.option("--dry-run", is_flag=True, help="Write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print only JSON.")
def command(lake: str, dry_run: bool, as_json: bool) -> int:
    """Read what older and newer versions wrote into a lake: every plan with its decision, journal and verdict, drafts, leases, and
    the newest snapshot and day of tables of every group and cluster. Print what this version cannot read.

    Nothing that is there is changed. Without --dry-run, what an older version did not write is added. The exit status is 1 if
    something cannot be read.
    """
    from holdfast.adapters.lake.lake import FsspecLake
    from holdfast.adapters.lake.parquet_tables import ParquetTables
    from holdfast.adapters.lake.table_schemas import TABLES

    store = FsspecLake(lake)
    found = workflow.examine(store, datetime.now(UTC))
    tables = ParquetTables(lake)
    for name in TABLES:
        if tables.days(name):
            found.read["tables"] += 1
        found.unread += [workflow.Unread(path, problem) for path, problem in tables.unread(name)]
    if not dry_run:
        workflow.migrate(store, found)
    if as_json:
        documents.print_document(migrated_view.document(found, dry_run=dry_run))
    else:
        click.echo(migrated_view.text(found, store.url, dry_run=dry_run))
    return 1 if found.unread else 0
