"""Is what is written read back as it was, and is every other document refused with its path?"""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.harness.article import AFTER, Document, altered, group
from tests.harness.plans import REPLACE_FIRST, article_plan, planned

from holdfast.adapters import yaml_text
from holdfast.errors import HoldfastError, InvalidInput, Unsupported
from holdfast.rollout.journal.journal import Approval, JournalEntry
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.policy.json import policy_from_json, policy_to_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.policy.rules import RULES
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.plan.plan import Plan


def written(plan: Plan) -> Document:
    """As a reader gets it."""
    document = json.loads(dumps(plan_json.plan_to_json(plan)))
    assert isinstance(document, dict)
    return document


def signed(document: Document) -> Document:
    """The document with the digest that its content asks for, so that only what is wrong besides is seen."""
    content = {key: value for key, value in document.items() if key != "plan_id"}
    return content | {"plan_id": hashlib.sha256(dumps(content).encode()).hexdigest()[:16]}


@pytest.mark.parametrize(
    "plan",
    [
        article_plan(),
        planned(group(AFTER)),
        planned(altered(group(AFTER), ["tasks", "1_0", "changelogs"], None), REPLACE_FIRST),
        article_plan(Policy(exclude=("copy-process-metadata", "seed-process-id", "copy-state-directory"), time_to_stable_s_most=1)),
    ],
    ids=["article", "nothing", "blocked", "raised"],
)
def test_a_plan_survives_its_json(plan: Plan) -> None:
    assert plan_json.plan_from_json(written(plan)) == plan


def test_the_contract_names_are_there() -> None:
    document = written(article_plan())

    assert set(document) >= {
        "format_version", "plan_id", "created_from", "change", "headline", "wrong_if", "chosen", "candidates", "steps", "settings",
        "rules", "verdict", "expires_at",
    }  # fmt: skip
    assert set(document["created_from"]) == {"snapshot", "captured_at", "change", "policy"}
    assert set(document["steps"][0]) >= {"id", "action", "who", "inputs", "check_before", "check_after", "undo", "expect"}
    assert set(document["candidates"][0]) >= {"name", "summary", "rules", "why_not"}
    assert set(document["rules"][0]) >= {"name", "found", "limit", "status"}


def test_an_edited_plan_is_refused() -> None:
    document = written(article_plan())
    document["steps"][1]["inputs"]["process_id"] = "00000000-0000-4000-8000-000000000000"

    with pytest.raises(InvalidInput, match="was edited after it was made"):
        plan_json.plan_from_json(document)


BROKEN: dict[str, tuple[Callable[[Document], Document], str]] = {
    "a field that is missing": (lambda plan: {key: value for key, value in plan.items() if key != "steps"}, "steps"),
    "a field that is unknown": (lambda plan: plan | {"force": True}, "force"),
    "an unknown action": (lambda plan: altered(plan, ["steps", 0, "action"], "delete_everything"), "steps.*action"),
    "an input of another action": (lambda plan: altered(plan, ["steps", 0, "inputs", "command"], "rm"), "command"),
    "a UUID that is none": (lambda plan: altered(plan, ["steps", 0, "inputs", "process_id"], "x"), "steps.*process_id"),
    "steps out of order": (lambda plan: altered(plan, ["steps"], plan["steps"][::-1]), "steps"),
    "an unknown verdict": (lambda plan: altered(plan, ["verdict"], "fine"), "verdict"),
    "no moment": (lambda plan: altered(plan, ["expires_at"], "tomorrow"), "expires_at"),
    "an unknown rule status": (lambda plan: altered(plan, ["rules", 0, "status"], "maybe"), "rules"),
    "a negative cost": (lambda plan: altered(plan, ["candidates", 0, "summary", 0, "moved"], -1), "moved"),
    "a range upside down": (lambda plan: altered(plan, ["candidates", 0, "summary", 0, "rebalances"], [3, 1]), "rebalances"),
    "a list": (lambda plan: [plan], "an object is needed"),  # type: ignore[dict-item, return-value]
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plan_is_refused_with_its_path(name: str) -> None:
    breaking, message = BROKEN[name]
    document = breaking(written(article_plan()))
    if isinstance(document, dict):
        document = signed(document)

    with pytest.raises(InvalidInput, match=message):
        plan_json.plan_from_json(document)


def test_another_major_version_is_unsupported() -> None:
    with pytest.raises(Unsupported, match=r"2\.0"):
        plan_json.plan_from_json(signed(altered(written(article_plan()), ["format_version"], "2.0")))


def test_a_policy_says_only_what_differs() -> None:
    policy = policy_from_json({"format_version": "1.0", "rebalances_most": 3, "blocking": ["forecast", "rebalances"]})

    assert policy == Policy(rebalances_most=3, blocking=("forecast", "rebalances"))
    assert policy_from_json(json.loads(json.dumps(policy_to_json(policy)))) == policy


@pytest.mark.parametrize(
    "problem",
    [
        {"rebalance_most": 3},
        {"rebalances_most": -1},
        {"rebalances_most": 2.5},
        {"rebalances_most": True},
        {"restore_records_per_second": 0},
        {"blocking": ["no-such-rule"]},
        {"exclude": "baseline"},
        {"format_version": "7.0"},
    ],
)
def test_a_broken_policy_is_refused(problem: dict[str, object]) -> None:
    with pytest.raises(HoldfastError):
        policy_from_json({"format_version": "1.0"} | problem)


APPROVAL = {
    "format_version": "1.0",
    "plan_id": "0123456789abcdef",
    "approved": True,
    "by": "ann",
    "reason": "",
    "at": "2026-11-20T12:00:00Z",
}


@pytest.mark.parametrize("more", [{}, {"by_id": "7", "decided_by": "policy", "plan_fingerprint": "sha256:0", "asked_by": "bob"}])
def test_an_approval_survives_its_json(more: dict[str, object]) -> None:
    """An older one does not say by whose right and about which bytes."""
    unsaid = {"by_id": None, "decided_by": "person", "plan_fingerprint": None, "asked_by": None}

    assert codec_of(Approval).write(codec_of(Approval).read(APPROVAL | more)) == APPROVAL | unsaid | more


@pytest.mark.parametrize("problem", [{"approved": "yes"}, {"by": ""}, {"at": "now"}, {"for": "all"}, {"decided_by": "me"}])
def test_a_broken_approval_is_refused(problem: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        codec_of(Approval).read(APPROVAL | problem)


def test_a_broken_journal_entry_is_refused() -> None:
    with pytest.raises(InvalidInput, match="event"):
        codec_of(JournalEntry).read({"at": "2026-11-20T12:00:00Z", "step": "1", "event": "undone", "by": "ann", "detail": ""})


def test_the_page_about_policies_says_what_holds() -> None:
    page = (Path(__file__).resolve().parents[5] / "docs" / "policy.md").read_text()
    fields, _ = page.split("| fields | stricter is |")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", fields, re.MULTILINE))
    (example,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)

    written = {"acts": [], "lag_most": None, "silenced": [], "learnt": {}} | policy_to_json(
        Policy()
    )  # left out of the document where they say nothing
    assert {name: json.loads(value) for name, value in rows.items()} == {k: v for k, v in written.items() if k != "format_version"}
    assert (Policy().acts, Policy().lag_most, Policy().silenced) == ((), None, ())
    assert all(f"`{rule}`" in page for rule in RULES)
    assert policy_from_json(yaml_text.loads(example)).exclude == ("copy-state-directory",)
