"""The port `ProcessMetadataFiles` for every kind of URL: on hosts by scripts (`seed_scripts`), on local disks by handles.

The rules are those of local directories (`state_dirs.process_metadata`): whole or not at all, never under a running client, only
over nothing or the ID that is expected, with the owner and mode that the application needs. What differs: a file that is there is
replaced under the client's own lock, which sh cannot take, so the host needs python3 or perl for that.

A connection that breaks in between leaves it open whether the script acts. Its temporary file is removed then, over a new
connection: without it the script can create nothing any more, and what is found afterwards is the result.
"""

import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.adapters import temporary
from holdfast.adapters.hosts import listing, seed_scripts
from holdfast.adapters.hosts.listing import ListedFile, Listing
from holdfast.adapters.hosts.remote_tree import lock_on
from holdfast.adapters.hosts.state_directories import Place, Reach
from holdfast.adapters.state_dirs.process_metadata import FILE_NAME, LIMIT_S, LocalProcessMetadataFiles
from holdfast.errors import HostTrouble, MalformedBytes, NotAllowed, StatePathTrouble
from holdfast.kafka import state_dir as kafka
from holdfast.kafka.vocabulary import ProcessId
from holdfast.ports import ProcessMetadataFiles
from holdfast.rollout.text.format import printable

LARGEST_FILE = 16_384
_MOST_BYTES = 8 * 1024 * 1024
_ATTEMPTS = 5
_LONGEST_NAME = 60
_NOTHING = "Nothing was written."
_LOOK_ONLY, _TIDY = "", "-"


class HostProcessMetadataFiles:
    """`reaches`: by the scheme of a URL, how its host is reached; all others are local. `limit_s`: of one script."""

    def __init__(self, reaches: Mapping[str, Reach], local: ProcessMetadataFiles | None = None, limit_s: float = LIMIT_S) -> None:
        self._reaches = reaches
        self._local = local or LocalProcessMetadataFiles()
        self._limit_s = limit_s

    def read(self, state_dir: str) -> ProcessId | None:
        place = self._place(state_dir)
        if place is None:
            return self._local.read(state_dir)
        try:
            seen = _Seeding(place, self._limit_s).look(_LOOK_ONLY)
        except HostTrouble as trouble:
            raise StatePathTrouble(f"{place.shown} was not read. {trouble}") from None
        return seen.process_id if seen is not None and seen.entry is not None else None

    def write(self, state_dir: str, process_id: ProcessId, replaces: ProcessId | None = None) -> None:
        place = self._place(state_dir)
        if place is None:
            self._local.write(state_dir, process_id, replaces)
        else:
            _Seeding(place, self._limit_s).write(process_id, replaces)

    def remove(self, state_dir: str, process_id: ProcessId) -> None:
        place = self._place(state_dir)
        if place is None:
            self._local.remove(state_dir, process_id)
        else:
            _Seeding(place, self._limit_s).remove(process_id)

    def _place(self, state_dir: str) -> Place | None:
        reach = self._reaches.get(state_dir.partition("://")[0]) if "://" in state_dir else None
        if reach is None:
            return None
        place = reach(state_dir)
        listing.refuse_path(place.path, place.shown)
        return place


@dataclass(frozen=True, slots=True)
class _Seen:
    """A directory and the file in it, as they were a moment ago. `owner`: `user:group`; `acl`: the file has a list of its own."""

    folder: ListedFile
    folder_owner: str
    user: str
    entry: ListedFile | None
    owner: str
    acl: bool
    content: bytes
    process_id: ProcessId | None
    listing: Listing


class _Seeding:
    """Reading and writing the file in one directory."""

    def __init__(self, place: Place, limit_s: float) -> None:
        self._place, self._limit_s = place, limit_s
        self._file = f"{place.shown}/{FILE_NAME}"

    def look(self, give_up: str) -> _Seen | None:
        """None: there is no such directory. `give_up`: as the script takes it. Raise StatePathTrouble for a broken file."""
        token = f"holdfast {secrets.token_hex(16)}"
        arguments = (self._place.path, token, give_up)
        answer = self._place.shell.run(seed_scripts.LOOK, arguments, limit_s=self._limit_s, most_bytes=_MOST_BYTES)
        _, found, body = answer.stdout.partition(f"{token}\n".encode())
        if not found or not body.endswith(b":end\n"):
            raise HostTrouble(f"{self._place.shell.shown}: the answer is incomplete: {answer.said}", begun=True)
        words = {word: rest for word, rest, _ in listing.sections(body)}
        if ":absent" in words:
            return None
        seen = listing.read(body, self._place.shown)
        if isinstance(seen, StatePathTrouble):
            raise seen
        if "" not in seen.entries or ":folder" not in words:
            raise StatePathTrouble(f"{self._place.shown} cannot be read: {answer.said}")
        entry = seen.entries.get(FILE_NAME)
        content = b"" if entry is None else self._content(entry, seen)
        return _Seen(
            seen.entries[""],
            _owner(words[":folder"]),
            printable(words.get(":user", "?"), _LONGEST_NAME),
            entry,
            _owner(words.get(":owner", "")),
            ":acl" in words,
            content,
            None if entry is None else self._process_id(content),
            seen,
        )

    def _content(self, entry: ListedFile, seen: Listing) -> bytes:
        if not entry.is_file:
            kind = "a symbolic link" if entry.is_link else "a folder" if entry.is_folder else "a pipe, a socket or a device"
            raise StatePathTrouble(f"{self._file} is {kind}; a file is needed. It was not changed.")
        content = seen.contents.get(FILE_NAME)
        if max(entry.size, len(content or b"")) > LARGEST_FILE:  # one that is much larger is not sent
            raise StatePathTrouble(f"{self._file} is larger than {LARGEST_FILE:,} bytes, and no such file is that large")
        if content is None:
            raise NotAllowed(
                f"{self._file} cannot be read: the permissions of the application's user, its group or root are needed."
            )
        return content

    def _process_id(self, content: bytes) -> ProcessId:
        try:
            process_id = kafka.parse_process_metadata(content)
        except MalformedBytes:
            process_id = None
        if process_id is None:
            raise StatePathTrouble(f"{self._file} holds no process ID; Kafka would replace it. Find out why, then delete it.")
        return process_id

    def write(self, process_id: ProcessId, replaces: ProcessId | None) -> None:
        try:
            for _ in range(_ATTEMPTS):
                if self._attempt(process_id, replaces):
                    return
        except HostTrouble as trouble:
            raise StatePathTrouble(f"{self._file} was not written. {_ended(trouble)} {_NOTHING}") from None
        raise StatePathTrouble(f"{self._file} was changed by another process each time before it could be written. {_NOTHING}")

    def _attempt(self, process_id: ProcessId, replaces: ProcessId | None) -> bool:
        """False: another process changed it meanwhile, and it has to be inspected anew."""
        seen = self.look(_TIDY)
        if seen is None:
            raise StatePathTrouble(
                f"{self._place.shown} is not a directory. Create <state.dir>/<application.id> as the application's user first."
            )
        if seen.process_id == process_id:
            return True
        if seen.process_id is not None and seen.process_id != replaces:
            raise StatePathTrouble(
                f"{self._file} already holds process ID {seen.process_id}, not {replaces or process_id}: another client has started"
                f" there. {_NOTHING}"
            )
        self._refuse_running_client(seen, _NOTHING)
        if seen.acl:
            raise StatePathTrouble(
                f"{self._file} has an access-control list, which no script can keep: write it on the host. {_NOTHING}"
            )
        name = temporary.name_for(FILE_NAME)
        content = kafka.with_process_id(seen.content or b"{}", process_id)
        try:
            status, said = self._run(seen, name, content)
        except HostTrouble as trouble:
            return self._settle(name, process_id, trouble)
        if status == 0:
            self._look_again(seen, process_id)
            return True
        return self._refused(status, said, seen)

    def remove(self, process_id: ProcessId) -> None:
        try:
            for _ in range(_ATTEMPTS):
                if self._attempt_to_remove(process_id):
                    return
        except HostTrouble as trouble:
            raise StatePathTrouble(f"It is unknown whether {self._file} was removed. {trouble}") from None
        raise StatePathTrouble(f"{self._file} was changed by another process each time before it could be removed.")

    def _attempt_to_remove(self, process_id: ProcessId) -> bool:
        """False: another process changed it meanwhile. A connection that breaks is no end: what is there afterwards is looked at
        by the next attempt, which finds nothing, or removes it."""
        seen = self.look(_LOOK_ONLY)
        if seen is None or seen.entry is None:
            return True
        if seen.process_id != process_id:
            raise StatePathTrouble(
                f"{self._file} holds process ID {seen.process_id}, not {process_id}: another client has started there."
                " Nothing was removed."
            )
        self._refuse_running_client(seen, "Nothing was removed.")
        folder, file = (f"{one.identity[0]} {one.identity[1]}" for one in (seen.folder, seen.entry))
        arguments = (self._place.path, folder, seen.owner, f"{seen.entry.mode & 0o777:o}", file, seen.content.hex())
        programs = (seed_scripts.PYTHON, seed_scripts.PERL)
        shell = self._place.shell
        answer = shell.run(seed_scripts.REMOVE, (*arguments, *programs), limit_s=self._limit_s, most_bytes=65_536)
        return answer.status == 0 or self._refused(answer.status, answer.said, seen)

    def _run(self, seen: _Seen, name: str, content: bytes) -> tuple[int, str]:
        folder = f"{seen.folder.identity[0]} {seen.folder.identity[1]}"
        owner, mode = (seen.folder_owner, _mode_in(seen.folder)) if seen.entry is None else (seen.owner, seen.entry.mode & 0o777)
        arguments: tuple[str, ...] = (self._place.path, folder, name, owner, f"{mode:o}", str(len(content)))
        script = seed_scripts.CREATE
        if seen.entry is not None:
            script = seed_scripts.REPLACE
            identity = f"{seen.entry.identity[0]} {seen.entry.identity[1]}"
            arguments = (*arguments, identity, seen.content.hex(), seed_scripts.PYTHON, seed_scripts.PERL)
        answer = self._place.shell.run(script, arguments, stdin=content, limit_s=self._limit_s, most_bytes=65_536)
        return answer.status, answer.said

    def _settle(self, name: str, process_id: ProcessId, trouble: HostTrouble) -> bool:
        """After a script whose end was not seen. Raise StatePathTrouble unless it has written."""
        if not trouble.begun:
            raise trouble
        try:
            seen = self.look(name)
        except (HostTrouble, StatePathTrouble):
            raise StatePathTrouble(
                f"{_ended(trouble)} It is unknown whether {self._file} was written: check before you continue."
            ) from None
        if seen is not None and seen.process_id == process_id:
            return True
        raise StatePathTrouble(f"{self._file} was not written. {_ended(trouble)} {_NOTHING}")

    def _refused(self, status: int, said: str, seen: _Seen) -> bool:
        match status:
            case seed_scripts.EXISTS | seed_scripts.CHANGED:
                return False
            case seed_scripts.ELSEWHERE:
                raise StatePathTrouble(f"{self._place.shown} was replaced while {FILE_NAME} was written. {_NOTHING}")
            case seed_scripts.NOT_GIVEN:
                owner, mode = (
                    (seen.folder_owner, _mode_in(seen.folder)) if seen.entry is None else (seen.owner, seen.entry.mode & 0o777)
                )
                raise NotAllowed(
                    f"{self._file} must belong to user and group {owner} with mode {mode:04o}, or the application cannot use it;"
                    f" user {seen.user} may not give it to them ({said}). Log in as that user or as root, or use sudo. {_NOTHING}"
                )
            case seed_scripts.LOCKED:
                raise StatePathTrouble(f"A running client holds {self._place.shown}/{kafka.LOCK}. Stop it first. {_NOTHING}")
            case seed_scripts.NO_LOCK:
                raise StatePathTrouble(
                    f"{self._place.shown}/{kafka.LOCK} cannot be locked, and without its lock no client can be kept out. {_NOTHING}"
                )
            case seed_scripts.NO_PROGRAM:
                raise StatePathTrouble(
                    f"{self._file} holds another process ID, and is replaced only under the client's own lock, which needs python3"
                    f" or perl on the host: install one, or remove the file by hand while the client is stopped. {_NOTHING}"
                )
            case seed_scripts.NO_LINK:
                raise StatePathTrouble(
                    f"{self._file} cannot be created by a hard link, the only method that never overwrites a file"
                    f" ({said}). {_NOTHING}"
                )
        raise StatePathTrouble(f"nothing can be written into {self._place.shown}: {said}. {_NOTHING}")

    def _refuse_running_client(self, seen: _Seen, result: str) -> None:
        entry = seen.listing.entries.get(kafka.LOCK)
        if entry is None:
            return
        if not entry.is_file:
            raise StatePathTrouble(f"{self._place.shown}/{kafka.LOCK} is not a file. It was not changed.")
        holder = lock_on(entry, seen.listing, sees_all=True)
        if holder.held:
            who = f" (process {holder.pid})" if holder.pid else ""
            raise StatePathTrouble(f"A running client{who} holds {self._place.shown}/{kafka.LOCK}. Stop it first. {result}")

    def _look_again(self, before: _Seen, process_id: ProcessId) -> None:
        """After the script has written. Raise StatePathTrouble where that is not what is there."""
        seen = self._look_after()
        if seen is None or seen.folder.identity != before.folder.identity:
            raise StatePathTrouble(
                f"{self._place.shown} was replaced while {FILE_NAME} was written: the file is in the former folder"
            )
        if before.entry is None:
            self._refuse_running_client(
                seen, "It started while the file was written, and may have put its own process ID there: take a fresh snapshot."
            )
        if seen.process_id != process_id:
            holds = "is gone" if seen.entry is None else f"holds process ID {seen.process_id}"
            raise StatePathTrouble(f"{self._file} {holds} right after the write: another client has started there.")

    def _look_after(self) -> _Seen | None:
        """Over a new connection, where the one that has written broke."""
        for attempt in (1, 2):
            try:
                return self.look(_LOOK_ONLY)
            except HostTrouble as trouble:
                if attempt == 2:
                    raise StatePathTrouble(
                        f"{self._file} was written. {_ended(trouble)} It is unknown whether it was replaced since: check before you"
                        " continue."
                    ) from None
        raise AssertionError("the second attempt returns or raises")


def _owner(words: str) -> str:
    """`user:group`, as the host reports them."""
    return printable(words.replace(" ", ":"), _LONGEST_NAME)


def _mode_in(folder: ListedFile) -> int:
    """Of a new file: what Java's would be with the umask that the folder was made with."""
    return 0o640 | stat.S_IMODE(folder.mode) & 0o064


def _ended(trouble: HostTrouble) -> str:
    """As a sentence that another one follows."""
    return f"{str(trouble).rstrip('.')}."
