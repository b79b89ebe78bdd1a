"""A group whose clients are files, for an Airflow whose processes are killed: every process of it sees the same group.

A client is a file of one line for each of its starts. The DAG file that `dag_file` writes has `apply_rollout` look at this group,
and restart its clients by one more line; nothing else of it is changed.
"""

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.harness.article import AFTER, client, group, just_now
from tests.harness.operators_hands import STRANGER
from tests.harness.pages.airflow_server import ROOT
from tests.harness.plans import read

from holdfast.actor import Actor
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState

PAUSE_S = 1
"""Between two turns."""


class GroupInFiles:
    """In `folder`; also an `Actor`, whose commands end at once and are not shown while they run."""

    limit_s = unseen_s = unseen_write_s = 5.0

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def starts(self, client_id: str) -> int:
        place = self.folder / client_id
        return 1 + (len(place.read_text().splitlines()) if place.exists() else 0)

    @property
    def restarted(self) -> dict[str, int]:
        """How often each client was."""
        return {one: self.starts(one) - 1 for one in group(AFTER)["clients"]}

    def joins(self, *, stays: bool) -> None:
        """A client that no plan knows is there, or no more."""
        (self.folder / "stranger").unlink(missing_ok=True)
        if stays:
            (self.folder / "stranger").touch()

    def look(self, *_: object) -> AnySnapshot:
        found = just_now(group(AFTER))
        for name in found["clients"]:
            text = json.dumps(found["clients"][name])
            starts = self.starts(name)
            found["clients"][name] = json.loads(text if starts == 1 else text.replace("0f6d8a3e-0000", f"{starts:08d}-0000"))
        if (self.folder / "stranger").exists():
            found["clients"] |= {STRANGER: client(STRANGER, ((), ()))}
        return read(found)

    def lacks(self, _: Act) -> str | None:
        return None

    def process(self, act: Act) -> ClientProcess:
        return ClientProcess(ProcessState.RUNNING, f"start-{self.starts(act.client)}")

    def perform(self, does: Does, act: Act) -> str | None:
        with (self.folder / act.client).open("a") as out:
            out.write(f"{does.value} by {os.getpid()}\n")
            out.flush()
        return None

    def was_given(self, _: Act) -> None:
        return None

    def outcome(self, _: Act) -> None:
        return None

    def lacks_config(self, *_: object) -> str:
        return "nothing here writes settings"

    def read_config(self, *_: object) -> None:
        return None

    def is_writing(self, _: Act) -> bool:
        return False

    def write_config(self, *_: object) -> str:
        raise AssertionError("nothing here writes settings")


def install(folder: str) -> None:
    """In the process that reads the DAG file."""
    from holdfast.airflow_wiring import clusters, rollouts, run_turn, wait_between_turns
    from holdfast.airflow_wiring.airflow_objects import lake
    from holdfast.workflows import snapshots

    found = GroupInFiles(Path(folder))
    actor: Actor = found  # of types: what the port asks for, it has
    wait_between_turns.BETWEEN_TURNS_S = PAUSE_S
    set_: Any = setattr
    set_(run_turn, "_look", found.look)
    set_(clusters, "known_cluster", lambda _: SimpleNamespace(connection=None, ssh=None))
    set_(clusters, "actor", lambda *_: actor)
    set_(rollouts, "collect", lambda *_: snapshots.keep(lake(), found.look()))


def dag_files(dags: Path, folder: Path, *names: str) -> None:
    """Holdfast's DAGs of these names, for the group in `folder`, into `dags`, which is made."""
    dags.mkdir()
    here = f"from tests.harness import group_in_files\n\ngroup_in_files.install({str(folder)!r})\n"
    for name in names:
        real = ROOT / "dags" / f"{name}.py"
        (dags / f"{name}.py").write_text(f"# a dag of airflow\n{here}{real.read_text()}")
