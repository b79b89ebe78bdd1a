"""Hosts over a real sshd: keys, logins, noise, and hosts that refuse, break off or never answer."""

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harness import sshd
from tests.harness.sshd import Sshd

from holdfast.adapters.hosts.ssh import SshHosts
from holdfast.adapters.hosts.ssh_settings import SshSettings, target
from holdfast.errors import HostTrouble

pytestmark = pytest.mark.starts


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with Sshd(tmp_path_factory.mktemp("sshd")) as running:
        yield running


def said(settings: SshSettings, url: str = "ssh://127.0.0.1/") -> HostTrouble:
    """Why a script cannot be run there. Nothing of it was."""
    with SshHosts(settings, connect_s=20) as hosts, pytest.raises(HostTrouble) as refused:
        hosts.shell(target(url)).run("echo done", limit_s=30, most_bytes=100)
    assert not refused.value.begun
    return refused.value


def out(settings: SshSettings, url: str = "ssh://127.0.0.1/") -> bytes:
    with SshHosts(settings) as hosts:
        return hosts.shell(target(url)).run("echo done", limit_s=30, most_bytes=100).stdout


def fingerprint(key: Path) -> str:
    import asyncssh

    return str(asyncssh.read_public_key(key).get_fingerprint())


class TestHostKeys:
    def test_an_unknown_host_is_refused_with_its_fingerprint(self, host: Sshd, tmp_path: Path) -> None:
        (tmp_path / "known").write_text("")
        trouble = said(replace(host.settings, known_hosts=(str(tmp_path / "known"),)))

        assert trouble.lasting
        assert "is no known host" in str(trouble)
        assert fingerprint(host.folder / "host.pub") in str(trouble)

    @pytest.mark.thorough
    @pytest.mark.parametrize("kind", ["ed25519", "rsa"])
    def test_a_changed_key_is_refused_with_both(self, host: Sshd, tmp_path: Path, kind: str) -> None:
        """One of the same kind, and one of a kind that the host does not have at all."""
        other = tmp_path / "other"
        sshd.key(other, kind)
        line = " ".join(other.with_suffix(".pub").read_text().split()[:2])
        (tmp_path / "known").write_text(f"[127.0.0.1]:{host.port} {line}\n")
        trouble = said(replace(host.settings, known_hosts=(str(tmp_path / "known"),)))

        assert trouble.lasting
        assert "not the one in known_hosts" in str(trouble)
        assert fingerprint(host.folder / "host.pub") in str(trouble)

    def test_the_key_of_a_connection_is_enough(self, host: Sshd, tmp_path: Path) -> None:
        (tmp_path / "known").write_text("")
        given = replace(
            host.settings, known_hosts=(str(tmp_path / "known"),), host_keys=(f"[127.0.0.1]:{host.port} {host.host_key}",)
        )

        assert out(given) == b"done\n"

    def test_known_hosts_that_are_no_known_hosts(self, host: Sshd, tmp_path: Path) -> None:
        (tmp_path / "known").write_text("[127.0.0.1 what\n")

        assert "known host" in str(said(replace(host.settings, known_hosts=(str(tmp_path / "known"),))))


class TestLogins:
    def test_a_foreign_key_is_refused(self, host: Sshd, tmp_path: Path) -> None:
        sshd.key(tmp_path / "foreign")
        trouble = said(replace(host.settings, key_files=(str(tmp_path / "foreign"),)))

        assert trouble.lasting
        assert "refuses the login" in str(trouble)

    @pytest.mark.thorough
    def test_a_key_as_text_with_a_passphrase(self, host: Sshd, tmp_path: Path) -> None:
        place = tmp_path / "locked"
        sshd.key(place, passphrase="open sesame")
        with (host.folder / "authorized_keys").open("a") as keys:
            keys.write(place.with_suffix(".pub").read_text())
        given = replace(host.settings, key_files=(), private_key=place.read_text(), passphrase="open sesame")

        assert out(given) == b"done\n"
        trouble = str(said(replace(given, passphrase="wrong words")))
        assert "private key for it cannot be used" in trouble
        assert "sesame" not in trouble + repr(given)
        assert "wrong" not in trouble

    def test_the_user_and_port_of_the_url_win(self, host: Sshd) -> None:
        given = replace(host.settings, user="nobody-of-that-name", port=1)

        assert out(given, f"ssh://{host.user}@127.0.0.1:{host.port}/") == b"done\n"

    def test_another_user_by_sudo_needs_its_rule(self, host: Sshd) -> None:
        trouble = said(host.settings, "ssh://127.0.0.1/?sudo=no_such_user_here")

        assert "no script can be run there" in str(trouble)


class TestHostsThatDoNotAnswer:
    def test_a_closed_port(self, host: Sshd) -> None:
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            port = closed.getsockname()[1]
        assert "cannot be reached" in str(said(replace(host.settings, port=port)))

    @pytest.mark.parametrize(
        "greeting", [b"", b"SSH-2.0-x\r\n", b"SSH-2.0-\xff\x1b[2J\r\n", b"HTTP/1.1 400 \x1b[2Jno\r\n\r\n" * 2000]
    )
    def test_a_port_that_never_answers_or_answers_with_something_else(self, host: Sshd, greeting: bytes) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:

            def greet() -> None:
                one, _ = server.accept()
                with one:
                    one.sendall(greeting)
                    ended.wait(60)

            ended = threading.Event()
            threading.Thread(target=greet, daemon=True).start()
            settings = replace(host.settings, port=server.getsockname()[1])
            with SshHosts(settings, connect_s=1.5) as hosts, pytest.raises(HostTrouble) as refused:
                hosts.shell(target("ssh://127.0.0.1/")).run("true", limit_s=30, most_bytes=10)
            ended.set()
        assert not refused.value.begun
        assert str(refused.value).isprintable()

    def test_a_name_that_there_is_not(self, host: Sshd) -> None:
        assert "cannot be reached" in str(said(host.settings, "ssh://no-such-host.invalid/"))
        assert "is no name of a host" in str(said(host.settings, "ssh://host..invalid/"))

    def test_a_connection_that_breaks_has_perhaps_done_it(self, host: Sshd, tmp_path: Path) -> None:
        began = tmp_path / "began"
        troubles: list[HostTrouble] = []

        def run() -> None:
            with pytest.raises(HostTrouble) as refused:
                shell.run('touch "$1"; while [ ! -e "$1.over" ]; do sleep 0.1; done', (str(began),), limit_s=600, most_bytes=10)
            troubles.append(refused.value)

        with SshHosts(host.settings) as hosts:
            shell = hosts.shell(target("ssh://127.0.0.1/"))
            running = threading.Thread(target=run)
            running.start()
            limit = time.monotonic() + 60
            while not began.exists():
                assert time.monotonic() < limit
                time.sleep(0.01)
            host.drop_connections()
            running.join(60)
            (tmp_path / "began.over").touch()
            assert troubles[0].begun
            assert "connection broke" in str(troubles[0])
            # The next script gets a connection of its own.
            assert shell.run("echo again", limit_s=60, most_bytes=10).stdout == b"again\n"

    def test_one_that_broke_just_now_is_not_used_again(self, host: Sshd) -> None:
        with SshHosts(host.settings) as hosts:
            shell = hosts.shell(target("ssh://127.0.0.1/"))

            async def run_at_once() -> bytes:
                (await hosts.connection(target("ssh://127.0.0.1/"), "here")).made.abort()
                return (await shell._run("echo again", (), b"", 60, 10)).stdout

            assert hosts.call(run_at_once()) == b"again\n"


@pytest.mark.thorough
def test_what_a_login_prints_is_no_answer(host: Sshd) -> None:
    """A profile that prints, as bash reads one for commands over SSH; more of it than is bearable ends the command."""
    with Sshd(host.folder / "noisy", 'ForceCommand echo hello; echo problems >&2; eval "$SSH_ORIGINAL_COMMAND"') as noisy:
        assert out(noisy.settings) == b"done\n"
    with Sshd(host.folder / "deaf", "ForceCommand echo hello; echo 'not today' >&2; exit 1") as deaf:
        assert "no script can be run there: not today hello" in str(said(deaf.settings))
    with (
        Sshd(host.folder / "endless", "ForceCommand yes") as endless,
        SshHosts(endless.settings) as hosts,
        pytest.raises(HostTrouble, match="printed more than 100 bytes"),
    ):
        hosts.shell(target("ssh://127.0.0.1/")).run("true", limit_s=60, most_bytes=100)


def test_half_a_script_runs_nothing(host: Sshd, tmp_path: Path) -> None:
    """What is left of a script after a lost connection is a syntax error."""
    from holdfast.adapters.hosts import ssh

    def cut(talk: object, script: str, arguments: tuple[str, ...]) -> bytes:
        whole = text(talk, script, arguments)
        return whole[:-4] + b"\n" * 4

    text = ssh._Talk._text
    with pytest.MonkeyPatch.context() as patched, SshHosts(host.settings) as hosts:
        patched.setattr(ssh._Talk, "_text", cut)
        with pytest.raises(HostTrouble, match="no script can be run there"):
            hosts.shell(target("ssh://127.0.0.1/")).run(f"touch {tmp_path}/ran; true", limit_s=30, most_bytes=10)
    assert not (tmp_path / "ran").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("login", ["/bin/bash", "/bin/sh"])
def test_the_login_shell_sees_no_argument(host: Sshd, login: str) -> None:
    with Sshd(host.folder / login[5:], f'ForceCommand exec {login} -c "$SSH_ORIGINAL_COMMAND"') as other:
        with SshHosts(other.settings) as hosts:
            answer = hosts.shell(target("ssh://127.0.0.1/")).run('printf %s "$1"', ("'$(id)\"\n!!",), limit_s=30, most_bytes=50)
        assert answer.stdout == b"'$(id)\"\n!!"
