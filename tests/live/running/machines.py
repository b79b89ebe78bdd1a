"""Machines that clients of a live group run on, each reached by an sshd: with a network and a disk of its own (Linux namespaces;
root is needed), or several addresses of one sshd, whose clients the broker sees at one address."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from tests.harness.process import TetheredProcess
from tests.harness.sshd import Sshd

DISK = Path("/srv")
"""Where a machine of its own has its disk."""
PORT = 2222
_MOST = 200


@dataclass(frozen=True, slots=True)
class Machine:
    """`inside`: what a command on this machine begins with here. `disk`: its disk, as seen here; `own_disk`: as it sees it."""

    address: str
    sshd: Sshd
    disk: Path
    own_disk: Path
    inside: tuple[str, ...] = ()


@contextmanager
def slowed(machine: Machine) -> Iterator[None]:
    """What it sends is 8 kB a second; what cannot be sent within two seconds is lost."""
    _tc(machine, "add", "rate", "64kbit", "burst", "1600", "latency", "2s")
    try:
        yield
    finally:
        _tc(machine, "del")


def _tc(machine: Machine, verb: str, *how: str) -> None:
    kind = ("tbf", *how) if how else ()
    subprocess.run([*machine.inside, "tc", "qdisc", verb, "dev", "eth0", "root", *kind], check=True)


@contextmanager
def addresses(folder: Path, number: int) -> Iterator[tuple[Machine, ...]]:
    """Of one sshd of this machine."""
    with Sshd(folder / "sshd") as sshd:
        names = [f"127.0.1.{10 + one}" for one in range(number)]
        yield tuple(Machine(name, sshd, folder / name, folder / name) for name in names)


@contextmanager
def namespaces(folder: Path, number: int, network: int) -> Iterator[tuple[Machine, ...]]:
    """Machines 10.77.<network>.10 and on; this one is 10.77.<network>.1 to them. They end with the context."""
    assert os.geteuid() == 0, "namespaces of the network need root"
    assert number <= _MOST, number
    bridge, mine = f"hf{network}", f"10.77.{network}.1"
    with ExitStack() as stack:
        _ip("link", "add", bridge, "type", "bridge")
        stack.callback(_ip, "link", "del", bridge)
        _ip("addr", "add", f"{mine}/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        known = folder / "known_hosts"
        yield tuple(stack.enter_context(_namespace(folder, bridge, f"10.77.{network}.{10 + one}", known)) for one in range(number))


@contextmanager
def _namespace(folder: Path, bridge: str, address: str, known: Path) -> Iterator[Machine]:
    disk = folder / address / "disk"
    disk.mkdir(parents=True)
    command = ["unshare", "-n", "-m", "--propagation", "private", "sleep", "infinity"]
    with TetheredProcess(f"the machine {address}", command, folder / address / "log") as holder, ExitStack() as stack:
        number = _child(holder, "sleep")
        inside = ("nsenter", "-t", str(number), "-n", "-m", "--")
        peer = f"{bridge}-{address.rpartition('.')[2]}"
        _ip("link", "add", peer, "type", "veth", "peer", "name", "eth0", "netns", str(number))
        _ip("link", "set", peer, "master", bridge, "up")
        stack.callback(_ip, "link", "del", peer)  # sockets that close keep a network for a while
        for words in (("addr", "add", f"{address}/24", "dev", "eth0"), ("link", "set", "eth0", "up"), ("link", "set", "lo", "up")):
            _ip(*words, inside=inside)
        subprocess.run([*inside, "mount", "--bind", str(disk), str(DISK)], check=True)
        with Sshd(folder / address / "sshd", inside=inside, address=address, client=folder / "client", port=PORT) as sshd:
            with known.open("a") as out:
                out.write(f"[{address}]:{sshd.port} {sshd.host_key}\n")
            yield Machine(address, sshd, disk, DISK, inside)


def _child(holder: TetheredProcess, name: str) -> int:
    """`unshare` becomes the command once the namespaces are there."""
    found: list[int] = []

    def there() -> bool:
        with suppress(psutil.NoSuchProcess):
            found.extend(one.pid for one in psutil.Process(holder.pid).children() if one.name() == name)
        return bool(found)

    holder.wait_until(there, "there", 30)
    return found[0]


def _ip(*words: str, inside: Sequence[str] = ()) -> None:
    subprocess.run([*inside, "ip", *words], check=True)
