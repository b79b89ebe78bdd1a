"""`holdfast compare-protocols`: text for a reader, the value for a program; the group's own past; what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from tests.harness import plain_groups
from tests.harness.kafka import recorded_rebalances

from holdfast.cli.main import holdfast
from holdfast.rollout.backtest import past_file
from holdfast.rollout.backtest.entries import Frame
from holdfast.rollout.backtest.generation import Generation, GenerationMember
from holdfast.rollout.backtest.past_file import PastHeader
from holdfast.rollout.kinds.schemas import schema_of

AT = recorded_rebalances.STARTED_MS
CONSUMERS = {name: plain_groups.member(*owned, host=name, client_id=name) for name, owned in (("a", (0, 1, 2)), ("b", (3, 4, 5)))}


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested does not depend on their number."""
    monkeypatch.setattr("holdfast.rollout.kinds.protocols.compare.MOST_DRAWS", 6)


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    path = tmp_path / "snapshot.json"
    path.write_text(json.dumps(plain_groups.group(CONSUMERS, group_state="Stable", broker_release="4.3.1")))
    return str(path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(holdfast, ["compare-protocols", *arguments])


def test_a_program_gets_the_value(snapshot: str) -> None:
    done = run(snapshot, "--restarts", "8", "--replacements", "0", "--json")
    assert done.exit_code == 0, done.output
    found: Any = json.loads(done.stdout)
    Draft202012Validator(schema_of("comparison")).validate(found)
    monthly = {one["kind"]: (one["monthly"], one["source"]) for one in found["deploys"]}
    assert monthly == {
        "rolling restart": (8.0, "given"),
        "replace a host": (0.0, "given"),
        "scale out": (1.0, "assumed"),
        "scale in": (1.0, "assumed"),
    }
    uniform = next(one for one in found["protocols"] if one["name"] == "consumer-4.3.1+uniform")
    assert uniform["prices"][0]["figures"]["moves"] == 12
    assert uniform["month"]["moves"] == 8 * 12 + 2 + 3
    assert [one["kind"] for one in uniform["prevents"]] == ["consumer_client_too_old"]


def test_a_person_reads_figures_first(snapshot: str) -> None:
    shown = run(snapshot, "--restarts", "2", "--format", "text").stdout
    assert shown.startswith("billing: ")
    assert "moves a month now; fewest under" in shown
    assert "2 (given)" in shown
    assert "UNKNOWN" in shown


def test_the_same_seed_gives_the_same(snapshot: str) -> None:
    first, again, other = (run(snapshot, "--seed", seed, "--json").stdout for seed in ("3", "3", "4"))
    assert first == again
    assert first != other


def past_of(group_id: str) -> bytes:
    """Two consumers that restarted once within ten days, a day after the first rebalance; at the end one more."""
    rebalances = ((0, {"a": "1", "b": "1"}), (1, {"a": "2", "b": "2"}), (10, {"a": "2", "b": "2", "c": "1"}))
    frames = []
    for number, (days, members) in enumerate(rebalances, 1):
        there = tuple(
            GenerationMember(f"{name}-{member}", name, f"/{name}", None, b"\0", b"\0") for name, member in members.items()
        )
        found = Generation(number, "2026-11-01T00:00:00.000Z", "a-1", "range", there)
        frames.append(Frame(AT, recorded_rebalances.key(group_id), recorded_rebalances.value(found, AT + days * 86_400_000)))
    content = past_file.written(PastHeader("local", group_id, "2026-11-27T00:00:00Z", coordinated=False), frames)
    assert content is not None
    return content


def test_deploys_are_counted_in_the_past_of_the_group(snapshot: str, tmp_path: Path) -> None:
    past = tmp_path / "1.records"
    past.write_bytes(past_of("billing"))
    found: Any = json.loads(run(snapshot, "--past", str(past), "--scale-ins", "0", "--json").stdout)
    assert [(one["monthly"], one["source"]) for one in found["deploys"]] == [
        (3.04, "past"),
        (0.0, "past"),
        (3.04, "past"),
        (0.0, "given"),
    ]
    assert found["deploys"][0]["seen_days"] == 10
    past.write_bytes(past_of("another"))
    refused = run(snapshot, "--past", str(past))
    assert refused.exit_code == 1
    assert f"{past}: the past of the same group is needed; that of 'another' was found" in str(refused.exception)
