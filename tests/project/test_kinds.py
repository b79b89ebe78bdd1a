"""Only a kind's own folder and the registry know the classes of its values: everybody else asks the registry whose a value is."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast
from holdfast.rollout.group.group_kind import GroupKind
from holdfast.rollout.kinds.registry import REGISTRY, kind_of

ROOT = Path(holdfast.__path__[0])
FOLDERS = tuple(f"rollout/{kind.name}/" for kind in REGISTRY)
CLASSES = frozenset(one.__name__ for kind in REGISTRY for one in kind.values)


def asked(source: str) -> Iterator[str]:
    """The names of classes that a source asks values for: by isinstance, by a pattern."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"isinstance", "issubclass"}:
            yield from (one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name))
            yield from (one.attr for one in ast.walk(node.args[1]) if isinstance(one, ast.Attribute))
        elif isinstance(node, ast.MatchClass):
            yield from (one.id for one in ast.walk(node.cls) if isinstance(one, ast.Name))


def test_nobody_outside_of_a_kind_asks_for_its_classes() -> None:
    others = (path for path in sorted(ROOT.rglob("*.py")) if not path.relative_to(ROOT).as_posix().startswith(FOLDERS))
    found = [f"{path.relative_to(ROOT)}: {name}" for path in others for name in asked(path.read_text()) if name in CLASSES]
    assert not found, f"ask kinds.registry.kind_of instead: {found}"


@pytest.mark.parametrize(
    "source",
    ["isinstance(plan, ConsumerPlan)", "isinstance(one, plans.Plan | None)", "match one:\n    case Snapshot():\n        pass"],
)
def test_such_a_question_is_seen(source: str) -> None:
    assert CLASSES & set(asked(source))


def test_every_kind_is_known_by_one_name_and_by_its_own_values() -> None:
    names = [kind.name for kind in REGISTRY]
    assert len(set(names)) == len(names)
    owned = [one for kind in REGISTRY for one in kind.values]
    assert len(set(owned)) == len(owned) == 4 * len(REGISTRY)
    contracts = [name for kind in REGISTRY for name in kind.schemas]
    assert len(set(contracts)) == len(contracts)


def test_a_value_of_no_kind_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="int is of no kind of group"):
        kind_of(1)


def test_a_kind_that_leaves_a_question_open_cannot_be_made() -> None:
    class Half(GroupKind):  # type: ignore[type-arg]
        pass

    with pytest.raises(TypeError, match="abstract"):
        Half()  # type: ignore[abstract]
