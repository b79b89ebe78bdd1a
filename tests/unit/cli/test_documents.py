"""Files between people and commands: bounded when read, whole when written."""

import stat
from pathlib import Path

import pytest

from holdfast.cli import documents
from holdfast.errors import InvalidInput, StatePathTrouble


def test_a_problem_names_its_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"a": 1,}')

    with pytest.raises(InvalidInput, match=rf"{path}: the document is not JSON.* line 1, column"):
        documents.read_document(str(path))


@pytest.mark.parametrize(("name", "said"), [("missing", "There is no file"), (".", "cannot be read"), ("a\0b", "cannot be read")])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        documents.read_document(f"{tmp_path}/{name}")


def test_an_overlong_line_is_refused_and_the_next_one_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LONGEST_LINE", 8)
    path = tmp_path / "lines"
    path.write_bytes(b"12345678\n\n123456789012345678901\n[1]")

    lines = list(documents.read_lines(str(path)))

    assert [(number, isinstance(line, InvalidInput)) for number, line in lines] == [(1, False), (3, True), (4, False)]
    assert lines[-1][1] == b"[1]"


def test_a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text("old")

    documents.write_text_whole(str(path), "new é\n")

    assert path.read_text(encoding="utf-8") == "new é\n"
    assert [one.name for one in tmp_path.iterdir()] == ["plan.json"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o022 == 0


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()

    with pytest.raises(StatePathTrouble, match="cannot be written"):
        documents.write_text_whole(str(tmp_path / "taken"), "text")
    with pytest.raises(StatePathTrouble, match="cannot be written"):
        documents.write_text_whole(str(tmp_path / "no" / "folder"), "text")
    assert [one.name for one in tmp_path.iterdir()] == ["taken"]


def test_settings_are_key_and_value() -> None:
    assert documents.settings(("a=1", " b = x=y ")) == (("a", "1"), ("b", "x=y"))
