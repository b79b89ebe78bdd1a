"""The house rules that a program can check: sizes, names, and nothing of one machine in the tree."""

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness.suite import sources
from tests.harness.suite.clean import found_in
from tests.harness.suite.sources import statements, tree

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "tests" / "unit"
RULE = (Path(__file__), Path(sources.__file__))
FUNCTION_LINES_MAX = 70
MODULE_LINES_MAX = 400
DAG_LINES_MAX = 80
MODULES_IN_A_FOLDER_MAX = 20
VAGUE_NAMES = {"utils", "util", "helpers", "common", "misc", "manager", "base"}
GENERATED = {"include/holdfast/kafka/streams/config_keys.py"}


def tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for name in listing.split("\0") if name and (path := ROOT / name).is_file()]


def modules(*folders: str) -> list[Path]:
    return [
        path
        for path in tracked()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in folders and str(path.relative_to(ROOT)) not in GENERATED
    ]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in statements(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_modules_stay_small() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in modules("include", "spark_jobs", "tests")
    }

    assert lengths
    assert {name: length for name, length in lengths.items() if length > MODULE_LINES_MAX} == {}


def test_folders_stay_small() -> None:
    """A newcomer finds the room for a change from the tree alone."""
    held = modules("include", "tests", "benchmarks", "dags", "plugins", "spark_jobs")
    folders = Counter(str(path.parent.relative_to(ROOT)) for path in held if path.name != "__init__.py")

    assert folders
    assert {name: count for name, count in folders.items() if count > MODULES_IN_A_FOLDER_MAX} == {}


def test_unit_tests_mirror_the_package() -> None:
    """The tests of `include/holdfast/a/b/` are in `tests/unit/a/b/`: found from the tree, from either side."""
    rooms = {path.parent.relative_to(ROOT / "include" / "holdfast") for path in modules("include")}
    homeless = {path.parent.relative_to(UNIT) for path in modules("tests") if path.is_relative_to(UNIT)} - rooms

    assert homeless == set()


def test_functions_stay_small() -> None:
    def look(path: Path) -> list[str]:
        lengths = [(one.name, (one.end_lineno or 0) - one.lineno + 1) for one in functions(path)]
        return [f"{path.relative_to(ROOT)}:{name}: {length}" for name, length in lengths if length > FUNCTION_LINES_MAX]

    held = modules("include", "spark_jobs")
    assert held
    assert found_in(held, look, *RULE, name="functions") == []


def test_dags_are_wiring() -> None:
    assert {path.name: n for path in modules("dags") if (n := len(path.read_text().splitlines())) > DAG_LINES_MAX} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [path for path in modules("include", "spark_jobs", "plugins", "dags") if path.stem in VAGUE_NAMES] == []


def test_every_module_of_the_package_says_what_it_is() -> None:
    def look(path: Path) -> list[str]:
        return [] if ast.get_docstring(tree(path)) else [str(path)]

    assert found_in(modules("include", "dags", "spark_jobs"), look, *RULE, name="modules") == []


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("a registry's address", r"https?://(?:[a-z0-9.-]*\.)?(?:pypi\.org|pythonhosted\.org|maven\.org|npmjs\.org|debian\.org)"),
        ("a path of one machine", r"(?<![\w.])/(?:root|work|home/[a-z]+)/[\w.-]+"),
    ],
)
def test_nothing_in_the_tree_belongs_to_one_machine(what: str, pattern: str) -> None:
    found = []
    for path in tracked():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in re.finditer(pattern, text)]

    assert found == [], what


def test_no_file_has_the_marks_of_a_merge() -> None:
    texts = subprocess.run(["git", "ls-files", "-z", "*.py", "*.md", "*.toml", "*.html"], cwd=ROOT, capture_output=True, check=True)
    marked = re.compile(rb"^(<{7}|>{7}) ", re.MULTILINE)

    assert [name for name in texts.stdout.decode().split("\0") if name and marked.search((ROOT / name).read_bytes())] == []
