"""The whole course of a consumer group whose broker assigns, with all real parts at once: real consumers as services of machines
with an sshd each, a real broker, a real Airflow, and people at its pages in Chromium. Root is needed (namespaces).

    python -m tests.live.running.whole_consumers [--clients 9] [--network 34] [--screens build/whole-consumers]

`collect_groups` takes a snapshot; bob finds the group and asks for a rolling restart in the form; olga approves it on its page;
`apply_rollout` restarts each consumer once; `verify_rollout` compares the end. One JSON line, and pictures of each page, wide and
on a phone. The status is 1 where something is not as wanted.
"""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.harness.pages.browser import Reader, reading
from tests.live.running import hosted, judged_walks, machines, other_kinds
from tests.live.running.whole_system import CLUSTER, DAGS, Document, Whole, brought_up

from holdfast.airflow_wiring import runs
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.json.strict import loads
from holdfast.rollout.kinds import any_document
from holdfast.workflows import plan as plans

COLLECTS = "collect_groups"
_WIDTHS = {"wide": 1280, "phone": 400}


class Pages:
    """What people see, and what is wrong of it."""

    def __init__(self, whole: Whole) -> None:
        self._whole = whole
        self.wrong: list[str] = []

    @contextmanager
    def of(self, user: str) -> Iterator[Reader]:
        with reading(self._whole.screens.browser, self._whole.server, user) as reader:
            yield reader
            self.wrong += [f"{user}: {one}" for one in reader.trouble]

    def shoot(self, reader: Reader, name: str) -> None:
        """Wide, and on a phone; with what axe finds."""
        for kind, width in _WIDTHS.items():
            reader.page.set_viewport_size({"width": width, "height": 900})
            if (more := reader.too_wide()) > 0:
                self.wrong.append(f"{name}: {kind} page is {more} px too wide")
            reader.page.screenshot(path=self._whole.screens.folder / f"{name}-{kind}.png", full_page=True)
        reader.page.set_viewport_size({"width": 1280, "height": 900})
        self.wrong += [f"{name}: {one}" for one in reader.axe()]


def walk(whole: Whole) -> Document:
    pages = Pages(whole)
    whole.succeeds(COLLECTS, whole.triggered(COLLECTS, {"cluster": CLUSTER}))
    run_id = _asked_for(whole, pages)
    plan = _approved(whole, pages, run_id)
    with whole.screens.of(whole.server, plan.plan_id, "run") as page:
        run = whole.run(plan)
        run.until(lambda: len(whole.group.services.done) >= 2, page.badge)
        page.until("Running")
        page.shoot("running")
        run.until(lambda: run.ended, page.badge)
        page.until("All steps done")
        page.shoot("finished")
        found = judged_walks.judged(whole, run, page, judged_walks.restarted_once(whole, run))
    with pages.of("vera") as reader:
        for name, path in {"verdict": f"/plans/{plan.plan_id}", "plans": "/plans", "group-after": _group(whole)}.items():
            reader.open(f"/holdfast{path}")
            pages.shoot(reader, name)
    return found | {"wrong": found["wrong"] + pages.wrong}


def _group(whole: Whole) -> str:
    return f"/group?{urlencode({'cluster': CLUSTER, 'group': whole.group.group_id})}"


def _asked_for(whole: Whole, pages: Pages) -> str:
    """The run of `plan_rollout`: bob begins at the group's page."""
    with pages.of("bob") as reader:
        page = reader.open(f"/holdfast{_group(whole)}").page
        pages.shoot(reader, "group")
        page.get_by_role("link", name="Plan a rollout for this group").click()
        pages.shoot(reader, "changes")
        page.get_by_role("link", name="Rolling restart").click()
        reader.until("document.querySelector('.sentence') !== null")
        pages.shoot(reader, "form")
        page.get_by_role("button", name="Create plan").click()
        page.wait_for_url("**/run?*")
        pages.shoot(reader, "making")
        return parse_qs(urlsplit(page.url).query)["run"][0]


def _approved(whole: Whole, pages: Pages, run_id: str) -> AnyPlan:
    """By olga, on its page; the run of `apply_rollout` that follows does nothing by itself."""
    of_run = whole.server.wait("the plan", lambda: runs.made(whole.lake, run_id))
    with pages.of("olga") as reader:
        page, address = reader.page, f"/holdfast/plans/{of_run.plan_id}"
        whole.server.wait("the question", lambda: reader.open(address).page.locator("#decide").count() or None)
        pages.shoot(reader, "asked")
        page.fill("#reason", "read it")
        page.locator("#decide").get_by_role("button", name="Approve", exact=True).click()
        page.get_by_text("read it").first.wait_for()
        pages.shoot(reader, "approved")
    whole.succeeds("plan_rollout", run_id)
    whole.rests()
    return any_document.plan_from_json(loads(plans.document_of(whole.lake, of_run.plan_id, "plan.json")))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=9)
    parser.add_argument("--network", type=int, default=34)
    parser.add_argument("--screens", type=Path, default=Path("build/whole-consumers"))
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # it leaves no process behind
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "machines").mkdir()
        host, kind = f"10.77.{given.network}.1", other_kinds.ConsumersByBroker
        with (
            machines.namespaces(folder / "machines", given.clients, given.network) as made,
            hosted.another_kind(folder, kind, other_kinds.BY_BROKER, made, given.clients, host) as group,
            brought_up(group, folder, given.screens.absolute(), dags=(COLLECTS, *DAGS)) as whole,
        ):
            try:
                found = walk(whole)
            finally:
                (given.screens / "server.log").write_text((whole.server.home / "server.log").read_text())
    print(json.dumps(found), flush=True)
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
