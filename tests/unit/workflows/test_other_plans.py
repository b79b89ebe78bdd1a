"""A second plan for a group, made before the client of the first one was started under its process ID: the ID is written once."""

from pathlib import Path

import pytest
from tests.harness.article import C
from tests.harness.operators_hands import BACK, GONE, Operator, approved, taken, waits_for
from tests.harness.plans import article_plan

from holdfast.adapters.state_dirs.process_metadata import FILE_NAME
from holdfast.errors import InvalidInput, StepRefused
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import apply as workflow
from holdfast.workflows import other_plans
from holdfast.workflows.apply import Hands


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    return Operator(tmp_path, article_plan())


@pytest.fixture
def second(operator: Operator, tmp_path: Path) -> Operator:
    second = Operator(tmp_path / "second", article_plan(Policy(valid_for_s=7200)))
    second.lake = operator.lake
    assert second.plan.plan_id != operator.plan.plan_id
    return second


@pytest.mark.thorough
def test_a_process_id_is_not_written_into_a_second_directory(operator: Operator, second: Operator) -> None:
    operator.apply(GONE)

    with pytest.raises(StepRefused, match=rf"Plan {operator.plan.plan_id} gave process ID {C} to .*not done"):
        second.apply(GONE)
    assert second.written() is None
    assert second.events() == [("1", "done")]


def test_nor_where_an_operator_has_confirmed_it_somewhere(operator: Operator, second: Operator) -> None:
    operator.dirs = {}
    operator.apply(GONE)
    operator.apply(GONE, confirm=["2"])

    with pytest.raises(StepRefused, match="a directory that its journal does not name"):
        second.apply(GONE)


def test_it_is_where_the_first_one_was_done(operator: Operator, second: Operator) -> None:
    operator.apply(GONE)
    operator.apply(BACK)

    assert waits_for(second.apply(GONE)) == "3"
    assert second.written() == {"processId": C}


def test_and_where_the_file_was_removed_again(operator: Operator, second: Operator) -> None:
    operator.apply(GONE)
    (operator.state_dir / FILE_NAME).unlink()

    assert waits_for(second.apply(GONE)) == "3"


def test_and_into_the_same_directory(operator: Operator, second: Operator) -> None:
    operator.apply(GONE)
    second.dirs = operator.dirs

    assert waits_for(second.apply(GONE)) == "3"


def test_and_by_force(operator: Operator, second: Operator) -> None:
    operator.apply(GONE)
    hands = Hands(second.lake, second.files, second.dirs, lambda: second.now, force=True)
    workflow.apply(second.plan, taken(GONE, second.now), approved(second.plan), (), hands)

    assert second.written() == {"processId": C}


def test_a_plan_that_cannot_be_read_keeps_everybody_from_it(operator: Operator, second: Operator) -> None:
    operator.apply(GONE)
    (Path(operator.lake.url) / "plans" / operator.plan.plan_id / "plan.json").write_text("{}")

    with pytest.raises(InvalidInput):
        second.apply(GONE)
    assert second.written() is None


def test_a_plan_that_is_no_longer_there_keeps_nobody_from_it(operator: Operator, second: Operator) -> None:
    operator.apply(GONE)
    (Path(operator.lake.url) / "plans" / operator.plan.plan_id / "plan.json").unlink()

    assert waits_for(second.apply(GONE)) == "3"


@pytest.mark.parametrize(
    ("directory", "host"),
    [("/state/wc", "worker"), ("file:///state/wc", "worker"), ("ssh://app-1/state/wc", None), ("s3://b/wc", None)],
)
def test_a_url_means_the_same_directory_from_every_host(directory: str, host: str | None) -> None:
    assert other_plans.host_of(directory, "worker") == host
