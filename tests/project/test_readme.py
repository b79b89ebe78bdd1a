"""What the README shows runs, and what it names is there."""

import json
import re
from pathlib import Path

import click
from click.testing import CliRunner
from tests.harness.article import just_now

from holdfast.cli.main import COMMANDS, holdfast

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
EXAMPLE = ROOT / "examples" / "streams-wordcount"


def test_the_example_of_the_readme_runs(tmp_path: Path) -> None:
    """Six lines; each command with its arguments, on the recorded group, assumed to be current."""
    shown = re.search(r"```sh\n(.*?)```", README, re.DOTALL)
    assert shown
    lines = [line.partition("#")[0].partition(">")[0].split() for line in shown[1].splitlines()]
    commands = [line[1:] for line in lines if line[:1] == ["holdfast"]]
    snapshot = tmp_path / "snapshot.json"
    snapshot.write_text(json.dumps(just_now(json.loads((EXAMPLE / "snapshot.json").read_text()))))
    files = {"snapshot.json": str(snapshot), "change.json": str(EXAMPLE / "change.json")}

    results = [CliRunner().invoke(holdfast, [files.get(word, word) for word in command]) for command in commands]

    assert len(lines) == 6
    assert [command[0] for command in commands] == ["guard", "forecast", "plan", "plan"]
    assert [(one.exit_code, bool(one.stdout)) for one in results] == [(0, True)] * 4


def test_every_command_and_dag_that_there_is_is_in_the_readme() -> None:
    dags = [path.stem for path in (ROOT / "dags").glob("*.py")]

    assert len(dags) == 7
    assert [name for name in (*COMMANDS, *dags) if not re.search(rf"(holdfast |`){name}\b", README)] == []


def test_every_option_of_a_command_that_a_document_shows_is_there() -> None:
    """In code blocks and in the text: `holdfast COMMAND --option`."""
    pages = (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.md"))
    command = re.compile(rf"(?:^|`)holdfast ({'|'.join(COMMANDS)})\b([^`|;#>\n]*)", re.MULTILINE)
    shown = {(str(page.relative_to(ROOT)), *found) for page in pages for found in command.findall(page.read_text())}
    options = {name: _options(name) for name in COMMANDS}

    assert len(shown) > 100
    assert [one for one in shown if not options[one[1]].issuperset(re.findall(r"\s(--?[a-z][a-z-]*)", one[2]))] == []


def _options(name: str) -> set[str]:
    context = click.Context(holdfast)
    command = holdfast.get_command(context, name)
    assert command
    return {option for parameter in command.get_params(context) for option in parameter.opts}


def test_every_link_of_the_documents_leads_somewhere() -> None:
    pages = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md"))
    links = [(page, target) for page in pages for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())]

    assert links
    assert [f"{page.relative_to(ROOT)}: {target}" for page, target in links if not (page.parent / target).exists()] == []
