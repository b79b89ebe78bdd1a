"""Commands that stop and start clients: their places are filled, and foreign names stay words."""

from collections.abc import Mapping

import pytest

from holdfast.adapters.hosts import actors_file, command_records
from holdfast.adapters.hosts.process_commands import CommandActor, read_status, read_systemd
from holdfast.adapters.hosts.shell import ScriptEnd
from holdfast.errors import HostTrouble, InvalidInput
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState


class Recorder:
    """A shell that keeps what it is given, without what the record of a command needs. No command was begun before."""

    shown = "a host"

    def __init__(self, answer: ScriptEnd) -> None:
        self.answer, self.ran = answer, [("", ("",))][:0]

    def run(
        self, script: str, arguments: tuple[str, ...] = (), *, stdin: bytes = b"", limit_s: float, most_bytes: int
    ) -> ScriptEnd:
        first = {command_records.LOOK: 2, command_records.BEGIN: 4}.get(script, 0)
        words = {command_records.LOOK: 3, command_records.BEGIN: 7}.get(script, 1)
        assert (most_bytes > 0, limit_s > 0) == (True, True)
        if arguments[words:] == ("true",):
            return ScriptEnd(0, b"0 none 0\n\n", b"")
        self.stdin = stdin
        self.ran.append((script, (arguments[first], *arguments[words:])))
        if script == command_records.BEGIN:
            begun = f"begun\n{arguments[2]} ended {self.answer.status}\n".encode()
            return ScriptEnd(0, begun + self.answer.stderr + b"\n", b"")
        shown = {command_records.LOOK: b"0 none 0\n\n"}
        return ScriptEnd(self.answer.status, shown.get(script, b"") + self.answer.stdout, self.answer.stderr)


SYSTEMD = b"""
format_version: "1.0"
groups:
  orders:
    systemd: {unit: "orders@{ordinal}.service", sudo: true}
    clients:
      app-1: {ordinal: "1"}
      host-2: {ordinal: "2"}
"""


def actor(content: bytes = SYSTEMD, stdout: bytes = b"", status: int = 0) -> tuple[CommandActor, Recorder]:
    shell = Recorder(ScriptEnd(status, stdout, b"no such unit"))
    return actors_file.read(content, "orders", lambda _: shell), shell


def act(client: str = "id-1", host: str | None = "/app-1", *names: str) -> Act:
    return Act(Does.RESTART, client, host, names)


def test_systemd_is_asked_for_what_differs_between_two_starts() -> None:
    found, shell = actor(stdout=b"LoadState=loaded\nActiveState=active\nInvocationID=ab12\nJob=0\n")

    assert found.process(act()) == ClientProcess(ProcessState.RUNNING, "ab12")
    assert shell.ran[0][1][1:] == (
        "systemctl",
        "show",
        "--property=LoadState,ActiveState,InvocationID,Job",
        "--",
        "orders@1.service",
    )


@pytest.mark.parametrize("does", list(Does))
def test_systemd_acts_by_sudo(does: Does) -> None:
    found, shell = actor()

    assert found.perform(does, act("id-2", None, "host-2")) is None
    assert shell.ran[0][1] == ("120", "sudo", "-n", "--", "systemctl", does.value, "--", "orders@2.service")


def test_a_command_that_fails_says_so() -> None:
    found, _ = actor(status=5)

    assert found.perform(Does.RESTART, act()) == "The command to restart id-1 on /app-1 failed: no such unit"


@pytest.mark.parametrize(
    ("stdout", "expected"),
    [
        ("LoadState=loaded\nActiveState=inactive\nInvocationID=\nJob=0", ClientProcess(ProcessState.STOPPED)),
        ("LoadState=loaded\nActiveState=failed\nInvocationID=ab\nJob=0", ClientProcess(ProcessState.STOPPED)),
        ("LoadState=loaded\nActiveState=deactivating\nInvocationID=ab\nJob=0", ClientProcess(ProcessState.CHANGING)),
        ("LoadState=loaded\nActiveState=active\nInvocationID=ab\nJob=17", ClientProcess(ProcessState.CHANGING)),
        ("LoadState=loaded\nActiveState=active\nInvocationID=", ClientProcess(ProcessState.RUNNING)),
    ],
)
def test_what_systemd_says(stdout: str, expected: ClientProcess) -> None:
    assert read_systemd(ScriptEnd(0, stdout.encode(), b"")) == expected


@pytest.mark.parametrize(
    "stdout", ["", "LoadState=not-found\nActiveState=inactive\nInvocationID=\nJob=0", "\xff\x00", "ActiveState=active"]
)
def test_what_systemd_does_not_say_is_unknown(stdout: str) -> None:
    with pytest.raises(HostTrouble):
        read_systemd(ScriptEnd(0, stdout.encode(), b""))


@pytest.mark.parametrize(
    ("stdout", "expected"),
    [
        (b"Welcome!\nrunning 4711-99\n", ClientProcess(ProcessState.RUNNING, "4711-99")),
        (b"stopped", ClientProcess(ProcessState.STOPPED)),
        (b"changing\n\n", ClientProcess(ProcessState.CHANGING)),
    ],
)
def test_what_a_status_command_says(stdout: bytes, expected: ClientProcess) -> None:
    assert read_status(ScriptEnd(0, stdout, b"")) == expected


@pytest.mark.parametrize(
    "answer", [ScriptEnd(0, b"running", b""), ScriptEnd(1, b"stopped", b""), ScriptEnd(0, b"", b""), ScriptEnd(0, b"up 1\xff", b"")]
)
def test_what_a_status_command_does_not_say_is_unknown(answer: ScriptEnd) -> None:
    with pytest.raises(HostTrouble, match="is needed"):
        read_status(answer)


@pytest.mark.parametrize(
    "name", ["-rf", "a b", "$(reboot)", "a;b", "a'b", "", "x" * 300, "`x`", "a\0b", "x\n", "\u202egro", ".", ".."]
)
def test_a_foreign_name_is_no_part_of_a_command(name: str) -> None:
    """Also where no one has asked what is lacking."""
    by_host = SYSTEMD.replace(b"{ordinal}", b"{host}")
    found, shell = actor(by_host)

    assert found.lacks(act("id", name)) is not None
    for does in (found.process, lambda one: found.perform(Does.RESTART, one)):
        with pytest.raises(HostTrouble, match="cannot be part of a command") as refused:
            does(act("id", name))
        assert (refused.value.begun, refused.value.lasting) == (False, True)
    assert shell.ran == []


def test_a_client_without_values_has_no_command() -> None:
    found, _ = actor()

    assert found.lacks(act()) is None
    assert "ordinal" in str(found.lacks(act("id-9", "app-9")))
    assert actors_file.nothing().lacks(act()) == "No command to restart a client is given."


def test_a_client_that_moves_has_the_values_of_its_new_host() -> None:
    """Those of its process ID name the process that was stopped: it would be started instead."""
    found, shell = actor(SYSTEMD + b"      id-1: {ordinal: '7'}\n")
    found.perform(Does.STOP, Act(Does.STOP, "id-1", "app-9"))
    found.perform(Does.START, Act(Does.START, "id-1", "/app-1", moves=True))

    assert [arguments[-1] for _, arguments in shell.ran] == ["orders@7.service", "orders@1.service"]
    assert "ordinal" in str(found.lacks(Act(Does.START, "id-1", "app-9", moves=True)))
    assert found.lacks(Act(Does.START, "id-1", None, moves=True)) is not None


OWN = b"""
format_version: "1.0"
groups:
  orders:
    status: [svc, status, "{host}"]
    restart: [svc, "re{host}start"]
    limit_s: 7
"""


def test_commands_of_one_s_own() -> None:
    found, shell = actor(OWN, b"running 1")

    assert found.process(act()) == ClientProcess(ProcessState.RUNNING, "1")
    assert found.perform(Does.RESTART, act()) is None
    assert [arguments for _, arguments in shell.ran] == [("7", "svc", "status", "app-1"), ("7", "svc", "reapp-1start")]
    assert found.lacks(Act(Does.STOP, "id", "app-1")) == "No command to stop a client is given."
    assert found.limit_s == 17


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({b"orders:": b"other:"}, "no commands for the group orders"),
        ({b"status: [svc": b"systemd: {unit: a}\n    status: [svc"}, "several were found"),
        ({b'    status: [svc, status, "{host}"]\n': b""}, "`status`"),
        ({b"restart: [svc, ": b"start: []\n    restart: [svc, "}, "an empty one was found"),
        ({b"limit_s: 7": b"limit_s: 0"}, "limit_s"),
        ({b"limit_s: 7": b"shell: sh"}, "shell"),
    ],
)
def test_a_file_that_is_none_is_refused(change: Mapping[bytes, bytes], said: str) -> None:
    content = OWN
    for old, new in change.items():
        content = content.replace(old, new)
    with pytest.raises(InvalidInput, match=said):
        actors_file.read(content, "orders")


def test_a_command_of_this_machine_ends_in_time() -> None:
    """`timeout` ends it on its host, and the answer says so."""
    slow = actors_file.read(OWN.replace(b"[svc, status", b"[sleep, '60', '#'").replace(b"limit_s: 7", b"limit_s: 1"), "orders")

    with pytest.raises(HostTrouble, match="status 1"):
        slow.process(act())


OVER_SSH = OWN + b'    ssh: {host: "{host}.example.com"}\n'


@pytest.mark.parametrize("host", ["me@evil", "a%2fb", "a_b@"])
def test_a_foreign_host_is_no_login(host: str) -> None:
    with pytest.raises(HostTrouble) as refused:
        actors_file.read(OVER_SSH.replace(b"{host}.example.com", b"{host}"), "orders").process(act("id", host))
    assert not refused.value.begun
    assert refused.value.lasting


def test_a_client_without_a_host_cannot_be_reached() -> None:
    found = actors_file.read(OVER_SSH.replace(b', "{host}"]', b"]").replace(b'"re{host}start"', b"restart"), "orders")

    assert "need host" in str(found.lacks(act("id", None)))
    assert found.lacks(act("id", "app-1")) is None


def test_pods_are_not_reached_over_ssh() -> None:
    pods = b"    kubernetes: {namespace: a, stateful_set: b, container: c}\n    ssh: {}\n"
    content = OWN.split(b"    status")[0] + pods
    with pytest.raises(InvalidInput, match="by their cluster"):
        actors_file.read(content, "orders")


class TestSettings:
    """They go to a command as JSON on its standard input, and to no shell."""

    CONFIG = SYSTEMD + b'    set_config: [/opt/set, "{ordinal}"]\n    read_config: [/opt/read, "{ordinal}"]\n'

    def test_are_no_words_of_the_command(self) -> None:
        found, shell = actor(self.CONFIG)
        assert found.lacks_config(act(), {"num.standby.replicas": "1", "x": None}) is None
        assert found.write_config(act(), {"num.standby.replicas": "$(id)", "x": None}) is None
        assert shell.ran[0][1][1:] == ("/opt/set", "1")
        assert shell.stdin == b'{"num.standby.replicas": "$(id)", "x": null}'

    def test_are_read_by_key(self) -> None:
        found, shell = actor(self.CONFIG, b'{"a": 1, "b": true, "other": ["x"], "d": null}')
        assert found.read_config(act(), ("a", "b", "c", "d")) == {"a": "1", "b": "true", "c": None, "d": None}
        assert (shell.ran[0][1][1:], shell.stdin) == (("/opt/read", "1"), b'["a", "b", "c", "d"]')

    def test_are_not_read_of_a_client_that_has_no_value_for_the_command(self) -> None:
        found, shell = actor(self.CONFIG)
        with pytest.raises(HostTrouble, match="need ordinal") as refused:
            found.read_config(act("id-9", "app-9"), ("a",))
        assert (refused.value.lasting, shell.ran) == (True, [])

    def test_are_not_read_where_nothing_does(self) -> None:
        found, shell = actor(SYSTEMD + b"    set_config: [/opt/set]\n")
        assert found.read_config(act(), ("a",)) is None
        assert shell.ran == []

    @pytest.mark.parametrize(
        "stdout", [b"", b"no", b"[]", b'{"a": ["x"]}', b'{"a": "x\\ny"}', b'{"a": "' + b"x" * 5_000 + b'"}', b"[" * 9_000]
    )
    def test_that_are_none_are_refused(self, stdout: bytes) -> None:
        with pytest.raises(HostTrouble):
            actor(self.CONFIG, stdout)[0].read_config(act(), ("a",))

    def test_that_hold_a_secret_are_neither_read_nor_written(self) -> None:
        secret = "jdbc:x?password=hunter2"
        with pytest.raises(HostTrouble) as refused:
            actor(self.CONFIG, b'{"a": "%s"}' % secret.encode())[0].read_config(act(), ("a",))
        assert (refused.value.lasting, "hunter2" in str(refused.value)) == (True, False)
        found, _ = actor(self.CONFIG)
        for settings in ({"a": secret}, {"ssl.key.password": "x"}):
            lacks = found.lacks_config(act(), settings)
            assert lacks is not None
            assert "secret" in lacks
            assert "hunter2" not in lacks

    @pytest.mark.parametrize("settings", [{"a\nb": "1"}, {"a": "1\nb=2"}, {"a": "x" * 5_000}, {"": "1"}, {"a=b": "1"}, {"-a": "1"}])
    def test_that_would_be_more_than_a_line_are_refused(self, settings: dict[str, str | None]) -> None:
        assert actor(self.CONFIG)[0].lacks_config(act(), settings) is not None

    def test_a_command_that_fails_says_so(self) -> None:
        found, _ = actor(self.CONFIG, status=3)
        assert found.write_config(act(), {"a": "1"}) == (
            "The command that writes the settings of id-1 on /app-1 failed: no such unit"
        )
        with pytest.raises(HostTrouble, match="status 3"):
            found.read_config(act(), ("a",))

    def test_a_client_without_a_command_or_a_value_for_it_is_named(self) -> None:
        assert "`set_config`" in str(actor()[0].lacks_config(act(), {"a": "1"}))
        assert "ordinal" in str(actor(self.CONFIG)[0].lacks_config(act("id-9", "app-9"), {"a": "1"}))

    @pytest.mark.parametrize(
        ("group", "says"),
        [
            ("kubernetes: {namespace: n, stateful_set: s, container: c}\n    set_config: [x]", "Settings of pods"),
            ("http: {url: 'https://h/', status: {path: /s}}\n    read_config: [x]", "http.set_config"),
            ("systemd: {unit: u}\n    dag: {dag_id: d, set_config: true}\n    set_config: [x]", "leave the other"),
            ("systemd: {unit: u}\n    set_config: []", "an empty one was found"),
            ("http: {url: 'https://h/', status: {path: /s}, set_config: {path: /c, body: [1]}}", "`body` must be an object"),
            ("http: {url: 'https://h/', status: {path: /s}, read_config: {path: /c, settings: x}}", "no JSON pointer"),
        ],
    )
    def test_what_does_not_go_together_is_refused(self, group: str, says: str) -> None:
        with pytest.raises(InvalidInput, match=says):
            actors_file.read(f'format_version: "1.0"\ngroups:\n  orders:\n    {group}\n'.encode(), "orders")
