"""Wait until an act on a process shows, by an actor whose call returns before the act is done."""

import time
from collections.abc import Callable

from holdfast.errors import HostTrouble
from holdfast.rollout.journal.acted import ClientProcess, Does

HOLDS_S = 10.0
"""An act that takes longer is left to go on: the next turn of the run looks what has become of it."""


def shows(
    does: Does,
    look: Callable[[], ClientProcess],
    is_another: Callable[[ClientProcess], bool],
    limit_s: float,
    pause: Callable[[], None],
) -> bool:
    """Whether the process got there within `limit_s`. `is_another`: than before a restart.

    A host that does not answer is asked again. Raise HostTrouble, with `begun`, where that is lasting, and where `limit_s` is not
    over after `HOLDS_S`.
    """
    ends_at = time.monotonic() + min(limit_s, HOLDS_S)
    while time.monotonic() < ends_at:
        try:
            now = look()
        except HostTrouble as trouble:
            if trouble.lasting:
                raise HostTrouble(str(trouble), begun=True, lasting=True) from None
        else:
            if now.state is does.goal and (does is not Does.RESTART or is_another(now)):
                return True
        pause()
    if limit_s > HOLDS_S:
        raise HostTrouble(f"the process is not {does.goal.value} after {HOLDS_S:g} s", begun=True)
    return False
