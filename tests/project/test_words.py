"""One term for one thing: the words that people read are the field's. What texts must not contain, and what they use instead.

Read are sentences: strings with a space in them, not docstrings and comments; the text of templates; pages of the documentation
without code. Names in JSON documents, options of commands and identifiers are no sentences.
"""

import ast
import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click
import pytest
from tests.harness.suite import sources
from tests.harness.suite.clean import found_in
from tests.harness.suite.sources import comments, nodes, statements, tree

from holdfast.adapters.lake.table_schemas import TABLES
from holdfast.cli.main import holdfast
from holdfast.rollout.broker_streams.options import option as by_broker
from holdfast.rollout.consumer.options import proposals as consumers
from holdfast.rollout.kinds.schemas import CONTRACTS
from holdfast.rollout.policy.rules import RULES
from holdfast.rollout.streams.options import table

ROOT = Path(__file__).resolve().parents[2]
RULE = (Path(__file__), Path(sources.__file__))
GLOSSARY: tuple[tuple[str, str], ...] = (
    (r"\bways?\b|\bcandidates?\b|\bremed(?:y|ies)\b", "option"),
    (r"\bplainly\b|\bplain way\b", "baseline (no mitigation), baseline"),
    (r"\bchosen\b", "recommended"),
    (r"\b(?:stands?|stood|standing) still\b", "unavailable; downtime"),
    (r"\bchang(?:e|es|ed|ing) hands\b", "migrates; is handed over"),
    (r"\bwithout need\b|\bneedless(?:ly)?\b", "collateral migration; avoidable"),
    (r"\bcold\b", "restoring; no caught-up copy"),
    (r"\bdeal(?:s|t|ing)? out\b", "assign"),
    (r"\buntil (?:the|its) group notices\b", "session timeout"),
    (r"\b(?:place|position)s? in the order\b", "rank in process-ID order"),
    (r"\bfresh (?:process )?IDs?\b|\bleft to chance\b", "new random ID"),
    (r"\blots?\b", "batch"),
    (r"\bfor granted\b", "assumptions"),
    (r"\b[Ww]rong if\b", "invalid if"),
    (r"\bhandwork\b", "manual work"),
    (r"\b(?:breaks?|broke|keeps?|kept) (?:a |the |its |your |these |those )?limits?\b", "exceeds; meets"),
    (r"\bbeside\b", "in addition to; next to"),
    (r"\brests? on\b|\bresting on\b", "planned against; depends on"),
    (r"\bburden\b", "impact"),
    (r"\bweigh(?:s|ed|ing)?\b|\bweights?\b", "size; compare"),
    (r"\bplain (?:consumer )?(?:groups?|consumers?|plans?)\b", "consumer group"),
    (r"\bwho asked\b", "requested by"),
    (r"\bsomebody\b|(?<!`)\bnobody\b|\beverybody\b", "who it is: a person, a user, an approver, a client, no client, all clients"),
    (r"\bsession time-out\b|\btime-outs?\b", "session timeout; timeout"),
    (r"\bunder way\b", "in progress"),
    (r"\bon the way\b", "in progress; meanwhile"),
    (r"\blook closely\b", "needs review"),
    (r"\bundo\b", "rollback"),
    (r"\bours\b|\bwe\b", "Holdfast"),
    (r"\bso many\b|\bas far as\b", "the number; where, up to"),
    (r"\bis told\b", "is notified, is asked; a message says"),
    (r"\bstands?\b(?! (?:for|by)\b)|\bstood\b|\blies\b", "is, is in, is given, has"),
    (r"\bcomes? to\b(?! rest)", "is, has, gives"),
    (r"\bwhoever\b|\bwhomever\b", "who it is: a user, a member, a consumer"),
    (r"\bmend(?:ed|s)?\b", "fixed"),
    (r"\bhangs? on\b", "depends on"),
    (r"\bmakes? up a\b|\bmade up\b|\bdraws? a new\b", "generates"),
    (r"\bheld against\b", "compared with"),
    (r"\btaken (?:to be|for)\b", "assumed to be, treated as"),
    (r"\bmake a new plan\b", "create a new plan"),
    (r"\bone looks like\b|\bneeded is\b", "the format is; is needed"),
    (r"\bjust ends?\b", "ends without leaving"),
    (r"\bfirst act\b", "first action"),
    (r"\bfor good\b", "permanently"),
    (r"\bnot known\b", "unknown"),
    (
        r"\bverdicts? of (?:a |the )?plans?\b|\bplans?'s? verdicts?\b|\bplan\.verdict\b",
        "assessment; a verdict is what `verify` gives",
    ),
)
"""A pattern that is not used, and what is used instead. The words of Kafka, Airflow and Spark take precedence."""
FORMER_NAMES = "include/holdfast/rollout/json/former_names.py"
"""Names in documents of former versions, which are read and never shown."""
PLACES: tuple[str, ...] = (
    "include/holdfast/adapters",
    "include/holdfast/cli",
    "include/holdfast/kafka",
    "include/holdfast/rollout",
    "include/holdfast/workflows",
    "tests/golden",
    "include/holdfast/web",
    "include/holdfast/airflow_wiring",
    "dags",
    "spark_jobs",
    "bin",
    "docs",
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "examples",
    "plugins",
)
"""Folders and files whose words are held."""


def sentences_of_python(path: Path) -> Iterator[tuple[int, str]]:
    module = tree(path)
    docstrings = {
        id(found.value)
        for node in (module, *statements(module))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for found in node.body
        if isinstance(found, ast.Expr)
    }
    for node in nodes(module):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if " " in node.value and id(node) not in docstrings:
            yield node.lineno, node.value


INSIDE_THE_CODE: tuple[tuple[str, str], ...] = (
    (r"\btold\b|\btells?\b", "sent, asked, shown, given; shows, gives, distinguishes"),
    (r"\bsaid\b", "given, reported"),
    (r"(?<!soon )\bas it is\b", "unchanged, current, raw"),
    (r"\banybody\b|\banyone\b", "who it is: any client, a user"),
)
"""What docstrings and comments do not use either."""
WHERE_CODE_IS_HELD = ("include/holdfast", "dags", "spark_jobs", "plugins", "tests", "benchmarks")


def words_inside_the_code(path: Path) -> Iterator[tuple[int, str]]:
    """Docstrings and comments, each as one line; what is in backticks is a name."""
    for node in statements(tree(path)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, _one_line(node.value.value)
    previous = block = 0
    blocks: dict[int, list[str]] = {}
    for line, comment in comments(path.read_text()):
        block = block if line == previous + 1 else line
        blocks.setdefault(block, []).append(comment.lstrip("# "))
        previous = line
    for line, parts in blocks.items():
        yield line, _one_line(" ".join(parts))


def _one_line(text: str) -> str:
    return " ".join(re.sub(r"`[^`]*`", " … ", text).split())


def sentences_of_markdown(path: Path) -> Iterator[tuple[int, str]]:
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", " ", line)


def sentences_of_template(path: Path) -> Iterator[tuple[int, str]]:
    """The text between tags, and what `title`, `aria-label`, `placeholder` and `alt` say."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        said = " ".join(re.findall(r'(?:title|aria-label|placeholder|alt)="([^"]*)"', line))
        text = re.sub(r"\{[%#].*?[%#]\}|\{\{.*?\}\}", " ", line)
        yield number, re.sub(r"<[^>]*>?", " ", text) + " " + re.sub(r"\{.*?\}", " ", said)


NAME_GLOSSARY: tuple[tuple[str, str], ...] = (
    ("ways?", "option"),
    ("remed(?:y|ies)", "option"),
    ("plainly|plain_(?:way|groups?|plans?|view)", "baseline; consumer group"),
    ("burden", "impact, cost"),
    ("needless(?:ly)?", "collateral"),
    ("somebody|everybody|whoever", "all clients, an approver"),
    ("beside", "next to"),
    ("meant", "requested"),
    ("fresh_(?:ids?|places)", "new random ID"),
    ("chosen_way", "recommended option"),
    ("lots?", "batch"),
)
"""Parts of names, between underscores, that code does not use, and what it uses. Kafka's own code is named as Kafka's is."""
WHERE_NAMES_ARE_HELD = ("include/holdfast", "spark_jobs", "dags", "plugins")
KEPT_NAMES = frozenset(
    {
        "remedy",
        "LONGEST_REMEDY",
        "REMEDY",
        "_REMEDY",
        "_in_the_way",
    }
)
"""Fields of the documents that `doctor` and `guard` write, and obstacles."""


def names_of(path: Path) -> Iterator[tuple[int, str]]:
    """What a module defines: itself, functions, classes, parameters, variables."""
    yield 1, path.stem
    for node in nodes(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def in_parts(name: str) -> str:
    """`PlainView` as `_plain_view_`."""
    return f"_{re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', name).lower().strip('_')}_"


def fields_of_documents() -> frozenset[str]:
    """The names that are in JSON documents and in tables: they stay."""
    found = set()

    def look(shape: object) -> None:
        if isinstance(shape, dict):
            found.update(shape.get("properties", {}))
            for each in shape.values():
                look(each)
        elif isinstance(shape, list):
            for each in shape:
                look(each)

    look(CONTRACTS)
    return frozenset(found.union(*(schema.names for schema in TABLES.values())))


def instead_of(name: str) -> list[str]:
    """What replaces a part of the name, for each part that is not used."""
    parts = in_parts(name)
    return [instead for pattern, instead in NAME_GLOSSARY if re.search(f"_(?:{pattern})_", parts)]


def test_names_are_the_fields_too() -> None:
    kept = fields_of_documents() | KEPT_NAMES
    checked = functools.cache(instead_of)  # most names are there many times

    def look(path: Path) -> list[str]:
        return [
            f"{path.relative_to(ROOT)}:{line}: {name} → {instead}"
            for line, name in names_of(path)
            if name not in kept
            for instead in checked(name)
        ]

    held = [
        path
        for place in WHERE_NAMES_ARE_HELD
        for path in sorted((ROOT / place).rglob("*.py"))
        if "kafka" not in path.relative_to(ROOT / place).parts[:1]
    ]
    found = found_in(held, look, *RULE, sorted(kept), name="names")
    assert not found, f"{len(found)}\n" + "\n".join(found)


READERS = {".py": sentences_of_python, ".md": sentences_of_markdown, ".html": sentences_of_template}


def faults(place: str) -> list[str]:
    root = ROOT / place
    paths = sorted(root.rglob("*")) if root.is_dir() else [root]
    held = [path for path in paths if path.suffix in READERS and "decisions" not in path.parts and path != ROOT / FORMER_NAMES]
    name = f"sentences-{place.replace('/', '-')}"
    return found_in(held, lambda path: not_the_fields(path, READERS[path.suffix](path), GLOSSARY), *RULE, name=name)


def not_the_fields(path: Path, texts: Iterable[tuple[int, str]], glossary: Sequence[tuple[str, str]]) -> list[str]:
    """A line for each text with a word that is not used. A file's texts are searched as one first: most files have none of them."""
    numbered = list(texts)
    whole = "\n".join(text for _, text in numbered)
    return [
        f"{path.relative_to(ROOT)}:{number}: {said[0]!r} → {instead}: {text.strip()[:120]}"
        for pattern, instead in glossary
        if re.search(pattern, whole, re.IGNORECASE)
        for number, text in numbered
        if (said := re.search(pattern, text, re.IGNORECASE))
    ]


@pytest.mark.parametrize("place", PLACES)
def test_the_words_are_the_fields(place: str) -> None:
    found = faults(place)
    assert not found, f"{len(found)}\n" + "\n".join(found)


@pytest.mark.parametrize("place", WHERE_CODE_IS_HELD)
def test_docstrings_and_comments_use_the_same_words(place: str) -> None:
    def look(path: Path) -> list[str]:
        return not_the_fields(path, words_inside_the_code(path), (*GLOSSARY, *INSIDE_THE_CODE))

    found = found_in(sorted((ROOT / place).rglob("*.py")), look, *RULE, name=f"words-{place.replace('/', '-')}")
    assert not found, f"{len(found)}\n" + "\n".join(found)


def test_what_is_not_said_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('"""The chosen way."""\nx = f"{1} the chosen way"\n')
    assert [text for _, text in sentences_of_python(tmp_path / "a.py")] == [" the chosen way"]
    (tmp_path / "a.html").write_text('<p title="chosen {{ way }}">still {{ chosen }}</p>\n')
    assert re.search(r"\bchosen\b", next(sentences_of_template(tmp_path / "a.html"))[1])
    (tmp_path / "a.md").write_text("`chosen` is fine\n\n```\nchosen\n```\n")
    assert not any("chosen" in text for _, text in sentences_of_markdown(tmp_path / "a.md"))


def test_docstrings_and_comments_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('"""As\n    it is, `told`."""\nx = 1\n"""Nobody\'s."""\n# so\n# many\ny = 2  # told\n')
    found = [*words_inside_the_code(tmp_path / "a.py")]
    assert found == [(1, "As it is, … ."), (4, "Nobody's."), (5, "so many told")]
    assert all(any(re.search(one, text, re.IGNORECASE) for one, _ in (*GLOSSARY, *INSIDE_THE_CODE)) for _, text in found)


def test_a_name_that_is_not_the_fields_is_found(tmp_path: Path) -> None:
    (tmp_path / "burden.py").write_text("class PlainView:\n    def chosen_way(self, ways: int) -> None:\n        everybody = 1\n")
    found = [name for _, name in names_of(tmp_path / "burden.py")]
    assert {*found} == {"burden", "PlainView", "chosen_way", "self", "ways", "everybody"}
    assert all(any(re.search(f"_(?:{one})_", in_parts(name)) for one, _ in NAME_GLOSSARY) for name in found if name != "self")


def names_in_use() -> Iterator[str]:
    """Values in documents, policy checks, options of plans, and options of commands: people write and read them."""

    def values(shape: object) -> Iterator[str]:
        if isinstance(shape, dict):
            yield from (one for one in shape.get("enum", ()) if isinstance(one, str))
            shape = [*shape.values()]
        for each in shape if isinstance(shape, list) else ():
            yield from values(each)

    def options(command: click.Command) -> Iterator[str]:
        for one in command.params:
            yield from (name.strip("-") for name in (*one.opts, *one.secondary_opts))
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                yield name
                yield from options(command.get_command(context, name) or click.Command(name))

    yield from values(CONTRACTS)
    yield from RULES
    yield from (*consumers.NAMES, *by_broker.NAMES, *(one.name for one in table.OPTION_ENTRIES))
    yield from options(holdfast)


def test_names_of_values_and_options_are_the_fields() -> None:
    found = {
        f"{name} → {instead}"
        for name in names_in_use()
        for pattern, instead in GLOSSARY
        if re.search(pattern, re.sub(r"[-_]", " ", name), re.IGNORECASE)
    }
    assert found == set()
