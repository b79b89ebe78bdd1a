"""What the README shows is what the program prints, and what it names is there."""

import json
import re
from pathlib import Path

from click.testing import CliRunner
from tests.harness.article import just_now

from holdfast.cli.main import COMMANDS, holdfast

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
EXAMPLE = ROOT / "examples" / "streams-wordcount"


def words(text: str) -> str:
    """The text without what differs from run to run (a plan's own ID and times) or from width to width."""
    text = re.sub(r"Plan [0-9a-f]{16}", "Plan …", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "(time)", text)
    return " ".join(text.split())


def test_the_plan_in_the_readme_is_the_plan_of_the_example(tmp_path: Path) -> None:
    """As `bin/try` plans it: the recorded group taken to be as it was, now."""
    snapshot = tmp_path / "snapshot.json"
    snapshot.write_text(json.dumps(just_now(json.loads((EXAMPLE / "snapshot.json").read_text()))))
    result = CliRunner().invoke(holdfast, ["plan", str(snapshot), str(EXAMPLE / "change.json")], standalone_mode=False)
    shown = re.search(r"```text\n(.*?)```", README, re.DOTALL)

    assert shown
    assert result.exception is None
    parts = [words(part) for part in shown[1].split("[…]")]
    assert all(part for part in parts)
    assert [part for part in parts if part not in words(result.output)] == []


def test_every_command_and_dag_that_there_is_is_in_the_readme() -> None:
    dags = [path.stem for path in (ROOT / "dags").glob("*.py")]

    assert len(dags) == 5
    assert [name for name in (*COMMANDS, *dags) if not re.search(rf"(holdfast |`){name}\b", README)] == []


def test_every_link_of_the_documents_leads_somewhere() -> None:
    pages = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md"))
    links = [(page, target) for page in pages for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())]

    assert links
    assert [f"{page.relative_to(ROOT)}: {target}" for page, target in links if not (page.parent / target).exists()] == []
