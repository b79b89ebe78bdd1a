"""Requests to the brokers of one cluster, side by side, each within a limit: one that is slow or gone does not hold up the others.

A broker that did not answer is not asked for a while, longer each time; requests meanwhile fail at once.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kafka import errors as kafka_errors
from kafka.net.manager import KafkaConnectionManager

from holdfast.adapters.broker.session import PASSING, KafkaSession, refusal, translated
from holdfast.errors import ClusterTrouble

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 2.0
FIRST_REST_S, LONGEST_REST_S = 5.0, 60.0
_FIRST_LIMIT_S = 5.0
"""How long one broker of several is waited for at first, where any of them will do."""
_SHARE_FOR_ALL = 0.8

Answers = dict[int, list[Any]]
Problems = dict[int, str]


@dataclass(slots=True)
class _Rest:
    """A broker that did not answer `times` in a row is not asked before `ends_at`."""

    times: int
    ends_at: float
    because: str


class Brokers:
    """`limit_s`: how long any broker is waited for; None: as long as the session has time. `requests`: those sent so far."""

    def __init__(self, session: KafkaSession, limit_s: float | None = None) -> None:
        self.session = session
        self.requests = 0
        self._limit_s = limit_s
        self._rests: dict[int, _Rest] = {}

    @property
    def nodes(self) -> tuple[int, ...]:
        """The brokers that the cluster names; those that are not asked for now are last."""
        known = sorted(broker.node_id for broker in self._manager.cluster.brokers())
        return tuple(sorted(known, key=lambda node: self._resting(node) is not None))

    def speaks(self, request: Any, version: int) -> bool:
        """Whether the brokers understand that version of a request."""
        try:
            known: int = self._manager.broker_version_data.api_version(request)
        except kafka_errors.IncompatibleBrokerVersion:
            return False
        return known >= version

    def attempts(self) -> Iterator[int]:
        """Once, and again after a pause, longer each time, as long as there is time."""
        ends_at = time.monotonic() + self._seconds()
        pause, number = FIRST_PAUSE_S, 0
        yield number
        while time.monotonic() + pause < ends_at and self.session.deadline.remaining_s() > 1:
            time.sleep(pause)
            pause, number = min(LONGEST_PAUSE_S, 2 * pause), number + 1
            yield number

    def ask(self, what: str, requests: Mapping[int, Sequence[Any]], limit_s: float | None = None) -> tuple[Answers, Problems]:
        """The answers of each broker, in the order of its requests, where it gave them; and why one did not give them all.

        A broker's requests go one after the other, all brokers side by side.
        """
        seconds = self._seconds() if limit_s is None else min(limit_s, self._seconds())
        ends_at = time.monotonic() + seconds
        answers: Answers = {node: [] for node in requests}
        problems: Problems = {node: because for node in requests if (because := self._resting(node))}
        waiting = [node for node in requests if node not in problems]
        pause = FIRST_PAUSE_S
        while waiting:
            failed = self._round(what, {node: requests[node] for node in waiting}, answers, ends_at)
            waiting = []
            for node, trouble in failed.items():
                if isinstance(trouble, kafka_errors.KafkaTimeoutError):
                    problems[node] = self._silent(what, node, seconds)
                elif isinstance(trouble, PASSING) and time.monotonic() + pause < ends_at:
                    waiting.append(node)
                else:
                    problems[node] = self._rest(node, f"broker {node}: {refusal(trouble)}", isinstance(trouble, PASSING))
            if waiting:
                time.sleep(pause)
                pause = min(LONGEST_PAUSE_S, 2 * pause)
        for node in requests:
            if node not in problems:
                self._rests.pop(node, None)
        return answers, problems

    def ask_all(self, what: str, requests: Mapping[int, Any], limit_s: float) -> tuple[dict[int, Any], Problems]:
        """One request a broker; as `ask`, for `limit_s` at most, and for less where the time is nearly up."""
        most = min(limit_s, _SHARE_FOR_ALL * self.session.deadline.remaining_s())
        answers, problems = self.ask(what, {node: (request,) for node, request in requests.items()}, most)
        return {node: found[0] for node, found in answers.items() if found}, problems

    def ask_any(self, what: str, request: Any) -> Any:
        """The answer of whichever broker gives one. Raise ClusterTrouble if none does."""
        limit_s = _FIRST_LIMIT_S
        problems: Problems = {}
        for _ in self.attempts():
            nodes = self.nodes
            for node in nodes:
                answers, problems = self.ask(what, {node: (request,)}, limit_s if len(nodes) > 1 else None)
                if answers[node]:
                    return answers[node][0]
            limit_s *= 2
        if self._limit_s is None and self.session.deadline.remaining_s() <= 1:
            raise self.session.deadline.trouble(what)
        raise ClusterTrouble(f"{what}: {'; '.join(problems.values()) or 'the cluster names no broker'}")

    @property
    def _manager(self) -> KafkaConnectionManager:
        return self.session.admin._manager  # noqa: SLF001 - raw requests (member bytes!) go through the client's own loop

    def _seconds(self) -> float:
        left = self.session.deadline.remaining_s()
        return left if self._limit_s is None else min(self._limit_s, left)

    def _round(
        self, what: str, requests: Mapping[int, Sequence[Any]], answers: Answers, ends_at: float
    ) -> dict[int, kafka_errors.KafkaError]:
        """Send what was not answered yet. Return what went wrong, by broker."""
        manager = self._manager

        async def one(node: int) -> None:
            for request in requests[node][len(answers[node]) :]:
                self.requests += 1
                answers[node].append(await manager.send(request, node_id=node))

        async def all_of_them() -> dict[int, kafka_errors.KafkaError]:
            futures = {node: manager.call_soon(one, node) for node in requests}
            failed: dict[int, kafka_errors.KafkaError] = {}
            for node, future in futures.items():
                try:
                    await manager.wait_for(future, max(1.0, 1000 * (ends_at - time.monotonic())))
                except kafka_errors.KafkaError as error:
                    failed[node] = error
            return failed

        with translated(what):
            return self.session.deadline.within(what, lambda: manager.run(all_of_them))

    def _silent(self, what: str, node: int, seconds: float) -> str:
        if self._limit_s is None and self.session.deadline.remaining_s() <= 1:
            return str(self.session.deadline.trouble(what))
        return self._rest(node, f"broker {node} did not answer within {seconds:.3g} s", may_pass=True)

    def _rest(self, node: int, because: str, may_pass: bool) -> str:
        """Leave a broker alone for a while, unless it is all that there is to ask."""
        if may_pass and self._limit_s is not None:
            before = self._rests.get(node)
            times = 1 if before is None else before.times + 1
            ends_at = time.monotonic() + min(LONGEST_REST_S, FIRST_REST_S * 2 ** (times - 1))
            self._rests[node] = _Rest(times, ends_at, because)
        return because

    def _resting(self, node: int) -> str | None:
        rest = self._rests.get(node)
        return rest.because if rest is not None and time.monotonic() < rest.ends_at else None
