"""Only a kind's own folders and the registries know the classes of its values and its name: all other code asks the registry."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness.suite import sources as trees
from tests.harness.suite.clean import found_in
from tests.harness.suite.sources import nodes, tree

import holdfast
from holdfast.rollout.broker_streams.events import table as broker_streams_table
from holdfast.rollout.contract.batches_json import THEN
from holdfast.rollout.group.group_kind import GroupKind
from holdfast.rollout.kinds.registry import REGISTRY, kind_of, kinds
from holdfast.rollout.kinds.verbs import VERBS
from holdfast.web.kinds.registry import PAGES
from holdfast.workflows.collecting.registry import COLLECTORS

ROOT = Path(holdfast.__path__[0])
PROJECT = Path(__file__).resolve().parents[2]
PARENTS = ("rollout", "web/kinds", "workflows/collecting")
"""Where each kind has a folder of its own."""
FOLDERS = tuple(f"{parent}/{kind.name}/" for kind in kinds() for parent in PARENTS)
KAFKAS_WORDS = ("kafka/", "adapters/")
"""There, a type of group is what a broker calls so: `consumer` is KIP-848, and `streams` KIP-1071."""
NAMES = frozenset(name for kind in kinds() for name in (kind.name, kind.protocol))
CLASSES = frozenset(one.__name__ for kind in kinds() for one in kind.values)


def asked(source: ast.Module) -> Iterator[str]:
    """The names of classes that a source asks values for: by isinstance, by a pattern."""
    for node in nodes(source):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"isinstance", "issubclass"}:
            yield from (one.id for one in nodes(node.args[1]) if isinstance(one, ast.Name))
            yield from (one.attr for one in nodes(node.args[1]) if isinstance(one, ast.Attribute))
        elif isinstance(node, ast.MatchClass):
            yield from (one.id for one in nodes(node.cls) if isinstance(one, ast.Name))


def compared(source: ast.Module) -> Iterator[str]:
    """The texts that a source decides by: keys of tables, and what something is compared with, looked up by or matched with."""
    for node in nodes(source):
        if isinstance(node, ast.Dict):
            yield from _texts(*node.keys)
        elif isinstance(node, ast.Compare):
            yield from _texts(node.left, *node.comparators)
        elif isinstance(node, ast.Subscript):
            yield from _texts(node.slice)
        elif isinstance(node, ast.MatchValue):
            yield from _texts(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"get", "isin", "pop"}:
            yield from _texts(*node.args[:1])


def _texts(*nodes: ast.expr | None) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            yield from _texts(*node.elts)


def code() -> list[Path]:
    """All code outside of the kinds' own folders."""
    package = [
        path for path in sorted(ROOT.rglob("*.py")) if not path.relative_to(ROOT).as_posix().startswith((*FOLDERS, *KAFKAS_WORDS))
    ]
    return package + [path for folder in ("spark_jobs", "dags", "plugins") for path in sorted((PROJECT / folder).rglob("*.py"))]


RULE = (Path(__file__), Path(trees.__file__))


def test_no_code_outside_of_a_kind_decides_by_its_name() -> None:
    def look(path: Path) -> list[str]:
        return [f"{path.relative_to(PROJECT)}: {text}" for text in compared(tree(path)) if text in NAMES]

    found = found_in(code(), look, *RULE, sorted(NAMES), name="kinds-by-name")
    assert not found, f"ask kinds.registry.kind_of, or add a line to the registry of the layer, instead: {found}"


@pytest.mark.parametrize(
    "source",
    [
        'VIEWS = {"streams": one, "consumer": other}',
        'VIEWS: dict[str, int] = {"consumer-classic": 1}',
        'plain = kind.name == "consumer"',
        'plain = kind.name in ("lamps", "consumer")',
        'VIEWS["streams"] = 1',
        'match kind.name:\n    case "consumer":\n        pass',
        'F.col("protocol").isin("consumer-classic")',
    ],
)
def test_such_a_decision_is_seen(source: str) -> None:
    assert NAMES & set(compared(ast.parse(source)))


def test_the_listed_verbs_are_those_of_the_kinds() -> None:
    by_plans = {event.VERB for event in broker_streams_table.OF_MOVES}
    assert set(VERBS) == {THEN}.union(*(kind.verbs for kind in kinds())) - by_plans
    assert by_plans


def test_every_registry_has_known_kinds_only() -> None:
    names = {kind.name for kind in kinds()}
    assert {one.kind for one in COLLECTORS} == names
    assert {one.kind for one in PAGES} <= names


def test_no_code_outside_of_a_kind_asks_for_its_classes() -> None:
    def look(path: Path) -> list[str]:
        return [f"{path.relative_to(ROOT)}: {name}" for name in asked(tree(path)) if name in CLASSES]

    others = [path for path in sorted(ROOT.rglob("*.py")) if not path.relative_to(ROOT).as_posix().startswith(FOLDERS)]
    found = found_in(others, look, *RULE, sorted(CLASSES), name="kinds-by-class")
    assert not found, f"ask kinds.registry.kind_of instead: {found}"


OBSERVED = "holdfast.rollout.streams.snapshot.snapshot"
"""Topics and recorded rebalances, as brokers show them for groups of every kind."""
IMPORTS_ALLOWED = {
    "rollout/kinds/moving/": "a move leads from one kind to another",
    "rollout/kinds/protocols/": "a classic group is compared with the kinds of group that it could become",
    "rollout/kinds/plan_summary.py": "the documents in the lake have fields of their own for each kind",
    "adapters/broker/": OBSERVED,
    "ports.py": OBSERVED,
    "workflows/collecting/": OBSERVED,
    "workflows/doctor.py": "clients that crash again and again, in the recorded rebalances",
    "cli/commands/snapshot.py": "--stores, which is stated for groups of one kind",
    "wiring.py": "a snapshot of a Streams group from its settings as values (`collect_snapshot`)",
}
"""Beginnings of paths outside of the kinds' folders, and why a kind is imported there."""


def imported_kinds(source: ast.Module) -> Iterator[str]:
    """Modules of one kind of group that a source imports."""
    kinds_folders = tuple(f"holdfast.rollout.{kind.name}." for kind in kinds())
    for node in nodes(source):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(kinds_folders):
            yield str(node.module)


def test_no_code_outside_of_a_kind_imports_it() -> None:
    def look(path: Path) -> list[str]:
        return [f"{path.relative_to(ROOT).as_posix()}: {module}" for module in imported_kinds(tree(path))]

    others = [path for path in sorted(ROOT.rglob("*.py")) if not path.relative_to(ROOT).as_posix().startswith(FOLDERS)]
    found = found_in(others, look, *RULE, name="imported-kinds")
    wrong = [one for one in found if not one.startswith(tuple(IMPORTS_ALLOWED))]
    assert not wrong, f"ask kinds.registry.kind_of instead: {wrong}"
    assert [one for one in IMPORTS_ALLOWED if not any(line.startswith(one) for line in found)] == [], "no longer needed"


def test_an_imported_kind_is_seen() -> None:
    assert [*imported_kinds(ast.parse("from holdfast.rollout.consumer.plan.figures import ReadFigures"))]
    assert not [*imported_kinds(ast.parse("from holdfast.rollout.options.impact import Impact"))]


@pytest.mark.parametrize(
    "source",
    ["isinstance(plan, ConsumerPlan)", "isinstance(one, plans.Plan | None)", "match one:\n    case Snapshot():\n        pass"],
)
def test_such_a_question_is_seen(source: str) -> None:
    assert CLASSES & set(asked(ast.parse(source)))


def test_a_line_of_the_registry_says_what_its_kind_says() -> None:
    for line in REGISTRY:
        assert line.protocol == line.kind().protocol == line.decider().protocol
        assert isinstance(line.kind(), type(line.decider())), "a kind decides as its decider does"
        assert line.past().protocol == line.protocol
        assert line.past().question.__module__.startswith(f"{line.package}.")
        assert all(one.__module__.startswith(f"{line.package}.") for one in line.kind().values)


def test_every_kind_is_known_by_one_name_and_by_its_own_values() -> None:
    names = [kind.name for kind in kinds()]
    assert len(set(names)) == len(names)
    owned = [one for kind in kinds() for one in kind.values]
    assert len(set(owned)) == len(owned)
    assert all(len(kind.values) in (2, 3, 4) for kind in kinds())  # without plans or verdicts there are the others
    contracts = [name for kind in kinds() for name in kind.contracts]
    assert len(set(contracts)) == len(contracts)


def test_a_value_of_no_kind_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="int is of no kind of group"):
        kind_of(1)


def test_a_kind_that_leaves_a_question_open_cannot_be_made() -> None:
    class Half(GroupKind):  # type: ignore[type-arg]
        pass

    with pytest.raises(TypeError, match="abstract"):
        Half()  # type: ignore[abstract]
