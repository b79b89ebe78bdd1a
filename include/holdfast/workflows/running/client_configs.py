"""The settings of one client, written, or written back: read, compare, journal, write, read back. A crash in between leaves what
the next run needs.

Writing the same twice is writing it once, so what may not have been written is written again, by a run that takes over as well:
once no command of before may be running, which would write after a rollback. Where something reads the settings, they themselves
show whether it was done, and any other value is another user's. Where nothing does, what writes them says it by how it ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Never

from holdfast.actor import Actor
from holdfast.errors import HostTrouble
from holdfast.rollout.execution import rolling_settings
from holdfast.rollout.execution.acts import may_write_s
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.execution.rolling_settings import ClientSetting, Configuring
from holdfast.rollout.execution.undo_words import client_value_word
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.back import ClientConfigured, ConfigHeld
from holdfast.rollout.journal.journal import UNDO_OF, JournalEvent
from holdfast.rollout.text.format import printable
from holdfast.workflows.running.acting import LOOK_AGAIN_S, PATIENCE_S, SHOWS_WITHIN_S, Acting, Halted

Values = Mapping[str, str | None]


@dataclass
class ClientConfigs:
    """What settings of clients are written with: what acts on their processes."""

    acting: Acting

    @property
    def _actor(self) -> Actor:
        return self.acting.actor

    def carry_out(self, step: AnyStep, one: Configuring) -> bool:
        """Write them, or find that they are there; False: it may not be done now. Raise Halted where it did not happen, or cannot
        be seen, and where a setting is neither what it is to be before nor after."""
        entries = self.acting.journal.configured(step.id, one.client.kept_as)
        if any(entry.event is JournalEvent.ACTED for entry in entries):
            return True
        one = replace(one, client=replace(self.acting.called(step, one.client), number=len(self.acting.writing.journal.entries)))
        self._await_writer(step, one)
        found: Values | None = self._read(step, one)
        if found is None or not _has(one, found):
            if found is not None:
                _refuse_others(one, found)
            self._await_command(step, one)
            if not self.acting.may_begin(step, False):
                return False
            said = f"writing the settings of {one.client.shown}: {_changes(one)}"
            if not entries or entries[-1].event is JournalEvent.NOT_GIVEN:
                held = None if found is None else rolling_settings.held(one.settings, found)
                self._keep(step, one, JournalEvent.BEGUN, said, held)
            self.acting.tell(step, said)
            found = self._write(step, one)
        how = "read back" if found is not None else "as what writes them says; nothing here reads them back"
        self._keep(step, one, JournalEvent.ACTED, f"{one.client.shown} has its settings for its next start, {how}")
        return True

    def _write(self, step: AnyStep, one: Configuring) -> Values | None:
        """What is there then. None: nothing reads it."""
        clock = self.acting.clocks.elapsed
        failed = self._written(step, one)
        shows_until = clock() + SHOWS_WITHIN_S
        while True:
            found = self._read(step, one)
            if found is None and failed is None:
                return None
            if found is not None and _has(one, found):
                return found
            if found is None or clock() > shows_until:
                because = f" {printable(failed, 500)}" if failed else ""
                raise Halted(Halt.COMMAND, f"The settings of {one.client.shown} are not written.{because}{_shown(one, found)}")
            self.acting.clocks.sleep(LOOK_AGAIN_S)

    def _written(self, step: AnyStep, one: Configuring) -> str | None:
        """Why it failed. A host that is not reached, or whose connection breaks, and what takes long, are for the next turn."""
        self.acting.writing.held.keep()
        try:
            with self.acting.writing.held.kept():
                return self._actor.write_config(one.client, {each.key: each.after for each in one.settings})
        except HostTrouble as trouble:
            if trouble.begun:
                self._keep(step, one, JournalEvent.GOES_ON, f"{one.client.shown}: its settings may still be written: {trouble}")
            elif trouble.lasting:
                return str(trouble)
            else:
                self._keep(step, one, JournalEvent.NOT_GIVEN, f"{one.client.shown}: {trouble}")
            self._leave(step, f"The settings of {one.client.shown} may not be written. {trouble}")

    def _await_writer(self, step: AnyStep, one: Configuring) -> None:
        """What is read while they are being written says nothing of what will be there."""
        text = f"The settings of {one.client.shown} are still being written."
        try:
            with self.acting.writing.held.kept():
                if not self._actor.is_writing(one.client):
                    return
        except HostTrouble as trouble:
            text = f"It is unknown whether the settings of {one.client.shown} are still being written. {trouble}"
        self._leave(step, text)

    def _await_command(self, step: AnyStep, one: Configuring) -> None:
        """One that may still be running would write after the next one, and perhaps after the rollback of both."""
        if may_write_s(one.client, step.id, self.acting.journal, self._actor.unseen_write_s, self.acting.waited(step)):
            self._leave(step, f"The command that writes the settings of {one.client.shown} may still be running.")

    def _leave(self, step: AnyStep, why: str) -> Never:
        self.acting.leave(step, why, PATIENCE_S + self._actor.limit_s, Halted(Halt.PROCESS, why))

    def _read(self, step: AnyStep, one: Configuring) -> dict[str, str | None] | None:
        keys = tuple(each.key for each in one.settings)
        self.acting.writing.held.keep()
        try:
            with self.acting.writing.held.kept():
                found = self._actor.read_config(one.client, keys)
            return None if found is None else {key: found.get(key) for key in keys}
        except HostTrouble as trouble:
            halted = Halted(Halt.PROCESS, f"The settings of {one.client.shown} are unknown. {trouble}")
            if trouble.lasting:
                raise halted from None
            self.acting.leave(step, f"The settings of {one.client.shown} are not visible now.", PATIENCE_S, halted)

    def _keep(
        self, step: AnyStep, one: Configuring, event: JournalEvent, detail: str, before: tuple[ConfigHeld, ...] | None = None
    ) -> None:
        event = UNDO_OF[event] if self.acting.back else event
        entry = self.acting.writing.hands.entry(step, event, printable(detail, 1_000))
        self.acting.writing.add(replace(entry, configured=ClientConfigured(one.client.kept_as, before)))


def _has(one: Configuring, found: Values) -> bool:
    """As text: a setting that is to be removed is not there, whatever it means."""
    return all(_is(each, found[each.key], each.after) for each in one.settings)


def _is(setting: ClientSetting, value: str | None, wanted: str | None) -> bool:
    return (value is None) == (wanted is None) and setting.is_same(value, wanted)


def _refuse_others(one: Configuring, found: Values) -> None:
    """Values of before as what they mean, since a plan has Kafka's default where an application sets none."""
    others = [
        each
        for each in one.settings
        if not _is(each, found[each.key], each.after) and not each.is_same(found[each.key], each.before)
    ]
    if others:
        shown = _shown(replace(one, settings=tuple(others)), found)
        raise Halted(Halt.DRIFT, f"The settings of {one.client.shown} are not what the plan expects.{shown}")


def _changes(one: Configuring) -> str:
    return ", ".join(f"{each.key} = {client_value_word(each.after)}" for each in one.settings)


def _shown(one: Configuring, found: Values | None) -> str:
    if found is None:
        return ""
    return "".join(
        f" {each.key}: {client_value_word(found[each.key])}; expected {client_value_word(each.before)} before and"
        f" {client_value_word(each.after)} after."
        for each in one.settings
    )
