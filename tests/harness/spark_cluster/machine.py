"""A machine of a cluster: its processes see `/usr`, the installation that was put on it and a disk of their own, and nothing else
of this one: neither the project, nor its Python and packages, nor the lake, nor the disks of the others.

They run as `nobody`, whose home does not exist. The network is this machine's: each machine has an address of 127.0.0.0/8.
"""

import os
import shlex
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psutil
from tests.harness.process import TetheredProcess
from tests.harness.workers.servers import program

DISK, INSTALLED = "/mnt/disk", "/mnt/installed"
"""Where a process of the machine finds what is its own, and what was installed."""
_HIDDEN = ("/root", "/home", "/work", "/srv", "/tmp", "/var/tmp", "/opt")
"""Of this machine: whatever has the project, its environment, or what users keep. The project's own folder is hidden anyway."""
_PROJECT = Path(__file__).resolve().parents[3]


class Machine:
    """`installed`: a folder of this machine, read-only there. `number`: from 1 on; its address is 127.0.0.`number`."""

    def __init__(self, folder: Path, name: str, number: int, installed: Path) -> None:
        self.folder, self.name, self.address = folder / name, name, f"127.0.0.{number}"
        self._installed = installed
        self._running: dict[str, TetheredProcess] = {}
        self.disk = self.folder / "disk"
        self.disk.mkdir(parents=True)
        shutil.chown(self.disk, "nobody", "nogroup")

    def start(self, what: str, command: list[str], environment: Mapping[str, str]) -> TetheredProcess:
        """A service of the machine. It ends with this process, and all that it started with it."""
        clean = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", **environment}
        script = self.folder / f"{what}.sh"
        script.write_text(self._begun(command, clean))
        apart = ["--mount", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc"]
        found = TetheredProcess(
            f"{self.name} {what}", [program("unshare"), *apart, "sh", "-e", str(script)], self.folder / f"{what}.log"
        )
        self._running[what] = found
        return found

    def _begun(self, command: list[str], environment: Mapping[str, str]) -> str:
        hidden = dict.fromkeys((*_HIDDEN, f"/{_PROJECT.parts[1]}"))
        as_nobody = [program("setpriv"), "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--no-new-privs"]
        given = [f"{name}={value}" for name, value in environment.items()]
        return "\n".join(
            (
                f"hostname {self.name}",
                "mount -t tmpfs -o mode=755 machine /mnt",
                f"mkdir {DISK} {INSTALLED}",
                f"mount --bind {shlex.quote(str(self.disk))} {DISK}",
                f"mount --bind {shlex.quote(str(self._installed))} {INSTALLED}",
                f"mount -o remount,bind,ro {INSTALLED}",
                *(f"mount -t tmpfs -o mode=1777 hidden {place}" for place in hidden if Path(place).is_dir()),
                f"cd {DISK}",
                f"exec {shlex.join([*as_nobody, 'env', '-i', *given, *command])}",
            )
        )

    def processes(self, in_command: str) -> list[psutil.Process]:
        """Those of the machine whose command has these words; the oldest first."""
        found = []
        for service in self._running.values():
            with suppress(psutil.Error):
                found += psutil.Process(service.pid).children(recursive=True)
        return sorted((one for one in found if in_command in _command(one)), key=lambda one: one.pid)

    def kill(self, what: str) -> None:
        """A service and all its children, at once."""
        self._running.pop(what).kill()

    def stop(self) -> None:
        for one in self._running.values():
            one.stop(5)
        self._running.clear()


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def refuse_without_rights() -> None:
    """Namespaces are made by root."""
    if os.geteuid() != 0:
        raise SystemExit("machines are namespaces of their own, which only root makes: run it as root, in a container for example")
