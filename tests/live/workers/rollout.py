"""A change from its form to its end: planned, approved by a person, carried out by one run, and compared with the forecast."""

import re
import time
from contextlib import suppress

from tests.harness.article import change
from tests.live.workers.dag_run import NOT_NOW, DagRun
from tests.live.workers.many import Many
from tests.unit.workflows.running.test_run import ROLLING

from holdfast.airflow_wiring import runs
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots


class Rollout:
    def __init__(self, this: Many) -> None:
        self.this = this
        snapshot = this.world.look()
        kept = snapshots.keep(this.lake, snapshot)
        conf = {"cluster": "local", "group": "streams-wordcount", "change": change(*ROLLING), "snapshot": kept}
        self.planning = DagRun.of(this.server, "plan_rollout", conf)
        self.run_id = self.planning.run_id
        self.applying: DagRun | None = None
        self.plan_id = ""
        self.answered_at = 0.0

    @property
    def cleared(self) -> int:
        return self.planning.cleared + (self.applying.cleared if self.applying else 0)

    def go_on(self) -> bool:
        """One look, and what a person does about it. Whether it is over."""
        if self.applying is not None:
            return self._answered() or self.applying.go_on()
        if not self.planning.go_on():
            self._approve()
            return False
        made = runs.made(self.this.lake, self.run_id)
        if made is None:
            return True
        self.plan_id = made.plan_id
        others = self.this.server.rest("GET", "/api/v2/dags/apply_rollout/dagRuns?limit=100&order_by=-run_after")["dag_runs"]
        if all(one["state"] in ("success", "failed") for one in others):  # the approval has triggered one, which does no whole plan
            self.applying = DagRun.of(self.this.server, "apply_rollout", {"plan_id": self.plan_id, "run": True})
        return False

    def _approve(self) -> None:
        """olga, who is asked, on the plan's page: one API server makes the form, and another one may take it. Not twice in a
        moment: Airflow may lose an answer in the instant of asking."""
        if self.planning.task("approve") != "awaiting_input" or time.monotonic() < self.answered_at + 5:
            return
        self.answered_at = time.monotonic()
        server, made = self.this.server, runs.made(self.this.lake, self.run_id)
        assert made is not None
        page = f"/holdfast/plans/{made.plan_id}"
        shown = server.ask("GET", page, "olga")
        token = re.search(r'name="token" value="([^"]+)"', shown.text)
        if token is not None:
            form = {"token": token[1], "decision": "approve", "reason": "read it"}
            server.ask("POST", f"{page}/decision", "olga", form, {"Sec-Fetch-Site": "same-origin", "Origin": server.origin})

    def _answered(self) -> bool:
        """Always False: a halt that is open is answered *Go on*."""
        halt = plans.journal_of(self.this.lake, self.plan_id).open_halt()
        if halt is not None and self.applying is not None and time.monotonic() > self.answered_at + 5:
            self.answered_at = time.monotonic()
            body = {"chosen_options": ["Go on"], "params_input": {"halt": halt[0], "reason": "all is well"}}
            with suppress(*NOT_NOW):
                self.this.server.rest("PATCH", f"{self.applying.path}/taskInstances/walk/0/hitlDetails", body, "bob")
        return False

    def wrong(self) -> list[str]:
        found = self.planning.wrong() + (["never carried out"] if self.applying is None else self.applying.wrong())
        if self.plan_id:
            entries = plans.journal_of(self.this.lake, self.plan_id).entries
            done = [one.step for one in entries if one.event is JournalEvent.DONE]
            found += [f"step {one} is done {done.count(one)} times" for one in sorted(set(done)) if done.count(one) != 1]
            if self.applying is not None and self.applying.state != "success":
                found.append("; ".join(f"{one.at} {one.event.value} {one.step} {one.detail}" for one in entries)[-3_000:])
        return found
