"""Very many values are made without Python's search for cycles among them: trees of tuples, lists and maps hold none."""

import gc


class uncollected:  # noqa: N801 - used as `with uncollected():`
    """A million partitions are a million tuples and no cycle: looking for one, again and again while they are made, takes three
    quarters of the time, and looking once when they are there half of the rest.

    So all that exists at the end is treated as old, as what has been searched is; it is searched with the old.
    """

    __slots__ = ("_collects",)

    def __enter__(self) -> None:
        self._collects = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collects:
            if not gc.get_freeze_count():  # (who has frozen anything wants it to stay so)
                gc.freeze()
                gc.unfreeze()
            gc.enable()
