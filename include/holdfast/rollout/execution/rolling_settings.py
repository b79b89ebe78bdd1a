"""Settings that every client of a group gets, and the restarts with which they take effect, client by client.

In a plan that is one step, which a person does as a rolling restart. A run does it as acts: it writes the settings of one client,
restarts it, and goes on with the next one once the group shows the restart, and what the plan waits for after the step is over.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.journal.back import ClientSeen, ConfigHeld
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent
from holdfast.rollout.json.kafka import ConfigValue


@dataclass(frozen=True, slots=True)
class ClientSetting:
    """A setting of clients, as text: what the plan expects before, and what it is after; None: not set. `default`: Kafka's own,
    which holds where none is set; None: unknown here."""

    key: str
    before: str | None
    after: str | None
    default: str | None = None

    def is_same(self, one: str | None, other: str | None) -> bool:
        """Whether two values mean the same to a client: a list is the same with spaces after its commas, as Kafka reads it."""
        return self._effective(one) == self._effective(other)

    def _effective(self, value: str | None) -> str | None:
        text = self.default if value is None else value
        return None if text is None else ",".join(part.strip() for part in text.split(","))


@dataclass(frozen=True, slots=True)
class Configuring:
    """What one client gets: `settings`, then `acts` on its process, each of them an act of this client."""

    settings: tuple[ClientSetting, ...]
    acts: tuple[Act, ...]
    client: Act
    """How it is known where commands are; nothing is done to its process by it."""


@dataclass(frozen=True, slots=True)
class Roll:
    """`first`: the step with which the clients restart; of settings that are rolled out together it brings all. `batches`: the
    clients in order, those that are down together in one."""

    first: str
    batches: tuple[tuple[Configuring, ...], ...]

    @property
    def actions(self) -> tuple[ActionName, ...]:
        """What the policy must allow for it."""
        restarts = any(one.acts for one in self.clients())
        return (ActionName.SET_CLIENT_CONFIG, ActionName.RESTART_CLIENT) if restarts else (ActionName.SET_CLIENT_CONFIG,)

    def clients(self) -> Iterator[Configuring]:
        for batch in self.batches:
            yield from batch

    def is_amid_batch(self, journal: Journal) -> bool:
        """Whether some of the clients that restart together have begun to, and others have not."""
        several = (batch for batch in self.batches if len(batch) > 1)
        return any(
            any(_acts_of(self.first, one, journal) for one in batch)
            and not all(has_happened(self.first, one, journal) for one in batch)
            for batch in several
        )

    def is_done(self, journal: Journal) -> bool:
        """Whether a run did all of it, by its journal."""
        return all(has_happened(self.first, one, journal) for one in self.clients())


def as_text(value: ConfigValue) -> str | None:
    """A setting as Kafka's tools and properties files have it. None: not set."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else None if value is None else str(value)


def has_begun(step: str, one: Configuring, journal: Journal) -> bool:
    """Whether anything was done to a client, or may have been."""
    return bool(journal.configured(step, one.client.kept_as) or _acts_of(step, one, journal))


def has_happened(step: str, one: Configuring, journal: Journal) -> bool:
    """Whether a client has its settings, and all acts on it are done."""
    is_set = any(entry.event is JournalEvent.ACTED for entry in journal.configured(step, one.client.kept_as))
    acted = {entry.acted.does for entry in _acts_of(step, one, journal) if entry.event is JournalEvent.ACTED and entry.acted}
    return is_set and all(act.does in acted for act in one.acts)


def not_shown(step: str, done: Sequence[Configuring], journal: Journal, now: Sequence[ClientSeen]) -> str | None:
    """The first of these clients whose restart the group does not show yet. It does when as many other members are there. None: it
    shows them all."""
    here = {one.name: one.members for one in now}
    for one in done:
        begun = (entry.acted for entry in reversed(_acts_of(step, one, journal)) if entry.event is JournalEvent.BEGUN)
        before = next((acted.members for acted in begun if acted is not None and acted.members is not None), None)
        if before is None:  # nothing was done to it, or it could not be seen
            continue
        found = here.get(one.client.client, ())
        if not found or len(found) < len(before) or set(found) & set(before):
            return one.client.shown
    return None


def back(roll: Roll, journal: Journal) -> Roll:
    """What rolls it back, the last client first: of the clients that a run began with, those settings that it wrote, as they were
    before, and a restart where the client may run with them. `journal`: from before it was rolled back."""
    batches = (
        tuple(_back(roll.first, one, journal) for one in batch if _was_set(roll.first, one, journal)) for batch in roll.batches
    )
    return replace(roll, batches=tuple(reversed([batch for batch in batches if batch])))


def _was_set(step: str, one: Configuring, journal: Journal) -> bool:
    """Whether a run has written, or may have. A client that had its settings before it keeps them."""
    return any(entry.event is JournalEvent.BEGUN for entry in journal.configured(step, one.client.kept_as))


def _back(step: str, one: Configuring, journal: Journal) -> Configuring:
    entries = journal.configured(step, one.client.kept_as)
    kept = next((entry.configured.before for entry in entries if entry.configured and entry.configured.before is not None), None)
    was = {held.key: held.value for held in kept or ()}
    settings = tuple(replace(each, before=each.after, after=was.get(each.key, each.before)) for each in one.settings)
    events = {entry.event for entry in _acts_of(step, one, journal)}
    if JournalEvent.BEGUN not in events:
        return replace(one, settings=settings, acts=())
    # A restart that was cut off in the middle may have left it down, or running with either.
    cut_off = () if JournalEvent.ACTED in events else tuple(replace(act, does=Does.START) for act in one.acts)
    return replace(one, settings=settings, acts=(*cut_off, *one.acts))


def held(settings: Sequence[ClientSetting], found: Mapping[str, str | None]) -> tuple[ConfigHeld, ...]:
    """For the journal."""
    return tuple(ConfigHeld(one.key, found[one.key]) for one in settings)


def _acts_of(step: str, one: Configuring, journal: Journal) -> tuple[JournalEntry, ...]:
    return tuple(entry for entry in journal.acts(step) if entry.acted is not None and entry.acted.client == one.client.kept_as)
