"""`holdfast apply --run`: carry out a whole plan from the command line."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.cli import documents
from holdfast.errors import ClusterTrouble
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import verdict_words
from holdfast.rollout.text.format import printable
from holdfast.workflows import apply as workflow
from holdfast.workflows import verify
from holdfast.workflows.apply import Hands
from holdfast.workflows.collecting.collector import StatedByOperator
from holdfast.workflows.collecting.settling import Patience
from holdfast.workflows.running import run as running
from holdfast.workflows.running.acting import Clocks
from holdfast.workflows.running.progress import Progress

if TYPE_CHECKING:
    from holdfast.actor import Actor

DONE, WAITS, HALTED = 0, 2, 3
LAG_S = SETTING_S = 20.0


@dataclass(frozen=True, slots=True)
class Where:
    """`actors`: the file with the commands; None: Holdfast stops and starts nothing. `timeout_s`: for the verdict at the end."""

    cluster: ClusterConnection
    actors: str | None
    timeout_s: float


def run(plan: AnyPlan, approval: Approval, hands: Hands, where: Where, *, accept: bool | Halt, back: bool, as_text: bool) -> int:
    """The exit status."""
    from holdfast import wiring

    means = running.Means(
        hands=replace(hands, now=steady()),
        actor=_actor(where.actors, plan.basis.group_id),
        look=lambda limit_s: _look(plan, where, limit_s),
        lag=lambda: _lag(plan, where),
        tell=lambda progress: click.echo(_told(progress, as_text=as_text), err=as_text),
        clocks=Clocks(wall=lambda: datetime.now(UTC)),
        configs=wiring.ClusterGroupSettings(where.cluster, SETTING_S),
    )
    ran = running.run(plan, approval, means, accept=accept, back=back)
    if ran.halted is not None:
        click.echo(
            f"The run halted ({ran.halted.why.value}): {printable(ran.halted.text, 2_000)}\n{_BACK if back else _CHOICES}", err=True
        )
    if back:
        return _went_back(plan, ran, as_text=as_text)
    if as_text:
        from holdfast.cli.views import applied_view

        applied_view.show(ran.applied)
    else:
        click.echo(dumps(workflow.applied_to_json(ran.applied)))
    if ran.halted is not None:
        return HALTED
    return WAITS if ran.applied.waiting_for is not None else _verdict(plan, hands, where)


def _went_back(plan: AnyPlan, ran: running.Ran, *, as_text: bool) -> int:
    from holdfast.cli.views import rollback_view

    journal, found = ran.applied.journal, ran.went_back
    if as_text:
        rollback_view.show(plan, journal, ran.applied.waiting_for, found)
    else:
        ended = {} if found is None else {"went_back": rollback_view.ended_to_json(found)}
        click.echo(dumps(workflow.applied_to_json(ran.applied) | ended))
    if ran.halted is not None:
        return HALTED
    return WAITS if found is None else DONE if found.clients.in_place else HALTED


_BACK = "Nothing else was begun. Put right what is named above, then give the same command again: it continues where it stopped."
_CHOICES = (
    "Nothing else was begun. To go on: put right what is named above, then give the same command again; it continues where it"
    " stopped (extra rebalances: --accept-rebalances; a divergence: --accept-divergence). To go back: the same command with --back."
    " To leave it: do nothing; a plan that no longer fits needs a new one."
)


def steady() -> Callable[[], datetime]:
    """The time now, by a clock that does not jump while this process lives: it was set when it began."""
    began, wall = time.monotonic(), datetime.now(UTC)
    return lambda: wall + timedelta(seconds=time.monotonic() - began)


def _actor(file: str | None, group_id: str) -> "Actor":
    from holdfast.adapters import yaml_text
    from holdfast.adapters.hosts import actors_file

    if file is None:
        return actors_file.nothing()
    content = documents.read_bytes(file, yaml_text.LARGEST)
    with documents.naming(file):
        return actors_file.read(content, group_id)


def _look(plan: AnyPlan, where: Where, limit_s: float) -> AnySnapshot:
    from holdfast import wiring

    about = StatedByOperator(plan.basis.kafka_release, {}, dict(plan.basis.config))
    return wiring.collect_any(where.cluster, plan.basis.group_id, (), about, limit_s)


def _lag(plan: AnyPlan, where: Where) -> int | None:
    from holdfast import wiring

    try:
        return wiring.lag(where.cluster, plan.basis.group_id, LAG_S)
    except ClusterTrouble:
        return None


def _told(progress: Progress, *, as_text: bool) -> str:
    return printable(progress.line(), 2_000) if as_text else dumps(progress.to_json())


def _verdict(plan: AnyPlan, hands: Hands, where: Where) -> int:
    """Compare the end with the forecast, and keep the verdict."""
    patience = Patience(where.timeout_s)
    found = verify.watch(hands.lake, plan, lambda limit_s: _look(plan, where, limit_s), patience, lambda _: None, hands.keys)
    click.echo(verdict_words.in_a_line(found), err=True)
    return DONE if found.result is Result.AS_FORECAST else HALTED
