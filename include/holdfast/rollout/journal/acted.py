"""What the journal keeps of an act on a process: who it was before, and who it is after."""

from enum import StrEnum

from holdfast.rollout.json.codec import NAME, TEXT, TEXTS, choice, nullable
from holdfast.rollout.json.record import codec_of, member, record


class ProcessState(StrEnum):
    """`CHANGING`: it is being started or stopped."""

    RUNNING = "running"
    STOPPED = "stopped"
    CHANGING = "changing"


class Does(StrEnum):
    """What is done to the process of a client."""

    STOP = "stop"
    START = "start"
    RESTART = "restart"

    @property
    def goal(self) -> ProcessState:
        """The state that the act leads to."""
        return ProcessState.STOPPED if self is Does.STOP else ProcessState.RUNNING


@record
class ClientProcess:
    """A client's process as its host shows it. `identity` differs between two processes of one client, whatever they have in
    common (systemd's InvocationID; process number and start time; the UID of a pod). None: it does not run."""

    state: ProcessState = member(choice(ProcessState))
    identity: str | None = member(nullable(NAME), default=None, omit=True)


@record
class Acted:
    """An act on one client, named as its plan names it, and its process before the act (`begun`) or after it (`acted`). `members`:
    those that the group listed of it before, where one restart of a step follows the other; None: not kept."""

    does: Does = member(choice(Does))
    client: str = member(TEXT)
    process: ClientProcess = member(codec_of(ClientProcess))
    members: tuple[str, ...] | None = member(nullable(TEXTS), default=None, omit=True)


class Halt(StrEnum):
    """Why a run stopped before its next act. `DIVERGENCE`: tasks are not where a round of the forecast has them; `PERSON`: a person
    has to roll the step back."""

    PAUSED = "paused"
    PERSON = "person"
    DRIFT = "drift"
    DIVERGENCE = "divergence"
    REFUSED = "refused"
    REBALANCES = "rebalances"
    LAG = "lag"
    LAG_UNKNOWN = "lag unknown"
    WINDOW = "window"
    DEADLINE = "deadline"
    TIME = "time"
    PROCESS = "process"
    COMMAND = "command"
    CLUSTER = "cluster"
