"""The process that opens RocksDB stores (library: rocksdict), so that no damaged store can keep, fill or end the one that asked.

Its arguments: the descriptor of the state directory, a folder of the parent's to make links in, seconds until it ends by itself,
and whether the stores are whole, or copies in part. A line of standard input names a store below the directory, as JSON; a line of
the answer has its entries, or why there are none.

Opened in place even a read-only store would get a file (`rocksdict-config.json`), and needs a folder that may be written. So it is
opened through a folder of links: the small files that say what belongs together are copied, the tables are links to the real ones.
A store in use may drop a table meanwhile; then it is tried once more.
"""

import base64
import json
import os
import resource
import shutil
import signal
import stat
import sys
import tempfile
from pathlib import Path
from typing import TextIO

from holdfast.adapters.state_dirs.folders import Folder
from holdfast.errors import StatePathTrouble
from holdfast.kafka.store_offsets import COLUMN_FAMILY

MEMORY_BYTES = 1024**3
"""Of address space: five times what an ordinary store takes, most of which is reserved and never touched."""
_LARGEST_WRITTEN = 256 * 1024 * 1024
_MOST_ENTRIES = 100_000
_MOST_BYTES = 16 * 1024 * 1024
_LARGEST_COPY = 64 * 1024 * 1024
_MOST_FILES = 100_000
_COPIED = ("CURRENT", "MANIFEST-", "OPTIONS-", "IDENTITY")
_LEFT_OUT = ("LOCK", "LOG")
_TRIES = 2

Entries = list[tuple[bytes, bytes]]


def main(descriptor: int, links: str, seconds: int, *, in_part: bool) -> None:
    _limit(seconds)
    with os.fdopen(os.dup(1), "w", encoding="ascii") as answers:
        os.dup2(2, 1)  # what native code prints is no answer
        root = Folder(descriptor, ".")
        import rocksdict  # noqa: F401 - loaded now: the time of a store is its own

        _say(answers, {"ready": True})
        for line in sys.stdin:
            _answer(answers, root, links, json.loads(line), in_part=in_part)


def _limit(seconds: int) -> None:
    """By the kernel: native code that never returns does not let Python handle its signals. An alarm without a handler ends it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_WRITTEN, _LARGEST_WRITTEN))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    memory = MEMORY_BYTES if most == resource.RLIM_INFINITY else min(MEMORY_BYTES, most)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)


def _answer(answers: TextIO, root: Folder, links: str, store: str, *, in_part: bool) -> None:
    try:
        found = _read(root, links, store, in_part=in_part)
        coded = None if found is None else [[base64.b64encode(part).decode() for part in entry] for entry in found]
        answer: dict[str, object] = {"entries": coded}
    except StatePathTrouble as problem:
        answer = {"problem": str(problem)}
    except MemoryError:
        answer = {"problem": "it needs more memory than allowed"}
    _say(answers, answer)


def _say(answers: TextIO, answer: dict[str, object]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _read(root: Folder, links: str, store: str, *, in_part: bool) -> Entries | None:
    problem = ""
    for _ in range(_TRIES):
        with tempfile.TemporaryDirectory(dir=links) as folder:
            try:
                place = _walk(root, store)
                try:
                    _link(place, Path(folder))
                    return _entries(folder, in_part=in_part)
                finally:
                    os.close(place.descriptor)
            except (StatePathTrouble, MemoryError):
                raise
            except Exception as error:  # noqa: BLE001 - rocksdict raises bare Exceptions
                problem = f"{type(error).__name__}: {str(error)[:200]}".replace(folder, Path(store).name)
    raise StatePathTrouble(problem)


def _walk(root: Folder, store: str) -> Folder:
    here = Folder(os.dup(root.descriptor), ".")
    for part in store.split("/"):
        try:
            child = here.step(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        finally:
            os.close(here.descriptor)
        here = child
    return here


def _entries(folder: str, *, in_part: bool) -> Entries | None:
    from rocksdict import AccessType, Options, Rdict

    families = Rdict.list_cf(folder)

    def options() -> Options:
        made = Options(raw_mode=True)
        if in_part:
            made.set_paranoid_checks(False)  # else it opens every table, and most are not here
        return made

    every = {family: options() for family in families}
    store = Rdict(folder, options=options(), column_families=every, access_type=AccessType.read_only())
    try:
        if COLUMN_FAMILY not in families:
            return None
        found: Entries = []
        size = 0
        entries = store.get_column_family(COLUMN_FAMILY).iter()
        entries.seek_to_first()
        while entries.valid():
            key, value = entries.key(), entries.value()
            size += len(key) + len(value)
            if len(found) >= _MOST_ENTRIES or size > _MOST_BYTES:
                raise StatePathTrouble(f"it has more than {_MOST_ENTRIES:,} offsets or {_MOST_BYTES:,} bytes of them; no store has")
            found.append((bytes(key), bytes(value)))
            entries.next()
        entries.status()  # raises what ended it too early: a table that is damaged, or missing
        return found
    finally:
        store.close()


def _link(store: Folder, folder: Path) -> None:
    """The store's files in `folder`: small ones copied, the others as links to where they are. Links and pipes are left out."""
    by_handle = Path(f"/proc/self/fd/{store.descriptor}")
    tables = by_handle if by_handle.exists() else Path(os.path.realpath(store.shown))
    for entry in store.entries(_MOST_FILES):
        if not entry.is_file or entry.name.startswith(_LEFT_OUT):
            continue
        if entry.name.startswith(_COPIED):
            _copy(store, entry.name, folder)
        else:
            (folder / entry.name).symlink_to(tables / entry.name)


def _copy(store: Folder, name: str, folder: Path) -> None:
    with store.file(name) as descriptor:
        if descriptor is None:
            return
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_COPY:
            raise StatePathTrouble(f"its {name} is larger than {_LARGEST_COPY:,} bytes")
        with os.fdopen(os.dup(descriptor), "rb") as source, (folder / name).open("xb") as copy:
            shutil.copyfileobj(source, copy)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), in_part=sys.argv[4] == "in part")
