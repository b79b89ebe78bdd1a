"""The search for the best option for a change, cut into pieces that travel: texts in, texts out, for a group of any kind."""

from collections.abc import Callable, Iterable

from holdfast.errors import InvalidInput
from holdfast.rollout.group.values import AnyChange, AnySnapshot
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds import registry
from holdfast.rollout.options.option import EvaluatedOption, Option


def candidates(snapshot: str, change: str) -> tuple[str, ...]:
    """A Snapshot and a Change → every option, as JSON, in the order in which a plan lists them."""
    document = loads(snapshot)
    kind = registry.of_snapshot(document)
    found = kind.propose(kind.snapshot_from_json(document), kind.change_from_json(loads(change)))
    return tuple(dumps(kind.option_to_json(option)) for option in found)


def evaluation(snapshot: str, candidate: str) -> str:
    """A Snapshot and one of the options → what it costs, as JSON."""
    return evaluator(snapshot)(candidate)


def evaluator(snapshot: str) -> Callable[[str], str]:
    """What gives the same for one option after the other, in one process: what is known from one counts for the next."""
    document = loads(snapshot)
    kind = registry.of_snapshot(document)
    evaluate = kind.evaluator(kind.snapshot_from_json(document))
    return lambda candidate: dumps(kind.evaluated_to_json(evaluate(kind.option_from_json(loads(candidate)))))


def is_evaluation(snapshot: str, candidate: str, text: str | bytes) -> bool:
    """Whether `text` may be what `evaluation` returned for this option of a change to this group: not one of another option, and
    not half of one."""
    kind = registry.of_snapshot(loads(snapshot))
    try:
        found = kind.evaluated_from_json(loads(text))
    except InvalidInput:
        return False
    return bool(kind.option_to_json(found.option) == loads(candidate))


def refuse_other_options(snapshot: AnySnapshot, change: AnyChange, evaluated: Iterable[EvaluatedOption[Option]]) -> None:
    """Executors return what each option costs, and have no key: what is done and how it is called is proposed again. Raise
    InvalidInput unless these are the options of this change, in order."""
    kind = registry.kind_of(snapshot)
    proposed = [kind.option_to_json(one) for one in kind.propose(snapshot, change)]
    if [kind.option_to_json(one.option) for one in evaluated] != proposed:
        raise InvalidInput(
            "the forecast options are not the options of this change: they were modified in the lake, or another version of"
            " Holdfast forecast them. Trigger a new run"
        )
