"""How a file system is asked, and what its refusals mean."""

import errno
from typing import Any

from holdfast.adapters.lake import s3_objects
from holdfast.adapters.lake.fsspec_objects import FsspecObjects
from holdfast.adapters.lake.s3_objects import S3Objects
from holdfast.errors import NotAllowed, StatePathTrouble

Objects = S3Objects | FsspecObjects
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def of(files: Any) -> Objects:
    """`files`: a file system of fsspec."""
    protocols = (files.protocol,) if isinstance(files.protocol, str) else tuple(files.protocol)
    return S3Objects(files) if "s3" in protocols else FsspecObjects(files, protocols)


def is_absent(error: Exception) -> bool:
    """Whether there is no such file or folder, in a place that there is."""
    return isinstance(error, (FileNotFoundError, NotADirectoryError)) and not s3_objects.is_of_bucket(error)


def trouble(objects: Objects, what: str, place: str, error: Exception) -> StatePathTrouble:
    """`what` cannot be done at `place`. What was refused for want of a right is refused again."""
    if isinstance(objects, S3Objects):
        return s3_objects.trouble(what, place, error)
    if isinstance(error, OSError) and (isinstance(error, PermissionError) or error.errno == errno.EROFS):
        return NotAllowed(f"{what}: {error}. This process needs read and write permission on the whole lake.")
    if isinstance(error, OSError) and error.errno in _FULL:
        return StatePathTrouble(f"{what}: {error}. Make room there, then try again.")
    return StatePathTrouble(f"{what}: {error}")
