"""Are the first ten lines of a review enough, and can no name steer what it is shown on? Whole plans: `test_golden_plans`."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from tests.harness.article import AFTER, LAST, C, group
from tests.harness.plans import REPLACE_FIRST, article_plan, measured, planned

from holdfast.rollout.disks import process_metadata
from holdfast.rollout.streams.plan.figures import figures_of
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.plan.review import review
from holdfast.rollout.text import document_blocks
from holdfast.rollout.text.document_blocks import Code, to_markdown

HOSTILE = "x\x1b[31m\n# owned <script>|[a](http://evil) `b` *c* \u202ed"


def markdown(plan: Plan) -> str:
    return document_blocks.to_markdown(review(plan))


def text(plan: Plan) -> str:
    return document_blocks.to_text(review(plan))


def article() -> Plan:
    return planned(measured(group(AFTER)), REPLACE_FIRST)


def test_a_dozen_lines_are_enough_to_decide() -> None:
    first = "\n".join(markdown(article_plan()).splitlines()[:12])

    for needed in (
        "0 of 6 stateful tasks migrate",  # what moves
        "1 rebalance; rebalancing ends after 12 s (7 s to 38 s); all state restored by then",  # in how many rebalances and how long
        "2 tasks (1_0 1_3)",  # what is without a caught-up copy
        "8 records",  # what it costs
        "0 restarts, 2 manual steps, no copy",  # what it asks for
        "clients outside the change would migrate too",  # why this beats the others
        "(1) stop app-bbb8; (2) write process ID",  # what to do
        f"a process ID other than {C}",  # the one fact that would make it wrong
        article_plan().created_from.snapshot.removeprefix("sha256:")[:12],  # the fingerprint
    ):
        assert needed in first


@pytest.mark.thorough
def test_both_ways_show_what_they_weigh() -> None:
    (costs,) = (line for line in markdown(article()).splitlines() if "**Restore:**" in line and "all on" in line)

    assert "8 records (11.7 KiB), all on app-new (bbb83e43…): tasks 1_0 1_3." in costs
    assert "Baseline: 26 records (38.1 KiB)." in costs


def test_a_weight_that_is_not_known_is_said_with_the_changelog() -> None:
    shown = markdown(article_plan())

    assert "8 records (size unknown), all on" in shown
    assert "log_bytes.changelog: the snapshot does not state" in shown


@pytest.mark.thorough
def test_ranges_hold_for_every_rank_of_a_random_id() -> None:
    """The worst outcome alone takes 4 to 10 rebalances; where the ID has the rank of the old one, there is 1."""
    by = {"process_id": None, "threads": 2}
    plan = planned(group(AFTER), {"replace_client": {"process_id": C, "by": by, "state": "empty"}})
    (baseline,) = (one for one in plan.candidates if one.name == "baseline")
    found = figures_of(plan, baseline)

    assert found is not None
    assert found.rebalances is not None
    assert {cost.rebalances.low for cost in baseline.costs} >= {1, 4}
    assert (found.rebalances[0], found.rebalances[2]) == (1, 10)
    assert "1–10 rebalances" in text(plan)


def test_text_and_markdown_say_the_same() -> None:
    """Without markup and layout, both are the same words."""

    def words(shown: str) -> list[str]:
        for mark in ("**", "\\", "|", "---", "```sh", "```"):
            shown = shown.replace(mark, " ")
        letters = shown.lower().replace("- ", " ").replace("#", " ").replace("=", " ")
        return [word for word in letters.split() if word.strip("-")]

    assert words(text(article_plan())) == words(markdown(article_plan()))


@pytest.mark.thorough
@pytest.mark.parametrize("render", [markdown, text])
def test_names_cannot_steer(render: object) -> None:
    snapshot = group(AFTER)
    snapshot["clients"][C]["host"] = HOSTILE
    snapshot["unknown"] = [{"what": HOSTILE, "reason": HOSTILE}]
    event = {"replace_client": {"process_id": C, "by": {"process_id": LAST, "threads": 2, "host": HOSTILE}}}
    assert callable(render)
    shown = render(planned(snapshot, event))

    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\n# owned" not in shown
    if render is markdown:
        assert "<script>" not in shown.replace("\\<", "")
        assert "[a](" not in shown.replace("\\[", "")
        assert "http://" not in shown
        rows = [line.replace("\\|", "") for line in shown.splitlines() if line.startswith("| ") and "owned" in line]
        assert [row.count("|") for row in rows] == [4]


def test_commands_of_the_raw_file_work_in_a_shell(tmp_path: Path) -> None:
    """Pasted unchanged from plan.md, and in what a pull request shows of it."""
    directory = tmp_path / "state" / article_plan().basis.group_id
    for rendered in (markdown(article_plan()), to_markdown(review(article_plan()), folded=True)):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        (command,) = re.findall(r"^```sh\n(.*)\n```$", rendered, re.MULTILINE)
        subprocess.run(["sh", "-euc", command], env={"STATE_DIR": str(tmp_path / "state")}, check=True, timeout=600)
        assert json.loads((directory / "kafka-streams-process-metadata").read_text()) == {"processId": C}

    assert subprocess.run(["sh", "-euc", command], env={}, stderr=subprocess.DEVNULL, check=False, timeout=600).returncode != 0


@pytest.mark.parametrize("name", ["$(touch owned)", "`touch owned`", "a b;touch owned", "'", "```\ntouch owned"])
def test_a_name_in_a_command_runs_nothing(name: str, tmp_path: Path) -> None:
    text = to_markdown((Code(process_metadata.by_hand(UUID(C), name)),))
    (command,) = re.findall(r"^`{3,}sh\n(.*)\n`{3,}$", text, re.MULTILINE)
    subprocess.run(["sh", "-c", command], env={"STATE_DIR": "."}, cwd=tmp_path, stderr=subprocess.DEVNULL, check=False, timeout=600)

    assert not (tmp_path / "owned").exists()


def test_a_plan_of_before_says_what_makes_it_invalid_once() -> None:
    older = replace(article_plan(), wrong_if="Wrong if the new client joins late.", invalidations=())

    assert "**Condition of the forecast:** Wrong if the new client joins late." in markdown(older)


@pytest.mark.thorough
def test_a_step_that_is_cut_is_left_out_with_its_command() -> None:
    blocks = review(article_plan())
    cuts = [document_blocks.foremost(blocks, longest)[0] for longest in range(2_600, 7_000, 50)]

    assert any("```sh" in one for one in cuts)
    assert all(one.count("```") == 2 * ("### 2. " in one) for one in cuts)
    assert any("### 1. " in one and "### 2. " not in one for one in cuts)
