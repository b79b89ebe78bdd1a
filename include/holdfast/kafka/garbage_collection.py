"""Very many values are made without Python's search for cycles among them: trees of tuples, lists and maps hold none."""

import gc
from typing import ClassVar


class uncollected:  # noqa: N801 - used as `with uncollected():`
    """A million partitions are a million tuples and no cycle: looking for one, again and again while they are made, takes three
    quarters of the time, and looking once when they are there half of the rest.

    So all that exists at the end is treated as old, as what has been searched is; it is searched with the old.
    """

    __slots__ = ("_collects",)
    frozen: ClassVar[bool] = False
    """Whether anything was found frozen: who has frozen it wants it to stay so, and to count it takes longer the more it is."""

    def __enter__(self) -> None:
        self._collects = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collects:
            uncollected.frozen = uncollected.frozen or gc.get_freeze_count() > 0
            if not uncollected.frozen:
                gc.freeze()
                gc.unfreeze()
            gc.enable()
