"""The file `kafka-streams-process-metadata` of local state directories: read, and written beside, synced and renamed.

Java: `StateDirectory.initializeProcessId` and `StateDirectoryProcessFile`, 2.6.2 to 4.3: one JSON object, key `processId`, further
keys ignored. A client takes an exclusive lock on `.lock` for as long as it runs; the file is not written while somebody holds that.
"""

import fcntl
import os
import secrets
from pathlib import Path
from urllib.parse import unquote, urlsplit

from holdfast.errors import InvalidInput, StatePathTrouble
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout import codec

FILE_NAME = "kafka-streams-process-metadata"
LARGEST_FILE = 64 * 1024


class LocalProcessMetadataFiles:
    """State directories on local disks (or mounted ones): a path, or a `file://` URL."""

    def read(self, state_dir: str) -> ProcessId | None:
        file = _folder(state_dir) / FILE_NAME
        try:
            with file.open("rb") as opened:
                content = opened.read(LARGEST_FILE + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StatePathTrouble(f"{file} cannot be read: {error.strerror}") from None
        if len(content) > LARGEST_FILE:
            raise StatePathTrouble(f"{file} is larger than {LARGEST_FILE:,} bytes: it is no process-metadata file.")
        try:
            document = codec.loads(content)
            found = document.get("processId") if isinstance(document, dict) else None
            return ProcessId.parse(found if isinstance(found, str) else "")
        except InvalidInput:
            raise StatePathTrouble(
                f"{file} holds no process ID. Kafka would replace it by a new one: look why, then delete it."
            ) from None

    def write(self, state_dir: str, process_id: ProcessId, replaces: ProcessId | None = None) -> None:
        folder = _folder(state_dir)
        found = self.read(state_dir)
        if found == process_id:
            return
        if found not in (None, replaces):
            raise StatePathTrouble(
                f"{folder / FILE_NAME} already holds process ID {found}, not {replaces or process_id}: somebody has started there."
                " Nothing was written."
            )
        if not folder.is_dir():
            raise StatePathTrouble(
                f"{folder} is no directory. Create <state.dir>/<application.id> as the application's user first."
            )
        _refuse_running_client(folder)
        try:
            _write(folder, f'{{"processId":"{process_id}"}}'.encode("ascii"))
        except OSError as error:
            raise StatePathTrouble(f"{folder / FILE_NAME} cannot be written: {error.strerror}") from None


def _folder(state_dir: str) -> Path:
    parts = urlsplit(state_dir)
    if parts.scheme == "file" and not parts.netloc:
        return Path(unquote(parts.path))
    if "://" in state_dir:
        raise StatePathTrouble("Process metadata can be written to local directories only: give a path or a file:// URL.")
    return Path(state_dir)


def _refuse_running_client(folder: Path) -> None:
    """Java locks `.lock` with fcntl for as long as a client runs on the directory."""
    lock = folder / ".lock"
    if not lock.exists():
        return
    try:
        with lock.open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(file, fcntl.LOCK_UN)
    except OSError as error:
        raise StatePathTrouble(f"A running client holds {lock} ({error.strerror}). Stop it first: nothing was written.") from None


def _write(folder: Path, content: bytes) -> None:
    beside = folder / f".{FILE_NAME}.{secrets.token_hex(4)}.tmp"
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(folder / FILE_NAME)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
