"""What the doctor of settings finds about a group, as rows of a table: silenced as in the command, priced where that is quick."""

from pathlib import Path
from typing import Any

from holdfast.adapters.lake.table_schemas import SETTING
from holdfast.rollout.kinds import any_document, settings
from holdfast.rollout.policy.policy import Policy, Silence
from holdfast.rollout.tables import setting_rows

DOCUMENT = (Path(__file__).resolve().parents[4] / "examples" / "streams-wordcount" / "snapshot.json").read_text()
RULE = "recovery-lag-zero"


def rows(policy: Policy | None = None, work: int = 1, document: str = DOCUMENT) -> list[dict[str, Any]]:
    found: Any = setting_rows.findings(document, policy or Policy(), work)
    assert found["problem"] is None
    return list(found["findings"])


def test_are_those_of_the_command() -> None:
    report = settings.examined(any_document.snapshot_from_text(DOCUMENT))
    found = rows()

    assert [row["rule"] for row in found] == [one.rule.name for one in report.findings] == [RULE]
    (row,) = found
    assert row.keys() == {name for name, _ in SETTING}
    assert row["settings"] == ["acceptable.recovery.lag=0"]
    assert row["as_is"] > row["fixed"] == 0.0
    assert "acceptable.recovery.lag = 10000" in row["fixes"][0]
    assert (row["silenced"], row["rules_judged"]) == (None, report.judged)


def test_what_the_policy_silences_is_marked_with_the_reason() -> None:
    (row,) = rows(Policy(silenced=(Silence(RULE, "as we want it"),)))
    assert (row["rule"], row["silenced"]) == (RULE, "as we want it")


def test_of_a_large_group_only_what_cites_its_source_is_found() -> None:
    found = rows(work=setting_rows.MOST_WORK + 1)
    assert all(row.get("as_is") is None for row in found)
    assert found[0]["not_judged"] > 0 or "not forecast at night" in found[0]["not_priced"]


def test_a_group_without_a_finding_has_a_row_without_a_rule() -> None:
    found = rows(document=DOCUMENT.replace('"acceptable.recovery.lag": 0', '"acceptable.recovery.lag": 10000'))
    assert [row.get("rule") for row in found] == [None]
    assert found[0]["rules_judged"] > 50


def test_what_is_no_snapshot_is_a_problem() -> None:
    assert setting_rows.findings("{}", Policy(), 1)["findings"] == []
    assert setting_rows.findings("{}", Policy(), 1)["problem"]
