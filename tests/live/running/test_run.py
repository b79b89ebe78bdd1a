"""`holdfast apply --run` on a real group whose clients are services behind a real sshd: a rolling restart without a touch, whose
run and sshd are killed; and one that another client interrupts. `campaign` has more of everything."""

from collections.abc import Iterator

import pytest
from tests.live.running import hosted, machines
from tests.live.running.hosted import PROCESS_IDS, Hosted

pytestmark = pytest.mark.live
RELEASE = "3.9.1"
CLIENTS = 3
IN_TIME = {"session.timeout.ms": "45000"}
"""A busy machine takes seconds to restart a client; one that is back after its session causes rebalances of its own."""


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("run")
    with (
        machines.addresses(folder, CLIENTS + 1) as made,
        hosted.started(folder, RELEASE, made, CLIENTS, "127.0.0.1", IN_TIME) as found,
    ):
        yield found


def in_order(group: Hosted) -> list[tuple[str, str]]:
    """What a rolling restart does, in Kafka's order of process IDs."""
    placed = group.streams.addresses()
    return [("restart", placed[process_id]["host"]) for process_id in PROCESS_IDS[:CLIENTS]]


def test_a_rolling_restart_goes_by_itself_and_ends_as_forecast(group: Hosted) -> None:
    """Also where its run is killed while a client is being restarted, and then the sshd: none is restarted twice."""
    plan = group.plan({"rolling_restart": {}})
    first = group.run(plan)
    first.wait_until(lambda: group.services.busy)
    first.kill()
    ran = group.run(plan)
    ran.wait_until(lambda: group.services.busy and bool(group.services.done))
    group.machines[0].sshd.crash()
    group.machines[0].sshd.start()
    status, lines = ran.end()

    assert status == 0, ran.log()
    assert group.services.done == in_order(group)
    assert lines[-1]["done"] is True
    verdict = group.verdict(plan)
    assert verdict["result"] == "as forecast"
    least, most = verdict["rebalances"]["expected"]
    assert least <= verdict["rebalances"]["found"] <= most


def test_a_client_that_joins_midway_halts_it_before_the_next_act(group: Hosted) -> None:
    group.services.done.clear()
    stranger = group.machines[CLIENTS]
    group.services.make_ready(stranger.address)
    plan = group.plan({"rolling_restart": {}})
    ran = group.run(plan)
    ran.wait_for("act")
    group.services.start(stranger.address)
    status, lines = ran.end()

    assert status == 3, ran.log()
    assert lines[-1]["entries"][-1]["halt"] == "drift"
    assert group.services.done == in_order(group)[:1]


def test_going_back_starts_what_was_stopped(group: Hosted) -> None:
    group.services.done.clear()
    leaves = PROCESS_IDS[1]
    host = group.streams.addresses()[leaves]["host"]
    plan = group.plan({"remove_client": {"process_id": leaves, "leaves": False}})
    first = group.run(plan)
    first.wait_until(lambda: bool(group.services.done))
    first.kill()
    ran = group.run(plan, "--back")
    status, lines = ran.end()

    assert status == 0, ran.log()
    assert group.services.done == [("stop", host), ("start", host)]
    assert lines[-1]["went_back"]["in_place"] is True
