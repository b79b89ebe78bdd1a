"""The signing keys of the command line: what is signed with them, what is refused, and that none is ever shown."""

import json
import os
from pathlib import Path

import pytest
from tests.harness.article import AFTER, C, change, group, just_now
from tests.harness.plans import REPLACE_FIRST, without_client

from holdfast.adapters import key_file
from holdfast.cli.main import main
from holdfast.errors import InvalidInput

KEY, OTHER = "a signing key of 32 characters or more", "another signing key of 32 characters or more"
BY = ("--approved-by", "ann", "--reason", "seen")


class Shell:
    """Commands in this process, in a folder of their own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.key, self.other = self.file("key", KEY), self.file("other", OTHER)
        self.snapshot = self.file("snapshot.json", json.dumps(just_now(group(AFTER))))
        self.change = self.file("change.json", json.dumps(change(REPLACE_FIRST)))
        self.gone = self.file("gone.json", json.dumps(just_now(without_client(group(AFTER), C))))

    def file(self, name: str, content: str) -> str:
        path = self.folder / name
        path.write_text(content)
        path.chmod(0o600)
        return str(path)

    def run(self, *arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = self.capsys.readouterr()
        assert KEY not in out + err
        assert OTHER not in out + err
        return int(str(ended.value.code)), out, err


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(key_file.VARIABLE, raising=False)
    return Shell(tmp_path, capsys)


@pytest.mark.thorough
def test_what_is_signed_is_applied_and_what_is_not_is_refused(shell: Shell) -> None:
    _, text, _ = shell.run("plan", shell.snapshot, shell.change, "--json", "--key-file", shell.key)
    document = json.loads(text)
    plan, bare = shell.file("plan.json", text), {name: part for name, part in document.items() if name != "signature"}
    edited = shell.file("edited.json", json.dumps(document | {"signature": document["signature"] | {"value": "0" * 64}}))
    apply = ("--snapshot", shell.gone, *BY, "--json")

    for file, key, said in (
        (shell.file("bare.json", json.dumps(bare)), shell.key, "not signed, and this deployment signs"),
        (edited, shell.key, "signature does not match"),
        (plan, shell.other, "signed with a key that is unknown here"),
    ):
        status, out, err = shell.run("apply", file, *apply, "--key-file", key)
        assert (status, out) == (1, "")
        assert said in err
    assert not (shell.folder / ".holdfast").exists()

    status, out, err = shell.run("apply", plan, *apply, "--key-file", shell.key)
    assert (status, json.loads(out)["signed"], err) == (0, "signed by this deployment", "")
    status, out, err = shell.run("apply", plan, *apply)
    assert (status, out) == (1, "")
    assert "is signed, and no key was given" in err

    lake = ("--lake", ".holdfast/lake")
    assert "signed by this deployment" in shell.run("show", document["plan_id"], *lake, "--key-file", shell.key)[1]
    assert "signed, and no key is here to check it" in shell.run("show", document["plan_id"], *lake)[1]
    assert "signed by this deployment" in shell.run("show", plan, "--key-file", shell.key)[2]


@pytest.mark.thorough
def test_without_a_key_it_is_said_that_nothing_is_signed(shell: Shell) -> None:
    _, text, err = shell.run("plan", shell.snapshot, shell.change, "--json", "--lake", "lake")
    assert "It is not signed" in err
    assert "signature" not in json.loads(text)

    status, out, err = shell.run("apply", shell.file("plan.json", text), "--snapshot", shell.gone, *BY, "--json")
    assert (status, json.loads(out)["signed"]) == (0, "not signed")
    assert "not signed: any user with write access can change it undetected" in err


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        ("", 0o600, "holds no signing key"),
        ("short", 0o600, "fewer than 32 characters"),
        ("k" * 5_000, 0o600, "more than"),
        ("k" * 43 + "é", 0o600, "is not ASCII"),
        (KEY, 0o620, "is writable by other users"),
        (KEY, 0o602, "is writable by other users"),
    ],
)
def test_a_file_that_holds_no_key_is_refused(shell: Shell, content: str, mode: int, said: str) -> None:
    path = Path(shell.file("bad", content))
    path.chmod(mode)

    status, out, err = shell.run("show", "x", "--key-file", str(path))
    assert (status, out) == (1, "")
    assert said in err
    assert not content or content not in err


@pytest.mark.parametrize("name", ["missing", ".", "a\0b"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match="the key file"):
        key_file.read(f"{tmp_path}/{name}")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInput, match="is not a file"):
        key_file.read(str(tmp_path / "pipe"))
