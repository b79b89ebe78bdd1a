"""The seam `Shell` over SSH (library: asyncssh): one event loop in a thread, one connection a host, host keys always checked.

The login shell of a host may be any (bash, fish, csh), so it sees one fixed command of plain letters; the script and its arguments
come over standard input, inside braces: half of them, after a lost connection, is a syntax error and runs nothing. What the login
prints (banners, profiles) comes before a random token, and is dropped. `timeout` on the host ends what the time limit here cannot
reach any more.
"""

import asyncio
import atexit
import functools
import math
import os
import secrets
import shlex
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Self, TypeVar

import asyncssh

from holdfast.adapters.hosts.shell import MOST_STDERR, ScriptEnd, refuse_unsendable, too_late, too_much
from holdfast.adapters.hosts.ssh_settings import PORT, SshSettings, Target, known_hosts_text
from holdfast.errors import HostTrouble
from holdfast.rollout.text.format import printable

T = TypeVar("T")
asyncssh.set_log_level("WARNING")
"""Its log of every connection names users, and is written when the process ends."""
CONNECT_S = 15.0
_KEEPALIVE_S = 5.0
_KEEPALIVES = 3
_CONNECTING_AT_ONCE = 64
_RUNNING_ON_ONE_HOST = 8
"""sshd allows ten sessions a connection (MaxSessions)."""
_NOISE = 65_536
"""Bytes that a login may print before the script begins."""
_GRACE_S = 1
_READ = 'eval "$(dd ibs=1 count={size} 2>/dev/null)"'
_RUN = 'timeout 5 true 2>/dev/null && exec timeout -s KILL {seconds} sh -c "$1" holdfast; exec sh -c "$1" holdfast'


@functools.lru_cache(maxsize=64)
def shared(settings: SshSettings) -> "SshHosts":
    """The hosts of these settings for the rest of this process: every reader and writer shares their connections."""
    hosts = SshHosts(settings)
    atexit.register(hosts.close)
    return hosts


class SshHosts:
    """Hosts and the connections to them. To be used in a `with`; its shells may be used by several threads."""

    def __init__(self, settings: SshSettings, connect_s: float = CONNECT_S) -> None:
        self.settings = settings
        self._connect_s = connect_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._starting = threading.Lock()
        self._connections: dict[tuple[str, int | None, str | None], asyncio.Task[_Connection]] = {}
        self._options: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._starting:
            loop, self._loop = self._loop, None
        if loop is None:
            return
        with suppress(Exception):
            asyncio.run_coroutine_threadsafe(self._close(), loop).result(_GRACE_S)
        loop.call_soon_threadsafe(loop.stop)

    def shell(self, target: Target) -> "SshShell":
        return SshShell(self, target)

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine that bounds its own time, run by the loop's thread."""
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._loop.set_default_executor(ThreadPoolExecutor(_CONNECTING_AT_ONCE, thread_name_prefix="holdfast-names"))
                self._slots = asyncio.Semaphore(_CONNECTING_AT_ONCE)
                threading.Thread(target=_run, args=(self._loop,), name="holdfast-ssh", daemon=True).start()
            loop = self._loop
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    async def connection(self, target: Target, shown: str) -> "_Connection":
        """The connection to its host, made once; one that broke or failed is made anew by who asks next."""
        key = (target.host, target.port or self.settings.port, target.user or self.settings.user)
        task = self._connections.get(key)
        if task is None or (task.done() and not _usable(task)):
            task = asyncio.create_task(self._connect(target, shown))
            self._connections[key] = task
        return await asyncio.shield(task)

    async def _connect(self, target: Target, shown: str) -> "_Connection":
        async with self._slots:
            client = _Client()
            port = target.port or self.settings.port
            named: dict[str, Any] = {"port": port} if port else {}
            user = target.user or self.settings.user
            if user:
                named["username"] = user
            options = self._usual_options_or_refuse(shown)
            try:
                async with asyncio.timeout(self._connect_s):
                    made = await asyncssh.connect(target.host, **named, **options, client_factory=lambda: client)
            except (OSError, asyncssh.Error, ValueError, TimeoutError) as error:
                raise await self._refusal(error, client, target, shown) from None
            return _Connection(made, asyncio.Semaphore(_RUNNING_ON_ONE_HOST))

    def _usual_options_or_refuse(self, shown: str) -> dict[str, Any]:
        """Raise HostTrouble, without what a key or a passphrase is made of, where one cannot be used."""
        try:
            return self._usual_options()
        except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError):
            problem = "the private key for it cannot be used: it has another passphrase, or it is no key in a known format"
        except OSError as error:
            problem = f"the private key for it cannot be read: {error.strerror}"
        except ValueError:
            problem = "the known hosts cannot be used: a line of them is malformed"
        raise HostTrouble(f"{shown}: {problem}", begun=False, lasting=True)

    def _usual_options(self) -> dict[str, Any]:
        if not self._options:
            given = self.settings
            options: dict[str, Any] = {
                "known_hosts": asyncssh.import_known_hosts(known_hosts_text(given)),
                "keepalive_interval": _KEEPALIVE_S,
                "keepalive_count_max": _KEEPALIVES,
                "connect_timeout": self._connect_s,
                "login_timeout": self._connect_s,
                "utf8_decode_errors": "replace",  # of banners in another encoding: nothing else is decoded
            }
            if not given.from_home:
                options |= {"config": None, "agent_path": os.environ.get("SSH_AUTH_SOCK") or None}
            if given.password is not None:
                options["password"] = given.password
            keys: list[Any] = [asyncssh.read_private_key(os.path.expanduser(name), given.passphrase) for name in given.key_files]  # noqa: PTH111
            if given.private_key is not None:
                keys.append(asyncssh.import_private_key(given.private_key, given.passphrase))
            if keys or not given.from_home:
                options["client_keys"] = keys or None
            self._options = options
        return self._options

    async def _refusal(self, error: Exception, client: "_Client", target: Target, shown: str) -> HostTrouble:
        """Why there is no connection, and what to do. Nothing that a key or a password is part of is quoted."""
        if isinstance(
            error, asyncssh.HostKeyNotVerifiable | asyncssh.KeyExchangeFailed | asyncssh.ConnectionLost | ConnectionResetError
        ):
            untrusted = await self._untrusted(client, target, shown)
            if untrusted is not None:
                return untrusted
        if isinstance(error, asyncssh.PermissionDenied):
            return HostTrouble(
                f"{shown} refuses the login: check the user, and that its authorized_keys have the public key of Holdfast",
                begun=False,
                lasting=True,
            )
        if isinstance(error, TimeoutError):
            return HostTrouble(f"{shown} does not answer: no connection within {self._connect_s:g} s", begun=False)
        if isinstance(error, asyncssh.Error):
            return HostTrouble(f"{shown} ended the connection: {printable(error.reason, 200)}", begun=False)
        if isinstance(error, OSError):
            reason = error.strerror or "no answer"
            return HostTrouble(f"{shown} cannot be reached: {printable(reason, 200)}", begun=False)
        if isinstance(error, UnicodeDecodeError):
            return HostTrouble(f"{shown} does not speak SSH: the version that it names is no text", begun=False, lasting=True)
        if isinstance(error, UnicodeError):
            problem = "is no name of a host: a part of it, between two dots, is empty or longer than 63 characters"
            return HostTrouble(f"{shown} {problem}", begun=False, lasting=True)
        return HostTrouble(f"{shown}: no connection: {type(error).__name__}", begun=False, lasting=True)

    async def _untrusted(self, client: "_Client", target: Target, shown: str) -> HostTrouble | None:
        """What is wrong with its key; None: nothing is."""
        known, found = self._known(target), client.found
        if found is None and known:  # perhaps it has no key of a kind that is known for it: then it ends the connection
            with suppress(OSError, asyncssh.Error, TimeoutError):
                async with asyncio.timeout(self._connect_s):
                    found = await asyncssh.get_server_host_key(target.host, target.port or self.settings.port or PORT, config=None)
        if found is None or found in known:
            return None
        shows = f"the key {found.get_algorithm()} {found.get_fingerprint()}"
        if not known:
            return HostTrouble(
                f"{shown} is no known host; it shows {shows}. Compare that with the host's own (ssh-keygen -lf"
                " /etc/ssh/ssh_host_ed25519_key.pub), then add it to known_hosts",
                begun=False,
                lasting=True,
            )
        return HostTrouble(
            f"{shown} shows {shows}, which is not the one in known_hosts: another machine has its name, or it was set up anew. Find"
            " out which, then replace the line in known_hosts (ssh-keygen -R)",
            begun=False,
            lasting=True,
        )

    def _known(self, target: Target) -> list[asyncssh.SSHKey]:
        hosts = self._usual_options()["known_hosts"]
        return list(hosts.match(target.host, "", target.port or self.settings.port or PORT)[0])

    async def _close(self) -> None:
        for task in self._connections.values():
            task.cancel()
            with suppress(Exception, asyncio.CancelledError):
                (await task).abort()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    loop.close()


def _usable(task: "asyncio.Task[_Connection]") -> bool:
    if task.cancelled() or task.exception() is not None:
        return False
    connection = task.result()
    return not connection.is_broken and not connection.made.is_closed()


class _Connection:
    def __init__(self, made: asyncssh.SSHClientConnection, slots: asyncio.Semaphore) -> None:
        self.made, self.slots = made, slots
        self.is_broken = False

    def abort(self) -> None:
        """It is not used again. asyncssh itself calls it closed some turns of its loop later."""
        self.is_broken = True
        self.made.abort()


class _Client(asyncssh.SSHClient):
    """Trusts no key but the known ones, and remembers the one that was shown."""

    found: asyncssh.SSHKey | None = None

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:  # noqa: ARG002
        self.found = key
        return False

    def validate_host_ca_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:  # noqa: ARG002
        self.found = key
        return False


class SshShell:
    """Scripts on one host, as the user that logs in or, with `sudo -n`, as another."""

    def __init__(self, hosts: SshHosts, target: Target) -> None:
        self._hosts = hosts
        self._target = target
        port = target.port or hosts.settings.port
        self.shown = f"{target.host}{f':{port}' if port else ''}"
        self._sudo_user = target.sudo_user or hosts.settings.sudo_user

    def run(
        self, script: str, arguments: tuple[str, ...] = (), *, stdin: bytes = b"", limit_s: float, most_bytes: int
    ) -> ScriptEnd:
        refuse_unsendable(script, arguments, self.shown)
        return self._hosts.call(self._run(script, arguments, stdin, limit_s, most_bytes))

    async def _run(self, script: str, arguments: tuple[str, ...], stdin: bytes, limit_s: float, most_bytes: int) -> ScriptEnd:
        talk = _Talk(self.shown, most_bytes)
        try:
            async with asyncio.timeout(limit_s):
                for attempt in (1, 2):
                    connection = await self._hosts.connection(self._target, self.shown)
                    try:
                        async with connection.slots:
                            return await talk.over(connection.made, self._sudo_user, (script, arguments, stdin), limit_s)
                    except (asyncssh.Error, OSError):
                        connection.abort()  # one that was made long ago may have broken meanwhile
                        if talk.sent or attempt == 2:
                            raise
        except TimeoutError:
            if not talk.sent:
                raise HostTrouble(f"{self.shown} does not answer within {limit_s:.3g} s", begun=False) from None
            raise too_late(self.shown, limit_s) from None
        except (asyncssh.Error, OSError) as error:
            reason = error.reason if isinstance(error, asyncssh.Error) else error.strerror
            raise HostTrouble(
                f"{self.shown}: the connection broke: {printable(reason or 'no reason given', 200)}", begun=talk.sent
            ) from None
        raise AssertionError("the second attempt returns or raises")


class _Talk:
    """One script and its answer. `sent`: the host may have begun with it."""

    def __init__(self, shown: str, most_bytes: int) -> None:
        self._shown, self._most_bytes = shown, most_bytes
        self._token = f"holdfast {secrets.token_hex(16)}\n".encode()
        self.sent = False

    async def over(
        self,
        connection: asyncssh.SSHClientConnection,
        sudo_user: str | None,
        work: tuple[str, tuple[str, ...], bytes],
        limit_s: float,
    ) -> ScriptEnd:
        script, arguments, stdin = work
        text = self._text(script, arguments)
        as_user = f"sudo -n -u {shlex.quote(sudo_user)} -- " if sudo_user is not None else ""
        command = f"exec {as_user}sh -c '{_RUN.format(seconds=math.ceil(limit_s) + _GRACE_S)}' x '{_READ.format(size=len(text))}'"
        process = await connection.create_process(command, encoding=None)
        try:
            self.sent = True
            outputs = await asyncio.gather(
                self._stdout(process), self._stderr(process), self._write(process, text + stdin), return_exceptions=False
            )
            await process.wait_closed()
        except BaseException:
            with suppress(OSError, asyncssh.Error):
                process.kill()
                process.close()
            raise
        return self._answer(process, outputs[0], outputs[1])

    def _text(self, script: str, arguments: tuple[str, ...]) -> bytes:
        """What the host's sh runs: quotes of POSIX, which hold every byte, for sh and for no other shell."""
        token = self._token.decode().strip()
        words = " ".join(shlex.quote(each) for each in arguments)
        head = f"{{ printf '%s\\n' '{token}'; printf '%s\\n' '{token}' >&2; LC_ALL=C; export LC_ALL; cd /; set -- {words}\n"
        return os.fsencode(f"{head}{script}\n}}\n")

    async def _stdout(self, process: asyncssh.SSHClientProcess[bytes]) -> bytes:
        found = bytearray()
        while part := await process.stdout.read(65_536):
            found += part
            if len(found) > self._most_bytes + _NOISE:
                raise too_much(self._shown, self._most_bytes)
        return bytes(found)

    async def _stderr(self, process: asyncssh.SSHClientProcess[bytes]) -> bytes:
        found = bytearray()
        while part := await process.stderr.read(65_536):
            found += part[: _NOISE + MOST_STDERR - len(found)]
        return bytes(found)

    @staticmethod
    async def _write(process: asyncssh.SSHClientProcess[bytes], data: bytes) -> None:
        with suppress(OSError, asyncssh.Error):  # it need not read its input; what else is wrong shows in its outputs
            for start in range(0, len(data), 65_536):
                process.stdin.write(data[start : start + 65_536])
                await process.stdin.drain()
            process.stdin.write_eof()

    def _answer(self, process: asyncssh.SSHClientProcess[bytes], stdout: bytes, stderr: bytes) -> ScriptEnd:
        noise, begun, answer = stdout.partition(self._token)
        before, marked, errors = stderr.partition(self._token)
        signal = process.exit_signal
        status = process.returncode
        if not begun:
            said = ScriptEnd(status or 0, b"", before + noise).said
            raise HostTrouble(
                f"{self._shown}: no script can be run there: {said}. A login with sh and dd is needed, and for another user a rule"
                " of sudo",
                begun=status is None,
                lasting=status is not None,
            )
        if len(answer) > self._most_bytes:
            raise too_much(self._shown, self._most_bytes)
        if signal is None and (status is None or status < 0):
            raise HostTrouble(f"{self._shown}: the connection broke before the command was done", begun=True)
        number = _signal_number(signal[0]) if signal else 0
        return ScriptEnd(128 + number if signal else status or 0, answer, (errors if marked else stderr)[:MOST_STDERR])


def _signal_number(name: str) -> int:
    import signal

    return int(getattr(signal, f"SIG{name}", 0))
