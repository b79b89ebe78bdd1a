"""Every `Shell` keeps the promises of the seam: what a script gets, what is bounded, and what a time limit ends."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest
from tests.harness.sshd import Sshd

from holdfast.adapters.hosts.local_shell import LocalShell
from holdfast.adapters.hosts.shell import MOST_ARGUMENTS, MOST_STDERR, Shell
from holdfast.adapters.hosts.ssh import SshHosts
from holdfast.adapters.hosts.ssh_settings import target
from holdfast.errors import HostTrouble


@contextmanager
def over_ssh(folder: Path) -> Iterator[Shell]:
    with Sshd(folder / "sshd", "Banner /etc/hostname") as host, SshHosts(host.settings) as hosts:
        yield hosts.shell(target("ssh://127.0.0.1/"))


SHELLS: dict[str, Callable[[Path], AbstractContextManager[Shell]]] = {
    "local": lambda _: nullcontext(LocalShell()),
    "ssh": over_ssh,
}
"""How each is made. What it reaches is this machine, so that a test sees what a script does."""

HOSTILE = (
    "",
    " ",
    "-n",
    "--help",
    "a b",
    "$(touch pwned)",
    "`id`",
    "${HOME}",
    "it's",
    '"',
    "\\",
    "\\'",
    "'\"'\"'",
    "a\nb\n",
    "\n",
    ";exit 3",
    "&& false",
    "*",
    "~",
    "!!",
    "%s%n",
    "\x1b[2J",
    "\x01\x7f",
    "Ünïcödé-ⓚ",
    os.fsdecode(b"\xff\xfe"),
    "#",
    "\\0101",
    "x" * 20_000,
)


@pytest.fixture(scope="module", params=SHELLS.values(), ids=SHELLS.keys())
def shell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with request.param(tmp_path_factory.mktemp("shell")) as made:
        yield made


def test_status_and_both_outputs(shell: Shell) -> None:
    answer = shell.run("echo out; echo problem >&2; exit 7", limit_s=30, most_bytes=100)

    assert (answer.status, answer.stdout, answer.stderr) == (7, b"out\n", b"problem\n")
    assert answer.said == "problem"


def test_arguments_arrive_byte_for_byte(shell: Shell) -> None:
    answer = shell.run('printf "%s\\0" "$#" "$@"', HOSTILE, limit_s=30, most_bytes=100_000)

    assert answer.stdout.split(b"\0")[:-1] == [str(len(HOSTILE)).encode(), *map(os.fsencode, HOSTILE)]


def test_a_script_is_what_it_is(shell: Shell) -> None:
    """Quotes, line ends and backslashes of the script mean what they mean to sh; its environment is plain."""
    script = """a='$(id) "x" \\'
# a comment, it's one
printf "%s|" "$a" "$LC_ALL" "${SSH_AUTH_SOCK-none}" "$0"; [ -t 0 ] || echo no terminal"""

    assert shell.run(script, limit_s=30, most_bytes=1000).stdout == b'$(id) "x" \\|C|none|holdfast|no terminal\n'


@pytest.mark.parametrize("size", [0, 1, 300_000])
def test_standard_input_arrives_and_ends(shell: Shell, size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)

    assert shell.run("cat", stdin=data[:size], limit_s=30, most_bytes=size).stdout == data[:size]


def test_input_that_is_not_read_is_no_trouble(shell: Shell) -> None:
    answer = shell.run("exec <&-; echo done", stdin=b"x" * 3_000_000, limit_s=30, most_bytes=100)

    assert (answer.status, answer.stdout) == (0, b"done\n")


def test_output_is_bounded(shell: Shell) -> None:
    with pytest.raises(HostTrouble, match="more than 1,000 bytes") as refused:
        shell.run("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", limit_s=60, most_bytes=1000)
    assert refused.value.begun


def test_errors_are_bounded_and_shown_as_one_line(shell: Shell) -> None:
    script = "i=0; while [ $i -lt 9000 ]; do printf 'no\\033[2J\\nroom'; i=$((i + 1)); done >&2; exit 1"
    answer = shell.run(script, limit_s=60, most_bytes=10)

    assert len(answer.stderr) == MOST_STDERR
    assert answer.said.startswith("no\\u001b[2J room")
    assert "\n" not in answer.said
    assert len(answer.said) < 1000


def test_a_signal_is_a_status(shell: Shell) -> None:
    assert shell.run("kill -KILL $$", limit_s=30, most_bytes=10).status == 128 + signal.SIGKILL


def test_a_time_limit_ends_the_script_and_what_it_started(shell: Shell, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers"
    for limit_s in (1.5, 6, 60):
        with pytest.raises(HostTrouble, match=f"within {limit_s:g} s") as refused:
            shell.run(
                'sleep 600 & echo "$$ $!" > "$1.new"; mv "$1.new" "$1"; wait', (str(numbers),), limit_s=limit_s, most_bytes=10
            )
        if numbers.exists():
            break  # otherwise a busy machine has not begun it within that time

    assert refused.value.begun
    processes = [int(number) for number in numbers.read_text().split()]
    assert len(processes) == 2
    limit = time.monotonic() + 60
    while any(_runs(number) for number in processes):
        assert time.monotonic() < limit, "a process of the script still runs"
        time.sleep(0.05)


def _runs(number: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_several_at_once(shell: Shell) -> None:
    with ThreadPoolExecutor(6) as threads:
        answers = threads.map(
            lambda n: shell.run('cat; printf "%s" "$1"', (str(n),), stdin=b"n", limit_s=60, most_bytes=9), range(12)
        )

        assert [answer.stdout for answer in answers] == [f"n{number}".encode() for number in range(12)]


@pytest.mark.parametrize("arguments", [("a\0b",), ("x" * MOST_ARGUMENTS,)], ids=["zero byte", "too long"])
def test_what_no_process_can_be_given_is_refused_before(shell: Shell, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(HostTrouble, match="Nothing was run") as refused:
        shell.run(f"touch {tmp_path}/ran", arguments, limit_s=30, most_bytes=10)

    assert not refused.value.begun
    assert not (tmp_path / "ran").exists()
