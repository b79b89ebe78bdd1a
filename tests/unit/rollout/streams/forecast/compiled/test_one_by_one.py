"""A restart that was worked out one by one is kept only if nothing has changed by it."""

from dataclasses import replace

from tests.harness.article import AFTER, group
from tests.harness.plans import read

from holdfast.rollout.streams.forecast.compiled.one_by_one import ToKeep, known
from holdfast.rollout.streams.forecast.compiled.restarts import Rest, Restarted, running_sets
from holdfast.rollout.streams.scene.assumptions import Assume
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.snapshot.groups import group_of

HERE = group_of(read(group(AFTER)))
FOUND = Restarted((), (None,), (), (), ())
WHO = (HERE.clients[0].process_id,)


def kept(*, moved: bool = False, runs_less: bool = False, in_doubt: bool = False) -> bool:
    rules = Reports(HERE, Assume())
    rules.may_lose_progress = in_doubt
    running = {client.process_id: dict.fromkeys(task.id for task in HERE.tasks) for client in HERE.clients}
    rest = Rest(HERE, Assume(), running_sets(running), walked=False)
    after = (replace(HERE.clients[0], consumers=()), *HERE.clients[1:]) if moved else HERE.clients
    runs = dict(list(running.items())[1:]) if runs_less else running
    ToKeep(rest, WHO, HERE.clients, 0).keep(rules, after, runs, FOUND)
    return known(rest, rules, [WHO], 1, records=True).batches == (FOUND,)


def test_one_after_which_all_is_as_before_is_known() -> None:
    assert kept()


def test_one_after_which_members_report_or_run_something_else_is_not() -> None:
    assert not kept(moved=True)
    assert not kept(runs_less=True)
    assert not kept(in_doubt=True)
