"""Hosts in trouble, behind a real sshd: what `holdfast disk`, `holdfast seed` and an act of a run say, and that nothing is done.

Where the tests are root's, the disks are real: a mount that is read-only, and one that is full. Else a folder without the right to
write, and a `dd` whose writes end as on a full disk, stand for them.
"""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.harness import sshd
from tests.harness.article import A, C
from tests.harness.plans import article_plan
from tests.harness.running_group import RunningGroup
from tests.harness.sshd import Sshd

from holdfast.actor import Actor
from holdfast.adapters.hosts import actors_file, process_commands
from holdfast.adapters.hosts.process_metadata import HostProcessMetadataFiles
from holdfast.adapters.hosts.ssh import SshHosts
from holdfast.adapters.hosts.ssh_settings import target
from holdfast.adapters.hosts.state_directories import Place
from holdfast.cli.commands import disk, seed
from holdfast.errors import HoldfastError, HostTrouble
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import Does, Halt
from holdfast.rollout.policy.policy import Policy

pytestmark = pytest.mark.starts

OTHER = "bbb83e43-b1af-4b2d-a60a-94a7091684d0"
FILE = "kafka-streams-process-metadata"
SERVICE = Path(__file__).parents[3] / "harness" / "service.sh"
CLIENT = Act(Does.RESTART, A, "app-1")
ROOT = os.geteuid() == 0


class Host:
    """A state directory, a service, and the sshd in front of them. `seen`: the folder's path as the test sees it."""

    def __init__(self, running: Sshd, folder: Path, seen: Path | None = None) -> None:
        self.sshd, self.folder = running, folder
        self.known = running.folder / "known_hosts"
        self.state_dir = folder / "orders"
        self.seen = seen or folder
        self.timeout, self.limit_s = "60", 60
        self.mend: Callable[[], object] = lambda: None
        """Ends the trouble of its disk."""

    @property
    def files(self) -> set[str]:
        return {path.name for path in (self.seen / "orders").iterdir()}

    def holds(self) -> str:
        return str(json.loads((self.seen / "orders" / FILE).read_text())["processId"])

    def url(self, path: str | None = None) -> str:
        return f"ssh://{self.sshd.user}@127.0.0.1:{self.sshd.port}{path or self.state_dir}"

    def disk(self, path: str | None = None) -> dict[str, object]:
        done = self._run(disk.command, self.url(path), "--json")
        (found,) = json.loads(done.output)["state_directories"]
        assert done.return_value == ("problem" in found)
        return dict(found)

    def seed(self, path: str | None = None) -> str | None:
        """Why it was refused. None: it is written."""
        refused = self._run(seed.command, self.url(path), A, "--replaces", OTHER, "--json").exception
        assert refused is None or isinstance(refused, HoldfastError), refused
        return None if refused is None else str(refused)

    def _run(self, command: object, *arguments: str) -> Result:
        login = ("--ssh-key", str(self.sshd.client), "--ssh-known-hosts", str(self.known), "--timeout", self.timeout)
        return CliRunner().invoke(command, [*arguments, *login], standalone_mode=False)  # type: ignore[arg-type]

    def actor(self, records: Path | None = None) -> Actor:
        """`records`: where its commands have theirs; None: in the home of who logs in."""
        verbs = ("status", "start", "stop", "restart")
        given = "\n".join(f'    {verb}: [sh, "{SERVICE}", "{self.folder}", {verb}, "{{host}}"]' for verb in verbs)
        login = f"{{host: 127.0.0.1, port: {self.sshd.port}, key: {self.sshd.client}, known_hosts: {self.known}}}"
        text = f'format_version: "1.0"\ngroups:\n  orders:\n{given}\n    limit_s: {self.limit_s}\n    ssh: {login}\n'
        text += "" if records is None else f'    records: "{records}"\n'
        return actors_file.read(text.encode(), "orders")

    @property
    def starts(self) -> str:
        return (self.seen / "app-1").read_text().strip()


def lies_there(folder: Path) -> None:
    (folder / "orders/0_1").mkdir(parents=True)
    (folder / "orders/0_1/.checkpoint").write_text("0\n1\norders-log 1 7\n")
    (folder / "orders" / FILE).write_text(f'{{"processId":"{OTHER}"}}')
    (folder / "orders/.lock").touch()
    (folder / "app-1").write_text("1")
    (folder / "next").mkdir()


@contextmanager
def host(folder: Path, *more: str) -> Iterator[Host]:
    lies_there(folder / "disk")
    with Sshd(folder / "sshd", *more) as running:
        yield Host(running, folder / "disk")


Made = Callable[[str], Host]


@pytest.fixture
def forced(tmp_path: Path) -> Iterator[Made]:
    """A host on which each login runs that command, in place of what was requested."""
    with ExitStack() as stack:
        yield lambda command: stack.enter_context(host(tmp_path, f"ForceCommand {command}"))


def test_another_host_key_ends_it_before_the_login(tmp_path: Path) -> None:
    with host(tmp_path) as found:
        sshd.key(tmp_path / "other")
        line = " ".join((tmp_path / "other.pub").read_text().split()[:2])
        found.known = tmp_path / "known"
        found.known.write_text(f"[127.0.0.1]:{found.sshd.port} {line}\n")
        said = "not the one in known_hosts"

        assert said in str(found.disk()["problem"])
        assert said in str(found.seed())
        for act in (lambda: found.actor().process(CLIENT), lambda: found.actor().perform(Does.RESTART, CLIENT)):
            with pytest.raises(HostTrouble, match=said) as trouble:
                act()
            assert (trouble.value.lasting, trouble.value.begun) == (True, False)
        assert (found.holds(), found.starts) == (OTHER, "1")


def test_a_banner_as_long_as_sshd_sends_it_changes_nothing(tmp_path: Path) -> None:
    """With control characters, in no encoding, and with lines that look like answers."""
    (tmp_path / "banner").write_bytes(b"\x1b[2J running 7\nholdfast \xff\n:directory\n" * 6_000)
    with host(tmp_path, f'Banner "{tmp_path / "banner"}"') as found:
        assert found.disk().get("process_id") == OTHER, found.disk()
        assert found.seed() is None
        assert found.holds() == A
        assert found.actor().perform(Does.RESTART, CLIENT) is None


def test_a_login_that_prints_megabytes_is_cut_off(forced: Made) -> None:
    found = forced('head -c 80000000 /dev/zero; eval "$SSH_ORIGINAL_COMMAND"')

    assert "printed more than" in str(found.disk()["problem"])
    assert "printed more than" in str(found.seed())
    with pytest.raises(HostTrouble, match="printed more than"):
        found.actor().process(CLIENT)
    assert found.holds() == OTHER


def test_a_host_that_hangs_after_the_login_costs_the_time_limit(forced: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known to be done, and nothing was."""
    monkeypatch.setattr(process_commands, "ENDS_S", 1.0)
    found = forced("exec sleep 120")
    found.timeout, found.limit_s = "5", 3  # in which a busy machine logs in
    actor = found.actor()

    assert re.search(r"was not done within \d\S* s, and was ended", str(found.disk()["problem"]))
    assert re.search(r"was not done within \d\S* s, and was ended\. Nothing was written\.", str(found.seed()))
    with pytest.raises(HostTrouble):
        actor.process(CLIENT)
    with pytest.raises(HostTrouble) as trouble:
        actor.perform(Does.RESTART, CLIENT)
    assert trouble.value.begun, "the host may have begun"
    assert (found.holds(), found.starts) == (OTHER, "1")


def test_a_slow_shell_is_waited_for(forced: Made) -> None:
    found = forced('sleep 0.5; eval "$SSH_ORIGINAL_COMMAND"')

    assert found.disk().get("process_id") == OTHER, found.disk()
    assert found.seed() is None
    assert found.holds() == A
    assert found.actor().perform(Does.RESTART, CLIENT) is None
    assert found.starts == "2"


def test_a_link_in_the_path_is_not_followed(tmp_path: Path) -> None:
    with host(tmp_path) as found:
        (tmp_path / "link").symlink_to(found.folder)
        (found.folder / "to").symlink_to("orders")
        for path in (f"{tmp_path}/link/orders", f"{found.folder}/to"):
            assert "symbolic link" in str(found.disk(path)["problem"])
            assert "symbolic link" in str(found.seed(path))
        assert found.holds() == OTHER


@contextmanager
def mounted(folder: Path, more: str, mended: str) -> Iterator[Host]:
    """A host of its own mounts, whose disk is a small one in memory. `more`: what else is done to the mount "$1"; `mended`: to end
    it."""
    disk_of = folder / "disk"
    disk_of.mkdir()
    there = folder / "there"
    lies_there(there)
    script = f'mount -t tmpfs -o size=128k tmpfs "$1" && cp -R "$2/." "$1" && {more} && shift 2 && exec "$@"'
    inside = ("unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh", str(disk_of), str(there))
    with Sshd(folder / "sshd", inside=inside) as running:
        assert running._process is not None
        number = str(running._process.pid)
        found = Host(running, disk_of, Path(f"/proc/{number}/root{disk_of}"))
        ends = ("nsenter", "-t", number, "-m", "--", "sh", "-c", mended, "sh", str(disk_of))
        found.mend = lambda: subprocess.run(ends, check=True)
        yield found


@contextmanager
def read_only(folder: Path) -> Iterator[Host]:
    if ROOT:
        with mounted(folder, 'mount -o remount,ro "$1"', 'mount -o remount,rw "$1"') as found:
            yield found
        return
    with host(folder) as found:
        places = (found.state_dir, found.folder / "next", found.folder)

        def turn(mode: int) -> None:
            for one in places:
                one.chmod(mode)

        found.mend = lambda: turn(0o755)
        turn(0o555)
        yield found
        found.mend()


@contextmanager
def full(folder: Path) -> Iterator[Host]:
    if ROOT:
        with mounted(folder, '{ dd if=/dev/zero of="$1/filler" bs=1k 2>/dev/null || true; }', 'rm "$1/filler"') as found:
            yield found
        return
    commands = folder / "commands"
    commands.mkdir()
    (commands / "dd").write_text('#!/bin/sh\ncase $* in *ibs=1*) exec /bin/dd "$@" ;; esac\nexec /bin/dd "$@" >/dev/full\n')
    (commands / "mv").write_text("#!/bin/sh\necho >/dev/full\n")
    for one in commands.iterdir():
        one.chmod(0o755)
    with host(folder, f'SetEnv PATH="{commands}:/usr/bin:/bin"') as found:
        found.mend = lambda: [one.unlink() for one in commands.iterdir()]
        yield found


@pytest.mark.parametrize(
    ("disks", "said"),
    [(read_only, "Read-only file system|Permission denied"), (full, "No space left on device")],
    ids=["read-only", "full"],
)
def test_a_disk_that_takes_nothing_is_read_and_not_written(disks: Callable[..., object], said: str, tmp_path: Path) -> None:
    """Nor does a run go on that meets it: it halts for the seed, and goes on once the disk takes it."""
    with disks(tmp_path) as found:  # type: ignore[attr-defined]
        before = found.files
        assert found.disk().get("process_id") == OTHER, found.disk()
        refusal = found.seed()

        assert refusal is not None
        assert any(one in refusal for one in said.split("|")), refusal
        assert "Nothing was written" in refusal
        assert (found.files, found.holds()) == (before, OTHER)

        failed = found.actor().perform(Does.RESTART, CLIENT)
        assert failed is not None
        assert "failed" in failed
        assert (found.actor().process(CLIENT).identity, found.starts) == ("start-1", "1")
        without_records = found.actor(found.folder / "records")
        assert without_records.process(CLIENT).identity == "start-1"
        with pytest.raises(HostTrouble, match=said) as trouble:
            without_records.perform(Does.RESTART, CLIENT)
        assert (trouble.value.begun, trouble.value.lasting) == (False, True)

        with SshHosts(replace(found.sshd.settings, known_hosts=(str(found.known),))) as hosts:
            _halts_for_the_seed(found, hosts, said)


def test_a_disk_that_becomes_full_keeps_the_end_of_a_command(tmp_path: Path) -> None:
    """Where the tests are root's; else its disk only becomes fuller."""
    with mounted(tmp_path, "true", "true") if ROOT else host(tmp_path) as found:
        fills = f'dd if=/dev/zero of="{found.folder}/filler" bs=1k count=1000; exit 7'
        text = f"""
format_version: "1.0"
groups:
  orders:
    status: [echo, running, "1"]
    restart: [sh, -c, '{fills}']
    records: "{found.folder}/records"
    ssh: {{host: 127.0.0.1, port: {found.sshd.port}, key: "{found.sshd.client}", known_hosts: "{found.known}"}}
"""
        actor = actors_file.read(text.encode(), "orders")
        failed = actor.perform(Does.RESTART, CLIENT)

        assert failed is not None
        assert failed.startswith(f"The command to restart {A} on app-1 failed")
        assert "unknown" not in failed
        (end,) = (found.seen / "records").glob("*.end")
        assert end.read_text().split() == ["7"]


def _halts_for_the_seed(found: Host, hosts: SshHosts, said: str) -> None:
    reality, plan = RunningGroup(), article_plan(Policy(acts=("stop_client", "start_client", "write_process_metadata")))
    reality.files = HostProcessMetadataFiles({"ssh": lambda url: Place(hosts.shell(target(url)), target(url).path, url, "host")})
    reality.state_dirs = {ProcessId.parse(C): f"ssh://127.0.0.1{found.folder}/next"}
    for _ in range(2):
        ran = reality.run(plan)
        assert ran.halted is not None
        assert (ran.halted.why, reality.done) == (Halt.REFUSED, [(Does.STOP, C)])
        assert any(one in ran.halted.text for one in said.split("|")), ran.halted.text
        assert list((found.seen / "next").iterdir()) == []

    found.mend()
    ran = reality.run(plan)
    assert (ran.halted, ran.applied.waiting_for) == (None, None)
    assert reality.done == [(Does.STOP, C), (Does.START, C)]
    assert [path.name for path in (found.seen / "next").iterdir()] == [FILE]
    assert json.loads((found.seen / "next" / FILE).read_text())["processId"] == C
