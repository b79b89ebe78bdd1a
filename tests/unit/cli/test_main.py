"""What the commands do where nothing can be written, and with names that would steer a terminal."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.harness.article import AFTER, group

from holdfast.cli import main as main_module
from holdfast.cli.main import main
from holdfast.rollout.json.strict import dumps

EXAMPLE = Path(__file__).parents[3] / "examples/streams-wordcount/snapshot.json"

COMMANDS = (("assign", "SNAPSHOT"), ("guard", "SNAPSHOT"), ("schema", "plan"))


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    path = tmp_path / "snapshot.json"
    path.write_text(dumps(group(AFTER)), encoding="utf-8")
    return str(path)


@pytest.mark.thorough
@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_full_disk_is_said_in_a_line(arguments: tuple[str, ...], snapshot: str) -> None:
    given = [snapshot if one == "SNAPSHOT" else one for one in arguments]
    with Path("/dev/full").open("w", encoding="ascii") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "holdfast.cli.main", *given], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert (ended.returncode, ended.stderr.splitlines()) == (
        1,
        ["holdfast: the answer cannot be written: No space left on device"],
    )


@pytest.mark.thorough
def test_who_reads_no_further_has_seen_enough() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "holdfast.cli.main", "schema", "plan"]
    try:
        ended = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(write)
    assert (ended.returncode, ended.stderr) == (1, "")


@pytest.mark.parametrize("arguments", [("assign", "no\x1b[2Jsuch\u202efile\udcff"), ("assign", "--no\x1bsuch")])
def test_names_steer_no_terminal(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)

    said = capsys.readouterr().err
    assert said
    assert not any(steering in said for steering in "\x1b\u202e\udcff")


def test_the_help_names_each_command_in_a_line_and_imports_none() -> None:
    code = "import sys; from holdfast.cli.main import main\ntry: main(['-h'])\nfinally: print(sorted(sys.modules), file=sys.stderr)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    listed = ended.stdout.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == list(main_module.COMMANDS)
    assert [line for line in listed if line.endswith("...")] == []
    modules = ast.literal_eval(ended.stderr)
    assert [
        name for name in modules if name.startswith(("holdfast.cli.commands", "holdfast.rollout.kinds", "holdfast.workflows"))
    ] == []
    assert len([name for name in modules if name.startswith("holdfast")]) <= 15, "the start is for what the help prints"


def test_assign_imports_what_decides_and_no_forecast_plan_or_other_kind() -> None:
    """The start is most of its time: docs/decisions/0037-kinds-are-imported-when-they-are-met.md."""
    code = (
        "import sys; from holdfast.cli.main import main\n"
        "try: main(['assign', sys.argv[1]])\n"
        "finally: print(sorted(sys.modules), file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(EXAMPLE)], capture_output=True, text=True, check=True)

    assert json.loads(ended.stdout)["clients"]
    own = [name.split(".") for name in ast.literal_eval(ended.stderr) if name.startswith("holdfast.")]
    assert {name[2] for name in own if name[1:2] == ["rollout"] and name[2:]} == {
        "backtest", "contract", "disks", "group", "json", "kinds", "streams", "text",
    }  # fmt: skip
    assert {name[3] for name in own if name[1:3] == ["rollout", "streams"] and name[3:]} == {"forecast", "kind", "snapshot"}
    assert len(own) <= 95


def test_each_command_is_a_module_of_its_name() -> None:
    folder = Path(main_module.__file__).parent / "commands"
    assert {name for name in main_module.COMMANDS if not (folder / f"{main_module.module_of(name)}.py").is_file()} == set()
    with click.Context(main_module.holdfast) as context:
        assert main_module.holdfast.get_command(context, "no-such") is None  # type: ignore[attr-defined]
        assert all(main_module.holdfast.get_command(context, name) is not None for name in main_module.COMMANDS)  # type: ignore[attr-defined]
