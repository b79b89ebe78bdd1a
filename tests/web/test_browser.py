"""The pages in a real browser: the console stays empty, nothing leaves the machine, axe finds nothing serious."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.harness.pages import web_lake
from tests.harness.pages.airflow_server import Server
from tests.harness.pages.browser import BACKGROUNDS, Reader, reading
from tests.harness.pages.web_lake import CLIENTS_OF_THE_LARGEST

from holdfast.rollout.streams.plan.plan import Plan

pytestmark = pytest.mark.airflow
TIMES_MOST = 4.0
"""Of the processor's time that the page of a plan for three clients takes until it is drawn, on the same machine."""
PAGES = (
    "plans",
    "plan",
    "moves",
    "blocked",
    "nothing",
    "stale",
    "hostile",
    "plain",
    "group",
    "plain-group",
    "fleet",
    "protocols",
    "plain-protocols",
)


def address(page: str, made: dict[str, Plan]) -> str:
    fixed = {"plans": "/plans", "fleet": "/fleet", "group": "/group?cluster=local&group=streams-wordcount", "plan": ""}
    fixed["plain-group"] = "/group?cluster=local&group=plain-readers"
    fixed["protocols"] = "/protocols?cluster=local&group=streams-wordcount&restarts=8"
    fixed["plain-protocols"] = "/protocols?cluster=local&group=plain-readers"
    name = "waiting" if page == "plan" else page
    return "/holdfast" + (fixed.get(page) or f"/plans/{made[name].plan_id}")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_clean(browser: Browser, server: Server, made: dict[str, Plan], name: str) -> None:
    """In light and dark, and on a phone."""
    if name == "moves":  # with its run
        web_lake.shows_a_run(server.lake, made[name], done=1)
    with reading(browser, server, "bob" if name == "moves" else "vera") as reader:
        page = reader.open(address(name, made)).page
        for theme, background in BACKGROUNDS.items():
            page.emulate_media(color_scheme=theme)
            reader.until(f"getComputedStyle(document.body).backgroundColor === '{background}'")
            assert reader.axe() == [], theme
            keep(reader, f"{name}-{theme}")
        assert reader.too_wide() == 0
        page.set_viewport_size({"width": 390, "height": 844})
        assert reader.too_wide() == 0
        if page.locator("#why").count():
            # both at the same moment: a page with a run changes while it is looked at
            ends, begins = page.evaluate(
                "['#why', '#decision'].map(one => document.querySelector(one).getBoundingClientRect())"
                ".map((box, place) => place ? box.top : box.bottom)"
            )
            assert begins >= ends, "the decision is behind the warnings"
        if name == "moves":
            it_moves(reader, server, made[name])
        assert reader.trouble == []
        keep(reader, f"{name}-phone")


def it_moves(reader: Reader, server: Server, plan: Plan) -> None:
    """What the run shows comes by itself; what is typed stays."""
    reader.page.fill("#pause-reason", "lunch")
    assert reader.page.locator(".stepper [aria-current]").inner_text().startswith("2")
    web_lake.shows_a_run(server.lake, plan, done=2)
    reader.until("document.querySelector('.stepper [aria-current] .dot').textContent === '3'")

    assert reader.page.locator("#told").inner_text() == "Run: running, step 3 of " + str(len(plan.steps)) + "."
    assert reader.page.input_value("#pause-reason") == "lunch"


def keep(reader: Reader, name: str) -> None:
    """For inspection by a person."""
    if folder := os.environ.get("SCREENSHOTS"):
        reader.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_airflows_choice_of_theme_counts_for_more_than_the_systems(browser: Browser, server: Server) -> None:
    with reading(browser, server, "vera", theme="light") as reader:
        reader.open("/holdfast/plans").page.evaluate("localStorage.setItem('theme', 'dark')")
        reader.open("/holdfast/plans")

        assert reader.page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_a_thousand_clients_are_drawn_in_time(browser: Browser, server: Server, made: dict[str, Plan]) -> None:
    with reading(browser, server, "vera") as reader:
        reader.open(address("plan", made)).charts_drawn()
        small = reader.processor_seconds()
    with reading(browser, server, "vera") as reader:
        reader.open(address("largest", made)).charts_drawn()
        took = reader.processor_seconds()

        assert len(made["largest"].basis.clients) == CLIENTS_OF_THE_LARGEST
        assert reader.page.locator("canvas").count() >= 2
        assert reader.page.locator("*").count() < 20_000
        assert reader.trouble == []
        assert reader.axe() == []
        print(f"{CLIENTS_OF_THE_LARGEST} clients: {took:.2f} s; three: {small:.2f} s")
        assert took < TIMES_MOST * small


def test_the_other_way_is_shown_by_keyboard_alone(browser: Browser, server: Server, made: dict[str, Plan]) -> None:
    with reading(browser, server, "vera") as reader:
        page = reader.open(address("plan", made)).page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.locator("#tab-1").focus()
        assert page.locator("#owners-2").is_hidden()
        page.keyboard.press("ArrowRight")

        assert page.evaluate("document.activeElement.id") == "tab-2"
        assert page.locator("#owners-2").is_visible()
        assert page.locator("#owners-2 td:last-child .chip.collateral").count() == 4
        assert page.locator("#owners-1").is_hidden()
        assert "All move to the next client in process-ID order" in page.locator(".hop").nth(1).inner_text()


def test_plans_are_found(browser: Browser, server: Server, made: dict[str, Plan]) -> None:
    with reading(browser, server, "vera") as reader:
        page = reader.open("/holdfast/plans").page
        page.fill("input[name=q]", "wordcount")
        page.keyboard.press("Enter")
        page.wait_for_url("**q=wordcount**")
        names = page.locator("tbody th a").all_inner_texts()
        page.locator("tbody th a").first.click()
        page.wait_for_url("**/plans/*")

        assert set(names) == {"Replace app-bbb8 by app-3 in streams-wordcount"}
        assert page.locator("h1").inner_text() == "Replace app-bbb8 by app-3 in streams-wordcount"
        assert page.locator(".option").inner_text() == "Recommended: Give the client its old process ID before it starts"
        assert page.locator(".figure .value").all_inner_texts()[0] == "0"


def test_plans_are_sorted_by_keyboard_without_a_reload(browser: Browser, server: Server, made: dict[str, Plan]) -> None:
    with reading(browser, server, "vera") as reader:
        page = reader.open("/holdfast/plans").page
        newest_first = page.locator("tbody th a").all_inner_texts()
        page.evaluate("window.same = true")
        assert page.locator("th[aria-sort]").inner_text().startswith("Created")
        page.locator("#sort-moved").focus()
        page.keyboard.press("Enter")
        reader.until("document.querySelector('th[aria-sort=ascending] #sort-moved') !== null")
        assert page.evaluate("document.activeElement.id") == "sort-moved"
        page.keyboard.press("Enter")
        reader.until("document.querySelector('th[aria-sort=descending] #sort-moved') !== null")
        shown = [text.split()[0].replace(",", "") for text in page.locator("tbody td[data-label=Moved]").all_inner_texts()]
        numbers = [int(text) for text in shown if text.isdigit()]

        assert numbers == sorted(numbers, reverse=True)
        assert len(set(numbers)) > 1
        assert [text for text in shown[len(numbers) :] if text.isdigit()] == []
        assert page.evaluate("window.same") is True
        assert page.url.endswith("/holdfast/plans?sort=-moved")
        assert page.locator("tbody th a").all_inner_texts() != newest_first
        assert reader.axe() == []
        assert reader.trouble == []


def test_alternatives_are_sorted_by_what_they_show(browser: Browser, server: Server, made: dict[str, Plan]) -> None:
    with reading(browser, server, "vera") as reader:
        page = reader.open(f"/holdfast/plans/{made['fleet'].plan_id}").page
        head = page.get_by_role("button", name="Tasks moved", exact=True)
        for order, key in (("ascending", "Enter"), ("descending", "Space")):
            head.focus()
            page.keyboard.press(key)
            found = page.locator("#options tbody tr").evaluate_all(
                "rows => rows.map(row => row.cells.length > 3 ? Number(row.cells[1].dataset.value) : null)"
            )
            numbers = [one for one in found if one is not None]
            assert head.locator("xpath=..").get_attribute("aria-sort") == order
            assert numbers == sorted(numbers, reverse=order == "descending")
            assert found[: len(numbers)] == numbers, "what cannot be predicted stands last"
            assert len(set(numbers)) > 1
        assert page.locator("#options th[aria-sort]").count() == 1
        assert reader.axe() == []
        assert reader.trouble == []


def test_inside_airflow_the_page_is_in_its_frame(browser: Browser, server: Server, made: dict[str, Plan]) -> None:
    """By Airflow's own navigation: the entry is there, and what it opens is Holdfast's."""
    with reading(browser, server, "admin", width=1400) as reader:
        page = reader.open("/plugin/rollouts").page
        frame = page.frame_locator("iframe")
        frame.locator("h1").wait_for()

        assert frame.locator("h1").inner_text() == "Plans"
        assert frame.locator("a.standalone").first.is_hidden()
        page.get_by_text("Rollouts").first.wait_for()
        keep(reader, "airflow")
        frame.locator("tbody th a").first.click()
        frame.locator("#inputs").wait_for()


def test_a_page_prints_whole(browser: Browser, server: Server, made: dict[str, Plan]) -> None:
    """From a dark screen: in light colours, everything folded out, nothing wider than the paper."""
    with reading(browser, server, "vera", theme="dark", width=700) as reader:
        page = reader.open(address("plan", made)).charts_drawn().page
        page.emulate_media(media="print")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")

        assert page.evaluate("document.documentElement.dataset.theme") == "light"
        assert page.locator("main details:not([open])").count() == 0
        assert page.locator("#owners-2").is_visible()
        assert page.locator(".bar").is_hidden()
        assert reader.too_wide() == 0
        cut = "[...document.querySelectorAll('.scroll, .hop, .card')].filter((one) => one.scrollWidth > one.clientWidth + 1).length"
        assert page.evaluate(cut) == 0
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert page.locator("main details:not([open])").count() > 0
        assert page.pdf(format="A4").startswith(b"%PDF")


def test_groups_are_listed_by_a_cell_of_the_matrix(browser: Browser, server: Server) -> None:
    with reading(browser, server, "vera") as reader:
        page = reader.open("/holdfast/fleet").page
        cells = page.locator("a.cell")
        groups, first = sum(map(int, cells.all_inner_texts())), int(cells.first.inner_text())
        assert page.locator("#risk .group").count() == groups
        cells.first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**cell=**")

        assert page.locator("#risk .group").count() == first
        assert page.locator("a.cell[aria-current]").count() == 1
        assert reader.axe() == []
        assert reader.trouble == []
