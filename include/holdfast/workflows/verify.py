"""Compare a plan's forecast with the outcome, and store the verdict next to the plan."""

from collections.abc import Callable

from holdfast.errors import ClusterTrouble, InvalidInput
from holdfast.ports import Lake
from holdfast.rollout.group.values import AnyPlan, AnySnapshot, AnyVerdict
from holdfast.rollout.journal.journal import Journal
from holdfast.rollout.journal.seal import NO_KEYS, Seal, SigningKeys
from holdfast.rollout.kinds import verdict_words
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.registry import kind_of_both
from holdfast.workflows import journals
from holdfast.workflows import plan as plans
from holdfast.workflows.collecting.settling import Patience


def compare(lake: Lake | None, plan: AnyPlan, fresh: AnySnapshot, keys: SigningKeys = NO_KEYS) -> AnyVerdict:
    """The verdict on `plan`; it takes the place of an earlier one in the lake. Without a lake it is kept nowhere, and there is no
    journal. `keys`: of this deployment, that its journals are checked with."""
    seen = move.seen_for(plan, fresh)
    journal = Journal(plan.plan_id) if lake is None else _believed(lake, plan.plan_id, keys)
    verdict: AnyVerdict = kind_of_both(plan, seen, of_another_kind(plan)).verify_run(plan, journal, seen)
    if lake is not None:
        plans.keep_verdict(lake, verdict)
    return verdict


def _believed(lake: Lake, plan_id: str, keys: SigningKeys) -> Journal:
    """Without entries where it is not whole, or not signed by this deployment though it signs. A signature that nothing here can
    check is believed: what is read of a journal makes no verdict better."""
    try:
        kept = journals.read(lake, plan_id, keys)
    except InvalidInput:
        return Journal(plan_id)
    believed = kept.broken is None and (not keys or kept.seal is Seal.SIGNED)
    return kept.journal if believed else Journal(plan_id)


def watch(
    lake: Lake | None,
    plan: AnyPlan,
    look: Callable[[float], AnySnapshot],
    patience: Patience,
    tell: Callable[[str], None],
    keys: SigningKeys = NO_KEYS,
) -> AnyVerdict:
    """Look again until the verdict is decided, or `patience` ends; then the undecided verdict.

    `look` is given how many seconds it may take. `tell` hears every change. A cluster that does not answer is asked again while
    there is time; raise its ClusterTrouble where there was never a verdict.
    """
    ends_at = patience.clock() + patience.limit_s
    verdict: AnyVerdict | None = None
    reported = ""
    while True:
        remaining = ends_at - patience.clock()
        try:
            verdict = compare(lake, plan, look(max(1.0, min(LOOK_S, remaining))), keys)
            line = verdict_words.in_a_line(verdict)
        except ClusterTrouble as trouble:
            if trouble.lasting or (verdict is None and patience.clock() + AGAIN_S > ends_at):
                raise
            line = f"The cluster did not answer: {trouble}"
        if line != reported:
            tell(line)
            reported = line
        final = verdict is not None and verdict.result.final
        if verdict is not None and (final or patience.clock() + AGAIN_S > ends_at):
            return verdict
        patience.sleep(AGAIN_S)


LOOK_S = 60.0
"""The most that one look may take while watching."""
AGAIN_S = 5.0


def of_another_kind(plan: AnyPlan) -> str:
    """What to say of a snapshot that is not of the kind of group that the plan is for."""
    return f"Plan {plan.plan_id} is for {{}}, and the snapshot is of {{}}"
