"""Whose a group is, by the names alone; what a user sees of it; what an administrator's document may not say."""

import re
from fnmatch import translate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples

from holdfast.errors import InvalidInput
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.teams.sight import EVERYTHING, User, is_in, may_request, sight_of
from holdfast.rollout.teams.teams import GroupPattern, Members, Teams

TEAMS = codec_of(Teams)
NAMES = st.text(alphabet="ab-*?[]!\n.é", max_size=6)
MEMBERS = st.builds(Members, *(st.lists(st.sampled_from(names), max_size=2).map(tuple) for names in ("ax", "ry", "tz")))


def team(name: str = "payments", *patterns: tuple[str, str], **more: Any) -> dict[str, Any]:
    groups = [{"cluster": cluster, "group": group} for cluster, group in patterns or (("prod", "payments-*"),)]
    return {"name": name, "groups": groups, "members": {"users": ["ann"]}, "approvers": ["17"]} | more


def teams(*found: dict[str, Any], **more: Any) -> Teams:
    return TEAMS.read({"format_version": "1.0", "teams": list(found), **more})


class TestTheRule:
    def test_the_first_team_that_matches_has_the_group(self) -> None:
        known = teams(team("ledger", ("prod*", "payments-ledger")), team(), team("platform", ("*", "*")))

        owners = [
            known.of(cluster, group)
            for cluster, group in (
                ("prod", "payments-ledger"),
                ("prod-eu", "payments-ledger"),
                ("prod", "payments-api"),
                ("prod", "Payments-api"),
                ("test", "payments-api"),
                ("", ""),
            )
        ]
        assert [one.name for one in owners if one] == ["ledger", "ledger", "payments", "platform", "platform", "platform"]

    def test_both_patterns_must_match_the_whole_name(self) -> None:
        known = teams(team())

        for cluster, group in (("prod2", "payments-a"), ("prod", "x-payments-a"), ("prod", "payments"), ("prod\n", "payments-a")):
            assert known.of(cluster, group) is None, (cluster, group)
        assert known.of("prod", "payments-a\nb") is not None

    @settings(max_examples=examples(300))
    @given(cluster=NAMES, group=NAMES, patterns=st.lists(st.tuples(NAMES.filter(bool), NAMES.filter(bool)), min_size=1, max_size=4))
    def test_it_is_the_first_in_the_order_of_the_list(self, cluster: str, group: str, patterns: list[tuple[str, str]]) -> None:
        """Compared with regular expressions. Every group has one team at most, by its names alone."""
        unlike = list(dict.fromkeys(patterns))
        unlike = unlike[: unlike.index(("*", "*")) + 1] if ("*", "*") in unlike else unlike
        found = teams(*(team(str(number), one) for number, one in enumerate(unlike))).of(cluster, group)

        wanted = [
            str(number)
            for number, (of_cluster, of_group) in enumerate(unlike)
            if re.fullmatch(translate(of_cluster), cluster) and re.fullmatch(translate(of_group), group)
        ]
        assert (found.name if found else None) == next(iter(wanted), None)


class TestWhatAUserSees:
    KNOWN = teams(
        team(),
        team("orders", ("*", "orders-*"), members={"roles": ["Orders"], "airflow_teams": ["shop"]}, approvers=["ann"]),
        all_groups={"roles": ["Admin"]},
    )

    @pytest.mark.parametrize(
        ("user", "sees"),
        [
            (User("ann", "3"), {"payments-a"}),
            (User("bob", "17"), {"payments-a"}),
            (User("17", "4"), set()),
            (User("eve", "ann"), {"orders-a"}),
            (User("eve", "5", frozenset({"Orders"})), {"orders-a"}),
            (User("eve", "5", frozenset(), frozenset({"shop"})), {"orders-a"}),
            (User("eve", "5", frozenset({"orders", "shop"})), set()),
            (User("eve", "5", frozenset({"Admin"})), {"payments-a", "orders-a", "nobodys"}),
        ],
    )
    def test_is_by_name_role_or_team_of_airflow_and_an_approver_by_id(self, user: User, sees: set[str]) -> None:
        sight = sight_of(self.KNOWN, user)

        assert {one for one in ("payments-a", "orders-a", "nobodys") if sight.sees("prod", one)} == sees

    def test_is_everything_where_there_are_no_teams(self) -> None:
        assert sight_of(None, User("eve", "5")) is EVERYTHING
        assert EVERYTHING.sees("prod", "payments-a")

    @settings(max_examples=examples(300))
    @given(members=MEMBERS, all_groups=MEMBERS, user=st.builds(User, *(st.sampled_from("axry17") for _ in range(2))), group=NAMES)
    def test_no_user_sees_a_group_without_a_reason(self, members: Members, all_groups: Members, user: User, group: str) -> None:
        if not members:
            return
        known = teams(
            team("one", ("*", "a*"), members=codec_of(Members).write(members)), all_groups=codec_of(Members).write(all_groups)
        )
        reason = is_in(all_groups, user) or (group.startswith("a") and (is_in(members, user) or user.user_id == "17"))

        assert sight_of(known, user).sees("prod", group) is reason

    def test_only_names_request_and_only_for_groups_of_a_team(self) -> None:
        known = teams(team(members={"users": ["ann"], "roles": ["Payments"]}), all_groups={"users": ["root"], "roles": ["Admin"]})

        assert may_request(known, "prod", "payments-a", "ann")
        assert may_request(known, "prod", "payments-a", "root")
        for user, group in (("17", "payments-a"), ("Payments", "payments-a"), ("Admin", "payments-a"), ("ann", "x"), ("root", "x")):
            assert not may_request(known, "prod", group, user), (user, group)


class TestADocument:
    def test_is_read_as_it_was_written(self) -> None:
        known = teams(team(four_eyes=True, notifiers=[{"notifier": "a.B", "with": {"to": ["x"]}}], review_notifiers=[]))

        assert TEAMS.read(TEAMS.write(known)) == known
        assert known.airflow_teams == ()
        assert known.teams[0].groups == (GroupPattern("prod", "payments-*"),)

    @pytest.mark.parametrize(
        ("found", "says"),
        [
            ([team(members={})], r"teams\[0\].members: the team has no member: give users, roles or airflow_teams"),
            ([team(approvers=[])], r"teams\[0\].approvers: 0 approvers were found"),
            ([team(groups=[])], r"teams\[0\].groups: 0 patterns were found"),
            ([team(groups=[{"group": "x"}])], r"teams\[0\].groups\[0\]: the field 'cluster' is missing"),
            ([team(approver=["x"])], r"the field 'approver' is unknown \(did you mean 'approvers'\?\)"),
            ([team(), team()], r"teams\[1\].name: the name 'payments' is given twice"),
            ([team(), team("b")], r"teams\[1\].groups\[0\]: team 'payments', which is before this one, has all these groups"),
            ([team("all", ("*", "*")), team()], r"teams\[1\].groups\[0\]: team 'all', which is before this one"),
            ([team(members={"users": "ann"})], r"teams\[0\].members.users"),
        ],
    )
    def test_that_means_something_else_than_it_says_is_refused(self, found: list[dict[str, Any]], says: str) -> None:
        with pytest.raises(InvalidInput, match=says):
            teams(*found)
