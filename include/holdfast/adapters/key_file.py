"""The file with the signing keys of the command line: one per line, the signing key first."""

import os
import stat

from holdfast.errors import InvalidInput
from holdfast.rollout.journal.seal import LONGEST_KEYS, NO_KEYS, SigningKeys

VARIABLE = "HOLDFAST_SIGNING_KEY_FILE"


def read(path: str | None) -> SigningKeys:
    """None, or an empty text: there are no keys. Raise InvalidInput, which repeats nothing of what the file holds."""
    if not path:
        return NO_KEYS
    what = f"the key file {path}"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{what} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise InvalidInput(f"{what} is not a file")
        if mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise InvalidInput(f"{what} is writable by other users, who could then sign anything. Run chmod go-w on it")
        content = os.read(descriptor, LONGEST_KEYS + 1)
    except OSError as error:
        raise InvalidInput(f"{what} cannot be read: {error.strerror}") from None
    finally:
        os.close(descriptor)
    try:
        return SigningKeys.read(content.decode("ascii"), what)
    except UnicodeDecodeError:
        raise InvalidInput(f"{what} is not ASCII text. Create a key with `openssl rand -base64 32`") from None
