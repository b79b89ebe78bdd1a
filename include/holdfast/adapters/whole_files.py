"""Files on a local disk that appear complete or not at all, durably: as a replacement, or only where none exists.

The bytes are written under a temporary name (`temporary`) and synced; then the file is renamed to its place, or linked there, which
the kernel refuses where there is something; then the folder is synced.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.adapters import temporary
from holdfast.errors import Unsupported

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_ELSEWHERE = (errno.EXDEV, errno.EACCES, errno.EPERM)
"""Why a file cannot be written in one folder and put into another."""


def replace(place: Path, content: bytes, scratch: Path) -> None:
    """`scratch`: the folder for temporary names, above the file's own; where it cannot be used, that one is."""
    _put(place, content, scratch, lambda source, name, folder: os.rename(name, place.name, src_dir_fd=source, dst_dir_fd=folder))


def create(place: Path, content: bytes, scratch: Path) -> bool:
    """False, and nothing is changed, where there is anything. Raise Unsupported where the file system has no hard links."""
    try:
        _put(place, content, scratch, lambda source, name, folder: _link(source, name, folder, place.name))
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno in _NO_LINKS and os.access(place.parent, os.W_OK):
            raise Unsupported(
                f"the file system of {place.parent} has no hard links ({error.strerror}), without which a file cannot be created"
                " exclusively. Keep the lake on another one, or in an object store"
            ) from None
        raise
    return True


def _link(source: int, name: str, folder: int, to: str) -> None:
    os.link(name, to, src_dir_fd=source, dst_dir_fd=folder, follow_symlinks=False)


def _put(place: Path, content: bytes, scratch: Path, put: Callable[[int, str, int], None]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        _written(scratch, place, content, put)
    except OSError as error:
        if scratch == place.parent or error.errno not in _ELSEWHERE:
            raise
        _written(place.parent, place, content, put)


def _written(scratch: Path, place: Path, content: bytes, put: Callable[[int, str, int], None]) -> None:
    with _opened(scratch) as source, _opened(place.parent) as folder, temporary.new_file(source, place.name) as (file, name):
        left = memoryview(content)
        while left:
            left = left[os.write(file, left) :]
        os.fsync(file)
        put(source, name, folder)
        os.fsync(folder)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def remove_abandoned(folder: Path) -> None:
    """What dead writers left in a folder. A missing or unreadable folder has none."""
    try:
        with _opened(folder) as descriptor:
            temporary.remove_abandoned(descriptor)
    except OSError:
        return
