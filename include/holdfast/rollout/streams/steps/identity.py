"""How a client of an option gets its process ID."""

from enum import StrEnum


class Identity(StrEnum):
    """As the change says, by a file written before its start, or with the disk."""

    AS_IT_COMES = "as it comes"
    FILE = "file"
    DISK = "disk"
