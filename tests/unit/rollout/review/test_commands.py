"""Do the commands of a plan do what they say when they are pasted from the raw plan.md, whatever groups and topics are called?"""

import copy
import os
import re
import subprocess

import pytest
from tests.harness.plain_groups import change, group, member
from tests.unit.rollout.broker_streams import plans as broker_plans
from tests.unit.rollout.broker_streams import streams_groups

from holdfast.rollout.broker_streams.plan import review as broker_review
from holdfast.rollout.consumer.plan import review as consumer_review
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.document_blocks import Block, to_markdown
from holdfast.workflows import plan as planning

NAME = "my_app *eu* 'one' <b> $(x) `y`"
TOOLS = ("kafka-configs.sh", "kafka-consumer-groups.sh", "kafka-streams-groups.sh", "kafka-topics.sh")
TWO = {"a": member(0, 1, 2, host="app-a"), "b": member(3, 4, 5, host="app-b")}


def by_broker() -> tuple[Block, ...]:
    document = streams_groups.snapshot(group_id=NAME, cluster="prod", captured_at="2026-11-23T11:59:00Z")
    events = ({"set_config": {"streams.num.standby.replicas": 1}}, *broker_plans.ROLL)
    return broker_review.review(broker_plans.planned(*events, of=document))


def of_consumers() -> tuple[Block, ...]:
    snapshot = group(copy.deepcopy(TWO), group_id=NAME, cluster="prod", captured_at="2026-11-20T11:59:00Z")
    events = (
        {"restart_consumer": {"member_id": "a", "new_member_id": "a2"}},
        {"add_partitions": {"topic": "orders", "partitions": 8}},
    )
    return consumer_review.review(
        planning.make_from(("snapshot", snapshot), ("change", change(*events)), Policy(), broker_plans.NOON)
    )


def pasted(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    tools = "\n".join(f"{tool}() {{ printf '%s\\n' {tool} \"$@\"; }}" for tool in TOOLS)
    return subprocess.run(
        ["/bin/bash", "-c", f"{tools}\n{command}"],
        env={"PATH": os.environ["PATH"]} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.thorough
@pytest.mark.parametrize("made", [by_broker, of_consumers])
def test_every_command_of_a_plan_is_pasted_whole(made: object) -> None:
    assert callable(made)
    raw = to_markdown(made())
    commands = re.findall(r"^```sh\n(.*?)\n```$", raw, re.DOTALL | re.MULTILINE)
    assert len(commands) >= 2

    for command in commands:
        done = pasted(command, BOOTSTRAP_SERVERS="broker:9092")
        words = done.stdout.splitlines()
        assert (done.returncode, done.stderr) == (0, "")
        assert words[0] in TOOLS
        assert words[1:3] == ["--bootstrap-server", "broker:9092"]
        assert NAME in words or "--topic" in words
        assert pasted(command).returncode != 0, "the shell asks for the brokers"


@pytest.mark.thorough
@pytest.mark.parametrize("made", [by_broker, of_consumers])
def test_no_command_is_in_a_sentence(made: object) -> None:
    """There Markdown would escape what is in it."""
    assert callable(made)
    outside = re.sub(r"^```sh\n.*?\n```$", "", to_markdown(made()), flags=re.DOTALL | re.MULTILINE)

    assert [line for line in outside.splitlines() if re.search(r"\.sh .*--(bootstrap-server|describe)", line)] == []
