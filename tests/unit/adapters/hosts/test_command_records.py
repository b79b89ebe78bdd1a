"""A command is begun once on its host, and left there: whatever becomes of its connection, of who gave it, and of the host."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from tests.harness.article import A
from tests.harness.sshd import Sshd
from tests.unit.adapters.hosts.test_listing import shell_of

from holdfast.adapters.hosts import actors_file, process_commands
from holdfast.adapters.hosts.command_records import BEGIN, LOOK, RUNNER, CommandState, Record, begun, shown_before
from holdfast.adapters.hosts.local_shell import LocalShell
from holdfast.adapters.hosts.process_commands import CommandActor
from holdfast.adapters.hosts.shell import ScriptEnd, Shell
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import Does, ProcessState

pytestmark = pytest.mark.starts

CLIENT = Act(Does.RESTART, A, "app-1", called="plan.1", number=3)
AGAIN = replace(CLIENT, number=7)
SLOW = """
echo begun >>"$1/begun"
while [ ! -e "$1/go" ]; do sleep 0.05; done
echo "which may be a secret"
echo "what it says" >&2
echo more >&2
exit "$(cat "$1/go")"
"""


class Place:
    """A host whose restart goes on until a file lets it end."""

    def __init__(self, folder: Path, ssh: str = "") -> None:
        self.folder, self.records, self.ssh = folder, folder / "records", ssh
        script = folder / "slow.sh"
        if not script.exists():  # it may be running
            script.write_text(SLOW)
        self.actor = self.another()

    def another(self) -> CommandActor:
        """As another process has it, which knows nothing of this one."""
        made = actors_file.read(self.file.encode(), "orders")
        assert isinstance(made, CommandActor)
        return made

    @property
    def file(self) -> str:
        slow = f'[sh, "{self.folder}/slow.sh", "{self.folder}"]'
        given = (
            f'    status: [echo, running, "{{host}}"]\n    restart: {slow}\n    set_config: {slow}\n    records: "{self.records}"\n'
        )
        return f'format_version: "1.0"\ngroups:\n  orders:\n{given}{self.ssh}'

    @property
    def times(self) -> int:
        file = self.folder / "begun"
        return file.read_text().count("begun") if file.exists() else 0

    def ends(self, status: int) -> None:
        """And so does every other from now on, soon."""
        process_commands.HOLDS_S = 30.0
        (self.folder / "goes").write_text(str(status))
        (self.folder / "goes").rename(self.folder / "go")
        _wait_until(lambda: any(one.suffix == ".end" and one.name.count(".") == 2 for one in self.records.iterdir()))


@contextmanager
def over_ssh(folder: Path) -> Iterator[tuple[Place, Sshd]]:
    with Sshd(folder / "sshd") as host:
        files = f"key: {host.folder / 'client'}, known_hosts: {host.folder / 'known_hosts'}"
        yield Place(folder, f"    ssh: {{host: 127.0.0.1, port: {host.port}, {files}}}\n"), host


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_commands, "HOLDS_S", 0.6)


def goes_on(give: Callable[[], object]) -> None:
    with pytest.raises(HostTrouble) as trouble:
        give()
    assert trouble.value.begun, trouble.value


def not_begun(give: Callable[[], object]) -> None:
    with pytest.raises(HostTrouble, match="an earlier command goes on") as trouble:
        give()
    assert (trouble.value.begun, trouble.value.lasting) == (False, False)


@pytest.mark.parametrize("status", [0, 3])
def test_nothing_waits_for_a_command_that_takes_long(tmp_path: Path, status: int) -> None:
    with over_ssh(tmp_path) as (host, _):
        goes_on(lambda: host.actor.perform(Does.RESTART, CLIENT))
        other = host.another()
        assert other.process(CLIENT).state is ProcessState.CHANGING
        assert (other.was_given(CLIENT), other.was_given(AGAIN), other.outcome(CLIENT)) == (True, False, None)
        host.ends(status)

        assert other.process(CLIENT).state is ProcessState.RUNNING
        said = {0: "has ended with status 0.", 3: "failed: what it says more."}[status]
        assert other.outcome(CLIENT) == f"The command for {A} on app-1 {said}"
        assert host.times == 1


def test_a_connection_that_breaks_ends_no_command(tmp_path: Path) -> None:
    """Nor does the loss of sshd, and what it prints then goes nowhere but into its record."""
    with over_ssh(tmp_path) as (host, sshd), ThreadPoolExecutor(1) as pool:
        process_commands.HOLDS_S = 30.0
        giving = pool.submit(host.actor.perform, Does.RESTART, CLIENT)
        _wait_until(lambda: host.times == 1)
        sshd.crash()
        goes_on(giving.result)
        sshd.start()
        assert host.another().process(CLIENT).state is ProcessState.CHANGING
        host.ends(0)

        other = host.another()
        assert other.process(CLIENT).state is ProcessState.RUNNING
        assert (other.was_given(CLIENT), host.times) == (True, 1)


def test_one_whose_giver_is_killed_is_not_given_again(tmp_path: Path) -> None:
    """kill -9 between the begin and the first look. The next one sees it, and its end."""
    host = Place(tmp_path)
    code = f"""
from holdfast.adapters.hosts import actors_file
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import Does
made = actors_file.read({host.file.encode()!r}, "orders")
made.perform(Does.RESTART, Act(Does.RESTART, {A!r}, "app-1", called="plan.1", number=3))
"""
    giver = subprocess.Popen([sys.executable, "-c", code])
    _wait_until(lambda: host.times == 1)
    giver.send_signal(signal.SIGKILL)
    giver.wait()

    assert host.actor.process(CLIENT).state is ProcessState.CHANGING
    goes_on(lambda: host.actor.perform(Does.RESTART, CLIENT))
    not_begun(lambda: host.actor.perform(Does.RESTART, AGAIN))
    host.ends(0)
    assert host.actor.process(CLIENT).state is ProcessState.RUNNING
    assert host.another().perform(Does.RESTART, CLIENT) is None, "as it ended"
    assert host.times == 1
    assert host.another().perform(Does.RESTART, AGAIN) is None, "the next one of the journal is another one"
    assert host.times == 2


def test_settings_are_written_by_one_command_at_a_time(tmp_path: Path) -> None:
    host = Place(tmp_path)
    goes_on(lambda: host.actor.write_config(CLIENT, {"a": "1"}))
    other = host.another()
    assert other.is_writing(CLIENT)
    not_begun(lambda: other.write_config(AGAIN, {"a": "2"}))
    assert host.times == 1
    host.ends(0)

    assert not other.is_writing(CLIENT)
    assert other.write_config(AGAIN, {"a": "2"}) is None
    assert host.times == 2


def test_a_command_of_another_plan_is_waited_for(tmp_path: Path) -> None:
    """That plan was left in the middle of it."""
    host, other = Place(tmp_path), replace(CLIENT, called="another.1")
    goes_on(lambda: host.actor.perform(Does.RESTART, other))
    assert host.actor.process(CLIENT).state is ProcessState.CHANGING
    assert host.actor.process(replace(CLIENT, host="app-2")).state is ProcessState.RUNNING, "that is another process"
    assert (host.actor.was_given(CLIENT), host.actor.was_given(other)) == (False, True)
    not_begun(lambda: host.actor.perform(Does.RESTART, CLIENT))
    host.ends(0)

    assert host.actor.process(CLIENT).state is ProcessState.RUNNING
    assert host.actor.perform(Does.RESTART, CLIENT) is None
    assert host.times == 2


@pytest.mark.parametrize("kept", ["with its records", "without"])
def test_a_host_that_was_restarted_is_known_by_its_boot(tmp_path: Path, kept: str) -> None:
    host = Place(tmp_path)
    goes_on(lambda: host.actor.perform(Does.RESTART, CLIENT))
    (record,) = [one for one in host.records.iterdir() if one.name.endswith(".6")]
    pid = record.read_text().split()[0]
    for one in [one for one in psutil.process_iter() if _session_of(one.pid) == int(pid)]:
        with suppress(psutil.NoSuchProcess):
            one.kill()  # as its host's end does
    if kept == "without":
        for one in host.records.iterdir():
            one.unlink()
    else:
        mine = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
        record.write_text(f"{os.getpid()} {mine} of-another-boot\n")

    other = host.another()
    assert other.process(CLIENT).state is ProcessState.RUNNING, "as the status command says"
    assert other.was_given(CLIENT) is (kept != "without")
    assert ("its host was restarted" in str(other.outcome(CLIENT))) is (kept != "without")
    (tmp_path / "go").write_text("0")
    process_commands.HOLDS_S = 30.0
    assert other.perform(Does.RESTART, AGAIN) is None
    assert host.times == 2


def test_what_is_begun_late_is_not_begun_at_all(tmp_path: Path) -> None:
    """By a run that was killed: what it sent arrives when the next one has begun, or has seen that nothing was."""
    (tmp_path / "go").write_text("0")
    assert by_script(tmp_path, 14, 0).state is CommandState.ENDED
    for late, seen in ((6, 0), (10, 6), (16, 0)):
        with pytest.raises(HostTrouble, match="another command was begun there meanwhile"):
            by_script(tmp_path, late, seen)
    assert Place(tmp_path).times == 1
    with pytest.raises(HostTrouble, match="a later command") as trouble:
        Place(tmp_path).actor.perform(Does.RESTART, replace(CLIENT, called=".", number=2))
    assert (trouble.value.begun, trouble.value.lasting) == (False, True)


@pytest.mark.parametrize("kind", ["dash", "bash", "busybox"])
def test_of_several_that_begin_at_once_one_does_at_most(tmp_path: Path, kind: str) -> None:
    """The same one is begun by one of them, and the others see that one."""
    (tmp_path / "go").write_text("0")
    shell = shell_of(kind, tmp_path / "bin")
    host = Place(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        same = [pool.submit(by_script, tmp_path, 4, 0, shell) for _ in range(4)]
        assert {one.result().state for one in same} == {CommandState.ENDED}
        assert host.times == 1
        for order in (4, 14, 24):
            seen = _newest(tmp_path)
            others = [pool.submit(by_script, tmp_path, order + 2 * one, seen, shell) for one in range(1, 5)]
            assert sum(one.exception() is None for one in others) <= 1
    assert host.times <= 4
    assert sum(one.name.count(".") == 1 for one in (tmp_path / "records").iterdir()) == 1, "older records are removed"


@pytest.mark.parametrize("trouble", ["open to others", "a link", "a file"])
def test_a_folder_that_is_not_private_is_refused(tmp_path: Path, trouble: str) -> None:
    host = Place(tmp_path)
    match trouble:
        case "open to others":
            host.records.mkdir()
            host.records.chmod(0o750)
        case "a link":
            (tmp_path / "elsewhere").mkdir(mode=0o700)
            host.records.symlink_to(tmp_path / "elsewhere")
        case "a file":
            host.records.write_text("")
    with pytest.raises(HostTrouble, match="Nothing was begun") as refused:
        host.actor.perform(Does.RESTART, CLIENT)
    assert (refused.value.begun, refused.value.lasting, host.times) == (False, True, 0)


def test_a_service_that_keeps_what_its_command_prints_to_is_not_waited_for(tmp_path: Path) -> None:
    """`start` of a script that leaves a process behind, which holds its output."""
    (tmp_path / "slow.sh").write_text('sleep 300 & echo $! >>"$1/left"; yes | head -c 100000 >&2')
    host = Place.__new__(Place)
    host.folder, host.records, host.ssh = tmp_path, tmp_path / "records", ""
    process_commands.HOLDS_S = 20.0
    assert host.another().perform(Does.RESTART, CLIENT) is None
    left = int((tmp_path / "left").read_text())
    os.kill(left, 0)
    os.kill(left, signal.SIGKILL)
    (out,) = host.records.glob("*.out")
    assert out.stat().st_size == 4_096


def test_old_records_are_removed(tmp_path: Path) -> None:
    host = Place(tmp_path)
    (tmp_path / "go").write_text("0")
    process_commands.HOLDS_S = 30.0
    host.records.mkdir(mode=0o700)
    for name, days in (("old.2", 8), ("old.2.end", 8), ("young.2", 6)):
        (host.records / name).write_text("")
        os.utime(host.records / name, (time.time() - days * 86_400,) * 2)
    assert host.actor.perform(Does.RESTART, CLIENT) is None

    assert [one.name for one in host.records.iterdir() if "old" in one.name or "young" in one.name] == ["young.2"]


@pytest.mark.parametrize("answer", [b"", b"1 none", b"x ended 0\n\n", b"1 gone 0\n\n", b"9999999999 none 0\n\n"])
def test_a_host_that_shows_no_record_is_unknown(answer: bytes) -> None:
    with pytest.raises(HostTrouble, match="cannot be read"):
        shown_before(ScriptEnd(0, answer, b""))
    with pytest.raises(HostTrouble):
        begun(ScriptEnd(0, answer, b""), 2, "a host")


@pytest.mark.parametrize("answer", [b"given\n0 none 0\n\n", b"begun\n4 ended 0\n\n", b"changed\n"])
def test_one_that_has_withdrawn_was_not_begun(answer: bytes) -> None:
    with pytest.raises(HostTrouble, match="another command was begun there meanwhile") as trouble:
        begun(ScriptEnd(0, answer, b""), 2, "a host")
    assert (trouble.value.begun, trouble.value.lasting) == (False, False)


def by_script(folder: Path, order: int, seen: int, shell: Shell | None = None) -> Record:
    """What a run sends to a host."""
    key = Place(folder).actor._key(replace(CLIENT, called="."))
    words = (f"{folder}/records", key, str(order), str(seen), "60", "300", RUNNER, "sh", f"{folder}/slow.sh", str(folder))
    answer = (shell or LocalShell()).run(BEGIN, words, limit_s=60, most_bytes=10_000)
    return begun(answer, order, "a host")


def _session_of(pid: int) -> int:
    with suppress(ProcessLookupError):
        return os.getsid(pid)
    return 0


def _newest(folder: Path) -> int:
    key = Place(folder).actor._key(replace(CLIENT, called="."))
    answer = LocalShell().run(LOOK, (f"{folder}/records", key, "5", "true"), limit_s=60, most_bytes=10_000)
    return shown_before(answer)[0].order


def _wait_until(happened: Callable[[], bool]) -> None:
    ends_at = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < ends_at
        time.sleep(0.02)
