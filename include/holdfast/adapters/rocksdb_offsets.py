"""The column family `offsets` of a RocksDB store, read without touching the store (library: rocksdict).

Opened in place even a read-only store would get a file (`rocksdict-config.json`), and needs a folder that may be written. So it is
opened through a folder of links: the small files that say what belongs together are copied, the tables are links to the real ones.
A store in use may drop a table meanwhile; then it is tried once more.
"""

import os
import shutil
import tempfile
from pathlib import Path

from holdfast.errors import StatePathTrouble
from holdfast.kafka.store_offsets import COLUMN_FAMILY

_MOST_ENTRIES = 100_000
_LARGEST_COPY = 64 * 1024 * 1024
_MOST_FILES = 100_000
_COPIED = ("CURRENT", "MANIFEST-", "OPTIONS-", "IDENTITY")
_LEFT_OUT = ("LOCK", "LOG")


def is_store(folder: Path) -> bool:
    return (folder / "CURRENT").is_file()


def read(store: Path) -> list[tuple[bytes, bytes]] | None:
    """All entries; None where the store has no such column family (no release from 4.3 on has had it open).

    Raise StatePathTrouble where it cannot be opened.
    """
    problem = ""
    for _ in range(2):
        with tempfile.TemporaryDirectory(prefix="holdfast-store-") as folder:
            try:
                _link(store, Path(folder))
                return _entries(folder)
            except StatePathTrouble:
                raise
            except Exception as error:  # noqa: BLE001 - rocksdict raises bare Exceptions
                problem = f"{type(error).__name__}: {str(error)[:200]}".replace(folder, store.name)
    raise StatePathTrouble(f"the RocksDB store cannot be read ({problem})")


def _entries(folder: str) -> list[tuple[bytes, bytes]] | None:
    from rocksdict import AccessType, Options, Rdict

    families = Rdict.list_cf(folder)
    every = {family: Options(raw_mode=True) for family in families}
    store = Rdict(folder, options=Options(raw_mode=True), column_families=every, access_type=AccessType.read_only())
    try:
        if COLUMN_FAMILY not in families:
            return None
        found: list[tuple[bytes, bytes]] = []
        for key, value in store.get_column_family(COLUMN_FAMILY).items():
            if len(found) >= _MOST_ENTRIES:
                raise StatePathTrouble(f"the store has more than {_MOST_ENTRIES:,} offsets, and no store has")
            found.append((bytes(key), bytes(value)))
        return found
    finally:
        store.close()


def _link(store: Path, folder: Path) -> None:
    """The store's files in `folder`: small ones copied, the others as links to where they are."""
    root = os.path.realpath(store)
    for number, entry in enumerate(os.scandir(root)):
        if number >= _MOST_FILES:
            raise StatePathTrouble(f"the store has more than {_MOST_FILES:,} files")
        if entry.is_symlink() or not entry.is_file() or entry.name.startswith(_LEFT_OUT):
            continue
        if entry.name.startswith(_COPIED):
            if entry.stat().st_size > _LARGEST_COPY:
                raise StatePathTrouble(f"{entry.name} of the store is larger than {_LARGEST_COPY:,} bytes")
            shutil.copyfile(entry.path, folder / entry.name)
        else:
            (folder / entry.name).symlink_to(entry.path)
