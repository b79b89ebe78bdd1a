"""Every page of a group shows every kind, also the made-up one, for which the pages have no line."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from markupsafe import escape
from tests.harness import plain_groups
from tests.harness.article import AFTER
from tests.harness.article import group as article_group
from tests.harness.kafka import described_groups
from tests.harness.lamps.kind import LAMP_KIND
from tests.harness.plain_groups import member
from tests.harness.plans import NOON, REPLACE_FIRST
from tests.unit.rollout.broker_consumer import groups as broker_groups

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.rollout.backtest.learnt import Learnt, Quantity, Span
from holdfast.rollout.backtest.results import Backtest, GroupBacktest
from holdfast.rollout.backtest.score import Score
from holdfast.rollout.broker_streams.snapshot.described import snapshot_of
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.journal.lease import LeaseOwner
from holdfast.rollout.kinds import any_document, registry
from holdfast.rollout.policy.policy import Policy
from holdfast.web import group_view, templating
from holdfast.web.group_view import GroupInLake
from holdfast.web.kinds import registry as pages
from holdfast.web.new import new_view
from holdfast.web.plan import live, stages
from holdfast.web.plan.comments_view import CommentsView
from holdfast.web.plan.plan_page import PlanPages
from holdfast.workflows import plan as plans
from holdfast.workflows.apply import Hands
from holdfast.workflows.comments import Comments
from holdfast.workflows.running import progress_file
from holdfast.workflows.running.progress import Progress, Tells

LAMPS = {"protocol": "lamps", "cluster": "hall", "group_id": "ceiling", "lamps": {"a": False, "b": True}}
CONSUMERS = plain_groups.group({"a": member(0, 1, host="app-1"), "b": member(2, host="app-2")})
LEAVES = {"remove_consumer": {"member_id": "a"}}
BROKER = SNAPSHOT.write(snapshot_of(described_groups.group(), described_groups.PARTITIONS, broker_release="4.3"))
RESTART = {"restart_client": {"process_id": described_groups.PROCESSES[0]}}
BY_BROKER = broker_groups.group() | {"cluster": "local", "group_state": "Stable"}
GROUPS = {
    "Kafka Streams group": (article_group(AFTER), {"events": [REPLACE_FIRST]}, "Clients, in process-ID order", "disk"),
    "Consumer group": (CONSUMERS, {"events": [LEAVES]}, "Members, in member-ID order", "generates the actual ones"),
    "Kafka Streams group, broker assigns": (BROKER, {"events": [RESTART]}, described_groups.PROCESSES[0], "random IDs"),
    "Consumer group, broker assigns": (
        BY_BROKER,
        {"events": [{"restart_consumer": {"member_id": broker_groups.A}}]},
        "Members, as the broker lists them",
        "random member IDs",
    ),
    "Group of lamps": (LAMPS, {"events": [{"light": "a"}]}, "socket-b", ""),
}
MEMORY: dict[str, Any] = {"root": "", "airflow": "", "user": "ann", "token": "t", "may_ask": True}


@pytest.fixture(autouse=True)
def lamps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line."""
    monkeypatch.setattr(registry, "REGISTRY", (*registry.REGISTRY, LAMP_KIND))


def read(document: object) -> AnySnapshot:
    return any_document.snapshot_from_json(document)


@pytest.mark.parametrize("kind", GROUPS)
def test_the_page_of_a_group(kind: str) -> None:
    document, _, members, _ = GROUPS[kind]
    view = group_view.view(read(document), GroupInLake(), NOON)
    page = templating.render("group.html", view=view, plans=(), **MEMORY)

    assert f'<span class="badge calm">{kind}</span>' in page
    assert members in page


@pytest.mark.thorough
@pytest.mark.parametrize("kind", GROUPS)
def test_the_page_of_a_plan(kind: str, tmp_path: Path) -> None:
    document, change, *_ = GROUPS[kind]
    lake = FsspecLake(str(tmp_path))
    plan = plans.make_from(
        ("s", document),
        ("c", {"format_version": "1.0"} | change),
        Policy(),
        NOON,
        found=None if document is LAMPS else past(read(document)),
    )
    plans.keep(lake, plan)
    shown = PlanPages(lake).page(plan.plan_id, NOON)
    now = {
        "stages": stages.stages(shown),
        "next_step": stages.next_step(plan, shown.done, shown.in_a_run),
        "what_next": stages.what_next(shown),
    }
    collateral_text = {"asked": None, "may": False, "own": False, "signed": None, "paused": False, "problem": None}
    collateral_text["comments_view"] = CommentsView(Comments((), 0))
    hostile = "<b>away</b>"
    shows_a_run(lake, plan, document, hostile)
    collateral_text["live"] = live.of(lake, shown, NOON, "t")
    page = templating.render("plan.html", page=shown, view=shown.view, **now, **collateral_text, **MEMORY)

    assert '<span class="badge ask">Running</span>' in page
    assert str(escape(hostile)) in page
    assert hostile not in page
    assert page.count("data-bar=") == len(registry.kind_of(plan).held(read(document)))

    assert f'<span class="badge calm">{kind}</span>' in page
    assert shown.view.title in page
    assert ("durations within the range 2 of 3" in page) == (document is not LAMPS)
    assert ("800 to 2,400 records/s, learnt from 41 restores of this group" in page) == (document is not LAMPS)
    assert all(option.title in page for option in plan.candidates)
    assert all(str(escape(step.title)) in page for step in shown.view.review.steps)


def past(group: AnySnapshot) -> Backtest:
    score = Score(equal=9, sequences=3, ends_equal=3, courses=3, durations_within=2)
    learnt = Learnt(restore=Quantity(41, Span(800, 1_200, 2_400)))
    found = GroupBacktest(group.group_id, registry.kind_of(group).protocol, score, learnt=learnt)
    return Backtest(group.cluster, NOON.isoformat(), None, score, (found,))


def shows_a_run(lake: FsspecLake, plan: Any, document: object, text: str) -> None:
    """As one that waits, after a look at the group."""
    hands = Hands(lake, LocalProcessMetadataFiles(), {}, lambda: NOON, me=LeaseOwner("ann", "here"))
    one = progress_file.Showing(plan, hands, lambda: 0.0)
    one.looked(read(document))
    one.waits("1", text, 12.0, 600)
    one.told(Progress(NOON.isoformat(), Tells.WAITING, "1", text, 0, len(plan.steps), 1, (1, 2), 3))


@pytest.mark.parametrize("kind", GROUPS)
@pytest.mark.parametrize(
    "what",
    ["", "replace a host", "scale", "rolling restart", "move to the streams protocol", "move to the consumer protocol", "change"],
)
def test_the_form(kind: str, what: str) -> None:
    document, _, _, only = GROUPS[kind]
    known = new_view.known(read(document), "snapshots/c/day=2026-11-20/g/120000-1.json", (), NOON)
    what = new_view.known_choice(known, what)
    group = SimpleNamespace(cluster="c", group_id="g", known=known, snapshot=None, problem="")
    form = {
        "connection": True,
        "change_types": new_view.choices(known),
        "what": what,
        "wanted": new_view.fields_of(what),
        "sent": {},
    }
    asked = SimpleNamespace(sentence="Do it", said="x", conf={"what": what}, problems={})
    checked = {"asked": asked, "problems": {}, "key": "k", "live": False, "releases": ("3.9.1",), "text": lambda _: ""}
    page = templating.render("new.html", group=group, known=known, **form, **checked, **MEMORY)

    assert f"{kind}. Newest snapshot" in page
    assert ("applied without a restart" in page) is kind.endswith("broker assigns")
    moves = kind == "Kafka Streams group"
    assert ("Move to the streams protocol" in page) is moves
    assert what != "move to the streams protocol" or ('id="f-broker_release"' in page and "Release of the clients" in page)
    assert ("Move to the consumer protocol" in page) is kind.startswith("Consumer group")
    if what == "replace a host":
        assert ('id="f-disk"' in page) is not kind.startswith("Consumer group")
        assert only in page
    if what == "change":
        assert f"docs/{known.docs}.md" in page


def test_a_kind_may_have_pages_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class LampPages(pages.KindPages):
        kind = "lamps"
        order = "order of brightness"

    monkeypatch.setattr(pages, "PAGES", (*pages.PAGES, LampPages()))
    view = group_view.view(read(LAMPS), GroupInLake(), NOON)
    assert "No change of the order of brightness" in templating.render("group.html", view=view, plans=(), **MEMORY)


@pytest.mark.parametrize(
    ("module", "name", "template", "variable"),
    [("new/making.py", "Making", "making.html", "making"), ("decision.py", "CheckedRequest", "decision.html", "asked")],
)
def test_templates_take_fields_that_there_are(module: str, name: str, template: str, variable: str) -> None:
    """Of values that only Airflow's own process makes."""
    web = Path(templating.__file__).parent
    found = next(one for one in ast.parse((web / module).read_text()).body if isinstance(one, ast.ClassDef) and one.name == name)
    has = {one.target.id for one in found.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}
    has |= {one.name for one in found.body if isinstance(one, ast.FunctionDef)}
    taken = set(re.findall(rf"(?<![\w.]){variable}\.(\w+)", (web / "templates" / template).read_text()))
    assert taken
    assert taken <= has
