"""The run of a whole plan in Airflow: one turn of it (`workflows.running`).

Between two turns nothing of it is in any process. What a turn leaves is in the lake, but for some numbers that Airflow's database
keeps: how long has been waited. A user who changed them there would change when the run halts, and no act.
"""

import logging
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from holdfast.airflow_wiring import rollouts, runs, wait_between_turns
from holdfast.airflow_wiring.airflow_objects import lake, now
from holdfast.airflow_wiring.signing import signing_keys
from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.airflow_wiring.clusters import KnownCluster
    from holdfast.airflow_wiring.questions.halts import OpenHalt
    from holdfast.rollout.group.values import AnyPlan, AnySnapshot
    from holdfast.workflows.apply import Hands
    from holdfast.workflows.running.answers import GivenAnswer
    from holdfast.workflows.running.progress import Progress
    from holdfast.workflows.running.run import Means, Ran

LAG_S = SETTING_S = 20.0

log = logging.getLogger(__name__)


def turn(
    plan_id: str,
    params: Mapping[str, Any],
    user: str | None,
    run_id: str,
    left: Mapping[str, Any] | None,
    *,
    again: bool = False,
    given: "GivenAnswer | None" = None,
    how_ended: Callable[[], str | None] = lambda: None,
) -> "dict[str, Any] | str | OpenHalt":
    """What the turn leaves for the next one, `BETWEEN_TURNS_S` later; or the checklist's path: the plan is done, or waits for a
    person; or the halt that a person has to answer.

    `left`: what the turn before returned; None: there was none, it was killed, or it halted. `again`: it is not the first turn of
    the run, so it goes back where the plan does. `given`: the answer that it follows. `how_ended`: what Airflow has of the task,
    where a user has ended it. Raise AirflowFailException there, and where it halts and every step is done.
    """
    from holdfast.airflow_wiring.clusters import known_cluster
    from holdfast.rollout.journal.acted import Halt
    from holdfast.rollout.json.record import codec_of
    from holdfast.workflows import plan as plans
    from holdfast.workflows.running import run as running
    from holdfast.workflows.running.answers import HaltAnswer

    runs.refuse_secrets(run_id, params)
    _refuse_mixed(params, user)
    store, keys = lake(), signing_keys()
    plan, approval = rollouts.approved(store, plan_id, keys)
    known = known_cluster(plan.basis.cluster)
    back = given is not None and given.answer is HaltAnswer.GO_BACK
    means = _means(plan, known, _hands(plan, known, params, given.by if back and given else user, run_id), how_ended)
    back = back or bool(params.get("back")) or (again and plans.journal_of(store, plan_id).went_back() is not None)
    before = None
    if left is not None:
        before = codec_of(running.LeftForNextTurn).read(left["left"]).after(_passed(left["at"]), wait_between_turns.BETWEEN_TURNS_S)
    accept = Halt.REBALANCES if params["accept_rebalances"] and before is None and not again else False
    ended = running.turn(plan, approval, means, before, accept=accept, back=back)
    if isinstance(ended, running.LeftForNextTurn):
        return {"left": codec_of(running.LeftForNextTurn).write(ended), "at": int(time.time())}
    return _ended(plan_id, ended)


def keep_answer(plan_id: str, params: Mapping[str, Any], user: str | None, run_id: str, given: "GivenAnswer") -> None:
    """Journal a person's answer to a halt. Raise AirflowFailException where they leave it, NoAnswer where it
    confirms another step than the halt names; else as `answers.keep`."""
    from airflow.sdk.exceptions import AirflowFailException

    from holdfast.airflow_wiring.clusters import known_cluster
    from holdfast.airflow_wiring.questions import halts
    from holdfast.rollout.text.format import printable
    from holdfast.workflows.running import answers

    runs.refuse_secrets(run_id, params)
    plan, _ = rollouts.approved(lake(), plan_id, signing_keys())
    hands = _hands(plan, known_cluster(plan.basis.cluster), params, user, run_id)
    try:
        answers.keep(plan, given, hands)
    except answers.NotItsStep as refusal:
        raise halts.NoAnswer(str(refusal)) from None
    if given.answer is answers.HaltAnswer.LEAVE:
        because = f" ({printable(given.reason, 500)})" if given.reason else ""
        raise AirflowFailException(
            f"{printable(given.by)} leaves the group as it is after halt {given.number} of plan {plan_id}{because}. Nothing else"
            " was begun. To go on later, trigger apply_rollout for the plan again; it continues where it stopped"
        )
    log.info("Halt %d: %s answers to %s. %s", given.number, printable(given.by), given.answer.value, printable(given.reason, 4_000))


def refuse_left(plan_id: str, began: datetime) -> None:
    """Raise AirflowFailException where a person has left this run, which began then: Airflow may lose that its task failed for
    that, and tries it again."""
    from airflow.sdk.exceptions import AirflowFailException

    from holdfast.rollout.journal.journal import JournalEvent
    from holdfast.workflows import plan as plans

    entries, since = plans.journal_of(lake(), plan_id).entries, began.replace(microsecond=0)  # as precise as the journal
    if entries and entries[-1].event is JournalEvent.ENDED and datetime.fromisoformat(entries[-1].at) >= since:
        raise AirflowFailException(
            f"The run of plan {plan_id} was left after it had halted: nothing else is begun. To go on, trigger apply_rollout for"
            " the plan again; it continues where it stopped"
        )


def _ended(plan_id: str, ran: "Ran") -> "str | OpenHalt":
    from airflow.sdk.exceptions import AirflowFailException

    from holdfast.airflow_wiring.questions import halts
    from holdfast.rollout.text.format import printable

    if ran.halted is not None:
        halt = halts.open_halt(plan_id)
        if halt is not None:
            return halt
        raise AirflowFailException(
            f"The run of plan {plan_id} halted ({ran.halted.why.value}): {printable(ran.halted.text, 2_000)} Every step is done"
        )
    waiting = ran.applied.waiting_for
    log.info("Plan %s: %s", plan_id, "nothing is left to do" if waiting is None else waiting.needed)
    return f"plans/{plan_id}/checklist.json"


def _refuse_mixed(params: Mapping[str, Any], user: str | None) -> None:
    if params["snapshot"] or params["confirmed"]:
        raise InvalidInput(
            "a run of the whole plan takes its own snapshots, and confirms nothing: leave `snapshot` and `confirmed` empty, or"
            " confirm in a run without `run` first"
        )
    if (params["accept_rebalances"] or params.get("back")) and user is None:
        raise InvalidInput(
            "no user triggered this run, so no user accepts the rebalances or decides to roll back: trigger a run as yourself"
        )


def _passed(at: object) -> int:
    """Since the last turn, by a clock that may have been set meanwhile. Raise InvalidInput for what is no time."""
    if isinstance(at, bool) or not isinstance(at, int):
        raise InvalidInput("the state that the last turn stored was changed: trigger apply_rollout for the plan again")
    return min(max(int(time.time()) - at, wait_between_turns.BETWEEN_TURNS_S), wait_between_turns.COUNTED_S)


def _hands(plan: "AnyPlan", known: "KnownCluster", params: Mapping[str, Any], user: str | None, run_id: str) -> "Hands":
    from holdfast import wiring
    from holdfast.adapters import this_process
    from holdfast.airflow_wiring.clusters import hosts
    from holdfast.workflows.apply import Hands

    return Hands(
        lake(),
        wiring.process_metadata_files(hosts=hosts(known)),
        rollouts.directories(plan, known, params["state_dirs"]),
        now,
        signing_keys(),
        this_process.owner(user or "apply_rollout", run_id),
        this_process.has_ended,
        bool(params["force_lease"]),
        same_run=True,
    )


def _means(plan: "AnyPlan", known: "KnownCluster", hands: "Hands", how_ended: Callable[[], str | None]) -> "Means":
    from airflow.sdk.exceptions import AirflowFailException

    from holdfast import wiring
    from holdfast.airflow_wiring.clusters import actor
    from holdfast.workflows.running.acting import Clocks
    from holdfast.workflows.running.run import Means

    def refuse_ended() -> None:
        how = how_ended()
        if how is not None:
            raise AirflowFailException(f"A user has ended this run in Airflow ({how}): nothing else is begun")

    return Means(
        hands=hands,
        actor=actor(known, plan.basis.group_id),
        look=lambda limit_s: _look(plan, known, limit_s),
        lag=lambda: _lag(plan, known),
        tell=_tell,
        clocks=Clocks(wall=now),
        configs=wiring.ClusterGroupSettings(known.connection, SETTING_S),
        refuse_ended=refuse_ended,
        asks=True,
    )


def _look(plan: "AnyPlan", known: "KnownCluster", limit_s: float) -> "AnySnapshot":
    from holdfast import wiring
    from holdfast.workflows.collecting.collector import StatedByOperator

    basis = plan.basis
    return wiring.collect_any(
        known.connection, basis.group_id, (), StatedByOperator(basis.kafka_release, {}, dict(basis.config)), limit_s
    )


def _lag(plan: "AnyPlan", known: "KnownCluster") -> int | None:
    from holdfast import wiring
    from holdfast.errors import ClusterTrouble

    try:
        return wiring.lag(known.connection, plan.basis.group_id, LAG_S)
    except ClusterTrouble:
        return None


def _tell(progress: "Progress") -> None:
    from holdfast.rollout.text.format import printable

    log.info("%s", printable(progress.line(), 2_000))
