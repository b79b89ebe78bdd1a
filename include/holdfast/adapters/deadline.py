"""One time limit for all requests to a cluster, in seconds."""

import queue
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from holdfast.errors import ClusterTrouble

T = TypeVar("T")


class Deadline:
    """`limit_s` seconds from now."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._ends_at = time.monotonic() + limit_s

    def remaining_s(self) -> float:
        return max(0.0, self._ends_at - time.monotonic())

    def passed(self) -> bool:
        return self.remaining_s() <= 0

    def within(self, what: str, action: Callable[[], T]) -> T:
        """The result of `action`, which runs in a thread of its own. Raise ClusterTrouble when the time is up before it is there.

        This bounds what no setting of a client bounds (a name that the resolver does not answer for). The thread is left behind
        then, and does not hold up the end of the process.
        """
        answers: queue.SimpleQueue[tuple[bool, object]] = queue.SimpleQueue()

        def work() -> None:
            try:
                answers.put((True, action()))
            except BaseException as trouble:  # noqa: BLE001 - handed over to the caller's thread
                answers.put((False, trouble))

        threading.Thread(target=work, name="holdfast-cluster-call", daemon=True).start()
        try:
            succeeded, answer = answers.get(timeout=self.remaining_s() + 0.1)
        except queue.Empty:
            raise self.trouble(what) from None
        if not succeeded:
            assert isinstance(answer, BaseException)
            raise answer
        return answer  # type: ignore[return-value] # what `action` returned

    def trouble(self, what: str) -> ClusterTrouble:
        return ClusterTrouble(f"{what}: no answer within {self.limit_s:g} s. Check that the cluster is up, or raise --timeout")
