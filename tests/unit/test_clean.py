"""`tests/harness/suite/clean.py`: what was found clean is looked at again when it, or the rule, changes."""

from pathlib import Path

from tests.harness.suite.clean import found_in


class Looker:
    """Finds `bad` in a file, and notes which files it was asked about."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.looked: list[str] = []

    def __call__(self, path: Path) -> list[str]:
        self.looked.append(path.name)
        return ["bad"] * ("bad" in path.read_text())

    def found(self, *rule: object) -> tuple[list[str], list[str]]:
        """What is found now, and the files that were looked at for it."""
        self.looked = []
        files = sorted(self._folder.glob("*.py"))
        return found_in(files, self, *rule, name="check", folder=self._folder / "kept"), self.looked


def test_what_was_clean_is_looked_at_when_it_or_the_rule_changes(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("fine")
    (tmp_path / "b.py").write_text("bad")
    rule = tmp_path / "rule"
    rule.write_text("1")
    look = Looker(tmp_path)
    assert look.found(rule, {"x": 1}) == (["bad"], ["a.py", "b.py"])
    assert look.found(rule, {"x": 1}) == (["bad"], ["b.py"])
    (tmp_path / "a.py").write_text("bad too")
    assert look.found(rule, {"x": 1}) == (["bad", "bad"], ["a.py", "b.py"])
    (tmp_path / "a.py").write_text("fine")
    (tmp_path / "b.py").write_text("fine")
    assert look.found(rule, {"x": 1}) == ([], ["a.py", "b.py"])
    assert look.found(rule, {"x": 1}) == ([], [])
    assert look.found(rule, {"x": 2}) == ([], ["a.py", "b.py"])
    rule.write_text("2")
    assert look.found(rule, {"x": 2}) == ([], ["a.py", "b.py"])
    assert look.found(rule, {"x": 2}) == ([], [])
