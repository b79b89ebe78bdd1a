"""Debian's chromium, driven by Playwright: pages as a reader has them, and all that went wrong on them."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, expect, sync_playwright
from tests.harness.pages.airflow_server import Server

PATIENCE_S = 300
"""For any one wait. Nothing is timed: a machine that is shared may be slow."""
BACKGROUNDS = {"light": "rgb(246, 247, 249)", "dark": "rgb(13, 17, 23)"}
"""Of the pages, by theme."""
expect.set_options(timeout=1_000 * PATIENCE_S)
AXE = Path(__file__).parent / "axe.min.js"
"""axe-core 4.14.1 (MPL 2.0), as its makers publish it."""


@dataclass
class Reader:
    """A page with a logged-in user. `trouble`: console messages, failures, and requests that left this machine."""

    page: Page
    server: Server
    trouble: list[str] = field(default_factory=list)

    def open(self, path: str) -> "Reader":
        self.page.goto(self.server.url + path)
        return self

    def charts_drawn(self) -> "Reader":
        return self.until("document.documentElement.dataset.charts !== undefined")

    def until(self, expression: str) -> "Reader":
        """Wait for it. Playwright's own waiting evaluates text in the page, which the page's policy forbids.

        A page that is half loaded, or about to be replaced, has no answer yet.
        """
        trouble: list[str] = []

        def true() -> bool:
            try:
                return bool(self.page.evaluate(expression))
            except Error as error:
                trouble[:] = [str(error)]
                return False

        wait_until(self.page, true, lambda: f"{expression} {trouble}")
        return self

    def processor_seconds(self) -> float:
        """What the page has cost so far, whatever else the machine does: the processor's time of chromium's process for it."""
        session = self.page.context.new_cdp_session(self.page)
        session.send("Performance.enable")
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return float(metrics["ProcessTime"])

    def axe(self) -> list[str]:
        """What axe finds serious or critical, a line each. It is put in past the page's own policy, as an extension would be."""
        self.page.evaluate(AXE.read_text())
        found: dict[str, Any] = self.page.evaluate(
            "() => axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})"
        )
        serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
        return [f"{one['id']}: {node['target']} {node['failureSummary'][:300]}" for one in serious for node in one["nodes"][:5]]

    def too_wide(self) -> int:
        """By how many pixels the page is wider than the window, once what follows its size (charts) has followed."""
        self.page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def wait_until(page: Page, true: Callable[[], bool], what: Callable[[], str]) -> None:
    """Wait for what Playwright has no waiting of its own for, while its events arrive."""
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, what()
        page.wait_for_timeout(20)


@contextmanager
def chromium() -> Iterator[Browser]:
    program = shutil.which("chromium")
    assert program, "chromium is missing: bin/setup --dev installs it, or apt-get install chromium"
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*arguments, "--no-proxy-server"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def reading(browser: Browser, server: Server, user: str | None, *, width: int = 1280, theme: str = "light") -> Iterator[Reader]:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    if user is not None:
        context.add_cookies([{"name": "_token", "value": server.token(user), "url": server.url}])
    context.set_default_timeout(1_000 * PATIENCE_S)
    page = context.new_page()
    reader = Reader(page, server)

    def said(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            reader.trouble.append(f"{message.type}: {message.text}")

    def asked(request: Request) -> None:
        if not request.url.startswith((server.url, "data:", "blob:")):
            reader.trouble.append(f"left this machine: {request.url}")

    page.on("console", said)
    page.on("request", asked)
    page.on("pageerror", lambda error: reader.trouble.append(f"uncaught: {error}"))
    page.on("dialog", lambda dialog: (reader.trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    try:
        yield reader
    finally:
        context.close()
