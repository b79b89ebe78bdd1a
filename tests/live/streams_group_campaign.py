"""A real streams group whose broker assigns through every kind of change; what is recorded is compared with the forecast.

    python -m tests.live.streams_group_campaign [--partitions 12] [--threads 2] [--standbys 0] [--only-move] [--kept FOLDER]

First the application runs with the classic protocol, and moves offline: all clients stop, and all start with group.protocol=streams
as a plan says it. Then scale out, replace, scale in, a rolling restart without and with a longer assignment interval, a crash, and
the return of the client that crashed. It fails where a target, a stable end, a place called certain or a time differs from the
forecast, or where the interval saves less than two thirds of the roll's hand-overs. What no Change can say (`Step.apart`) is named
and counted. `--only-move` ends after the move.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.harness.kafka.broker import Broker
from tests.live import moving_group
from tests.live.streams_group import Document, LiveGroup, Step

INTERVAL_MS = 15_000
STANDBYS = "streams.num.standby.replicas"


def campaign(group: LiveGroup, standbys: int, partitions: int, *, only_move: bool = False) -> list[Step]:
    group.create_topic(partitions)
    found = [moving_group.moved(group, "abc", standbys)]
    if only_move:
        return found
    started = {"threads": group.threads}
    found.append(group.change("scale out", lambda: group.add("d"), lambda _: [{"add_client": dict(started)}]))

    def replaced(before: Document) -> list[Document]:
        return [{"replace_client": {"process_id": group.process_of("a", before), "by": dict(started)}}]

    found.append(group.change("replace", lambda: group.replace("a", "e"), replaced))

    def removed(before: Document) -> list[Document]:
        return [{"remove_client": {"process_id": group.process_of("d", before)}}]

    found.append(group.change("scale in", lambda: group.remove("d"), removed))
    baseline = [restarted(group, name, f"roll: {name}") for name in ("b", "c", "e")]
    group.configure(assignment_interval_ms=str(INTERVAL_MS))
    fast = rolled_within(group, standbys)
    found += [*baseline, fast]
    plain, within = sum(one.moves for one in baseline), fast.moves
    print(f"hand-overs of the roll: {plain}, within the interval {within}")
    if 3 * within > plain:
        fast.wrong.append(f"{within} hand-overs within the interval are more than a third of {plain}")

    def crashed(before: Document) -> list[Document]:
        return [{"remove_client": {"process_id": group.process_of("c", before), "leaves": False}}]

    found.append(group.change("crash", lambda: group.kill("c"), crashed))
    found.append(group.change("join", lambda: group.add("f"), lambda _: [{"add_client": dict(started)}]))
    return found


def rolled_within(group: LiveGroup, standbys: int) -> Step:
    """Another number of standbys makes a fresh target that moves no active task; each restart follows a target at once."""

    def events(before: Document) -> list[Document]:
        found: list[Document] = [{"set_config": {STANDBYS: standbys + 1}}]
        for name in "bce":
            restart = {"process_id": group.process_of(name, before), "threads": group.threads}
            found += [{"then": "target"}, {"restart_client": restart}]
        return found

    step = group.change(
        "roll within the interval",
        lambda: group.restart_within(lambda: group.configure(num_standby_replicas=str(standbys + 1)), "bce"),
        events,
    )
    before = group.settled(3)
    group.configure(assignment_interval_ms="1000", num_standby_replicas=str(standbys))
    group.settled(3, before["group_epoch"])
    return step


def restarted(group: LiveGroup, client: str, name: str) -> Step:
    def events(before: Document) -> list[Document]:
        return [{"restart_client": {"process_id": group.process_of(client, before), "threads": group.threads}}]

    return group.change(name, lambda: group.restart(client), events)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=12)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--standbys", type=int, default=0)
    parser.add_argument("--only-move", action="store_true")
    parser.add_argument("--kept", type=Path, help="where logs are kept; else nowhere")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        folder = given.kept or Path(passing)
        with Broker(folder / "broker") as broker:
            group = LiveGroup(broker.bootstrap, folder / "broker" / "broker.log", folder, "shop", "orders", given.threads)
            try:
                steps = campaign(group, given.standbys, given.partitions, only_move=given.only_move)
            finally:
                group.stop()
    wrong = [f"{step.name}: {one}" for step in steps for one in step.wrong]
    compared = [one for one in steps if not one.apart]
    apart = ", ".join(one.name for one in steps if one.apart) or "none"
    print(
        f"{len(compared)} changes, {sum(one.targets for one in compared)} targets, {len(wrong)} differences; apart: {apart}",
        *wrong,
        sep="\n",
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
