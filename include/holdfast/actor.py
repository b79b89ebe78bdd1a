"""The port of what acts on the processes of clients. Every adapter of it passes the same tests (tests/contract/test_actor.py)."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from holdfast.rollout.execution.acts import Act
    from holdfast.rollout.journal.acted import ClientProcess, Does


class Actor(Protocol):
    """What stops and starts the processes of clients. Which commands do that is configured by admins, never by a plan."""

    @property
    def limit_s(self) -> float:
        """The seconds after which a command that was begun has ended, whatever became of the connection to its host."""
        ...

    @property
    def unseen_s(self) -> float:
        """The same of a command that `process` does not show; 0: it shows every one that goes on."""
        ...

    @property
    def unseen_write_s(self) -> float:
        """The same of a command that writes settings, and that `is_writing` does not show."""
        ...

    def lacks(self, act: "Act") -> str | None:
        """Why it cannot do an act, in a sentence. None: it can."""
        ...

    def process(self, act: "Act") -> "ClientProcess":
        """The process of the act's client now. Raise HostTrouble where its host does not say it."""
        ...

    def perform(self, does: "Does", act: "Act") -> str | None:
        """Do that to the client of the act, and wait until the command has ended. Return why it failed; None: it did not.

        Raise HostTrouble; `begun`: the command may still be running, for `limit_s` at most: its connection broke, or it takes
        longer than some seconds.
        """
        ...

    def was_given(self, act: "Act") -> bool | None:
        """Whether the command of that number was begun, by what the last look at the process has shown. False: it was not, and will
        not be once another is begun. None: nothing shows it."""
        ...

    def outcome(self, act: "Act") -> str | None:
        """What is known of the end of a command that was left to go on, in a sentence. None: nothing."""
        ...

    def lacks_config(self, act: "Act", settings: Mapping[str, str | None]) -> str | None:
        """Why it cannot write these settings for the client of an act, in a sentence. None: it can."""
        ...

    def read_config(self, act: "Act", keys: Collection[str]) -> Mapping[str, str | None] | None:
        """These settings as the next start of the client has them, None each: not set. None: nothing here can read them.

        Raise HostTrouble where they are not shown.
        """
        ...

    def is_writing(self, act: "Act") -> bool:
        """Whether it shows that settings of the client are still being written, for this step or for the step that it rolls back.
        Raise HostTrouble."""
        ...

    def write_config(self, act: "Act", settings: Mapping[str, str | None]) -> str | None:
        """Write these settings, and no others, for the next start of the client; None: it is not set any more. To do it twice is to
        do it once. Return why it failed; None: it did not. Raise HostTrouble as `perform`.
        """
        ...
