"""The errors of Holdfast, as one class tree.

    HoldfastError
    ├── InvalidInput            a document, option or value that is not what the contract says
    │   ├── InvalidDocument     the same, with every problem that was found
    │   └── NotJson             what is no JSON at all; it may be another format
    ├── MalformedBytes          bytes that no Kafka release writes (truncated, over-long, absurd)
    ├── Unsupported             understood, and not covered: a release, a metadata version, an assignor, a protocol
    ├── CannotPredict           the evidence for a prediction is missing or contradicts itself
    │   └── TooMuchWork         a prediction would take more work than is allowed
    ├── ClusterTrouble          a broker did not answer, refused, or has not what was asked for
    ├── HostTrouble             a host was not reached, refused, or broke off
    ├── StatePathTrouble        a state directory or a lake path that cannot be read or written
    │   └── NotAllowed          the same, for want of the right to: asking again would not help
    ├── StepRefused             a plan, or its next step, must not be carried out now: not approved, or it would do harm
    └── StalePlan               the group is not the one that the plan was made for

A message says what was found, what was needed and what to do. Our own bugs are AssertionErrors, never one of these.
"""

from holdfast.secrecy import redact


class HoldfastError(Exception):
    """An expected refusal. The command line prints it without a traceback and exits 1.

    Whatever it quotes (a library's text, a URL, a line that was typed) is quoted without the secrets in it.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(redact(message))


class InvalidInput(HoldfastError):
    """A Snapshot, Change, Plan, policy or option breaks its contract. `where` is a path such as `clients.4b61….consumers`."""

    def __init__(self, problem: str, where: str = "") -> None:
        self.problem = redact(problem)
        self.where = redact(where)
        Exception.__init__(self, f"{self.where}: {self.problem}" if where else self.problem)

    def within(self, place: str) -> "InvalidInput":
        """The same in a document, or in a part of one, that is called `place`. It is not redacted again: what follows the name of a
        secret here are our own words."""
        found = InvalidInput("", place)
        found.problem = str(self)
        found.args = (f"{found.where}: {self}",)
        return found


class InvalidDocument(InvalidInput):
    """A document with several problems, all of them in `problems`. The text names the first few."""

    SHOWN = 10

    def __init__(self, problems: tuple[InvalidInput, ...]) -> None:
        self.problems = problems
        lines = [f"{len(problems):,} problems:", *(f"  {problem}" for problem in problems[: self.SHOWN])]
        if len(problems) > self.SHOWN:
            lines.append(f"  and {len(problems) - self.SHOWN} more")
        self.problem, self.where = "\n".join(lines), ""
        Exception.__init__(self, self.problem)


class NotJson(InvalidInput):
    """What is no JSON at all; it may be another format."""


class MalformedBytes(HoldfastError):
    """Bytes that are not what the named structure can be."""


class Unsupported(HoldfastError):
    """Something real that Holdfast does not model: refused by its name, never guessed."""


class CannotPredict(HoldfastError):
    """A prediction would need evidence that is not there."""


class TopologyRejected(CannotPredict):
    """The coordinator of a group whose broker assigns would reject the topology, and assign nothing."""


class MoveRejected(CannotPredict):
    """A classic Streams group cannot move to `group.protocol=streams`, or would lose what it uses."""


class TooMuchWork(CannotPredict):
    """A prediction would take more work than is allowed for a group of this size."""


class ClusterTrouble(HoldfastError):
    """A broker did not answer in time, refused, or has no such group or topic. `lasting`: to ask again soon would not help."""

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        self.lasting = lasting
        super().__init__(message)


class HostTrouble(HoldfastError):
    """A host was not reached, refused, or gave no whole answer.

    `begun`: what it was asked to do may have been done, in part or whole. `lasting`: to ask again soon would not help (an unknown
    host key, no right to log in).
    """

    def __init__(self, message: str, *, begun: bool, lasting: bool = False) -> None:
        self.begun = begun
        self.lasting = lasting
        super().__init__(message)


class StatePathTrouble(HoldfastError):
    """A state directory, or a path of the lake, that cannot be read or written."""


class NotAllowed(StatePathTrouble):
    """The right to read or write there is missing. To try again would not help."""


class StepRefused(HoldfastError):
    """A plan was not approved, or the precondition of its next step does not hold. Nothing was done."""


class StalePlan(HoldfastError):
    """The world has moved since the plan was made. `drifted` says how, one sentence each."""

    def __init__(self, plan_id: str, drifted: tuple[str, ...]) -> None:
        self.plan_id = plan_id
        self.drifted = drifted
        super().__init__(f"Plan {plan_id} no longer fits its group: {' '.join(drifted)} Create a new plan.")
