"""A directory on a host as a `Tree` (`state_dirs.state_trees`): the reader of local folders reads it from what was fetched.

Stores are opened as on a local disk, by a process with limits, from copies of what says where their offsets are: CURRENT, the
manifest, and the small tables. The tables of the data stay where they are.
"""

import os
import re
import tempfile
import threading
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from holdfast.adapters.hosts.listing import LARGEST_TABLE, ListedFile, Listing
from holdfast.adapters.state_dirs import folders, state_trees
from holdfast.adapters.state_dirs.rocksdb_offsets import Entries, StoreReader
from holdfast.errors import StatePathTrouble
from holdfast.rollout.disks.state_directory import Lock
from holdfast.rollout.json import instants

_MOST_DAMAGED = 3
"""Stores of one directory that could not be read, before the others are left out: a damaged store can take seconds."""
_COPIED = re.compile(r"CURRENT|MANIFEST-[0-9]{1,20}|[0-9]{1,20}\.sst", re.ASCII)
_OVER_A_NETWORK = re.compile(r"nfs|cifs|smb|fuse|ceph|gfs|ocfs|lustre|glusterfs|9p", re.IGNORECASE)
_LOCK = re.compile(
    r"[0-9]+: (?:POSIX|OFDLCK)\s+\S+\s+\S+\s+(-?[0-9]{1,20}) ([0-9a-f]{1,8}):([0-9a-f]{1,8}):([0-9]{1,20}) ", re.ASCII
)


class CopiedStores:
    """Opens copies of stores. To be used in a `with`; may be used by several threads."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._only_one = threading.Lock()
        self._open = ExitStack()
        self._reader: StoreReader | None = None
        self._folder = Path()
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def entries(self, files: dict[str, bytes]) -> Entries | None:
        """As `rocksdb_offsets.read`, of a store of which these files are known."""
        with self._only_one:
            if self._reader is None:
                self._folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="holdfast-copies-")))
                root = self._open.enter_context(folders.opened(os.path.realpath(self._folder)))
                self._reader = self._open.enter_context(
                    StoreReader(root.descriptor, limit_s=self._limit_s, in_part=True, most_children=1_000)
                )
            self._count += 1
            store = self._folder / str(self._count)
            store.mkdir()
            for name, content in files.items():
                (store / name).write_bytes(content)
            try:
                return self._reader.read(store.name)
            finally:
                for name in files:
                    (store / name).unlink()
                store.rmdir()


class RemoteTree:
    """One fetched directory. `host_sees`: the script ran where the application runs, so that no lock of it is hidden."""

    is_local = True

    def __init__(self, listing: Listing, stores: CopiedStores, *, host_sees: bool = False) -> None:
        self._listing = listing
        self._stores = stores
        self._sees_all = listing.sees_all or host_sees
        self._below: dict[str, list[str]] = {}
        self._damaged = 0
        for path in listing.entries:
            if path:
                above, _, name = path.rpartition("/")
                self._below.setdefault(above, []).append(name)
        for names in self._below.values():
            names.sort()

    def names(self, folder: str) -> list[str]:
        entry = self._listing.entries.get(folder)
        if entry is not None and entry.is_link:
            raise StatePathTrouble(state_trees.LEADS_OUT)
        if entry is None or not entry.is_folder:
            raise StatePathTrouble("is a file where Kafka Streams has a directory, or gone; it was not read")
        if folder in self._listing.denied:
            raise StatePathTrouble("cannot be listed: Permission denied. The permissions of the application's user are needed")
        found = self._below.get(folder, [])
        if len(found) > state_trees.MOST_ENTRIES:
            raise StatePathTrouble(f"holds more than {state_trees.MOST_ENTRIES:,} entries")
        return list(found)

    def folders(self, folder: str) -> list[str]:
        return [name for name in self.names(folder) if self._entry(folder, name).is_folder]

    def has_file(self, path: str) -> bool:
        entry = self._listing.entries.get(path)
        return entry is not None and entry.is_file

    def content(self, path: str) -> tuple[bytes, str | None]:
        entry = self._listing.entries.get(path)
        if entry is None:
            raise StatePathTrouble("no longer exists")
        if entry.is_link:
            raise StatePathTrouble(state_trees.LEADS_OUT)
        if not entry.is_file:
            raise StatePathTrouble("is not a file")
        content = self._listing.contents.get(path)
        if entry.size > state_trees.LARGEST_FILE or (content is not None and len(content) > state_trees.LARGEST_FILE):
            raise StatePathTrouble(f"is larger than {state_trees.LARGEST_FILE:,} bytes, and no such file is that large")
        if content is None:
            raise StatePathTrouble("could not be opened (no permission), or was replaced while it was read")
        return content, instants.to_millisecond(datetime.fromtimestamp(entry.changed, UTC))

    def lock(self, path: str) -> Lock:
        entry = self._listing.entries.get(path)
        if entry is None:
            return Lock(held=False)
        if not entry.is_file:
            return Lock(None, reason=f"{path} {state_trees.LEADS_OUT if entry.is_link else 'is not a file'}")
        return lock_on(entry, self._listing, sees_all=self._sees_all)

    def free_bytes(self) -> int | None:
        return self._listing.free_bytes

    def entries_of_store(self, path: str) -> Entries | None:
        if self._damaged >= _MOST_DAMAGED:
            raise StatePathTrouble(f"the RocksDB store was not read: {_MOST_DAMAGED} before it could not be")
        names = [name for name in self.names(path) if _COPIED.fullmatch(name)]
        files = {name: content for name in names if (content := self._listing.contents.get(f"{path}/{name}")) is not None}
        lacking = [name for name in names if name not in files and not name.endswith(".sst")]
        if lacking:
            raise StatePathTrouble(f"the RocksDB store cannot be read: its {lacking[0]} was not sent (too large, or no permission)")
        try:
            return self._stores.entries(files)
        except StatePathTrouble as problem:
            self._damaged += 1
            unsent = sum(name not in files for name in names)
            if not unsent:
                raise
            raise StatePathTrouble(
                f"{problem}; {unsent} of its tables were not sent (larger than {LARGEST_TABLE:,} bytes, no permission, or replaced"
                " while it was read)"
            ) from None

    def _entry(self, folder: str, name: str) -> ListedFile:
        return self._listing.entries[f"{folder}/{name}" if folder else name]


def lock_on(entry: ListedFile, listing: Listing, *, sees_all: bool) -> Lock:
    """Whether a process holds a record lock on the file, from what /proc/locks had when the listing began."""
    if listing.locks is None:
        return Lock(None, reason="the host shows no /proc/locks")
    device, inode = entry.identity
    elsewhere = False
    for line in listing.locks:
        found = _LOCK.match(f"{line} ")
        if found is None or int(found[4]) != inode:
            continue
        if (int(found[2], 16), int(found[3], 16)) == (os.major(device), os.minor(device)):
            pid = int(found[1])
            return Lock(held=True, pid=pid if pid > 0 else None)
        elsewhere = True  # btrfs and overlays have two numbers for a device
    if elsewhere:
        return Lock(None, reason=f"/proc/locks has a lock on a file with its number, on another device ({listing.file_system})")
    if _OVER_A_NETWORK.match(listing.file_system):
        return Lock(None, reason=f"its file system is {listing.file_system}: locks of other machines are not visible")
    if not sees_all:
        return Lock(None, reason="the host is a container: locks of processes outside of it are not visible")
    return Lock(held=False)
