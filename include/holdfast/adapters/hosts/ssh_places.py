"""State directories on hosts over SSH: URLs to places, and what a login there may do."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from holdfast.adapters.hosts.ssh_settings import SshSettings, Target, is_user, target
from holdfast.adapters.hosts.state_directories import AT_ONCE, Place
from holdfast.errors import HoldfastError, InvalidInput, StatePathTrouble
from holdfast.ports import HostRights
from holdfast.rollout.text.format import printable

SCHEME = "ssh"
_LIMIT_S = 30.0
_READING = ("stat", "find", "head", "base64", "readlink", "dd")
_WRITING = ("chown", "chmod", "sync", "rm", "link")
_LOOK = r"""
folder=$1
shift
for tool do command -v "$tool" >/dev/null || printf 'without %s\n' "$tool"; done
command -v python3 >/dev/null || command -v perl >/dev/null || printf 'without python3 or perl\n'
printf 'user %s\n' "$(id -un)"
if [ -d "$folder" ]; then
  printf 'owner %s\n' "$(stat -c %U -- "$folder")"
  [ -r "$folder" ] && [ -x "$folder" ] || printf 'unreadable\n'
fi
"""


@dataclass(frozen=True, slots=True)
class SshPlaces:
    """Places on hosts that are reached with these settings."""

    settings: SshSettings

    def place(self, url: str) -> Place:
        """Raise InvalidInput for a URL that cannot be right, StatePathTrouble where the library is not installed."""
        where = target(url)
        try:
            from holdfast.adapters.hosts import ssh
        except ImportError:
            raise StatePathTrouble(f"{where.shown}: pip install 'holdfast[ssh]' for hosts over SSH") from None
        host = f"{where.user or ''}@{where.host}:{where.port or ''}?{where.sudo_user or ''}"
        return Place(ssh.shared(self.settings).shell(where), where.path, where.shown, host)

    def rights(self, urls: Sequence[str]) -> tuple[HostRights, ...]:
        """For each host: what reading and, optionally, writing a process ID needs, and what of it the login there lacks."""
        hosts: dict[str, tuple[Target, Place]] = {}
        for url in urls:
            if url.startswith(f"{SCHEME}://"):
                with suppress(InvalidInput, StatePathTrouble):  # reading names it
                    place = self.place(url)
                    hosts.setdefault(place.host, (target(url), place))
        if not hosts:
            return ()
        with ThreadPoolExecutor(min(AT_ONCE, len(hosts))) as threads:
            found = threads.map(lambda one: tuple(self._rights(*one)), hosts.values())
            return tuple(right for rights in found for right in rights)

    def _rights(self, where: Target, place: Place) -> Iterator[HostRights]:
        shown = place.shell.shown
        try:
            arguments = (where.path, *_READING, *_WRITING)
            answer = place.shell.run(_LOOK, arguments, limit_s=_LIMIT_S, most_bytes=65_536)
        except HoldfastError as trouble:
            yield HostRights(f"read on {shown}", (), self._lines("USER", "APPLICATION_USER"), str(trouble))
            return
        lines = [printable(line, 200) for line in answer.stdout.decode("utf-8", "replace").splitlines()[:50]]
        facts = [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]
        # They become part of a line of sudoers: a host is foreign, and may say anything.
        user = next((rest for word, rest in facts if word == "user" and is_user(rest)), "USER")
        owner = next((rest for word, rest in facts if word == "owner" and is_user(rest)), "APPLICATION_USER")
        without = [rest for word, rest in facts if word == "without"]
        granted = self._lines(where.user or self.settings.user or user, owner)
        unreadable = [f"reading {where.path}"] if ("unreadable", "") in facts else []
        yield HostRights(
            f"read on {shown}", tuple(unreadable + [f"the command {one}" for one in without if one in _READING]), granted
        )
        no_owner = [] if user in (owner, "root") else [f"acting as {owner} ({user} is logged in)"]
        lacking = no_owner + [f"the command {one}" for one in without if one not in _READING]
        yield HostRights(f"write process IDs on {shown} (optional)", tuple(lacking), granted)

    @staticmethod
    def _lines(user: str, owner: str) -> str:
        return "\n".join(
            (
                f"# /etc/sudoers.d/holdfast, and ?sudo={owner} in the URL (or sudo_user in the connection):",
                f"{user} ALL=({owner}) NOPASSWD: /bin/sh",
                f"# ~{user}/.ssh/authorized_keys: no terminal, no forwarding",
                "restrict ssh-ed25519 AAAA… holdfast",
            )
        )
