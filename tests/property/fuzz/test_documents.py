"""A short run of the hostile documents, other ones each time. HOLDFAST_SEED=N: those of an earlier run."""

import os
import random
from pathlib import Path

import pytest
from tests.property.fuzz import documents, readers
from tests.property.fuzz.cases import Case

SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))
CASES = 6
IN_ANOTHER_PROCESS = "pages"
"""Which needs an Airflow of its own."""


@pytest.mark.parametrize("name", [name for name in readers.WAYS_IN if name not in readers.IN_AIRFLOW])
def test_every_document_ends_in_an_answer_or_a_refusal(name: str, tmp_path: Path) -> None:
    for number in range(CASES):
        folder = tmp_path / str(number)
        folder.mkdir()
        _, found = documents.run_case(name, SEED, number, folder)
        assert not found, f"python -m tests.property.fuzz.documents --seed {SEED} --only {name} --at {number}\n{found}"


@pytest.mark.starts
def test_the_cases_run_under_limits_in_a_process_of_their_own() -> None:
    tally = documents.run(IN_ANOTHER_PROCESS, SEED, documents=1_000, cases=8)

    assert (tally.cases, tally.found) == (8, [])


class TestTheFuzzerSees:
    """An entry point that does what it must not."""

    def _found(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, option: object) -> str:
        monkeypatch.setattr(documents, "SECONDS", 0.2)
        monkeypatch.setitem(readers.WAYS_IN, "broken", option)  # type: ignore[arg-type]
        return documents.run_case("broken", 1, 1, tmp_path)[1]

    def test_another_exception(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        assert "ZeroDivisionError" in self._found(monkeypatch, tmp_path, lambda case: 1 // case.documents)

    def test_work_without_an_end(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        def endless(case: Case) -> None:
            while True:
                pass

        assert "TooLong" in self._found(monkeypatch, tmp_path, endless)

    def test_what_steers_a_terminal(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        assert "U+202E" in self._found(monkeypatch, tmp_path, lambda _: readers.refuse_steering("a\nb\u202e"))
