"""A copy of this checkout, `bin/try` started in it from elsewhere, and its Airflow spoken to over REST."""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 1_200
"""For any one wait. Nothing is timed: a machine that is shared by others may be slow."""


def copy_checkout(folder: Path) -> Path:
    """The files of the work tree, except ignored ones."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listing.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def share_bytecode(checkout: Path) -> None:
    """Give the copy's environment what this one's Pythons have compiled: to compile Airflow anew costs more than to start it.

    Python takes a compiled file only where its source has the size and time that it names, as uv's links to one cache have. A file
    is there whole or not at all, so this may be done while Pythons of the copy run."""
    ours, theirs = ROOT / ".venv" / "lib", checkout / ".venv" / "lib"
    for folder in ours.glob("**/__pycache__"):
        place = theirs / folder.relative_to(ours)
        if place.parent.is_dir():
            place.mkdir(exist_ok=True)
            there = {compiled.name for compiled in place.iterdir()}
            for compiled in folder.glob("*.pyc"):
                if compiled.name not in there:
                    _link(compiled, place / compiled.name)


def _link(compiled: Path, place: Path) -> None:
    """Or copy, where the two are on different file systems. Python replaces such files and never writes into one."""
    with suppress(FileExistsError):
        try:
            place.hardlink_to(compiled)
        except FileExistsError:
            raise
        except OSError:
            copied = shutil.copy2(compiled, place.with_name(f"{place.name}.{os.getpid()}"))
            Path(copied).replace(place)


def own_environment() -> dict[str, str]:
    """Without what the tests' own environment says of Python and Airflow; with uv, if this checkout has one of its own."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "PYTHON", "VIRTUAL_ENV", "SPARK"))
    }
    return inherited | {"PATH": f"{ROOT / '.holdfast' / 'uv' / 'bin'}:{os.environ['PATH']}", "COLUMNS": "200"}


def left_over(checkout: Path) -> list[psutil.Process]:
    """Every process that runs in this checkout, or names it in its environment or command line."""
    found = []
    for process in psutil.process_iter():
        try:
            signs = [process.cwd(), *process.cmdline(), *process.environ().values()]
            if process.status() != psutil.STATUS_ZOMBIE and any(str(checkout) in sign for sign in signs):
                found.append(process)
        except (psutil.Error, OSError):  # it ends just now, or is another user's
            continue
    return found


@dataclass
class Try:
    """A running bin/try, and all that it has printed."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    def printed(self) -> str:
        return "".join(self.lines)

    def wait_for(self, pattern: str) -> str:
        """Wait until something printed matches, and return its first group, or all of it."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if match := re.search(pattern, self.printed()):
                return match[1] if match.groups() else match[0]
            assert self.process.poll() is None, f"bin/try ended with {self.process.returncode}:\n{self.printed()}"
            time.sleep(0.1)
        raise AssertionError(f"bin/try never printed {pattern!r}:\n{self.printed()}")

    def interrupt(self) -> int:
        """Ctrl-C: the terminal sends it to the whole group."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(PATIENCE_S)


@contextmanager
def trying(checkout: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[Try]:
    """Start bin/try from another directory. Whatever happens, it is ended, and so is what it may have left."""
    process = subprocess.Popen(
        [str(checkout / "bin" / "try"), *arguments],
        cwd="/",
        env=own_environment() | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    running = Try(process)
    reader = threading.Thread(target=lambda: running.lines.extend(process.stdout), daemon=True)
    reader.start()
    try:
        yield running
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(PATIENCE_S)
        reader.join(PATIENCE_S)


class Rest:
    """Airflow's REST interface, logged in as bin/try says."""

    def __init__(self, run: Try) -> None:
        self.page = run.wait_for(r"Its run in Airflow:\s+(http://\S+)")
        self.base = self.page.split("/dags/")[0]
        password = run.wait_for(r"Password:\s+(\S+)")
        self.token = self.call("POST", "/auth/token", {"username": "admin", "password": password})["access_token"]

    def call(self, method: str, path: str, body: object = None) -> dict:
        request = urllib.request.Request(self.base + path, method=method, data=None if body is None else json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        if hasattr(self, "token"):
            request.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)

    def refused_without_login(self) -> int:
        """The status of a request that carries no credentials."""
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                f"{self.base}/api/v2/dags", timeout=PATIENCE_S
            ) as answer:
                return answer.status
        except urllib.error.HTTPError as refusal:
            return refusal.code

    def trigger(self, dag: str, conf: dict) -> str:
        """The run is there before the DAG's schedule may begin others."""
        run = self.call("POST", f"/api/v2/dags/{dag}/dagRuns", {"logical_date": None, "conf": conf})
        self.pause(dag, False)
        return f"/api/v2/dags/{dag}/dagRuns/{run['dag_run_id']}"

    def pause(self, dag: str, paused: bool = True) -> None:
        self.call("PATCH", f"/api/v2/dags/{dag}?update_mask=is_paused", {"is_paused": paused})

    def state_at_the_end(self, run: str) -> str:
        return self.wait(run, "state", ("success", "failed"))

    def wait(self, path: str, key: str, wanted: tuple[object, ...]) -> str:
        return self.wait_until(path, lambda found: found[key] in wanted)[key]

    def wait_until(self, path: str, enough: Callable[[dict], bool]) -> dict:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            found = self.call("GET", path)
            if enough(found):
                return found
            time.sleep(1)  # every look costs Airflow's server some processor time
        raise AssertionError(f"{path} stayed {found!r}")
