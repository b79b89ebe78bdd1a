"""`holdfast apply --back` without a run: the rollbacks of a plan as a checklist, and the words of people who have done them."""

import click

from holdfast.cli.views import rollback_view
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.json.strict import dumps
from holdfast.workflows.apply import Confirmation, Hands
from holdfast.workflows.running import going_back


def show(plan: AnyPlan, approval: Approval, words: tuple[Confirmation, ...], hands: Hands, *, as_text: bool) -> None:
    """Nothing is written without words."""
    journal, _ = going_back.confirm(plan, approval, words, hands)
    if as_text:
        rollback_view.show(plan, journal)
    else:
        click.echo(dumps(rollback_view.to_json(plan, journal), indent=2))
