"""A blast radius is what the forecast of its Change says, wherever it is counted; and where it is not counted, it says why."""

import random
from dataclasses import replace

import pytest
from benchmarks import synthetic_fleet
from tests.harness.examples import examples

from holdfast.kafka.release import LINES
from holdfast.kafka.streams.group import Changelog, Client, Task
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.contract.times import Times
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.cost.times_of_costs import worked_out
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.host_loss import decided_losses, forecast_losses
from holdfast.rollout.streams.host_loss.blast_radius import BlastRadius, FigureBasis, Loss, blast_radius, change_of
from holdfast.rollout.streams.host_loss.movements import NotByPlaces
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.plan import restore_rate, start_up
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.snapshot import groups, ownership
from holdfast.rollout.streams.snapshot.json import snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Topic, TopicPartitionInfo
from holdfast.rollout.tables import loss_rows

SEEDS = range(600)
RACKS = ("a", "b", "c")


def small_group(seed: int) -> Snapshot:
    numbers = (number for number in range(seed * 50, seed * 50 + 50))
    found = (synthetic_fleet.group(number, 7).after for number in numbers)
    return next(one for one in found if 2 <= len(one.clients) <= 6 and len(one.tasks) <= 40)


def in_disorder(snapshot: Snapshot, seed: int) -> Snapshot:
    """Other settings and releases, small stores, tasks that no client runs, and copies left on disks."""
    chance = random.Random(seed)
    tasks = tuple(_resized(task, chance) if chance.random() < 0.3 else task for task in snapshot.tasks)
    ends = {task.id: task.end_offset_sum or 0 for task in tasks if task.stateful}
    config = {
        "num.standby.replicas": 0,
        "acceptable.recovery.lag": chance.choice((0, 100, 10_000, 1_000_000)),
        "max.warmup.replicas": chance.randint(1, 4),
        "probing.rebalance.interval.ms": chance.choice((60_000, 600_000)),
        "processing.guarantee": chance.choice(("at_least_once", "at_least_once", "exactly_once_v2")),
    }
    messy = replace(
        snapshot,
        tasks=tasks,
        kafka_release=chance.choice(LINES).releases[-1],
        config=tuple(sorted(config.items())),
        clients=tuple(_with_leftovers(client, ends, chance) for client in snapshot.clients),
    )
    if messy.kafka_release < "3":
        messy = replace(messy, config=tuple(one for one in messy.config if one[0] != "processing.guarantee"))
    return messy


def _resized(task: Task, chance: random.Random) -> Task:
    return replace(
        task, changelogs=tuple(Changelog(one.topic, one.partition, chance.randint(0, 20_000)) for one in task.changelogs or ())
    )


def _with_leftovers(client: Client, ends: dict, chance: random.Random) -> Client:
    first, *rest = client.consumers
    mine = {task for one in client.consumers for task, _ in one.task_offset_sums}
    leftovers = [(task, chance.randint(0, end)) for task, end in ends.items() if task not in mine and chance.random() < 0.04]
    kept = tuple(one for one in first.task_offset_sums if chance.random() < 0.95)
    dropped = dict.fromkeys(task for task, _ in first.task_offset_sums) - dict(kept).keys()
    owned = first.owned if not dropped else ()
    changed = replace(first, owned=owned, task_offset_sums=tuple(sorted((*kept, *leftovers))))
    return replace(client, consumers=(changed, *rest))


def differences(snapshot: Snapshot, radii: tuple[BlastRadius, ...]) -> tuple[list[str], int]:
    """What the forecasts say otherwise, and how many losses were counted."""
    found, counted = [], 0
    for loss in (loss for radius in radii for loss in radius.losses):
        if loss.basis is not FigureBasis.COUNTED:
            assert loss.reason
            continue
        counted += 1
        wanted = forecast(snapshot, change_of(loss)).outcomes[0].summary
        pairs = {
            "moved": (loss.moved, wanted.active_moved),
            "without_copy": (loss.without_copy, wanted.without_caught_up_copy.tasks),
            "bytes": (loss.restore_bytes, wanted.restore_bytes),
        }
        found += [f"{loss.scenario} of {loss.process_id}: {what} {a}, {b}" for what, (a, b) in pairs.items() if a != b]
        least = loss.rebalances <= wanted.rebalances
        if not (loss.rebalances == wanted.rebalances if loss.rebalances_exact else least):
            found.append(f"{loss.scenario} of {loss.process_id}: rebalances {loss.rebalances}, {wanted.rebalances}")
        found += not_as_planned(snapshot, loss)
    return found, counted


def baseline_times(snapshot: Snapshot, change: Change) -> Times:
    """What a plan for this change says of its baseline, without a policy."""
    proposed = proposals.propose(snapshot, change)
    (evaluated,) = (proposals.evaluate(snapshot, one) for one in proposed if one.name == BASELINE_NAME)
    policy = start_up.learnt(restore_rate.effective(Policy(), snapshot, change), snapshot)
    return worked_out(evaluated.worst, policy)


def not_as_planned(snapshot: Snapshot, loss: Loss) -> list[str]:
    """Where the times of a loss are not those of a plan for it. Not `exact`: near them."""
    wanted, found = baseline_times(snapshot, change_of(loss)), loss.times
    assert found is not None
    assert wanted.rebalancing_ends is not None
    assert wanted.restored is not None
    said = ((found.ends, wanted.rebalancing_ends.usual), (found.restored, wanted.restored.usual))
    if loss.basis is FigureBasis.FORECAST:
        said += ((found.ends_most, wanted.rebalancing_ends.high), (found.restored_most, wanted.restored.high))
    wrong = [(a, b) for a, b in said if (a != b if found.exact else not b / 2 <= a <= 2 * b)]
    return [f"{loss.scenario} of {loss.process_id}: {a} s, {b} s" for a, b in wrong]


class TestIsWhatTheForecastSays:
    @pytest.mark.thorough
    @pytest.mark.parametrize("seed", SEEDS[: examples(5)])
    def test_in_a_group_at_rest(self, seed: int) -> None:
        snapshot = small_group(seed)
        assert differences(snapshot, blast_radius(snapshot))[0] == []

    @pytest.mark.thorough
    @pytest.mark.parametrize("seed", SEEDS[: examples(15)])
    def test_in_a_group_in_disorder(self, seed: int) -> None:
        snapshot = in_disorder(small_group(seed), seed)
        assert differences(snapshot, blast_radius(snapshot))[0] == []

    @pytest.mark.thorough
    def test_and_most_of_it_is_counted(self) -> None:
        radii = [blast_radius(in_disorder(small_group(seed), seed)) for seed in SEEDS[:60]]
        losses = [loss for each in radii for radius in each for loss in radius.losses]
        assert sum(loss.basis is FigureBasis.COUNTED for loss in losses) > len(losses) / 3

    @pytest.mark.parametrize("seed", SEEDS[: examples(5)])
    def test_for_every_place_of_a_fresh_id(self, seed: int) -> None:
        """With standbys and racks too: what moves is the target's business alone."""
        snapshot = small_group(seed)
        radius = blast_radius(snapshot)[seed % len(snapshot.clients)]
        fresh = replace(change_of(radius.losses[-1]))
        owners = dict(ownership.owners(snapshot))
        assert sum(place.probability for place in radius.places) == pytest.approx(1)
        for place in radius.places:
            replaced = fresh.events[0]
            change = replace(fresh, events=(replace(replaced, by=replace(replaced.by, process_id=place.process_id)),))
            after = order.order_changes_by(snapshot, change).after
            assert after.index(place.process_id) == place.place
            clients = forecast_clients(snapshot, change)
            going = order.target(groups.group_of(replace(snapshot, clients=clients, leader_process_id=None)))
            assert place.moved == sum(owners.get(task) != process_id for task, process_id in going)


def by_rack(snapshot: Snapshot, seed: int) -> Snapshot:
    """The same group under a strategy that places tasks by rack (KIP-925), its clients and partitions over three racks."""
    chance = random.Random(seed)
    counts: dict[str, int] = {}
    for task in snapshot.tasks:
        for topic, number in [*task.partitions, *((log.topic, log.partition) for log in task.changelogs or ())]:
            counts[topic] = max(counts.get(topic, 0), number + 1)
    config = {name: value for name, value in snapshot.config if name != "rack.aware.assignment.tags"} | {
        "rack.aware.assignment.strategy": chance.choice(("min_traffic", "balance_subtopology")),
        "rack.aware.assignment.traffic_cost": chance.choice((1, 10)),
        "rack.aware.assignment.non_overlap_cost": chance.choice((1, 10)),
        "acceptable.recovery.lag": chance.choice((0, 10_000, 1_000_000)),
    }
    return replace(
        snapshot,
        kafka_release=chance.choice(("3.8.1", "3.9.1", "4.3.1")),
        config=tuple(sorted(config.items())),
        clients=tuple(replace(client, rack=RACKS[at % 3]) for at, client in enumerate(snapshot.clients)),
        topics=tuple(
            Topic(name, tuple(TopicPartitionInfo(number, tuple(chance.sample(RACKS, 2))) for number in range(count)))
            for name, count in sorted(counts.items())
        ),
    )


class TestPlacedByRack:
    @pytest.mark.thorough
    @pytest.mark.parametrize("seed", SEEDS[: examples(5)])
    def test_what_moves_and_what_stands_still_is_what_the_forecast_says(self, seed: int) -> None:
        snapshot = by_rack(small_group(seed), seed)
        radius = blast_radius(snapshot)[seed % len(snapshot.clients)]

        for loss in radius.losses:
            wanted = forecast(snapshot, change_of(loss)).outcomes[0].summary
            assert (loss.moved, loss.without_copy) == (wanted.active_moved, wanted.without_caught_up_copy.tasks), loss
            assert (loss.basis, "placed by rack" in (loss.reason or "")) == (FigureBasis.NOT_FORECAST, True)
        assert max(place.moved for place in radius.places) == radius.losses[-1].moved

    def test_the_worst_is_forecast(self) -> None:
        snapshot = by_rack(small_group(1), 1)
        worst = max((loss for radius in blast_radius(snapshot) for loss in radius.losses), key=lambda loss: loss.moved)

        (found,) = forecast_losses.forecasts(snapshot, [worst])

        assert (found.basis, found.moved, found.without_copy) == (FigureBasis.FORECAST, worst.moved, worst.without_copy)

    def test_of_a_fresh_id_in_a_large_group_the_likeliest_places_are_looked_at(self, monkeypatch: pytest.MonkeyPatch) -> None:
        snapshot = by_rack(small_group(1), 1)
        whole = blast_radius(snapshot)
        monkeypatch.setattr(decided_losses, "MOST_WORK", 2 * len(snapshot.clients) * len(snapshot.tasks))

        for all_of_them, some in zip(whole, blast_radius(snapshot), strict=True):
            assert len(some.places) == 2
            assert sorted(all_of_them.places, key=lambda place: -place.probability)[:2] == sorted(
                some.places, key=lambda place: -place.probability
            )
            assert min(place.moved for place in some.places) <= some.expected_moved <= some.losses[-1].moved
            assert sum(place.probability for place in all_of_them.places) == pytest.approx(1)


def forecast_clients(snapshot: Snapshot, change) -> tuple[Client, ...]:
    event = change.events[0]
    old = snapshot.client(event.process_id)
    new = Client(event.by.process_id, tuple(replace(one, member_id=f"new-{one.member_id}") for one in old.consumers))
    bare = replace(new, consumers=tuple(replace(one, owned=(), task_offset_sums=()) for one in new.consumers))
    rest = tuple(client for client in snapshot.clients if client is not old)
    return (*rest, replace(bare, client_tags=old.client_tags, rack=old.rack))


def with_standbys(seed: int, most_tasks: int = 24, clients: tuple[int, int] = (2, 6)) -> Snapshot:
    """A group at rest, with a standby or two of each task, and this number of clients."""
    numbers = range(seed * 80, seed * 80 + 80)
    found = (synthetic_fleet.group(number, 5).after for number in numbers)
    return next(
        one
        for one in found
        if dict(one.config)["num.standby.replicas"]
        and clients[0] <= len(one.clients) <= clients[1]
        and len(one.tasks) <= most_tasks
    )


def of_another_assignor(seed: int) -> Snapshot:
    """A group whose losses cannot be counted: of the sticky assignor, or with members of before KIP-441."""
    snapshot = (with_standbys if seed % 2 else small_group)(seed)
    if seed % 3:
        sticky = "org.apache.kafka.streams.processor.internals.assignment.StickyTaskAssignor"
        config = {name: value for name, value in snapshot.config if name != "rack.aware.assignment.tags"}
        release = "3.7.2" if (snapshot.kafka_release or "") > "3.8" else snapshot.kafka_release  # later on it is two classes
        return replace(snapshot, kafka_release=release, task_assignor=sticky, config=tuple(sorted(config.items())))
    first, *rest = snapshot.clients
    old = tuple(replace(one, metadata_version=6) for one in first.consumers)
    return replace(snapshot, clients=(replace(first, consumers=old), *rest))


def as_the_forecast_says(snapshot: Snapshot, row: dict, process_id: str | None) -> None:
    """A row of `blast_radius` that is forecast. `process_id`: the ID that represents the position of its new random ID."""
    (loss,) = (
        loss
        for loss in blast_radius_of(snapshot, ProcessId.parse(row["process_id"])).losses
        if str(loss.scenario) == row["scenario"]
    )
    if loss.place is not None:
        assert process_id is not None
        loss = replace(loss, place=replace(loss.place, process_id=ProcessId.parse(process_id)))
    wanted = forecast(snapshot, change_of(loss)).outcomes[0].summary
    assert (row["moved"], row["without_copy"]) == (wanted.active_moved, wanted.without_caught_up_copy.tasks), row
    assert (row["rebalances"], row["rebalances_exact"]) == (wanted.rebalances, True), row
    times = baseline_times(snapshot, change_of(loss))
    for name, planned in (("hours", times.rebalancing_ends), ("restored_hours", times.restored)):
        assert planned is not None
        assert (row[name], row[f"{name}_most"]) == (planned.usual / 3600, planned.high / 3600), row
    assert row["restore_bytes"] == wanted.restore_bytes, row


def blast_radius_of(snapshot: Snapshot, process_id: ProcessId) -> BlastRadius:
    try:
        return blast_radius(snapshot, (process_id,))[0]
    except NotByPlaces:
        return forecast_losses.by_forecasts(snapshot, (process_id,), EVERYTHING_MS)[0]


EVERYTHING_MS = 10**6


def all_rows(snapshot: Snapshot, budget_ms: int) -> tuple[list[dict], list[dict]]:
    answer = loss_rows.whole(dumps(snapshot_to_json(snapshot)), budget_ms)
    assert answer["problem"] is None
    return answer["losses"], answer["places"]


class TestForecastWhereItCannotBeCounted:
    @pytest.mark.thorough
    @pytest.mark.parametrize("seed", SEEDS[: examples(5)])
    @pytest.mark.parametrize("made", [with_standbys, of_another_assignor])
    def test_every_row_is_what_the_forecast_says(self, made, seed: int) -> None:
        snapshot = made(seed)
        rows, places = all_rows(snapshot, EVERYTHING_MS)
        stands_for = {(place["lost"], place["place"]): place["process_id"] for place in places}

        assert len(rows) == 4 * len(snapshot.clients)
        assert all(row["basis"] == "forecast" or "leader" in row["reason"] or "settle" in row["reason"] for row in rows)
        for row in (row for row in rows if row["basis"] == "forecast"):
            as_the_forecast_says(snapshot, row, stands_for.get((row["process_id"], row["place"])))

    @pytest.mark.thorough
    @pytest.mark.parametrize("seed", SEEDS[: examples(5)])
    def test_with_leftovers_and_tight_settings_too(self, seed: int) -> None:
        snapshot = in_disorder(small_group(seed), seed)
        rows, places = all_rows(snapshot, EVERYTHING_MS)
        stands_for = {(place["lost"], place["place"]): place["process_id"] for place in places}
        for row in (row for row in rows if row["basis"] == "forecast"):
            as_the_forecast_says(snapshot, row, stands_for.get((row["process_id"], row["place"])))

    def test_of_the_only_client_all_but_its_end_is_forecast(self) -> None:
        snapshot = with_standbys(4, clients=(1, 1))
        rows, places = all_rows(snapshot, EVERYTHING_MS)
        stands_for = {(place["lost"], place["place"]): place["process_id"] for place in places}
        (ends,) = (row for row in rows if row["scenario"] == "not replaced")

        assert (ends["basis"], ends["work_us"]) == ("not forecast", None)
        for row in (row for row in rows if row is not ends):
            assert row["basis"] == "forecast"
            as_the_forecast_says(snapshot, row, stands_for.get((row["process_id"], row["place"])))

    def test_the_likeliest_and_then_the_worst_come_first_and_what_is_beyond_says_so(self) -> None:
        snapshot = with_standbys(2, 40)
        least, some = (all_rows(snapshot, budget)[0] for budget in (1, sum(work_of(snapshot)) // 2_000))
        done = [row for row in least if row["basis"] == "forecast"]

        assert len(done) in (1, 2)
        assert done[0]["scenario"] == "new random ID, likeliest"
        assert done[0]["moved"] == max(row["moved"] for row in least if row["scenario"] == "new random ID, likeliest")
        most = {row["basis"]: row["moved"] for row in sorted(some, key=lambda row: row["moved"])}
        assert most["forecast"] >= most["not forecast"]
        assert 2 < sum(row["basis"] == "forecast" for row in some) < len(some)
        for row in (row for row in (*least, *some) if row["basis"] == "not forecast"):
            assert "--forecast-ms" in row["reason"]
        assert all((row["work_us"] is None) == (row["basis"] == "forecast") for row in (*least, *some))

    @pytest.mark.thorough
    def test_nothing_is_forecast_for_nothing(self) -> None:
        assert {row["basis"] for row in all_rows(with_standbys(2), 0)[0]} == {"not forecast"}
        assert {row["moved"] for row in all_rows(of_another_assignor(1), 0)[0]} == {None}

    def test_in_pieces_it_is_the_same(self) -> None:
        snapshot = with_standbys(3)
        document = dumps(snapshot_to_json(snapshot))
        rows = loss_rows.losses(document)["losses"]
        pieces, whole = (loss_rows.chosen(rows, EVERYTHING_MS, piece_us) for piece_us in (0, 10**12))

        assert len(pieces) > len(snapshot.clients)
        assert [one for piece in pieces for one in piece] == whole[0]
        assert [row for piece in pieces for row in loss_rows.forecast(document, piece)] == sorted(
            loss_rows.forecast(document, whole[0]), key=lambda row: whole[0].index({name: row[name] for name in whole[0][0]})
        )

    def test_of_a_group_that_is_only_forecast_each_client_stands_alone(self) -> None:
        """In however many pieces, by a budget that goes to some of it, and more positions by one that goes further."""
        snapshot = of_another_assignor(1)
        each_ms = forecast_losses.work_us(snapshot, None) / 1_000
        count = 3 * len(snapshot.clients)
        for budget in (int(count / 2 * each_ms), int((count + 2 * len(snapshot.clients)) * each_ms) + 1):
            radii = forecast_losses.by_forecasts(snapshot, None, budget)
            assert radii == tuple(forecast_losses.by_forecasts(snapshot, (one.process_id,), budget)[0] for one in radii)
        assert {len(radius.places) for radius in radii} == {3}
        assert all(0 < radius.covered < 1 for radius in radii)
        assert all(radius.losses[-1].moved == max(place.moved for place in radius.places) for radius in radii)


def work_of(snapshot: Snapshot) -> list[int]:
    rows = loss_rows.losses(dumps(snapshot_to_json(snapshot)))["losses"]
    return [row["work_us"] for row in rows if row["work_us"] is not None]


class TestTheWaysOfLosingAClient:
    def test_are_four_and_the_places_of_a_fresh_id(self) -> None:
        snapshot = small_group(1)
        radii = blast_radius(snapshot)
        assert [radius.process_id for radius in radii] == sorted(client.process_id for client in snapshot.clients)
        for radius in radii:
            assert [loss.scenario for loss in radius.losses] == list(Scenario)
            assert max(place.moved for place in radius.places) == radius.losses[-1].moved

    def test_can_be_asked_of_some_clients_only(self) -> None:
        snapshot = small_group(2)
        radii = blast_radius(snapshot)
        assert blast_radius(snapshot, (radii[1].process_id,)) == radii[1:2]

    def test_the_only_client(self) -> None:
        snapshot = replace(small_group(3), leader_process_id=None)
        alone = replace(snapshot, clients=snapshot.clients[:1])
        (radius,) = blast_radius(alone)
        assert "no client is left" in (radius.losses[0].reason or "")
        assert len(radius.places) == 1
