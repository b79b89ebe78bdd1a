"""The least rights for acting by commands with sudo: the lines of sudoers that allow these commands, and no others.

The commands are an admin's (`actors_file`); values of clients are letters, digits and `._:@%+-`. What sudoers reads as more than
itself is escaped, or the line stays a comment: no line allows more than it shows.
"""

import re
from collections.abc import Iterator, Mapping

from holdfast.adapters.hosts.process_commands import PLACE, Command, Commands, is_value
from holdfast.rollout.text.format import printable

_ESCAPED = re.compile(r"([\\,:=*?\[\]!# ])")
_WRITABLE = re.compile(r"[A-Za-z0-9_./@%+~{}\\,:=*?\[\]!# -]{1,500}", re.ASCII)
_USER = re.compile(r"(?!ALL$)[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}", re.ASCII)
_FOLDER = "/usr/bin/"


def sudoers(commands: Commands, user: str) -> str | None:
    """What `user` needs on the clients' hosts. None: no command uses sudo.

    A command with a place that is not given for a client (`{host}`) is a comment: it would need a wildcard.
    """
    given = (commands.status, *commands.does.values(), commands.set_config, commands.read_config)
    lines = dict.fromkeys(line for command in given for line in _lines(command, commands.clients, user))
    where = f"# /etc/sudoers.d/holdfast on the clients' hosts, with the paths of the commands there ({_FOLDER}…: command -v)"
    return "\n".join((where, *lines)) if lines else None


def _lines(command: Command, clients: Mapping[str, Mapping[str, str]], user: str) -> Iterator[str]:
    found = _with_sudo(command)
    if found is None:
        return
    runs_as, command_line = found
    for given in clients.values() or ({},):
        values = {name: value for name, value in given.items() if is_value(value)}
        parts = [_filled(word, values) for word in command_line]
        parts[0] = parts[0] if parts[0].startswith("/") else f"{_FOLDER}{parts[0]}"
        escaped = " ".join(_ESCAPED.sub(r"\\\1", word) for word in parts)
        allowed = f"{user} ALL=({runs_as}) NOPASSWD: {escaped}"
        missing = sorted({place for word in parts for place in PLACE.findall(word)})
        if missing:
            yield f"# for each {', '.join(missing)}: {printable(allowed, 1_000)}"
        elif all(_WRITABLE.fullmatch(word) for word in parts) and _USER.fullmatch(runs_as) and _USER.fullmatch(user):
            yield allowed
        else:
            yield f"# write it yourself, its signs mean something in sudoers: {printable(allowed, 1_000)}"


def _filled(word: str, values: Mapping[str, str]) -> str:
    return PLACE.sub(lambda place: values.get(place[1], place[0]), word)


def _with_sudo(command: Command) -> tuple[str, Command] | None:
    """As which user the rest is run. None: without sudo."""
    command_line, runs_as = list(command), "root"
    if not command_line or command_line.pop(0).rpartition("/")[2] != "sudo":
        return None
    while command_line and command_line[0].startswith("-"):
        option = command_line.pop(0)
        if option == "--":
            break
        if option in ("-u", "--user") and command_line:
            runs_as = command_line.pop(0)
    return (runs_as, tuple(command_line)) if command_line else None
