"""One change of a group's configs, or its rollback: read, compare, journal, write, read back. A crash in between leaves what the
next run needs.

The configs themselves show whether it was done: the new values are there, or the old ones. Any other value is another user's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from holdfast.errors import ClusterTrouble
from holdfast.ports import GroupConfig, GroupSettings
from holdfast.rollout.execution.acts import GroupSetting
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.execution.undo import PutConfigBack
from holdfast.rollout.execution.undo_words import value_word
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.back import ConfigHeld
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.text.format import printable
from holdfast.workflows.apply import Writing
from holdfast.workflows.running.acting import LOOK_AGAIN_S, SHOWS_WITHIN_S, Clocks, Halted


@dataclass
class Setting:
    """What configs are set with. `may_begin` as of acts on processes."""

    configs: GroupSettings
    group_id: str
    writing: Writing
    clocks: Clocks
    may_begin: Callable[[AnyStep, bool], bool]
    tell: Callable[[AnyStep, str], None]

    def carry_out(self, step: AnyStep, settings: Sequence[GroupSetting]) -> bool:
        """Set them, or find that they are set; False: it may not be done now. Raise Halted where it did not happen, or cannot be
        seen, and where a config is neither what the plan expects before nor after."""
        wanted = {one.key: one.after for one in settings}
        found = self._read()
        if _are(found, wanted):
            return True
        if not _are(found, {one.key: one.before for one in settings}):
            raise Halted(Halt.DRIFT, f"The configs of the group are not what the plan expects. {_shown(found, settings)}")
        if not self.may_begin(step, False):
            return False
        text = ", ".join(f"{one.key} from {value_word(one.before)} to {value_word(one.after)}" for one in settings)
        entry = self.writing.hands.entry(step, JournalEvent.BEGUN, f"setting {printable(text, 500)}")
        held = tuple(ConfigHeld(one.key, _own(found.get(one.key))) for one in settings)
        self.writing.add(replace(entry, configs=held))
        self.tell(step, f"setting {printable(text, 500)}")
        self._set(wanted, lambda now: _are(now, wanted), lambda now: _shown(now, settings))
        return True

    def put_back(self, step: AnyStep, configs: Sequence[PutConfigBack]) -> bool:
        """Set the group's own values of before the step, or find that it has them; False: it may not be done now. Raise as
        `carry_out`: also where a config has another value than the step wrote, and than it had before."""
        was = {one.key: one.was for one in configs}
        found = _owned(self._read())
        if _same(found, was):
            return True
        others = [one for one in configs if found.get(one.key) not in (one.written, one.was)]
        if others:
            raise Halted(Halt.DRIFT, f"Configs of the group were set by another user since. {_others(found, others)}")
        if not self.may_begin(step, False):
            return False
        text = ", ".join(f"{one.key} to {value_word(one.was)}" for one in configs)
        self.writing.add(self.writing.hands.entry(step, JournalEvent.UNDOING, f"setting back {printable(text, 500)}"))
        self.tell(step, f"setting back {printable(text, 500)}")
        self._set(was, lambda now: _same(_owned(now), was), lambda now: _others(_owned(now), configs))
        return True

    def _set(
        self,
        values: dict[str, str | None],
        is_done: Callable[[dict[str, GroupConfig]], bool],
        shown: Callable[[dict[str, GroupConfig]], str],
    ) -> None:
        failed = self._alter(values)
        ends_at = self.clocks.elapsed() + SHOWS_WITHIN_S
        while not is_done(found := self._read()):
            if self.clocks.elapsed() > ends_at:
                text = f"The configs of the group are not set.{f' {failed}' if failed else ''} {shown(found)}"
                raise Halted(Halt.COMMAND, text)
            self.clocks.sleep(LOOK_AGAIN_S)

    def _read(self) -> dict[str, GroupConfig]:
        try:
            with self.writing.held.kept():
                return {one.name: one for one in self.configs.group_configs(self.group_id)}
        except ClusterTrouble as trouble:
            raise Halted(Halt.CLUSTER, f"The configs of the group could not be read. {trouble}") from None

    def _alter(self, wanted: dict[str, str | None]) -> str | None:
        """Why it failed. None: it did not."""
        self.writing.held.keep()
        try:
            with self.writing.held.kept():
                self.configs.alter_group_configs(self.group_id, wanted)
        except ClusterTrouble as trouble:  # it may have been done: the configs show it
            return str(trouble)
        return None


def _are(found: dict[str, GroupConfig], values: dict[str, str | None]) -> bool:
    return all(_is(found.get(key), value) for key, value in values.items())


def _is(found: GroupConfig | None, value: str | None) -> bool:
    if value is None:
        return found is None or not found.of_group
    return found is not None and found.value == value


def _own(found: GroupConfig | None) -> str | None:
    """The group's own value. None: it has none."""
    return found.value if found is not None and found.of_group else None


def _owned(found: dict[str, GroupConfig]) -> dict[str, str | None]:
    return {key: _own(one) for key, one in found.items()}


def _same(found: dict[str, str | None], values: dict[str, str | None]) -> bool:
    return all(found.get(key) == value for key, value in values.items())


def _others(found: dict[str, str | None], configs: Sequence[PutConfigBack]) -> str:
    return " ".join(
        f"{one.key}: {value_word(found.get(one.key))}; the step set {value_word(one.written)}, and it was {value_word(one.was)}."
        for one in configs
    )


def _shown(found: dict[str, GroupConfig], settings: Sequence[GroupSetting]) -> str:
    return " ".join(
        f"{one.key}: {value_word(found[one.key].value if one.key in found else None)}, expected {value_word(one.before)} before and"
        f" {value_word(one.after)} after."
        for one in settings
    )
