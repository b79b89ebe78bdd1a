"""No code looks into an English sentence to decide something: what is decided travels as a value, and words are made from it last.

A place looks into a sentence where it compares with, searches for, cuts at or matches a literal of several words, or does so to a
field that holds words for people (`TEXTS`), whatever the literal is.
"""

import ast
import copy
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.harness.suite import sources
from tests.harness.suite.clean import found_in
from tests.harness.suite.sources import nodes, statements, tree

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("include/holdfast", "dags", "plugins", "spark_jobs")
TEXTS = frozenset(
    {
        *("effect", "expect", "headline", "hint", "message", "note", "notes", "preconditions", "problem", "reason", "reasons"),
        *("refusal", "refused", "says", "sentence", "sentences", "title", "told", "trouble", "undetermined", "undo", "unsettled"),
        *(
            "warning",
            "warnings",
            "why",
            "why_not",
            "wrong_if",
            "blocked_by",
            "differences",
            "drifted",
            "check_before",
            "check_after",
        ),
    }
)
"""Names of fields and variables that hold words for people."""
LOOKS = frozenset(
    {
        *("count", "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex"),
        *("rpartition", "rsplit", "split", "startswith"),
    }
)
MATCHES = frozenset({"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"})
ALLOWED = {
    ("adapters/broker/connection.py", "_pem_file"): "the first line of a PEM file is its format",
    ("adapters/broker/session.py", "_DISTRUST"): "OpenSSL says why it distrusts a certificate in its message alone",
    ("adapters/machine.py", "_VERSION"): "the JVM prints its version as text",
    ("adapters/spark/spark.py", "told"): "Spark and the JVM give the cause of a failed file in a message alone",
    ("adapters/spark/spark.py", "run"): "Py4J puts the names of Java's classes before the message",
    ("adapters/spark/executors.py", "_NO_PROGRAM"): "Spark gives what Java said of a program in a message alone",
    ("adapters/spark/executors.py", "_OTHER_VERSION"): "PySpark's worker gives both versions in a message alone",
    ("adapters/spark/executors.py", "_NO_MODULE"): "a worker's exception comes as the text of its traceback",
    ("adapters/spark/hadoop_files.py", "_EMPTY_FILE"): "Hadoop's FileStatus, as it prints itself",
    ("airflow_wiring/airflow_objects.py", "_TOLD"): "the last line that a failed Spark job printed, in its log",
    ("kafka/topology_description.py", "_HEAD"): "Kafka Streams prints a topology as text alone",
    ("kafka/topology_description.py", "_NODE"): "the same, its nodes",
    ("web/new/new_request.py", "_airflows"): "Airflow puts words of its own before the refusal of a parameter",
}
"""File below include/holdfast and function or constant, with the reason: words of others, that come in no other form."""


def _words(node: ast.expr | None) -> bool:
    """Whether it is a literal of several words: two, or one and a space."""
    match node:
        case ast.Constant(value=str(text)):
            return bool(re.search(r"[A-Za-z]{2,}[,:;.]? |[ ][A-Za-z]{2,}", text))
        case ast.JoinedStr(values=values):
            return any(_words(one) for one in values if isinstance(one, ast.Constant))
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return any(map(_words, elts))
        case _:
            return False


def _pattern_of_words(node: ast.expr) -> bool:
    """Whether it is a pattern with a word and a space in it."""
    text = "".join(one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))
    return bool(re.search(r"(?<![\\\[A-Za-z])[a-z]{3,}[^\[\]A-Za-z]* ", text))


def _holds_words(node: ast.expr) -> bool:
    """Whether it is named as something that people read."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in TEXTS
        case ast.Subscript(value=value) | ast.Call(func=ast.Name(id="str"), args=[value]):
            return _holds_words(value)
        case ast.Call(func=ast.Attribute(value=value, attr="lower" | "casefold" | "strip" | "upper")):
            return _holds_words(value)
        case ast.BoolOp(values=values):
            return any(map(_holds_words, values))
        case ast.JoinedStr(values=values):
            return _words(node) or any(_holds_words(one.value) for one in values if isinstance(one, ast.FormattedValue))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module))):
            return module.endswith("words")
        case _:
            return False


def _looks(node: ast.AST) -> bool:
    match node:
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[there]):
            literal = isinstance(left, ast.JoinedStr) or (isinstance(left, ast.Constant) and isinstance(left.value, str))
            return literal and (
                _holds_words(there) or (_words(left) and not isinstance(there, ast.Tuple | ast.List | ast.Set | ast.Dict))
            )
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[there]):
            return _words(left) or _words(there)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name), args=args) if name in MATCHES:
            return any(map(_pattern_of_words, args[:1])) or any(map(_holds_words, args[1:]))
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=args) if name in LOOKS:
            return any(map(_words, args[:1])) or _holds_words(value)
        case ast.Subscript(value=value, slice=ast.Slice()):
            return isinstance(value, ast.Attribute) and _holds_words(value) and value.attr not in SEQUENCES
        case ast.match_case(pattern=ast.MatchValue(value=value)):
            return _words(value)
        case _:
            return False


SEQUENCES = frozenset({"blocked_by", "differences", "drifted", "notes", "preconditions", "reasons", "sentences", "warnings"})
"""Fields that are several sentences: a slice of them takes whole ones."""


def _named(module: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Every node below the function or constant that it is in."""
    for top in statements(module):
        if isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from ((top.name, node) for node in nodes(top))
    for top in module.body:
        match top:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield from ((name, node) for node in nodes(top))


class _WithConstants(ast.NodeTransformer):
    """Names of the module's own texts, each in the place of its name."""

    def __init__(self, texts: dict[str, ast.Constant]) -> None:
        self._texts = texts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        known = self._texts.get(node.id) if isinstance(node.ctx, ast.Load) else None
        return node if known is None else ast.copy_location(ast.Constant(known.value), node)


def _texts_of(module: ast.Module) -> dict[str, ast.Constant]:
    return {
        one.targets[0].id: one.value
        for one in module.body
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and isinstance(one.value, ast.Constant)
    }


def looked_into(module: ast.Module) -> list[tuple[str, int]]:
    """The function or constant, and the line, of each place that looks into a sentence."""
    texts = _texts_of(module)
    return list({(name, getattr(node, "lineno", 0)): None for name, node in _named(module) if _looks(_resolved(node, texts))})


def _resolved(node: ast.AST, texts: dict[str, ast.Constant]) -> ast.AST:
    """The node; a copy with the module's own texts in place of their names where it may look into one."""
    match node:
        case ast.Compare() | ast.Subscript() | ast.match_case():
            may_look = True
        case ast.Call(func=ast.Attribute(attr=name)):
            may_look = name in MATCHES or name in LOOKS
        case _:
            may_look = False
    if may_look and any(isinstance(one, ast.Name) and one.id in texts for one in nodes(node)):
        return _WithConstants(texts).visit(copy.deepcopy(node))  # type: ignore[no-any-return]
    return node


@cache
def found_in_the_code() -> tuple[tuple[str, str, int], ...]:
    """File, function or constant, and line of each such place."""

    def look(path: Path) -> list[tuple[str, str, int]]:
        file = str(path.relative_to(ROOT)).removeprefix("include/holdfast/")
        return [(file, name, line) for name, line in looked_into(tree(path))]

    held = [path for place in PLACES for path in sorted((ROOT / place).rglob("*.py"))]
    return tuple(found_in(held, look, Path(__file__), Path(sources.__file__), name="looks"))


def test_no_code_looks_into_a_sentence() -> None:
    found = [f"{file}:{line} in {name}" for file, name, line in found_in_the_code() if (file, name) not in ALLOWED]

    assert found == [], "carry the fact as a value, and branch on that"


def test_what_is_allowed_is_still_there() -> None:
    found = {(file, name) for file, name, _ in found_in_the_code()}

    assert found >= set(ALLOWED)


COMPARED = re.compile(r"""(?:[=!]=|\bin)\s*\(?\s*["'][^"']*\w \w|["'][^"']*\w \w[^"']*["']\s*(?:[=!]=|(?:not )?in\b)""")
"""A literal of several words that something is compared with, or that is searched for."""


@pytest.mark.parametrize("template", sorted((ROOT / "include/holdfast/web/templates").rglob("*.html")), ids=lambda path: path.name)
def test_no_template_looks_into_a_sentence(template: Path) -> None:
    text = template.read_text(encoding="utf-8")
    code = re.findall(r"\{[{%].*?[%}]\}", text, re.DOTALL)

    assert [one for one in code if re.search(rf"\.(?:{'|'.join(LOOKS - {'count', 'index', 'replace'})})\(", one)] == []
    assert [one for one in code if COMPARED.search(one)] == [], "compare a member of an enumeration"


@pytest.mark.parametrize(
    "code", ["{% if one == 'rolled back' %}", "{{ 'in progress' in one }}", "{% if one in ('not yet', 'x') %}"]
)
def test_a_template_that_compares_words_is_seen(code: str) -> None:
    assert COMPARED.search(code)
    assert not COMPARED.search("{% if one == 'done' %}{{ 'in progress' if one.state.name == 'NOW' else one }}{% endif %}")


@pytest.mark.parametrize(
    "code",
    [
        'def f(note):\n    return "leads" in note',
        'def f(x):\n    return "only looks stable" in x',
        'def f(x):\n    return x.startswith("Cannot predict")',
        "def f(warning):\n    return warning.partition(':')[0]",
        "def f(way):\n    return way.why_not[:1]",
        'def f(x):\n    return x == "Nothing to do."',
        '_OVER = re.compile(r"(?<=keeps|meets) [(].*[)]")',
        '_OLD = "Wrong if "\ndef f(clause):\n    return clause.removeprefix(_OLD)',
        'def f(x):\n    return f"{x}: leave it out".removeprefix(": ")',
        'def f(x):\n    return f"{time_words.between(x)}".removeprefix(", ")',
        "def f(x):\n    return time_words.between(x).split()",
        'def f(x):\n    match x:\n        case "the group is empty":\n            return 1',
    ],
)
def test_a_look_into_a_sentence_is_seen(code: str) -> None:
    assert looked_into(ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "def f(kind):\n    return kind is Kind.LEADER",
        'def f(name):\n    return name.startswith("day=")',
        "def f(plan):\n    return plan.blocked_by[:3]",
        'def f(text):\n    return "," in text',
    ],
)
def test_names_and_values_may_be_compared(code: str) -> None:
    assert not looked_into(ast.parse(code))
