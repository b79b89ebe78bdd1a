"""One case from its start to its end: the group is made, and goes through its changes."""

import json
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from tests.harness.kafka.broker import Broker
from tests.live.campaign import changes, slow_restores
from tests.live.campaign.changes import Planned
from tests.live.campaign.drawing import CHANGES, Case
from tests.live.campaign.group import DrawnRun, newest
from tests.live.campaign.judging import Batch, Happened, Record, decided_apart, record_of

from holdfast.errors import CannotPredict, HoldfastError
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Forecast
from holdfast.rollout.streams.snapshot.json import snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

LONGEST_S = 130
"""A change that is forecast to take longer is left out: it waits for probing rebalances, most of the time."""
_DRAWS = 8
_FED_AGAIN = 0.3


def perform(case: Case, folder: Path, goes_on: Callable[[], bool]) -> Record:
    """`folder`: of its processes; differences are kept in it. `goes_on`: whether another change may begin. Leaves no process
    behind."""
    found: Record = {
        "seed": case.seed,
        "case": case.number,
        "release": case.release,
        "broker": case.broker,
        "parts": json.loads(case.parts),
        "topics": dict(case.topics),
        "settings": dict(case.settings),
        "clients": len(case.process_ids),
        "threads": case.threads,
        "static": case.static,
        **({"slow": True} if case.slow else {}),
        "changes": [],
    }
    properties = {"group.initial.rebalance.delay.ms": "3000"}
    try:
        with Broker(folder / "broker", properties=properties, release=case.broker) as broker:
            run = DrawnRun(case, broker, folder / "group")
            try:
                found["start"] = _started(run)
                for number in range(1, CHANGES + 1):
                    if not goes_on():
                        break
                    found["changes"].append(_changed(run, folder / f"difference-{number}.json"))
            finally:
                found |= {"topology": "given"} if run.topology else {}
                run.stop()
    except CannotPredict as refusal:
        found["refused"] = str(refusal)
    except Exception as trouble:  # noqa: BLE001 - what the case has shown until then is kept, and so is why it ended
        named = f"{type(trouble).__name__}: {next(iter(str(trouble).splitlines()), '')}"
        found["trouble"] = "".join(traceback.format_exception(trouble))[-4000:] + f"\n{named}"
    return found


def _started(run: DrawnRun) -> Record:
    """The first deploy, when no changelog had a record."""
    generations = run.start()
    batch = Batch(generations, {}, dict(run.started_with))
    apart = decided_apart(run.snapshot(), batch, before_any_record=True)
    wrong = [f"generation {row[0]}: {' | '.join(row[1:])}" for row in apart]
    return {"rebalances": len(generations), "same": len(generations) - len({row[0] for row in apart}), "differences": wrong}


def _changed(run: DrawnRun, kept: Path) -> Record:
    """One change that can be forecast and takes not too long; what was drawn before it is counted by why it was left out."""
    generator = run.case.generator
    if generator.random() < _FED_AGAIN and not run.case.slow:
        run.feed(generator, run.case.records)
    before = run.snapshot()
    left_out: list[str] = []
    for _ in range(_DRAWS):
        planned = changes.draw(run, generator)
        try:
            foretold = _forecast(before, planned)
        except HoldfastError as refusal:
            left_out.append(f"{planned.name}: {type(refusal).__name__}: {refusal}")
            continue
        unstable = [one for one in foretold.outcomes if not one.stable]
        longest = max((one.summary.seconds_to_stable or 0 for one in foretold.outcomes), default=0)
        if unstable or longest > (slow_restores.LONGEST_S if run.case.slow else LONGEST_S):
            left_out.append(f"{planned.name}: " + ("does not become stable" if unstable else f"{longest:.0f} s"))
            continue
        return _performed(run, planned, before, foretold, kept) | {"left_out": left_out}
    return {"name": "none", "rebalances": 0, "same": 0, "differences": [], "left_out": left_out}


def _forecast(before: Snapshot, planned: Planned) -> Forecast:
    change = change_from_json(_document(planned))
    if not planned.events:
        return Forecast(change, ())
    foretold = forecast.forecast(before, change)
    assert not planned.unseen or not any(one.rounds for one in foretold.outcomes), "no rebalance is forecast"
    return foretold


def _performed(run: DrawnRun, planned: Planned, before: Snapshot, foretold: Forecast, kept: Path) -> Record:
    run.roll_out({key: str(value) for key, value in planned.settings.items()})
    batches: list[Batch] = []
    since, began = newest(run.generations()), time.time()
    for act in planned.acts:
        act()
        generations = run._undisturbed(since, changes.undisturbed_s()) if planned.unseen else run.settled(since)
        members = {process_id: client.threads for process_id, client in run.clients.items()}
        batches.append(Batch(generations, members, dict(run.started_with)))
        since = newest(run.generations())
    happened = Happened(planned, before, foretold, tuple(batches), began, run.policy if run.case.slow else None)
    found = record_of(happened, change_from_json(_document(planned)))
    if found["differences"] or found.get("ended") is False:
        whole = {
            "record": found,
            "before": snapshot_to_json(before),
            "change": _document(planned),
            "after": snapshot_to_json(run.snapshot()),
            "generations": [[one.number for one in batch.generations] for batch in batches],
            "settings": [{one: dict(its) for one, its in batch.settings.items()} for batch in batches],
        }
        kept.write_text(json.dumps(whole), encoding="utf-8")
        found["kept"] = str(kept.relative_to(kept.parents[1]))
    return found


def _document(planned: Planned) -> Record:
    return {"format_version": "1.0", "events": list(planned.events)}
