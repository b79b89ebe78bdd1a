"""Going back, in words."""

from holdfast.rollout.execution.acts import Act
from holdfast.rollout.execution.back_course import BuiltUpon, ClientsCompared, MovedOn, Open, Strayed, Unsettled
from holdfast.rollout.execution.rolling_settings import Roll
from holdfast.rollout.execution.undo import Manual, PutBack, Undo, WhyLeft
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.text.format import many, printable

_NAMED = 10
"""The most clients that a sentence names."""
_DOES = {Does.STOP: "stop", Does.START: "start", Does.RESTART: "restart"}
_LEFT = {
    WhyLeft.WAIT: "Nothing to roll back: it only waited.",
    WhyLeft.AS_BEFORE: "Nothing to roll back: the client runs as before. New software or configuration that it was given stays.",
    WhyLeft.OWN_ID: "Nothing to roll back: the directory held this process ID before.",
    WhyLeft.WITH_OTHERS: "Nothing to roll back here: the restarts of an earlier step brought it, and its rollback takes it back.",
}


def describe(undo: Undo) -> str:
    """What going back does for a step, and who does it."""
    if undo.left is not None:
        return left(undo)
    parts = [f"{_DOES[one.does]} {_shown(one)}" for one in undo.acts]
    if undo.file is not None:
        parts.append(_put_back(undo.file))
    parts += [f"set {one.key} back from {value_word(one.written)} to {value_word(one.was)}" for one in undo.configs]
    parts += [] if undo.roll is None else [_rolled(undo.roll)]
    text = "; ".join(parts)
    text = f"{text[:1].upper()}{text[1:]}." if text else ""
    return f"{text} {manual(undo)}".strip() if undo.manual is not None else text


def left(undo: Undo) -> str:
    if undo.left is WhyLeft.LOST or undo.left is None:
        return f"It cannot be rolled back. The plan says: {undo.step.undo}"
    return _LEFT[undo.left]


def manual(undo: Undo) -> str:
    match undo.manual:
        case Manual.DONE_BY_PERSON:
            why = "Holdfast did not do this step itself, or not all of it"
        case Manual.FILE_UNKNOWN:
            why = "the journal does not have what the directory held before"
        case Manual.CONFIGS_UNKNOWN:
            why = "Holdfast did not set these configs, so it does not know what they were before"
        case _:
            why = "Holdfast does not roll back such a step"
    return f"Manual: {why}. Rollback: {undo.step.undo}"


def needed(undo: Undo, because: str = "") -> str:
    """What a person is asked for."""
    says = f"{because} Rollback: {describe(undo)}" if because else manual(undo)
    return f"Roll back step {undo.step.id}. {says}"


def _rolled(roll: Roll) -> str:
    """Values may differ from client to client: those of the first one are shown."""
    clients = tuple(roll.clients())
    settings = ", ".join(
        f"{one.key} back from {client_value_word(one.before)} to {client_value_word(one.after)}" for one in clients[0].settings
    )
    restarts = sum(bool(one.acts) for one in clients)
    restarted = f", and restart {many(restarts, 'client')}, one batch after the other" if restarts else ""
    return f"set {settings} for {many(len(clients), 'client')}{restarted}"


def client_value_word(value: str | None) -> str:
    """A setting of a client. None: it is not set."""
    return "Kafka's default" if value is None else repr(printable(value, 100))


def _shown(act: Act) -> str:
    return printable(act.shown, 300)


def _put_back(file: PutBack) -> str:
    where = printable(file.directory, 500)
    if file.was is None:
        return f"remove kafka-streams-process-metadata from {where}, which had none before ({file.written} was written)"
    return f"write process ID {file.was} into {where} again, in place of {file.written}"


def value_word(value: str | None) -> str:
    """A config of a group. None: it has none of its own."""
    return "the brokers' default" if value is None else repr(printable(value, 100))


def stray(found: Strayed) -> str:
    return _came_and_went(found, "since going back began")


def moved_on(found: MovedOn) -> str:
    since = "since the steps of the plan were done" if found.halted_at is None else f"since the halt of {found.halted_at}"
    return (
        f"{_came_and_went(found.clients, since)} Nothing was rolled back. Check that this plan is still the one to"
        " roll back: what others did since stays. If so, go back again."
    )


def _came_and_went(found: Strayed, since: str) -> str:
    parts = []
    if found.joined:
        parts.append(f"{many(len(found.joined), 'client')} joined {since} ({_names(found.joined)}).")
    if found.left:
        parts.append(f"{many(len(found.left), 'client')} left {since} ({_names(found.left)}).")
    return " ".join(parts)


def built_upon(plan_id: str, found: BuiltUpon) -> str:
    """Why a plan is not rolled back."""
    other = f"plan {printable(found.plan_id, 40)}"
    first = f"Finish rolling back {other} first" if found.going_back else f"Roll back {other} first"
    return (
        f"Plan {plan_id} is not rolled back: {other} for the same group was begun since (step {printable(found.step, 100)},"
        f" {found.at}), and was made for the group as it was then. {first}, or create a new plan."
    )


def open_(found: Unsettled) -> str:
    who = "A client that was started again" if found.name is None else f"Client {printable(found.name, 200)}"
    match found.what:
        case Open.MISSING:
            return f"{who} is not in the group yet."
        case Open.STILL_THERE:
            who = "a client that was stopped" if found.name is None else printable(found.name, 200)
            return f"The group still lists {who}."
        case Open.OLD_MEMBERS:
            return f"The group still lists the former members of {printable(str(found.name), 200)}."


def ended(found: ClientsCompared) -> str:
    if found.in_place:
        return "The group has the clients that the plan was made for."
    parts = [f"missing: {_names(found.missing)}"] if found.missing else []
    parts += [f"not there before: {_names(found.extra)}"] if found.extra else []
    return f"The group does not have the clients that the plan was made for; {'; '.join(parts)}."


def _names(found: tuple[str, ...]) -> str:
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return ", ".join(printable(one, 200) for one in found[:_NAMED]) + more
