"""`rolling_restart`: a shorthand for restarts one after the other, with what the clients come back with."""

from collections.abc import Iterator
from dataclasses import replace

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.batches_json import MOST_EVENTS
from holdfast.rollout.json import shapes
from holdfast.rollout.json.codec import BOOLEAN, integer, nullable
from holdfast.rollout.json.kafka_codecs import PROCESS_IDS, RELEASE
from holdfast.rollout.json.record import member, record
from holdfast.rollout.streams.events import set_config, set_release
from holdfast.rollout.streams.events.event import About, Event, Name, Statement, StepContext
from holdfast.rollout.streams.events.parts.fields import LATE, SETTINGS, WAIT, WITHIN_SESSION, Settings, not_late_in_time
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.set_config import SetConfig
from holdfast.rollout.streams.events.set_release import SetRelease
from holdfast.rollout.streams.steps.drafts import Draft, Pace
from holdfast.rollout.text.request_words import few, short


def _not_late_in_time(rolling: "RollingRestart") -> None:
    not_late_in_time(late=rolling.late, within_session=rolling.within_session)


def _each_once(process_ids: tuple[ProcessId, ...]) -> None:
    if not process_ids:
        raise InvalidInput("one process ID or more is needed, none was found; leave the field out for all clients")
    if len(dict.fromkeys(process_ids)) < len(process_ids):
        raise InvalidInput("a process ID is given twice")


_PROCESS_IDS = nullable(PROCESS_IDS.checked(_each_once).shaped(shapes.items(shapes.PROCESS_ID, at_least=1)))


@record(check=_not_late_in_time, defaults=True)
class RollingRestart(Statement):
    """Shorthand for restarts, `at_once` at a time, each batch waiting for `wait` (`shorthands` writes them out).

    `process_ids` None: all clients of the group, in the order of their process IDs. `settings` and `kafka_release`: what the
    clients come back with. A rebalance goes by what its leader has: written out, they count once the last client is back, and the
    ranges of a forecast cover every restart from which on they may count before that (`shorthands.counts_earlier`).
    `within_session` and `late`: as in `RestartClient`; static members return in time, each without a rebalance.
    """

    process_ids: tuple[ProcessId, ...] | None = member(_PROCESS_IDS, "Null: all, in their order.", default=None)
    at_once: int = member(integer(1, MOST_EVENTS), default=1)
    wait: Wait = member(WAIT, default=Wait.STABLE)
    keeps_process_id: bool = member(BOOLEAN, default=True)
    keeps_state: bool = member(BOOLEAN, default=True)
    settings: Settings = member(SETTINGS, name="set_config", default=(), omit=True, unsaid=True)
    kafka_release: str | None = member(nullable(RELEASE), default=None, omit=True)
    within_session: bool | None = member(WITHIN_SESSION, default=None, omit=True)
    late: bool = member(LATE, default=False, omit=True)

    @property
    def rolls_out(self) -> bool:
        """Whether clients come back with something else than they had."""
        return bool(self.settings) or self.kafka_release is not None

    def keeps_ids_and_threads(self) -> bool:
        return self.keeps_process_id and self.kafka_release is None

    VERB = "rolling_restart"
    ABOUT = About.CLIENTS

    # In words.

    def sentence(self, name: Name) -> str:
        clients = "every client" if self.process_ids is None else ", ".join(name(one) for one in self.process_ids)
        given = [f", with {set_config.in_words(self.settings)}"] if self.settings else []
        given += [f", on Kafka Streams {self.kafka_release}"] if self.kafka_release is not None else []
        given += [] if self.keeps_process_id else [", their process IDs lost"]
        given += [] if self.keeps_state else [", their state lost"]
        given += [", each back within its session"] if self.within_session else []
        given += [", waiting for one rebalance each time"] if self.wait is Wait.REBALANCE else []
        return f"restart {clients}, {self.at_once} at a time{''.join(given)}"

    def title(self, host: Name) -> tuple[str, str]:
        clients = "every client" if self.process_ids is None else few([host(one) for one in self.process_ids])
        if self.kafka_release is not None:
            return "upgrade", f"{clients} to Kafka Streams {self.kafka_release}"
        return ("set", f"{short(set_config.in_words(self.settings))} on {clients}") if self.settings else ("restart", clients)

    # Who restarts, and with what.

    def will_draw_ids(self) -> bool:
        return not self.keeps_process_id

    def without_disk(self) -> Statement:
        return replace(self, keeps_process_id=False, keeps_state=False)

    def displaced(self) -> tuple[ProcessId, ...]:
        return () if self.keeps_process_id and self.keeps_state else self.process_ids or ()

    def settings_set(self) -> Settings:
        return self.settings

    def may_be_late(self) -> bool:
        return True

    def unseen_returns(self, endpoints: frozenset[ProcessId]) -> frozenset[ProcessId]:
        return frozenset(self.process_ids or endpoints) if self.within_session else frozenset()

    def moves_tasks(self) -> bool:
        return bool(self.settings)

    def restarts(self, clients: int) -> int:
        return clients if self.process_ids is None else len(self.process_ids)

    def batches(self, present: list[ProcessId]) -> Iterator[tuple[ProcessId, ...]]:
        """The clients that restart at once, batch by batch. `present`: the clients of the group."""
        chosen = tuple(sorted(present)) if self.process_ids is None else self.process_ids
        for first in range(0, len(chosen), self.at_once):
            yield chosen[first : first + self.at_once]

    def written_out(self, present: list[ProcessId], counted_from: int | None) -> Iterator[Event | Then]:
        """The restarts, and what they roll out. `counted_from`: settings count from this many batches on; None: from the last.

        Raise InvalidInput for a group without clients.
        """
        if self.process_ids is None and not present:
            raise InvalidInput("the group has no client to restart", "process_ids")
        batches = list(self.batches(present))
        counts = len(batches) if counted_from is None else min(counted_from, len(batches))
        for number, batch in enumerate(batches, start=1):
            if number > 1:
                yield Then(self.wait)
            for process_id in batch:
                yield RestartClient(
                    process_id,
                    keeps_process_id=self.keeps_process_id,
                    keeps_state=self.keeps_state,
                    within_session=self.within_session,
                    late=self.late,
                )
            if number == counts and self.settings:
                yield SetConfig(self.settings)
        if self.kafka_release is not None:
            yield SetRelease(self.kafka_release)

    # Its steps.

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:
        if not self.rolls_out:
            raise Unsupported("No step restarts a client whose process ID is unknown yet; name the clients to restart.")
        pace = Pace(self.at_once, self.wait)
        releases = () if self.kafka_release is None else (set_release.draft(context.snapshot, self.kafka_release, pace),)
        return (*releases, *set_config.drafts(context, self.settings, pace))
