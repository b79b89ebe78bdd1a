"""A real sshd of this machine: a free port, keys of its own, and what a test needs to do to it."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

import psutil
from tests.harness.process import free_port

from holdfast.adapters.hosts.ssh_settings import SshSettings

PROGRAM = "/usr/sbin/sshd"
_ENVIRONMENT = "SetEnv "


class Sshd:
    """To be used in a `with`. It listens on all addresses 127.x.y.z, so that one sshd can be many hosts.

    `inside`: what its command begins with; `address`: where it is reached then, at `port`. `client`: the key that may log in, in
    place of one of its own.
    """

    def __init__(
        self,
        folder: Path,
        *more: str,
        inside: Sequence[str] = (),
        address: str = "127.0.0.1",
        client: Path | None = None,
        port: int | None = None,
    ) -> None:
        self.folder = folder
        self.more = more
        self.inside = inside
        self.address = address
        self.client = client or folder / "client"
        self.port = port or free_port()
        self.user = _whoami()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def home(self) -> Path:
        """Of who logs in."""
        return self.folder / "home"

    def _environment(self) -> Iterator[str]:
        """sshd takes the first line of it only."""
        return (one.removeprefix(_ENVIRONMENT) for one in self.more if one.startswith(_ENVIRONMENT))

    @property
    def settings(self) -> SshSettings:
        """What a login needs; nothing of this user's home counts."""
        return SshSettings(
            user=self.user,
            port=self.port,
            key_files=(str(self.client),),
            known_hosts=(str(self.folder / "known_hosts"),),
            from_home=False,
        )

    @property
    def host_key(self) -> str:
        kind, key, *_ = (self.folder / "host.pub").read_text().split()
        return f"{kind} {key}"

    def __enter__(self) -> Self:
        self.home.mkdir(parents=True, exist_ok=True)
        for place in (self.folder / "host", self.client):
            key(place)
        shutil.copy(self.client.with_name(f"{self.client.name}.pub"), self.folder / "authorized_keys")
        (self.folder / "known_hosts").write_text(
            f"[127.*.*.*]:{self.port} {self.host_key}\n[localhost]:{self.port} {self.host_key}\n"
        )
        lines = (
            f"Port {self.port}",
            "ListenAddress 0.0.0.0",
            f'HostKey "{self.folder / "host"}"',
            f'AuthorizedKeysFile "{self.folder / "authorized_keys"}"',
            f'PidFile "{self.folder / "pid"}"',
            "StrictModes no",
            "UsePAM no",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "MaxStartups 500:1:1000",
            *(one for one in self.more if not one.startswith(_ENVIRONMENT)),
            " ".join((f'{_ENVIRONMENT}HOME="{self.home}"', *self._environment())),
        )
        (self.folder / "config").write_text("\n".join(lines) + "\n")
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True, mode=0o755)
        self.start()
        return self

    def start(self) -> None:
        log = (self.folder / "log").open("ab")
        command = [*self.inside, PROGRAM, "-D", "-e", "-f", str(self.folder / "config")]
        with log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        limit = time.monotonic() + 60
        while not _listens(self.address, self.port):
            assert self._process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < limit, "sshd does not listen"
            time.sleep(0.02)

    def drop_connections(self) -> None:
        """Kill the process of each connection, as a lost network does; the scripts go on without one."""
        assert self._process is not None
        _kill_those_of_sshd([one for number in _children(self._process.pid) for one in (*_children(number), number)])

    def crash(self) -> None:
        """It and all its connections, at once; `start` brings it back."""
        assert self._process is not None
        connections = [one for number in _children(self._process.pid) for one in (number, *_children(number))]
        self._process.kill()
        self._process.wait()
        _kill_those_of_sshd(connections)

    def processor_s(self) -> float:
        """Processor seconds of it, of its connections, and of all that has run over them."""
        assert self._process is not None
        times = [one.cpu_times() for one in _and_below(self._process.pid)]
        return sum(one.user + one.system + one.children_user + one.children_system for one in times)

    def stop(self) -> None:
        if self._process is not None:
            self.drop_connections()
            self._process.terminate()
            self._process.wait(120)
            self._process = None

    def __exit__(self, *_: object) -> None:
        self.stop()


def key(place: Path, kind: str = "ed25519", passphrase: str = "") -> None:
    if not place.exists():
        command = ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", "test", "-f", str(place)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def _kill_those_of_sshd(numbers: Sequence[int]) -> None:
    for each in numbers:
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended by itself
            if Path(f"/proc/{each}/comm").read_text().startswith("sshd"):
                os.kill(each, signal.SIGKILL)


def _children(number: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _listens(address: str, port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex((address, port)) == 0


def _and_below(number: int) -> list[psutil.Process]:
    found = psutil.Process(number)
    return [found, *found.children(recursive=True)]


def _whoami() -> str:
    return subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout.strip()
