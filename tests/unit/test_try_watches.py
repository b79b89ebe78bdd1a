"""`bin/try` follows its run: a task that is tried again is no end, and every end has a reason."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BIN = Path(__file__).resolve().parents[2] / "bin"
RUN = "manual__1"


@pytest.fixture
def trying(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BIN))
    spec = importlib.util.spec_from_file_location("holdfast_try", BIN / "try.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.time, "sleep", lambda _: None)
    return module


class Told:
    """An Airflow whose tasks are, one look after the other, as given here."""

    def __init__(self, *looks: dict[str, str], log: Any = None) -> None:
        self.looks, self.log = list(looks), log

    def check_alive(self) -> None: ...

    def call(self, _method: str, path: str, _body: object = None) -> Any:
        if "/logs/" in path:
            return self.log
        now = self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]
        return {
            "task_instances": [{"task_id": name, "state": state, "duration": 1.0, "try_number": 1} for name, state in now.items()]
        }

    def wait_for(self, *_: object) -> dict[str, str]:
        return {"value": "0123456789abcdef"}


def test_a_task_that_is_tried_again_is_no_end(trying: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    log = {"content": [{"event": "x", "error_detail": [{"exc_type": "ClusterTrouble", "exc_value": "[no] broker"}]}]}
    airflow = Told(
        {"snapshot": "running"},
        {"snapshot": "up_for_retry", "search": "upstream_failed"},
        {"snapshot": "up_for_retry"},
        {"snapshot": "success", "approve": "awaiting_input"},
        log=log,
    )

    assert trying.watch(airflow, RUN) == "0123456789abcdef"
    said = capsys.readouterr().err
    assert said.count("failed; retrying") == 1
    assert "ClusterTrouble: [no] broker" in said


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        (None, "its log is empty"),
        ({"content": []}, "its log is empty"),
        ({"content": [{"event": "::group::x"}, {"event": "the [last] word"}]}, "word"),
        ({"content": ["plain text"]}, "plain text"),
    ],
)
def test_a_failure_has_a_reason(trying: ModuleType, log: object, reason: str) -> None:
    with pytest.raises(sys.modules["try_airflow"].Failed, match=reason):
        trying.watch(Told({"snapshot": "failed"}, log=log), RUN)


@pytest.mark.parametrize(("arguments", "stays"), [((), True), (("--once",), False)])
def test_once_is_over_when_the_plan_was_shown(
    trying: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: tuple[str, ...], stays: bool
) -> None:
    """Without --once it stays until Ctrl-C. Airflow is ended then too, and the lock is free."""
    done: list[str] = []

    def does(name: str, answer: object = None) -> None:
        monkeypatch.setattr(trying, name, lambda *_: done.append(name) or answer)

    def until_ctrl_c(_: object) -> None:
        done.append("stay")
        raise trying.Stopped

    for name, answer in {"record": {}, "bring_up": None, "trigger": RUN, "watch": "0123456789abcdef", "show": None}.items():
        does(name, answer)
    does("end_everything")
    does("ours", [])
    monkeypatch.setattr(trying, "stay", until_ctrl_c)
    monkeypatch.setattr(trying, "STATE", tmp_path)
    monkeypatch.setattr(trying.signal, "signal", lambda *_: None)

    assert trying.main(list(arguments)) == 0
    assert done == ["ours", "record", "bring_up", "trigger", "watch", "show", *["stay"] * stays, "end_everything"]
    assert (tmp_path / "try.lock").read_text() == ""
