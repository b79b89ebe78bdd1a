"""The files below a state directory: on a local disk by handles (`folders`), elsewhere through fsspec. Nothing is written.

Locally no link is followed, at any part of the path, and neither pipes nor devices are opened. Paths are relative to the directory,
which is "" itself. Everything that cannot be read raises StatePathTrouble, whose text has no secret of the URL.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import fsspec

from holdfast.adapters.state_dirs import file_locks, folders
from holdfast.adapters.state_dirs.folders import Folder
from holdfast.adapters.state_dirs.rocksdb_offsets import Entries, StoreReader
from holdfast.errors import HoldfastError, StatePathTrouble
from holdfast.rollout.disks.state_directory import Lock
from holdfast.rollout.json import instants

LARGEST_FILE = 1_048_576
MOST_ENTRIES = 200_000
_LOCAL = ("file", "local")
_EXTRAS = {
    **dict.fromkeys(("s3", "s3a"), "s3"),
    **dict.fromkeys(("gs", "gcs"), "gcs"),
    **dict.fromkeys(("abfs", "abfss", "az", "adl"), "azure"),
    **dict.fromkeys(("sftp", "ssh"), "sftp"),
    **dict.fromkeys(("http", "https"), "http"),
}
"""The protocols whose libraries are extras of Holdfast's (pyproject.toml)."""
LEADS_OUT = "is a link, which could lead out of the state directory; links are not followed"


class Tree(Protocol):
    """What is below one state directory."""

    @property
    def is_local(self) -> bool: ...

    def names(self, folder: str) -> list[str]:
        """What is in the folder, sorted."""
        ...

    def folders(self, folder: str) -> list[str]:
        """Names of what is a folder in it, and no link."""
        ...

    def has_file(self, path: str) -> bool: ...

    def content(self, path: str) -> tuple[bytes, str | None]:
        """All of a file that is not larger than LARGEST_FILE, and when it was last changed, where that is known."""
        ...

    def lock(self, path: str) -> Lock: ...

    def free_bytes(self) -> int | None:
        """What a user without special rights may still write. Only a local file system says."""
        ...

    def entries_of_store(self, path: str) -> Entries | None:
        """The offsets inside a RocksDB store; None where it keeps none."""
        ...


def extra_for(url: str) -> str:
    """How to get the library for this kind of URL; "" where Holdfast knows none."""
    protocols = (part.partition("://")[0] for part in url.split("::"))
    extra = next((_EXTRAS[one] for one in protocols if one in _EXTRAS), None)
    return f"Its library is not installed: pip install 'holdfast[{extra}]'." if extra else ""


@contextmanager
def opened(url: str, shown: str, stores_limit_s: float) -> Iterator[Tree]:
    needed = f"{shown}: there is no such directory; <state.dir>/<application.id> of one client is needed"
    with ExitStack() as open_things:
        with readable(shown):
            files, root = fsspec.core.url_to_fs(url)
        if any(name in _LOCAL for name in _protocols(files)):
            try:
                folder = open_things.enter_context(folders.opened(str(root)))
            except folders.NoSuchFolder:
                raise StatePathTrouble(needed) from None
            yield _Local(folder, open_things.enter_context(StoreReader(folder.descriptor, limit_s=stores_limit_s)))
            return
        with readable(shown):
            is_directory = files.isdir(root)
        if not is_directory:
            raise StatePathTrouble(needed)
        yield _Remote(files, str(root).rstrip("/") or "/")


@contextmanager
def readable(what: str) -> Iterator[None]:
    """Raise StatePathTrouble for whatever a file system raises. Its texts may quote the URL, so they are not passed on."""
    try:
        yield
    except HoldfastError:
        raise
    except OSError as error:
        raise StatePathTrouble(
            f"{what}: {error.strerror or type(error).__name__}. The permissions of the group or of root are needed"
        ) from None
    except ImportError as error:
        needed = extra_for(what) or f"this kind of URL needs the package {error.name or 'that fsspec names for it'}"
        raise StatePathTrouble(f"{what}: {needed}") from None
    except Exception as error:  # noqa: BLE001 - each file system has errors of its own
        raise StatePathTrouble(f"{what}: cannot be read ({type(error).__name__})") from None


class _Local:
    is_local = True

    def __init__(self, root: Folder, stores: StoreReader) -> None:
        self._root = root
        self._stores = stores

    def names(self, folder: str) -> list[str]:
        with self._folder(folder) as here:
            return [entry.name for entry in here.entries(MOST_ENTRIES)]

    def folders(self, folder: str) -> list[str]:
        with self._folder(folder) as here:
            return [entry.name for entry in here.entries(MOST_ENTRIES) if entry.is_folder]

    def has_file(self, path: str) -> bool:
        above, _, name = path.rpartition("/")
        with self._folder(above) as here:
            found = here.status_of(name)
            return found is not None and stat.S_ISREG(found.st_mode)

    def content(self, path: str) -> tuple[bytes, str | None]:
        above, _, name = path.rpartition("/")
        with self._folder(above) as here:
            self._refuse_link(here, name)
            with here.file(name) as descriptor:
                if descriptor is None:
                    raise StatePathTrouble("no longer exists")
                data = here.read(descriptor, name, LARGEST_FILE)
                return data, instants.to_millisecond(datetime.fromtimestamp(os.fstat(descriptor).st_mtime, UTC))

    def lock(self, path: str) -> Lock:
        above, _, name = path.rpartition("/")
        try:
            with self._folder(above) as here:
                self._refuse_link(here, name)
                return file_locks.of(name, here.descriptor)
        except StatePathTrouble as problem:
            return Lock(None, reason=f"{path} {problem}")

    def free_bytes(self) -> int | None:
        try:
            found = os.fstatvfs(self._root.descriptor)
        except OSError:
            return None
        return found.f_bavail * found.f_frsize

    def entries_of_store(self, path: str) -> Entries | None:
        return self._stores.read(path)

    @contextmanager
    def _folder(self, path: str) -> Iterator[Folder]:
        with ExitStack() as open_folders:
            here = self._root
            for part in path.split("/") if path else ():
                self._refuse_link(here, part)
                try:
                    here = open_folders.enter_context(here.below(part))
                except folders.NoSuchFolder:
                    raise StatePathTrouble("is a file where Kafka Streams has a directory, or gone; it was not read") from None
            yield here

    @staticmethod
    def _refuse_link(folder: Folder, name: str) -> None:
        if folder.is_link(name):
            raise StatePathTrouble(LEADS_OUT)


class _Remote:
    """On what fsspec reaches."""

    is_local = False

    def __init__(self, files: Any, root: str) -> None:
        self._files = files
        self._root = root

    def names(self, folder: str) -> list[str]:
        place = self._place(folder)
        with readable(folder or "the directory"):
            entries = self._files.ls(place, detail=True)
            found = [(str(each["name"]).rstrip("/"), each["type"]) for each in entries]
        if len(found) == 1 and found[0][1] == "file" and found[0][0].lstrip("/") == place.strip("/"):
            raise StatePathTrouble("is a file where Kafka Streams has a directory; it was not read")
        if len(found) > MOST_ENTRIES:
            raise StatePathTrouble(f"holds more than {MOST_ENTRIES:,} entries")
        return sorted(name.rpartition("/")[2] for name, _ in found)

    def folders(self, folder: str) -> list[str]:
        with readable(folder or "the directory"):
            entries = self._files.ls(self._place(folder), detail=True)
            found = [str(each["name"]) for each in entries if each["type"] == "directory" and not each.get("islink")]
        return [name.rstrip("/").rpartition("/")[2] for name in found]

    def has_file(self, path: str) -> bool:
        with readable(path):
            return bool(self._files.isfile(self._place(path)))

    def content(self, path: str) -> tuple[bytes, str | None]:
        place = self._place(path)
        with readable(path):
            if not self._files.isfile(place):
                raise StatePathTrouble("is not a file")
            with self._files.open(place, "rb") as file:
                data: bytes = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise StatePathTrouble(f"is larger than {LARGEST_FILE:,} bytes, and no such file is that large")
        try:
            changed = self._files.modified(place)
        except (NotImplementedError, OSError, KeyError):
            changed = None
        return data, instants.to_millisecond(changed) if isinstance(changed, datetime) else None

    def lock(self, path: str) -> Lock:  # noqa: ARG002 - whichever it is
        return file_locks.remote(_protocols(self._files)[0])

    def free_bytes(self) -> int | None:
        return None

    def entries_of_store(self, path: str) -> Entries | None:
        raise StatePathTrouble(f"{Path(path).name} is read on local disks only")

    def _place(self, path: str) -> str:
        return f"{self._root.rstrip('/')}/{path}" if path else self._root


def _protocols(files: Any) -> tuple[str, ...]:
    protocol = files.protocol
    return (protocol,) if isinstance(protocol, str) else tuple(protocol)
