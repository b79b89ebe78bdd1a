"""The morning report, and the alerts."""

import json

import pytest

from holdfast.errors import InvalidInput
from holdfast.rollout.tables import fleet_findings, fleet_summary

LOSS = {
    "cluster": "prod",
    "group_id": "orders",
    "process_id": "4b61083e-57d0-457d-951f-d06556c148ca",
    "host": "10.0.0.7",
    "scenario": "new random ID, likeliest",
    "stateful_tasks": 40,
    "moved": 38,
    "expected_moved": 20.4,
    "hours": 3.25,
    "restore_bytes": 5 * 2**30,
}
CHANGE = {
    "cluster": "prod",
    "group_id": "orders",
    "left": ["a"],
    "joined": ["b"],
    "moved": 12,
    "moved_between_survivors": 9,
}
HOST = {"cluster": "prod", "host": "10.0.0.7", "groups": 3, "without_copy": 17, "moved": 60, "hours": 3.25}
CLUSTER = {"groups": 3, "clients": 9, "stateful_tasks": 120, "quarantined": 0}
QUARANTINED = {"table": "quarantine", "count": 2, "problem": "the document is not JSON"}

OTHERWISE = {
    "cluster": "prod",
    "group_id": "orders",
    "equal": 410,
    "judged": 412,
    "different": 2,
    "inferred": 3,
    "not_judged": 1,
    "sequences": 31,
    "ends_equal": 30,
    "wrong": 3,
}
SETTING = {
    "cluster": "prod",
    "group_id": "orders",
    "rule": "lag-too-small",
    "says": "It waits.",
    "found": 1,
    "not_priced": None,
    "costs": "When a client joins: 9 instead of 2",
    "fixes": ["acceptable.recovery.lag = 10000"],
    "sources": "KIP-441",
}
FALLEN = (
    "orders of prod: its score has fallen; Holdfast decided 410 of 412 past rebalances as Kafka did, 30 of 31 stable ends. "
    "Check its forecasts with care"
)
LIMITS = {"order_changes": 0, "groups": 80, "slow": 3, "hosts": None, "backtests": 0, "settings": 0}


def counts(kind: str, most: int | None, above: int = 1, new: int = 1) -> dict[str, object]:
    return {"kind": kind, "count": 1_234, "most": most, "above": above, "new": new}


def findings(**changes: object) -> fleet_findings.Findings:
    rows = {"clusters": [CLUSTER], "hosts": [HOST], "groups": [LOSS], "slow": [LOSS], "order_changes": [CHANGE]}
    rows |= {"backtests": [OTHERWISE], "settings": [SETTING]}
    rows |= {f"new_{kind}": rows[kind] for kind in fleet_findings.WATCHED.values()}
    rows |= {"quarantined": [QUARANTINED], "counts": [counts(kind, most) for kind, most in LIMITS.items()]}
    lines = [json.dumps({"kind": kind, "row": row}) for kind, found in (rows | changes).items() for row in found]
    return fleet_findings.findings_from_lines("2026-11-21", lines)


class TestAlerts:
    def test_name_what_came_above_a_limit(self) -> None:
        assert fleet_findings.alerts(findings()) == (
            "orders of prod: process IDs changed their order; 9 stateful tasks of clients that did nothing will move",
            "orders of prod: losing 10.0.0.7 moves 38 of 40 stateful tasks, unless its replacement keeps its process ID",
            "orders of prod: losing 10.0.0.7 (new random ID, likeliest) takes 3 h 15 min until it is stable",
            "host 10.0.0.7 of prod: 17 stateful tasks unavailable without it: no caught-up copy",
            FALLEN,
            "orders of prod: lag-too-small: It waits. When a client joins: 9 instead of 2. Fix: acceptable.recovery.lag = 10000",
        )

    def test_do_not_advise_to_keep_a_process_id_where_member_ids_decide(self) -> None:
        told = fleet_findings.alerts(findings(new_groups=[LOSS | {"draws": 5}]))
        assert "orders of prod: losing and replacing 10.0.0.7 moves 38 of 40 stateful tasks" in told

    def test_are_none_where_nothing_is_new(self) -> None:
        old = {f"new_{kind}": [] for kind in fleet_findings.WATCHED.values()}
        assert fleet_findings.alerts(findings(**old, counts=[counts(kind, 0, 700, 0) for kind in LIMITS])) == ()

    def test_name_the_worst_of_each_kind_and_count_the_others(self) -> None:
        told = fleet_findings.alerts(findings(new_groups=[LOSS] * 20, counts=[counts("groups", 80, 3_000, 1_500)]))

        assert len([line for line in told if "moves 38" in line]) == fleet_findings.MOST_ALERTS
        assert told[1 + fleet_findings.MOST_ALERTS] == "and 1,490 more groups with as many moved tasks when a host is lost"


class TestText:
    def test_has_everything_on_one_page(self) -> None:
        text = fleet_summary.markdown_of(findings())

        assert text.splitlines()[2] == "3 groups of 1 cluster, 9 clients, 120 stateful tasks. New since the previous day:"
        assert "\n- orders of prod: losing 10.0.0.7 moves 38 of 40" in text
        assert "| Groups with the most tasks moved by one replaced host | 80 % of its tasks | 1 of 1,234 | 1 |" in text
        assert "| orders of prod | 10.0.0.7 | 38 | 20 | 40 | 3 h 15 min |" in text
        assert "| orders of prod | 10.0.0.7 | new random ID, likeliest | 3 h 15 min | 5.0 GiB |" in text
        assert "| 10.0.0.7 | prod | 3 | 17 | 60 | 3 h 15 min |" in text
        assert "| orders of prod | lag-too-small | It waits. | When a client joins: 9 instead of 2 |" in text
        assert "| orders of prod | 410 | 412 | 3 | 1 | 30 of 31 |" in text
        assert "| quarantine | 2 | the document is not JSON |" in text

    def test_has_no_line_for_what_has_no_limit(self) -> None:
        assert "Hosts whose loss makes tasks unavailable" not in fleet_summary.markdown_of(findings())

    def test_leaves_out_what_there_is_nothing_of(self) -> None:
        text = fleet_summary.markdown_of(fleet_findings.Findings("2026-11-21", clusters=(CLUSTER,)))
        assert "##" not in text
        assert "Nothing new exceeds a limit." in text

    def test_names_are_no_markup(self) -> None:
        hostile = LOSS | {"group_id": "<b>|`x`\n# y", "host": "[a](http://b)\u202e"}
        text = fleet_summary.markdown_of(findings(groups=[hostile], new_groups=[hostile], slow=[]))
        assert "<b>" not in text.replace("\\<b\\>", "")
        assert "\n# y" not in text
        assert "\u202e" not in text

    def test_shows_the_worst_and_counts_the_others(self) -> None:
        assert "And 1,214 more." in fleet_summary.markdown_of(findings(groups=[LOSS] * 20))


class TestReading:
    @pytest.mark.parametrize("line", ["{", "[]", "{}", '{"kind": "hosts", "row": 1}'])
    def test_refuses_what_is_no_finding(self, line: str) -> None:
        with pytest.raises(InvalidInput):
            fleet_findings.findings_from_lines("2026-11-21", [line])

    @pytest.mark.parametrize("given", [[], {"most": 1}, {"hours_most": "2"}, {"hours_most": True}, {"hours_most": -1}])
    def test_refuses_what_is_no_policy(self, given: object) -> None:
        with pytest.raises(InvalidInput):
            fleet_findings.policy_from_json(given)

    def test_a_limit_may_be_taken_away(self) -> None:
        assert fleet_findings.policy_from_json({"hours_most": None}) == fleet_findings.FleetPolicy(hours_most=None)
