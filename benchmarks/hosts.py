"""State directories on many hosts over SSH: `python -m benchmarks.hosts --hosts 200 --directories 1000`.

The hosts are addresses 127.0.x.y of one real sshd on this machine, so that this machine does the work of all of them; each
directory is a client's with some tasks, with checkpoints or, every other one, with stores of 4.3. `--silent` of the hosts never
answer.
"""

import argparse
import shutil
import socket
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import click
from tests.harness.sshd import Sshd

from holdfast import wiring
from holdfast.errors import HoldfastError

STORE = Path(__file__).parents[1] / "tests/unit/recorded/store-4.3.1"


def _directory(place: Path, number: int, tasks: int) -> None:
    place.mkdir(parents=True)
    (place / ".lock").touch()
    (place / "kafka-streams-process-metadata").write_text(f'{{"processId":"{UUID(int=number)}"}}')
    for task in range(tasks):
        folder = place / f"0_{task}"
        if number % 2:
            shutil.copytree(STORE, folder / "rocksdb" / "counts-store")
        else:
            (folder / "rocksdb" / "counts-store").mkdir(parents=True)
            (folder / ".checkpoint").write_text(f"0\n1\nwc-counts-store-changelog {task} {number}\n")


def _silent(address: str, port: int, open_sockets: ExitStack) -> None:
    """Accepts connections, and says nothing."""
    server = open_sockets.enter_context(socket.create_server((address, port)))

    def accept() -> None:
        held = []
        while True:
            try:
                held.append(server.accept())
            except OSError:
                return

    threading.Thread(target=accept, daemon=True).start()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("--hosts", 200), ("--directories", 1000), ("--tasks", 10), ("--silent", 3)):
        parser.add_argument(name, type=int, default=usual)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-hosts-") as folder, ExitStack() as open_sockets:
        root = Path(folder)
        sshd = open_sockets.enter_context(Sshd(root / "sshd"))
        silent_port = sshd.port + 1
        for number in range(given.silent):
            _silent(f"127.9.9.{number + 1}", silent_port, open_sockets)
        urls = []
        for number in range(given.directories):
            place = root / f"app-{number}"
            _directory(place, number, given.tasks)
            host = number % given.hosts
            silent = host < given.silent
            address = f"127.9.9.{host + 1}:{silent_port}" if silent else f"127.0.{host // 250 + 1}.{host % 250 + 1}:{sshd.port}"
            urls.append(f"ssh://{address}{place}")
        began, cpu = time.monotonic(), time.process_time()
        answers = wiring.read_directories(urls, 300, wiring.HostAccess(ssh=replace(sshd.settings, port=None)))
        seconds, own = time.monotonic() - began, time.process_time() - cpu
        on_hosts = sshd.processor_s()
    read = [answer[0] for _, answer in answers if not isinstance(answer, HoldfastError)]
    bad = sorted({_short(str(answer)) for _, answer in answers if isinstance(answer, HoldfastError)})
    tasks = [task for directory in read for task in directory.tasks]
    click.echo(f"{given.directories:,} directories on {given.hosts:,} hosts: {seconds:.1f} s, {own:.1f} s of processor time here")
    click.echo(f"{on_hosts:.1f} s of processor time on the hosts, {on_hosts / max(1, len(read)) * 1000:.0f} ms a directory")
    click.echo(f"{len(tasks):,} tasks, {sum(bool(task.checkpoint) for task in tasks):,} with offsets")
    click.echo(f"{len(answers) - len(read):,} directories were not read: {'; '.join(bad[:5])}")


def _short(problem: str) -> str:
    return problem.partition("not read. ")[2][:120]


if __name__ == "__main__":
    main()
