"""The port `Actor` by commands: what stops, starts and restarts the clients of one group, and says whether they run.

A command that acts is begun on its host and left there (`command_records`); every look at the process looks at its record first.

Commands are argument lists; a value takes the place of a whole word or a part of one, and never becomes text of a script. Names
that come from a cluster (hosts, instance IDs) are foreign: only letters, digits and `._:@%+-` are handed on, and none that begins
with `-`.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from holdfast.adapters.hosts import client_settings, command_records
from holdfast.adapters.hosts.command_records import CommandState, Record
from holdfast.adapters.hosts.shell import ScriptEnd, Shell
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState
from holdfast.rollout.text.format import listed, printable

MOST_BYTES = 16_384
LONGEST_IDENTITY = 200
STATUS_S = 20.0
"""The most that one look at a process may take."""
ENDS_S = 10.0
"""How much later than the command itself its connection is given up."""
HOLDS_S = 3.0
"""How long a turn waits for its end. A command has a record, so one that goes on costs nothing but the next look."""
BEGINS_S = 20.0
"""The most that it may take to begin a command."""
_RUN = 'limit=$1; shift; exec timeout -k 5 "$limit" "$@"'
"""`timeout` ends the command on its host, whatever has become of who began it."""
PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}", re.ASCII)
_VALUE = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._:@%+][A-Za-z0-9._:@%+-]{0,252}", re.ASCII)
"""A value may be one part of a path, so it is neither its own folder nor the one above."""
_IDENTITY = re.compile(r"[!-~]{1,200}", re.ASCII)
Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Commands:
    """Of one group. `limit_s`: the longest that one of them may take. `clients`: values for the places in the commands, by what a
    client is called: its process ID, `group.instance.id`, client ID or host."""

    status: Command
    does: Mapping[Does, Command]
    read: Callable[[ScriptEnd], ClientProcess]
    limit_s: int
    clients: Mapping[str, Mapping[str, str]]
    host: str | None = None
    """Where they run, with places; None: on this machine."""
    set_config: Command = ()
    """Writes the settings that it is given as JSON on standard input."""
    read_config: Command = ()
    """Prints as JSON the settings whose keys it is given on standard input."""
    records: str = ""
    """The folder for the records of commands; empty: below the home of the user that runs them."""


class CommandActor:
    """`shell_of`: where the commands of a client run, given its values."""

    def __init__(self, commands: Commands, shell_of: Callable[[Mapping[str, str]], Shell]) -> None:
        self._commands = commands
        self._shell_of = shell_of
        self._seen: dict[str, Record] = {}

    @property
    def limit_s(self) -> float:
        return self._commands.limit_s + ENDS_S

    @property
    def unseen_s(self) -> float:
        """None of it: its record shows whether it goes on."""
        return 0.0

    unseen_write_s = unseen_s

    def lacks(self, act: Act) -> str | None:
        command = self._commands.does.get(act.does)
        if not command or not self._commands.status:
            return f"No command to {act.does.value} a client is given."
        return self._unfilled(act, command)

    def cannot_look(self, act: Act) -> str | None:
        """Why the status cannot be had, in a sentence. None: it can."""
        return self._unfilled(act)

    def _unfilled(self, act: Act, *commands: Command) -> str | None:
        values, wanted = self._values(act), [self._commands.status, *commands]
        wanted += [] if self._commands.host is None else [(self._commands.host,)]
        missing = sorted({name for command in wanted for word in command for name in PLACE.findall(word) if name not in values})
        if missing:
            return f"The commands for {printable(act.shown, 200)} need {listed(missing)}, which is not given (`clients`)."
        bad = [value for value in values.values() if not is_value(value)]
        if bad:
            return f"{printable(bad[0], 100)} cannot be part of a command: letters, digits and ._:@%+- can."
        return None

    def process(self, act: Act) -> ClientProcess:
        limit_s = min(STATUS_S, self._commands.limit_s)
        record, answer = self._look(act, self._commands.status, limit_s)
        if record.state is CommandState.RUNNING:
            return ClientProcess(ProcessState.CHANGING)
        return self._commands.read(answer)

    def perform(self, does: Does, act: Act) -> str | None:
        record = self._begin(act, self._commands.does[does], leads_to=does is not act.does)
        said = f"The command to {does.value} {act.shown} failed: {record.why}"
        return None if record.state is CommandState.ENDED and record.status == 0 else said

    def was_given(self, act: Act) -> bool | None:
        record = self._seen.get(self._key(act))
        return None if record is None or not act.number else record.order >= _order(act)

    def outcome(self, act: Act) -> str | None:
        record = self._seen.get(self._key(act))
        if record is None or record.state in (CommandState.NONE, CommandState.RUNNING):
            return None
        if record.state is CommandState.ENDED and record.status == 0:
            return f"The command for {act.shown} has ended with status 0."
        return f"The command for {act.shown} failed: {record.why}."

    def lacks_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:
        if not self._commands.set_config:
            return "No command that writes the settings of a client is given (`set_config`)."
        return self._unfilled(act, self._commands.set_config, self._commands.read_config) or client_settings.refused(settings)

    def read_config(self, act: Act, keys: Collection[str]) -> Mapping[str, str | None] | None:
        if not self._commands.read_config:
            return None
        limit_s = min(STATUS_S, self._commands.limit_s)
        answer = self._run(act, _RUN, (f"{limit_s:g}",), self._commands.read_config, limit_s, client_settings.to_read(keys))
        if answer.status != 0:
            raise HostTrouble(f"The command that reads the settings of {act.shown} failed: status {answer.status}", begun=False)
        return client_settings.from_json(answer.stdout, keys, f"The command that reads the settings of {act.shown}")

    def is_writing(self, act: Act) -> bool:
        record, _ = self._look(act, ("true",), STATUS_S)
        return record.state is CommandState.RUNNING

    def write_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:
        record = self._begin(act, self._commands.set_config, client_settings.to_write(settings))
        shown = f"The command that writes the settings of {act.shown}"
        return None if record.state is CommandState.ENDED and record.status == 0 else f"{shown} failed: {record.why}"

    def _look(self, act: Act, command: Command, limit_s: float) -> tuple[Record, ScriptEnd]:
        """At the record, then by a command."""
        key = self._key(act)
        answer = self._run(act, command_records.LOOK, (self._commands.records, key, f"{limit_s:g}"), command, limit_s)
        self._seen[key], shown = command_records.shown_before(answer)
        return self._seen[key], shown

    def _begin(self, act: Act, command: Command, stdin: bytes = b"", *, leads_to: bool = False) -> Record:
        """Begin a command, and wait some seconds for its end. `leads_to`: it brings an act to its end that another one began.

        Raise HostTrouble where it goes on, and where it was not begun.
        """
        key, shown = self._key(act), self._shell_of(self._values(act)).shown
        seen = self._seen.get(key) or self._look(act, ("true",), STATUS_S)[0]
        order = _order(act) + leads_to if act.number else seen.order + 1
        if seen.state is CommandState.RUNNING and seen.order != order:
            raise HostTrouble(f"{shown}: an earlier command goes on, so this one was not begun", begun=False)
        if seen.order > order:
            older = "is the lake an older copy, or another one? Compare them, then remove the record (`records`)"
            raise HostTrouble(
                f"{shown} has a record of a later command than the plan's journal: {older}", begun=False, lasting=True
            )
        limits = (f"{self._commands.limit_s:g}", f"{10 * HOLDS_S:g}")
        before = (self._commands.records, key, str(order), str(seen.order), *limits, command_records.RUNNER)
        answer = self._run(act, command_records.BEGIN, before, command, HOLDS_S + BEGINS_S, stdin)
        record = self._seen[key] = command_records.begun(answer, order, shown)
        if record.state is CommandState.RUNNING:
            raise HostTrouble(f"{shown}: the command has not ended after {HOLDS_S:g} s", begun=True)
        return record

    def _key(self, act: Act) -> str:
        """Of the plan, and of the process: whatever a step calls its client. Raise HostTrouble as `_run`."""
        self._refuse(act)
        values = self._values(act)
        words = (self._commands.host or "", *self._commands.status)
        return command_records.key_of(act.called.partition(".")[0], tuple(filled(word, values) for word in words))

    def _run(
        self, act: Act, script: str, before: tuple[str, ...], command: Command, limit_s: float, stdin: bytes = b""
    ) -> ScriptEnd:
        self._refuse(act, command)
        values = self._values(act)
        words = tuple(filled(word, values) for word in command)
        shell = self._shell_of(values)
        return shell.run(script, (*before, *words), stdin=stdin, limit_s=limit_s + ENDS_S, most_bytes=MOST_BYTES)

    def _refuse(self, act: Act, *commands: Command) -> None:
        """Also where `lacks` was not called, no command has a value that it must not have. Raise HostTrouble."""
        lacking = self._unfilled(act, *commands)
        if lacking is not None:
            raise HostTrouble(lacking, begun=False, lasting=True)

    def _values(self, act: Act) -> dict[str, str]:
        return clients_values(act, self._commands.clients)


def _order(act: Act) -> int:
    """Of its command among those of the plan. The next one is of what brings a restart to its end."""
    return 2 * act.number


def clients_values(act: Act, clients: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """What is given for the client of an act, by the first of its names that is known, and its host."""
    host = None if act.host is None else act.host.removeprefix("/")
    given = next((clients[name] for name in act.listed_as if name in clients), {})
    return ({} if host is None else {"host": host}) | dict(given)


def is_value(text: str) -> bool:
    """Whether it may be part of a command."""
    return _VALUE.fullmatch(text) is not None


def filled(word: str, values: Mapping[str, str]) -> str:
    """With the values in its places."""
    return PLACE.sub(lambda place: values[place[1]], word)


def read_status(answer: ScriptEnd) -> ClientProcess:
    """Of a command of one's own: `running IDENTITY`, `stopped` or `changing`, in the last line that it prints.

    Raise HostTrouble for anything else.
    """
    lines = [line.split() for line in answer.stdout.decode("ascii", "replace").splitlines() if line.strip()]
    match lines[-1] if lines and answer.status == 0 else []:
        case [ProcessState.RUNNING.value, identity] if _IDENTITY.fullmatch(identity):
            return ClientProcess(ProcessState.RUNNING, identity)
        case [ProcessState.STOPPED.value]:
            return ClientProcess(ProcessState.STOPPED)
        case [ProcessState.CHANGING.value]:
            return ClientProcess(ProcessState.CHANGING)
        case _:
            found = printable(" ".join(lines[-1]), 200) if lines else answer.said
            raise HostTrouble(
                f"The status command printed {found!r} (status {answer.status}); `running IDENTITY`, `stopped` or"
                " `changing` is needed",
                begun=False,
            )


# systemd.

_PROPERTIES = ("LoadState", "ActiveState", "InvocationID", "Job")
SYSTEMD_STATUS: Command = ("systemctl", "show", f"--property={','.join(_PROPERTIES)}", "--")
_ACTIVE = {"active": ProcessState.RUNNING, "inactive": ProcessState.STOPPED, "failed": ProcessState.STOPPED}


def read_systemd(answer: ScriptEnd) -> ClientProcess:
    """Of `systemctl show`: InvocationID is another one at every start. A unit with a job in the queue is changing.

    Raise HostTrouble for a unit that does not exist, and for anything else.
    """
    lines = answer.stdout.decode("ascii", "replace").splitlines()
    found = {key: value for key, equals, value in (line.partition("=") for line in lines) if equals}
    if answer.status != 0 or not all(name in found for name in _PROPERTIES[:3]):
        raise HostTrouble(f"systemctl show does not show the state of the unit: {answer.said}", begun=False)
    if found["LoadState"] != "loaded":
        raise HostTrouble(f"the unit is {printable(found['LoadState'], 50)}, not loaded: check its name", begun=False, lasting=True)
    state = _ACTIVE.get(found["ActiveState"], ProcessState.CHANGING)
    if found.get("Job", "0") not in ("", "0"):
        state = ProcessState.CHANGING
    identity = found["InvocationID"] if state is ProcessState.RUNNING and _IDENTITY.fullmatch(found["InvocationID"]) else None
    return ClientProcess(state, identity)


def systemd(unit: str, *, sudo: bool, limit_s: int, clients: Mapping[str, Mapping[str, str]]) -> Commands:
    """`unit`: with places, such as `orders@{host}.service`. Only what acts needs root."""
    before = ("sudo", "-n", "--") if sudo else ()
    does = {one: (*before, "systemctl", one.value, "--", unit) for one in Does}
    return Commands((*SYSTEMD_STATUS, unit), does, read_systemd, limit_s, clients)
