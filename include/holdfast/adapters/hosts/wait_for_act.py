"""Wait until an act on a process shows, by an actor whose call returns before the act is done."""

import time
from collections.abc import Callable

from holdfast.errors import HostTrouble
from holdfast.rollout.journal.acted import ClientProcess, Does


def shows(
    does: Does,
    look: Callable[[], ClientProcess],
    is_another: Callable[[ClientProcess], bool],
    ends_at: float,
    pause: Callable[[], None],
) -> bool:
    """Whether the process got there before `ends_at` (time.monotonic). `is_another`: than before a restart.

    A host that does not answer is asked again; raise HostTrouble, with `begun`, where that is lasting.
    """
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
    return False
