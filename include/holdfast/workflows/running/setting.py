"""One change of a group's configs: read, compare, journal, write, read back. A crash in between leaves what the next run needs.

The configs themselves show whether it was done: the new values are there, or the old ones. Any other value is another user's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from holdfast.errors import ClusterTrouble
from holdfast.ports import GroupConfig, GroupSettings
from holdfast.rollout.execution.acts import GroupSetting
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import Event
from holdfast.rollout.text.wording import printable
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
        text = ", ".join(f"{one.key} from {_word(one.before)} to {_word(one.after)}" for one in settings)
        self.writing.add(self.writing.hands.entry(step, Event.BEGUN, f"setting {printable(text, 500)}"))
        self.tell(step, f"setting {printable(text, 500)}")
        failed = self._alter(wanted)
        ends_at = self.clocks.elapsed() + SHOWS_WITHIN_S
        while not _are(found := self._read(), wanted):
            if self.clocks.elapsed() > ends_at:
                text = f"The configs of the group are not set.{f' {failed}' if failed else ''} {_shown(found, settings)}"
                raise Halted(Halt.COMMAND, text)
            self.clocks.sleep(LOOK_AGAIN_S)
        return True

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


def _shown(found: dict[str, GroupConfig], settings: Sequence[GroupSetting]) -> str:
    return " ".join(
        f"{one.key}: {_word(found[one.key].value if one.key in found else None)}, expected {_word(one.before)} before and"
        f" {_word(one.after)} after."
        for one in settings
    )


def _word(value: str | None) -> str:
    return "the brokers' default" if value is None else repr(printable(value, 100))
