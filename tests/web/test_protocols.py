"""The page "Which protocol": figures, what is typed wrong, what is refused, and how a reader gets there."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser
from tests.harness.pages.airflow_server import Server
from tests.harness.pages.browser import reading
from tests.harness.pages.web_lake import HOSTILE

pytestmark = [pytest.mark.airflow, pytest.mark.usefixtures("made")]
GROUP, ENDS = "plain-readers", ("success", "failed")


def path(group: str = GROUP, **typed: str) -> str:
    return f"/holdfast/protocols?{urlencode({'cluster': 'local', 'group': group} | typed)}"


def test_a_reader_gets_there_from_the_group_and_types_how_often(browser: Browser, server: Server) -> None:
    with reading(browser, server, "vera", width=390) as reader:
        page = reader.open(f"/holdfast/group?cluster=local&group={GROUP}").page
        page.get_by_role("link", name="Which protocol").click()
        page.get_by_label("Rolling restarts").fill("8")
        page.get_by_label("Hosts replaced").fill("0.5")
        page.get_by_role("button", name="Compare").click()

        page.get_by_text("8 (given)").wait_for()
        assert page.get_by_text("0.5 (given)").count() == 1
        assert page.get_by_text("1 (assumed: nothing was given)").count() == 2
        assert page.get_by_label("Rolling restarts").input_value() == "8"
        assert page.locator("#command code").last.inner_text().endswith("--restarts 8 --replacements 0.5")
        rows = page.locator("#price table").first.locator("tbody tr").all_inner_texts()
        assert rows[0].startswith("classic, unchanged")
        assert any("uniform, static members" in one for one in rows)
        assert reader.too_wide() == 0
        assert reader.trouble == []


def test_more_deploys_cost_more(server: Server) -> None:
    """The price of one is the same, whatever is typed."""

    def moves(**typed: str) -> float:
        answer = server.ask("GET", path(replacements="0", scale_outs="0", scale_ins="0", **typed), "vera")
        assert answer.status == 200
        found = re.search(r"<h2>([\d,.]+) moves a month now", answer.text)
        assert found, answer.text
        return float(found[1].replace(",", ""))

    assert moves(restarts="4") == pytest.approx(4 * moves(restarts="1"))
    assert moves(restarts="1") > 0


@pytest.mark.parametrize("typed", ["-1", "100001", "nan", "inf", "1e9", "many", "1_0", "٣", "<script>", "1;2"])
def test_what_is_no_number_is_refused_at_its_field(server: Server, typed: str) -> None:
    answer = server.ask("GET", path(restarts=typed), "vera")
    assert answer.status == 400
    assert 'href="#f-restarts"' in answer.text
    assert "a number from 0 to 100,000 is needed" in answer.text.lower()
    assert "<script>" not in answer.text.split("<main")[1]
    assert "moves a month" not in answer.text


def test_longer_or_unknown_input_is_refused(server: Server) -> None:
    assert server.ask("GET", path(restarts="1" * 21), "vera").status == 400
    for group in (HOSTILE, "no-such-group", ""):
        answer = server.ask("GET", path(group), "vera")
        assert (answer.status, "no snapshot of such a group" in answer.text) == (404, True)


def test_a_large_group_is_left_to_the_command_line(server: Server) -> None:
    answer = server.ask("GET", path("a-thousand"), "vera")
    assert answer.status == 200
    assert "1,000 members" in answer.text
    assert "holdfast compare-protocols" in answer.text


def test_a_run_compares_and_the_page_shows_what_it_found(server: Server) -> None:
    """Over REST, as a program asks; what is typed on the page replaces what the run was given."""
    server.wait("the DAG", lambda: server.rest("GET", "/api/v2/dags/compare_protocols"))
    server.rest("PATCH", "/api/v2/dags/compare_protocols?update_mask=is_paused", {"is_paused": False})
    runs = "/api/v2/dags/compare_protocols/dagRuns"
    conf = {"cluster": "local", "group": GROUP, "restarts": 3, "scale_ins": 0}
    run = server.rest("POST", runs, {"logical_date": None, "conf": conf}, "bob")["dag_run_id"]
    ended = server.wait("its end", lambda: state if (state := server.rest("GET", f"{runs}/{run}")["state"]) in ENDS else None)
    assert ended == "success"
    folder = server.rest("GET", f"{runs}/{run}/taskInstances/compare/xcomEntries/return_value")["value"]
    name = folder.split("/")[-1]
    assert folder == f"comparisons/cluster=local/group={GROUP}/{name}"

    shown = server.ask("GET", path(comparison=name), "vera").text
    assert "3 (given)" in shown
    assert "over up to 30 draws" in shown
    assert f"<b><bdi>{name}</bdi></b>" in shown
    assert f"comparison={name}" in server.ask("GET", path(), "vera").text
    typed = server.ask("GET", path(comparison=name, restarts="5"), "vera").text
    assert "5 (given)" in typed
    assert "0 (given)" in typed
    for group, other in ((GROUP, "no-such-run"), ("a-thousand", name)):
        answer = server.ask("GET", path(group, comparison=other), "vera")
        assert (answer.status, "no such comparison" in answer.text) == (404, True)
