"""Each row of the table of roles in docs/security.md is held by tests, and says in which files they are."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = (ROOT / "docs" / "security.md").read_text()
HELD_BY = {
    "no user (not logged in)": (
        "tests/web/test_access.py::test_nobody_sees_nothing",
        "tests/web/test_access.py::test_no_route_answers_nobody",
    ),
    "*Viewer* of Airflow": (
        "tests/web/test_access.py::test_whoever_may_see_the_dag_may_read",
        "tests/web/test_access.py::test_what_changes_something_is_for_those_who_may_and_from_here",
        "tests/web/test_access.py::test_who_may_write_what_tasks_go_by",
        "tests/web/test_decision.py::test_who_may_not_decide_is_told_who_may",
        "tests/web/test_new.py::test_those_who_may_not_trigger_are_not_offered_the_form",
    ),
    "*User* (may trigger and clear runs, patch XComs)": (
        "tests/web/test_access.py::test_who_may_write_what_tasks_go_by",
        "tests/web/test_new.py::test_a_run_that_fails_says_why_and_is_asked_again",
        "tests/dags/test_decisions.py::test_a_form_cannot_loosen_what_the_team_has",
        "tests/dags/test_decisions.py::test_only_approvers_are_asked",
        "tests/dags/test_decisions.py::test_is_not_made_of_an_answer_to_other_bytes",
        "tests/dags/test_runs.py::test_that_is_cleared_it_comes_to_the_same_plan",
        "tests/dags/test_runs.py::test_of_another_run_it_cannot_be_approved",
        "tests/dags/test_runs.py::test_no_airflow_task_of_ours_takes_a_template_or_the_word_of_another",
        "tests/dags/test_runs.py::test_writes_where_the_connection_says_and_nowhere_else",
        "tests/dags/test_runs.py::test_is_who_triggered_the_run",
        "tests/dags/connections/test_ssh_connections.py::test_a_template_allows_the_hosts_of_the_plan_and_nothing_else",
    ),
    "approver (named in `holdfast_approvers`)": (
        "tests/web/test_decision.py::test_airflow_itself_lets_only_approvers_answer",
        "tests/web/test_decision.py::test_an_approval_is_recorded",
        "tests/web/test_decision.py::test_a_rejection_is_recorded_with_its_reason",
        "tests/web/test_decision.py::test_who_asked_cannot_approve_where_the_policy_wants_four_eyes",
        "tests/web/test_decision.py::test_on_airflows_own_page_who_asked_cannot_approve_and_another_can",
    ),
    "a user of another team (`holdfast_teams`)": (
        "tests/web/test_teams.py::test_another_team_s_group_is_answered_as_what_there_is_not",
        "tests/web/test_teams.py::test_lists_counts_and_searches_are_of_the_user_s_own_groups",
        "tests/web/test_teams.py::test_a_run_for_another_team_s_group_is_refused_and_its_page_is_none",
        "tests/dags/test_teams.py::test_is_refused_alike_for_groups_that_there_are_and_are_not",
        "tests/dags/test_teams.py::test_of_apply_and_verify_is_looked_at_whenever_they_begin",
        "tests/dags/test_teams.py::test_an_approval_counts_for_the_team_that_has_the_group_then",
        "tests/dags/applying/test_halts.py::test_are_those_of_the_group_s_team_alone",
    ),
    "*Op* and admin of Airflow": (
        "tests/web/test_access.py::test_who_may_write_what_tasks_go_by",
        "tests/web/test_decision.py::test_airflow_itself_lets_only_approvers_answer",
        "tests/dags/test_runs.py::test_is_answered_by_those_who_were_asked",
        "tests/dags/applying/test_carrying.py::test_are_refused_by_the_name_of_the_connection",
    ),
    "write access to the lake, without the key": (
        "tests/unit/workflows/test_tampering.py::test_what_was_changed_is_refused_by_name_and_nothing_is_done",
        "tests/unit/workflows/test_tampering.py::test_documents_that_are_none_are_refused_by_name",
        "tests/dags/test_signing.py::test_a_plan_that_is_not_signed",
        "tests/dags/test_signing.py::test_an_approval_that_somebody_wrote",
        "tests/dags/test_signing.py::test_nobody_makes_himself_an_approver",
        "tests/dags/test_signing.py::test_who_asked_stays_who_asked",
        "tests/dags/test_signing.py::test_another_plan_is_not_asked_about",
        "tests/dags/test_signing.py::test_an_option_that_the_change_does_not_have_is_not_taken",
    ),
    "a user of the host, or the application": (
        "tests/contract/test_seeding.py::test_a_folder_that_is_swapped_for_a_link_all_the_time_puts_nothing_elsewhere",
        "tests/contract/test_seeding.py::test_what_is_no_file_is_said_and_neither_followed_nor_waited_for",
        "tests/unit/adapters/hosts/test_seeding_on_hosts.py::test_what_others_put_there_is_neither_followed_nor_overwritten",
        "tests/unit/adapters/state_dirs/test_state_files.py::test_a_link_in_the_place_of_the_directory_is_named_with_where_it_leads",
        "tests/unit/adapters/hosts/test_command_records.py::test_a_folder_that_is_not_private_is_refused",
        "tests/unit/adapters/state_dirs/test_damaged_stores.py::test_every_damage_ends_in_an_answer_or_a_reason",
        "tests/unit/adapters/state_dirs/test_damaged_stores.py::test_it_has_little_memory_and_time",
    ),
    "write access to the file of `--actors`": (
        "tests/unit/workflows/running/test_run.py::test_what_the_policy_does_not_name_is_a_person_s",
        "tests/unit/workflows/running/test_run.py::test_a_plan_without_acts_does_nothing_by_itself",
        "tests/unit/cli/commands/test_apply_run.py::test_without_commands_it_waits_for_a_person",
    ),
    "a broker, or a member of the group": (
        "tests/unit/adapters/hosts/test_process_commands.py::test_a_foreign_name_is_no_part_of_a_command",
        "tests/unit/adapters/hosts/test_http_actor.py::test_a_name_that_cannot_be_one_is_refused_by_name_and_nothing_is_sent",
        "tests/contract/test_bad_clusters.py::test_a_broker_that_never_answers",
        "tests/property/test_wire.py::test_any_bytes_are_a_value_or_refused",
        "tests/property/test_wire.py::test_a_count_is_believed_only_when_so_many_can_follow",
        "tests/web/test_access.py::test_hostile_names_are_text",
    ),
    "a service that is called to act (`http` in `actors`)": (
        "tests/unit/adapters/hosts/test_http_actor.py::test_a_bad_answer_to_the_status_is_unknown_and_tells_no_secret",
        "tests/unit/adapters/hosts/test_http_actor.py::test_a_refusal_of_an_act_says_so",
        "tests/unit/adapters/hosts/test_http_actor.py::test_an_identity_that_is_a_secret_is_none",
        "tests/unit/adapters/hosts/test_http_actor.py::test_a_service_that_drips_is_given_up",
        "tests/dags/applying/test_carrying.py::test_are_refused_by_the_name_of_the_connection",
    ),
    "an API server of Kubernetes, a kubelet, a pod": (
        "tests/contract/kubernetes/test_bad_servers.py::test_answers_that_are_none",
        "tests/contract/kubernetes/test_pod_shell.py::test_connections_that_break_or_talk_nonsense",
        "tests/contract/kubernetes/test_pod_shell.py::test_a_pod_that_is_replaced_meanwhile_is_noticed",
        "tests/contract/kubernetes/test_pods.py::test_a_server_with_another_certificate_is_sent_nothing",
        "tests/contract/kubernetes/test_stateful_actor.py::test_a_pod_that_was_replaced_since_it_was_looked_at_is_left_alone",
        "tests/unit/adapters/hosts/kubernetes/test_hostile_workloads.py::test_hostile_answers_are_refused_or_bear_no_fruit",
    ),
    "the Role `holdfast-read` in a namespace": (
        "tests/contract/kubernetes/test_rights.py::test_nothing_in_it_changes_anything",
        "tests/contract/kubernetes/test_stateful_actor.py::test_the_role_for_acting_is_enough",
    ),
    "sender of a Change, a policy, settings, a reason, a comment": (
        "tests/dags/test_try.py::test_the_whole_story",
        "tests/unit/workflows/test_comments.py::test_what_is_empty_too_long_or_secret_is_refused",
        "tests/unit/test_secrecy.py::test_every_reader_refuses_it_without_repeating_it",
        "tests/unit/test_secrecy.py::test_an_approval_with_one_is_refused_and_not_kept",
        "tests/dags/test_asking.py::test_a_secret_is_not_kept_nor_repeated_and_it_is_asked_again",
        "tests/web/test_secrets.py::test_a_secret_on_our_pages_reaches_neither_airflow_nor_the_lake",
        "tests/web/test_secrets.py::test_a_secret_in_a_reason_is_refused_on_our_page_and_asked_again_by_airflow_s",
        "tests/dags/test_runs.py::test_a_secret_in_a_run_s_id_or_parameters_is_not_handed_on_nor_kept",
    ),
    "listener on the network": (
        "tests/contract/test_oauth.py::test_a_client_s_credentials_open_the_door",
        "tests/unit/adapters/broker/test_connection.py::test_host_names_are_checked_unless_told_otherwise",
    ),
}
"""By the first cell of a row: the tests that show what the row says, where they are. Not a test, not a row."""


def rows() -> dict[str, str]:
    """From the first cell to the last, of the table of roles."""
    table = DOCS.partition("## Roles")[2].partition("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")][1:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert all(len(row) == 4 for row in cells), "role, can, cannot, shown by"
    return {row[0]: row[-1] for row in cells}


def functions_in(path: Path) -> dict[str, ast.FunctionDef]:
    return {one.name: one for one in ast.walk(ast.parse(path.read_text())) if isinstance(one, ast.FunctionDef)}


def test_every_row_is_held_by_tests_and_every_test_by_a_row() -> None:
    assert list(rows()) == list(HELD_BY)


@pytest.mark.parametrize("role", HELD_BY)
def test_what_holds_a_row_is_there_runs_and_is_named_in_it(role: str) -> None:
    named = HELD_BY[role]
    assert named
    for one in named:
        file, _, name = one.partition("::")
        found = functions_in(ROOT / file).get(name)
        assert found is not None, f"{one} is gone: what else shows what {role} can and cannot?"
        marks = " ".join(ast.unparse(mark) for mark in found.decorator_list)
        assert not re.search("skip|xfail", marks), one
    assert set(re.findall(r"`(tests/[\w/.]+)`", rows()[role])) == {one.partition("::")[0] for one in named}


def test_a_row_without_a_test_is_seen() -> None:
    """What the first test compares is read out of the table, not out of the mapping."""
    assert {"no user (not logged in)", "listener on the network"} <= rows().keys()
    assert all(shown for shown in rows().values())
