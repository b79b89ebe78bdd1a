"""The page "Plan a rollout": filled in, refused and sent in a real browser, triggered in a real Airflow; what it refuses to
take."""

import html
import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlencode

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.harness.pages.airflow_server import Answer, Server
from tests.harness.pages.browser import BACKGROUNDS, PATIENCE_S, reading, wait_until
from tests.harness.pages.web_lake import CLIENTS_OF_THE_LARGEST, HOSTILE

from holdfast.rollout.streams.plan.plan import Plan

pytestmark = [pytest.mark.airflow, pytest.mark.usefixtures("runs")]
GROUP = {"cluster": "local", "group": "streams-wordcount"}
RESTART = GROUP | {"what": "rolling restart"}


def address(**query: str) -> str:
    return f"/holdfast/new?{urlencode(query)}"


def hidden(text: str) -> dict[str, str]:
    """As a browser reads them: a reference to a control character is that character, which Python would leave out."""
    text = re.sub(r"&#([0-9]+);", lambda found: chr(int(found[1])) if int(found[1]) < 32 else found[0], text)
    return {name: html.unescape(value) for name, value in re.findall(r'type="hidden" name="([a-z]+)" value="([^"]*)"', text)}


def form(server: Server, user: str, **fields: str) -> dict[str, str]:
    """What a browser would send of the page, once it was checked."""
    filled = hidden(server.ask("GET", address(**RESTART), user).text) | {"snapshot": "fresh"} | fields
    return filled | {"said": hidden(send(server, user, filled | {"do": "check"}).text)["said"], "do": "send"}


def send(server: Server, user: str | None, fields: dict[str, str], **headers: str) -> Answer:
    return server.ask("POST", "/holdfast/new", user, fields, headers or {"Origin": server.origin, "Sec-Fetch-Site": "same-origin"})


def run_of(location: str) -> str:
    return parse_qs(location.partition("?")[2])["run"][0]


def run(server: Server, run_id: str) -> dict[str, object]:
    found: dict[str, object] = server.rest("GET", f"/api/v2/dags/plan_rollout/dagRuns/{run_id}")
    return found


def runs_there_are(server: Server) -> int:
    return int(server.rest("GET", "/api/v2/dags/plan_rollout/dagRuns?limit=1")["total_entries"])


def test_those_who_may_not_trigger_are_not_offered_the_form(server: Server) -> None:
    assert [server.ask("GET", address(**GROUP), user).status for user in (None, "vera", "bob")] == [303, 403, 200]
    for page in ("/holdfast/plans", "/holdfast/group?" + urlencode(GROUP)):
        assert "/holdfast/new" in server.ask("GET", page, "bob").text
        assert "/holdfast/new" not in server.ask("GET", page, "vera").text


def test_forged_forms_are_refused(server: Server) -> None:
    fields, before = form(server, "bob"), runs_there_are(server)
    other = hidden(server.ask("GET", address(**RESTART), "bob").text)
    cases = {
        "nobody": (send(server, None, fields), 401),
        "a viewer": (send(server, "vera", fields), 403),
        "somebody else": (send(server, "olga", fields), 403),
        "no token": (send(server, "bob", fields | {"token": ""}), 403),
        "another form's token": (send(server, "bob", fields | {"token": other["token"]}), 403),
        "a key of one's own": (send(server, "bob", fields | {"key": "x"}), 403),
        "another site": (send(server, "bob", fields, **{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.test"}), 403),
        "no origin": (send(server, "bob", fields, Accept="text/html"), 403),
        "a huge form": (send(server, "bob", fields | {"change": "x" * 1_100_000}), 413),
        "very many fields": (send(server, "bob", fields | {f"x{number}": "" for number in range(3_000)}), 400),
        "a link": (server.ask("GET", address(**fields), "bob"), 200),
    }

    assert {name: answer.status for name, (answer, _) in cases.items()} == {name: status for name, (_, status) in cases.items()}
    assert runs_there_are(server) == before


def test_what_was_not_read_before_is_not_sent(server: Server) -> None:
    """Something else than was checked is shown first; errors are shown next to their field, and nothing typed is lost."""
    fields, before = form(server, "bob"), runs_there_are(server)
    changed = send(server, "bob", fields | {"at_once": "2"})
    wrong = send(server, "bob", fields | {"at_once": "two", "policy": "limits: [", "snapshot": "snapshots/a/b/c/d"})

    assert (changed.status, wrong.status) == (200, 422)
    assert "Restart every client, 2 at a time." in changed.text
    assert re.findall(r'class="error" id="e-([a-z_]+)"', wrong.text) == ["at_once", "snapshot", "policy"]
    assert all(typed in wrong.text for typed in ('value="two"', "limits: [", 'value="snapshots/a/b/c/d" selected'))
    assert runs_there_are(server) == before


def test_a_run_that_fails_says_why_and_is_asked_again(server: Server) -> None:
    """This group is unknown. Sent four times, also at once, it is one run, with the parameters and the name of the requester."""
    fields = form(server, "bob", cluster="nowhere", group=f"{HOSTILE[:60]}g", at_once="2")
    with ThreadPoolExecutor(3) as senders:
        first, *again = (*senders.map(lambda _: send(server, "bob", fields), range(3)), send(server, "bob", fields))
    found = run(server, run_of(first.headers["location"]))

    assert first.status == 303
    assert {(one.status, one.headers["location"]) for one in again} == {(303, first.headers["location"])}
    assert (found["triggering_user_name"], found["run_type"]) == ("bob", "manual")
    assert found["conf"] == {"cluster": "nowhere", "group": f"{HOSTILE[:60]}g", "what": "rolling restart", "at_once": 2}

    def ended() -> str | None:
        text = server.ask("GET", first.headers["location"].removeprefix(server.below), "vera").text
        return text if "Planning failed" in text else None

    text = server.wait("the end of the run", ended)
    assert "Airflow has no connection holdfast_kafka_nowhere: create one" in text
    assert "requested by <b><bdi>bob</bdi></b>" in text
    assert "Traceback" not in text
    assert "<script>alert" not in text
    assert "Edit and retry" not in text, "a viewer is shown what only others may do"
    more = server.ask("GET", f"/holdfast/new?again={run_of(first.headers['location'])}", "olga").text
    assert hidden(more)["group"] == f"{HOSTILE[:60]}g"
    assert re.search(r'name="at_once" value="2"', more)


def press(page: Page, name: str) -> None:
    """A button that sends the form; returns once the next page is loaded whole."""
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=True).click()


def test_a_plan_is_asked_for_in_a_browser(browser: Browser, server: Server, made: dict[str, Plan]) -> None:
    """By a user in a hurry: find the group, choose, forget something, choose a host, read the sentence, send it twice."""
    with reading(browser, server, "bob") as reader:
        page = reader.open("/holdfast/plans").page
        page.get_by_role("link", name="Plan a rollout").click()
        page.wait_for_url("**/holdfast/new")
        page.get_by_label("Search").fill("wordc")
        reader.until("document.querySelectorAll('.pick li').length === 1")
        assert reader.axe() == []
        page.get_by_role("link", name="streams-wordcount").click()
        page.get_by_role("link", name="Replace a host").click()
        press(page, "Check")
        reader.until("document.activeElement.id === 'problems'")
        assert "Nothing was found" in page.locator("#e-hosts").inner_text()
        page.get_by_label("Search ").fill("app-bbb8")
        page.get_by_role("radio", name="app-bbb8").check()
        page.get_by_label("New host").fill("app-<b>")
        reader.until("document.querySelector('.sentence') !== null")
        page.get_by_label("Stream threads").fill("two")
        page.get_by_text("Threads: 'two' was found; a whole number is needed").wait_for()
        assert page.get_by_role("button", name="Create plan").count() == 0
        page.get_by_label("Stream threads").fill("")
        reader.until("document.querySelector('.sentence') !== null")
        said = page.locator(".sentence").inner_text()
        assert said == "Replace app-bbb8 (bbb83e43…) by a new client on app-<b> with an empty disk."
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            reader.until(f"getComputedStyle(document.body).backgroundColor === '{BACKGROUNDS[theme]}'")
            assert reader.axe() == [], theme
        page.set_viewport_size({"width": 390, "height": 844})
        assert reader.too_wide() == 0
        server.rest("PATCH", "/api/v2/dags/plan_rollout", {"is_paused": True})  # the run ends on command, not before
        page.get_by_role("button", name="Create plan").dblclick()
        page.wait_for_url("**/run?*")
        run_id = run_of(page.url)
        page.get_by_text(said).wait_for()

        found = run(server, run_id)
        assert found["triggering_user_name"] == "bob"
        assert {name: found["conf"][name] for name in ("what", "hosts", "new_host", "disk")} == {  # type: ignore[index]
            "what": "replace a host", "hosts": ["app-bbb8"], "new_host": "app-<b>", "disk": "empty",
        }  # fmt: skip
        assert reader.axe() == []
        server.rest("PATCH", f"/api/v2/dags/plan_rollout/dagRuns/{run_id}", {"state": "failed"})
        server.rest("PATCH", "/api/v2/dags/plan_rollout", {"is_paused": False})
        page.get_by_role("heading", name="Planning failed").wait_for()
        page.get_by_role("link", name="Edit and retry").click()
        assert page.get_by_role("radio", name="app-bbb8").is_checked()
        assert reader.trouble == []


def test_what_was_typed_before_the_script_came_counts(browser: Browser, server: Server, made: dict[str, Plan]) -> None:
    with reading(browser, server, "bob") as reader:
        held: list[Route] = []
        reader.page.route("**/new.js*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks its handlers: no built-in one
        reader.page.goto(server.url + "/holdfast/new", wait_until="commit")
        reader.page.get_by_label("Search").fill("wordc")
        expect(reader.page.locator(".pick li").nth(1)).to_be_attached()
        wait_until(reader.page, lambda: bool(held), lambda: "the page asks for its script")
        held[0].continue_()
        reader.until("document.querySelectorAll('.pick li').length === 1")


def test_without_scripts_and_among_a_thousand_hosts(browser: Browser, server: Server, made: dict[str, Plan]) -> None:
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies([{"name": "_token", "value": server.token("bob"), "url": server.url}])
    context.set_default_timeout(1_000 * PATIENCE_S)
    page = context.new_page()
    page.goto(server.url + address(cluster="local", group="a-thousand"))
    page.get_by_role("link", name="Scale").click()
    page.get_by_label("Target number").fill(str(CLIENTS_OF_THE_LARGEST - 1))
    press(page, "Check")
    assert "1 must be removed: name their hosts" in page.locator("#e-hosts").inner_text()
    hosts = {client.host for client in made["largest"].basis.clients}
    expect(page.locator("[name=hosts]")).to_have_count(len(hosts))
    page.locator("[name=hosts]").nth(7).check()
    press(page, "Check")
    assert re.match(r"Remove app-\w+ \(.{8}…\)", page.locator(".sentence").inner_text())
    assert page.get_by_label("Target number").input_value() == str(CLIENTS_OF_THE_LARGEST - 1)
    context.close()
    with reading(browser, server, "bob") as reader:
        page = reader.open(address(cluster="local", group="a-thousand", what="rolling restart")).page
        page.get_by_label("Search ").fill("app-1")
        found = sum("app-1" in host for host in hosts)
        assert 0 < found < len(hosts)
        expect(page.locator(".hosts-to-choose li:visible")).to_have_count(found)
        assert reader.axe() == []
        assert reader.trouble == []
