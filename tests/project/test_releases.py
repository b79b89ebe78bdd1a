"""What differs between Kafka's releases is in the release tables: no other code names a release, or takes one apart."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness.suite import sources
from tests.harness.suite.clean import found_in
from tests.harness.suite.sources import nodes, tree

import holdfast

ROOT = Path(holdfast.__path__[0])
TABLES = frozenset(
    {
        "kafka/release.py",
        "kafka/release_lines.py",
        "kafka/consumer/release.py",
        "kafka/coordinator/release.py",
        "kafka/coordinator/consumer/release.py",
        "kafka/streams/config_keys.py",
        "kafka/streams/config_check.py",
    }
)
"""The tables; and the keys of configs, which are recorded release by release, with their reader."""
RULES_OF_SETTINGS = ("kafka/clients/", "rollout/settings/")
"""Which releases hand a setting to a client, and which have a known bug: tables of their own, with a source for each line."""
RELEASE = re.compile(r"[2-4]\.\d{1,2}(\.\d{1,2})?")
CUTS = frozenset({"partition", "rpartition", "split", "rsplit"})
ALLOWED = {
    ("rollout/consumer/snapshot/snapshot.py", 'release.partition(".")'): "whether it is written as a release of brokers is",
}


def release_facts(module: ast.Module) -> Iterator[str]:
    """Releases by name, and releases that are taken apart."""
    for node in nodes(module):
        match node:
            case ast.Constant(value=str(text)) if RELEASE.fullmatch(text):
                yield ast.unparse(node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name), attr=cut)) if cut in CUTS:
                if "release" in name:
                    yield f"{ast.unparse(node.func)}({', '.join(map(ast.unparse, node.args))})".replace("'", '"')


def test_releases_are_distinguished_in_their_tables_only() -> None:
    def look(path: Path) -> list[tuple[str, str]]:
        file = path.relative_to(ROOT).as_posix()
        return [(file, one) for one in release_facts(tree(path))]

    files = {path: path.relative_to(ROOT).as_posix() for path in sorted(ROOT.rglob("*.py"))}
    held = [path for path, file in files.items() if file not in TABLES and not file.startswith(RULES_OF_SETTINGS)]
    found = {*found_in(held, look, Path(__file__), Path(sources.__file__), name="releases")}
    assert found - ALLOWED.keys() == set(), (
        "ask kafka/release.py, kafka/consumer/release.py, kafka/coordinator/release.py or that of kafka/coordinator/consumer"
    )
    assert ALLOWED.keys() - found == set(), "it is allowed, and not there any more"


@pytest.mark.parametrize(
    "source",
    ['since = "4.0"', 'if release != "4.1":\n    pass', 'int(broker_release.partition(".")[0])', 'one.release.split(".")[:2]'],
)
def test_such_a_fact_is_seen(source: str) -> None:
    assert [*release_facts(ast.parse(source))]


def test_a_name_that_holds_a_release_is_no_fact() -> None:
    assert not [*release_facts(ast.parse('is_older(release, OTHER)\nversion = "1.0"\nhost.partition(".")'))]
