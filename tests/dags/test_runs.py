"""What a user who may edit runs does to one, and its effect: a run has one draft and one plan, and no task trusts another."""

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import TaskAwaitingInput
from airflow.sdk.execution_time.comms import CreateHITLDetailPayload, HITLDetailRequestResult
from tests.dags.conftest import PLAIN_FORM, decided, just_taken, policy, question
from tests.dags.test_decisions import answer
from tests.harness.article import C

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.spark import submissions
from holdfast.adapters.spark.package_zip import package_zip
from holdfast.airflow_wiring import airflow_objects, collecting, decisions, jobs, links, planning, rollouts, runs, spark
from holdfast.airflow_wiring import approval as asking
from holdfast.airflow_wiring.questions import kept as kept_questions
from holdfast.errors import InvalidInput, StatePathTrouble, StepRefused
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import approval, distributed_search
from holdfast.workflows import plan as plans

ROOT = Path(__file__).resolve().parents[2]
FORM = PLAIN_FORM | {"policy": None}
ID = "5a8f0d2e-6f0e-4c1b-9c0f-1d2c3b4a5968"

pytestmark = pytest.mark.usefixtures("lake")


def context(run_id: str = "run", **more: object) -> dict[str, Any]:
    """Of Airflow: a run that ann triggered, and a mapped task of it."""
    run = SimpleNamespace(triggering_user_name="ann", clear_number=0, run_after=datetime(2026, 11, 21, 12, tzinfo=UTC))
    instance = SimpleNamespace(id=ID, run_id=run_id, map_index=0, max_tries=2, xcom_push=lambda *_: None)
    return {"run_id": run_id, "dag_run": run, "ti": instance, "task": SimpleNamespace(retries=2), "params": {}} | more


def searched(lake: FsspecLake, run_id: str) -> None:
    """What the Spark job leaves in the run's draft."""
    folder = runs.folder(run_id)
    snapshot, requested = (lake.read((*folder, name), 10**6).decode() for name in ("snapshot.json", "change.json"))
    lines = [distributed_search.evaluation(snapshot, candidate) for candidate in distributed_search.candidates(snapshot, requested)]
    lake.write((*folder, "evaluations", "part-00000.txt"), "\n".join(lines).encode())


class TestOneRunMakesOnePlan:
    def test_that_is_cleared_it_comes_to_the_same_plan(
        self, lake: FsspecLake, recorded: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        form = FORM | {"snapshot": recorded}
        planning.draft("run", form, "ann")
        searched(lake, "run")
        first = planning.assemble("run")
        shown = lake.read(("plans", first, "plan.json"), 10**8)

        monkeypatch.setattr(planning, "now", lambda: datetime(2027, 1, 1, tzinfo=UTC))
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_POLICY", json.dumps(policy(rebalances_most=1)))
        planning.draft("run", form | {"change": {"format_version": "1.0", "events": []}}, "bob", cleared=True)
        lake.write((*runs.folder("run"), "evaluations", "part-00000.txt"), b"{}")

        assert planning.search("run") == planning.MADE
        assert planning.search_arguments(context()) is None, "there is nothing to search for any more"
        assert planning.assemble("run") == first
        assert lake.read(("plans", first, "plan.json"), 10**8) == shown
        assert lake.names(("plans",)) == (first,)
        assert plans.load(lake, first).requested_by == "ann"

    def test_a_draft_that_was_changed_makes_none(self, lake: FsspecLake, recorded: str) -> None:
        planning.draft("run", FORM | {"snapshot": recorded}, "ann")
        searched(lake, "run")
        lake.write((*runs.folder("run"), "change.json"), b'{"format_version": "1.0", "events": []}')

        with pytest.raises(InvalidInput, match=r"change\.json is not what this run's draft was made with"):
            planning.assemble("run")

    @pytest.mark.parametrize("what", ["search", "on spark", "assemble", "question", "record"])
    def test_tasks_before_it_that_were_marked_as_done_are_named(self, what: str) -> None:
        tasks: dict[str, Any] = {
            "search": lambda: planning.search("run"),
            "on spark": lambda: planning.search_arguments(context()),
            "assemble": lambda: planning.assemble("run"),
            "question": lambda: decisions.question("run"),
            "record": lambda: decisions.go_by_decision("run"),
        }
        with pytest.raises(InvalidInput, match="this run has"):
            tasks[what]()

    def test_of_another_run_it_cannot_be_approved(self, lake: FsspecLake, make: Any) -> None:
        """The requester, and the subject, follows from the run: bob's run cannot be made to ask about ann's plan."""
        of_ann = make(policy(four_eyes=True), requested_by="ann")
        of_bob = make(policy(four_eyes=True), requested_by="bob")
        assert of_ann[0] != of_bob[0], "who asked stands in the plan, whose ID is its digest"
        plan = plans.load(lake, of_ann[0])

        with pytest.raises(InvalidInput, match="nothing was recorded"):
            decisions.keep_decision(of_bob[1], answer("Approve", plan, by="ann"))
        with pytest.raises(decisions.SameEyes):
            decisions.keep_decision(of_ann[1], answer("Approve", plan, by="ann"))
        assert lake.names(("plans", of_ann[0])) == ("plan.json", "plan.md", "run.json", "summary.json")

    def test_a_plan_that_was_changed_in_the_lake_is_not_asked_about(self, lake: FsspecLake, make: Any) -> None:
        plan_id, run = make()
        made = {"format_version": "1.0", "plan_id": plan_id, "fingerprint": "sha256:" + "0" * 64}
        lake.write((*runs.folder(run), "plan.json"), dumps(made).encode())

        with pytest.raises(InvalidInput, match="it was changed in the lake"):
            decisions.question(run)

    def test_two_runs_never_share_a_draft(self) -> None:
        assert len(runs.folder("run")[1].rsplit("-", 1)[1]) == 32, "nobody finds a run's ID that comes to the folder of another"

    @pytest.mark.parametrize("begun_again", [{"clear_number": 1}, {"max_tries": 3}])
    def test_begun_again_it_does_not_say_who_asks(self, lake: FsspecLake, recorded: str, begun_again: dict[str, int]) -> None:
        found = context()
        for name, value in begun_again.items():
            setattr(found["dag_run" if name == "clear_number" else "ti"], name, value)
        assert (runs.was_cleared(found), runs.was_cleared(context())) == (True, False)

        form = FORM | {"snapshot": recorded, "policy": policy(four_eyes=True)}
        with pytest.raises(InvalidInput, match="restarted by an unknown user"):
            planning.draft("run", form, "ann", cleared=True)
        assert lake.names(("drafts",)) == ()
        assert planning.draft("run", form | {"policy": None}, "ann", cleared=True)


def parks(*_: object) -> None:
    """As HITLOperator ends."""
    raise TaskAwaitingInput(method_name="execute_complete")


class TestTheQuestionThatAirflowKeeps:
    """Airflow keeps the text of the first question of an airflow task, however often it is cleared."""

    @pytest.fixture
    def ask(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        def asked(run_id: str, **kept: object) -> asking.AskForApproval:
            def answers(question: CreateHITLDetailPayload) -> HITLDetailRequestResult:
                fields = question.model_dump(exclude={"type"}) | kept
                return HITLDetailRequestResult(**fields)

            monkeypatch.setattr(kept_questions, "_stored", answers)
            monkeypatch.setattr(
                asking.HITLOperator, "execute", lambda *_: (_ for _ in ()).throw(TaskAwaitingInput(method_name="m"))
            )
            operator = asking.AskForApproval(task_id="approve")
            with pytest.raises(TaskAwaitingInput) as waits:
                operator.execute(context(run_id))
            assert waits.value.kwargs == {"fingerprint": decisions.question(run_id).fingerprint}
            return operator

        return asked

    def test_is_compared_before_anybody_is_asked(self, make: Any, ask: Any) -> None:
        plan_id, run = make()
        _, of_another = make(policy(rebalances_most=11))
        assert plan_id in str(ask(run).body)

        for kept in (
            {"body": decisions.question(of_another).body},
            {"body": decisions.question(of_another).body + f"\nhost-`{decisions.question(run).fingerprint}`\n and more"},
            {"body": None},
            {"assigned_users": [{"id": "eve", "name": "eve"}]},
        ):
            with pytest.raises(InvalidInput, match="Airflow's question for this run is not about its plan"):
                ask(run, **kept)

    def test_is_put_to_the_same_people_again(self, make: Any, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_APPROVERS", '["olga"]')
        _, run = make()
        ask(run)
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_APPROVERS", '["eve"]')

        assert [user["id"] for user in ask(run).assigned_users] == ["olga"]

    @pytest.mark.parametrize(("by", "counts"), [("eve", False), ("olga", True)])
    def test_is_answered_by_those_who_were_asked(
        self, lake: FsspecLake, make: Any, monkeypatch: pytest.MonkeyPatch, by: str, counts: bool
    ) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_APPROVERS", '["olga"]')
        made = make(policy(review="never"))
        assert question(*made).answer is None, "where there are approvers, a person decides"
        found = answer("Approve", plans.load(lake, made[0])) | {"responded_by_user": {"id": by, "name": "Olga"}}

        if counts:
            assert decided(made[0], found) == made[0]
            return
        with pytest.raises(decisions.NotForThem, match="Olga is not an approver"):
            decided(made[0], found)


class TestWhatRuns:
    """The package, the script and the arguments of a Spark job are worked out where it is submitted."""

    @pytest.fixture(autouse=True)
    def _connection(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", '{"conn_type": "spark", "host": "local[2]"}')

    def test_is_what_is_installed(self, lake: FsspecLake) -> None:
        url = Path(spark.prepare_spark())
        good = url.read_bytes()
        for forged in (b"evil", good + b"evil", good[:-4] + b"evil"):
            url.write_bytes(forged)
            assert Path(spark.prepare_spark()).read_bytes() == good

        class Torn(FsspecLake):
            def read(self, path: tuple[str, ...], limit: int) -> bytes:
                return b"evil" if path[0] == "packages" else super().read(path, limit)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(spark, "lake", lambda: Torn(lake.url))
            with pytest.raises(StatePathTrouble, match="differs from what was just written"):
                spark.prepare_spark()

    def test_comes_from_no_template_and_no_memory(self, monkeypatch: pytest.MonkeyPatch, make: Any) -> None:
        _, run = make()
        job = jobs.SparkJob(task_id="search", job="search_candidates", arguments=lambda context: ["--draft", context["run_id"]])
        submitted: list[tuple[list[str], bytes]] = []

        def submit(hook: Any, application: str) -> None:
            command = hook._build_spark_submit_command(application)
            submitted.append((command, Path(command[command.index("--py-files") + 1]).read_bytes()))

        monkeypatch.setattr("airflow.providers.apache.spark.hooks.spark_submit.SparkSubmitHook.submit", submit)
        job.execute(context(run))

        ((command, package),) = submitted
        assert package == package_zip()[1], "on the worker's disk: executors have no keys of the lake when they begin"
        assert not Path(command[command.index("--py-files") + 1]).exists()
        assert command[-5:] == [
            str(ROOT / "spark_jobs" / "search_candidates.py"),
            "--lake",
            airflow_objects.lake().url,
            "--draft",
            run,
        ]
        assert (job.template_fields, job.durable) == ((), False)

    @pytest.mark.parametrize("replaces", [True, False])
    def test_of_two_submissions_the_second_is_the_newest(
        self, monkeypatch: pytest.MonkeyPatch, make: Any, *, replaces: bool
    ) -> None:
        _, run = make()
        submitted: list[list[str]] = []
        monkeypatch.setattr(
            "airflow.providers.apache.spark.hooks.spark_submit.SparkSubmitHook.submit",
            lambda hook, application: submitted.append(hook._build_spark_submit_command(application)),
        )
        for _ in range(2):  # each try has an operator of its own
            jobs.SparkJob(task_id="decode", job="decode_snapshots", arguments=lambda _: [], replaces=replaces).execute(context(run))

        given = [one.rpartition(":")[2] for command in submitted for one in command if one.startswith(submissions.SETTING)]
        place, lake = submissions.place("decode_snapshots"), airflow_objects.lake()
        assert len(set(given)) == (2 if replaces else 0)
        assert ([lake.read(place, 100).decode()] if lake.exists(place) else []) == given[1:]

    def test_no_airflow_task_of_ours_takes_a_template_or_the_word_of_another(self) -> None:
        """But for the mapped ones, which work out again what they are about."""
        from airflow.dag_processing.dagbag import DagBag

        handed_on = {
            f"{dag.dag_id}.{task.task_id}"
            for dag in DagBag(dag_folder=str(ROOT / "dags")).dags.values()
            for task in dag.tasks
            if "{{" in json.dumps([str(getattr(task, name, "")) for name in task.template_fields])
            or any("XCom" in str(getattr(task, name, "")) for name in task.template_fields)
            or task.is_mapped
        }
        assert handed_on == {"apply_rollout.walk", "backtest_groups.past", "collect_groups.snapshots", "verify_rollout.compare"}


class TestWhatIsHandedOn:
    @pytest.mark.parametrize(
        ("told", "index"), [("0" * 16, 0), ("http://evil.test/x.zip", 0), ("1" * 16, 1), (None, 0), (["1" * 16], 0)]
    )
    def test_must_be_what_the_run_is_about(self, told: Any, index: int) -> None:
        found = context(params={"plan_id": "1" * 16})
        found["ti"].map_index = index

        with pytest.raises(InvalidInput, match="does not belong to this run"):
            rollouts.plan_requested(told, found, airflow_objects.PLANS)

    def test_is_the_plan_of_the_form_or_of_the_event(self) -> None:
        event = SimpleNamespace(extra={"plan_id": "2" * 16})

        assert rollouts.plan_requested("1" * 16, context(params={"plan_id": "1" * 16}), airflow_objects.PLANS) == "1" * 16
        by_event = context(params={"plan_id": None}, triggering_asset_events={airflow_objects.PLANS: [event]})
        assert rollouts.plan_requested("2" * 16, by_event, airflow_objects.PLANS) == "2" * 16

    def test_leads_nowhere_else(self, make: Any) -> None:
        """The link from an airflow task is to the plan of its run, whatever the tasks returned."""
        plan_id, run = make()

        link = links.PlanPage().get_link(SimpleNamespace(plan_id="//evil.test"), ti_key=SimpleNamespace(run_id=run))
        assert link.endswith(f"/holdfast/plans/{plan_id}")
        assert links.PlanPage().get_link(SimpleNamespace(), ti_key=SimpleNamespace(run_id="another")) == ""


class TestWhoActs:
    def test_acts_by_what_the_group_is_now(self, lake: FsspecLake, make: Any, recorded: str) -> None:
        """`recorded` is a minute old, and the approval is of now."""
        plan_id, _ = make()
        decided(plan_id, answer("Approve", plans.load(lake, plan_id)))

        with pytest.raises(StepRefused, match="before the plan was approved"):
            rollouts.apply(plan_id, {"state_dirs": {}, "confirmed": [], "snapshot": recorded}, "bob")
        assert plans.journal_of(lake, plan_id).entries == ()

    def test_is_who_triggered_the_run(self, lake: FsspecLake, make: Any, recorded: str) -> None:
        plan_id, _ = make()
        decided(plan_id, answer("Approve", plans.load(lake, plan_id), by="vera"))
        form = {"state_dirs": {}, "confirmed": ["1"], "snapshot": just_taken(lake, recorded)}

        with pytest.raises(InvalidInput, match="no user triggered this run"):
            rollouts.apply(plan_id, form, None)
        rollouts.apply(plan_id, form, "bob")
        assert [entry.by for entry in plans.journal_of(lake, plan_id).entries if entry.event == "confirmed"] == ["bob"]

    def test_writes_where_the_connection_says_and_nowhere_else(
        self, lake: FsspecLake, make: Any, recorded: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        plan_id, _ = make()
        decided(plan_id, answer("Approve", plans.load(lake, plan_id)))
        groups = {"streams-wordcount": {"state_dirs": [str(tmp_path / "app-3")]}, "another": {"state_dirs": ["/etc"]}}
        extras = {"bootstrap.servers": "127.0.0.1:9", "groups": groups}
        monkeypatch.setenv("AIRFLOW_CONN_HOLDFAST_KAFKA_LOCAL", json.dumps({"conn_type": "generic", "extra": extras}))

        def form(directory: str) -> dict[str, object]:
            return {"state_dirs": {ID: directory}, "confirmed": [], "snapshot": just_taken(lake, recorded)}

        for foreign in ("/etc", f"{tmp_path}/app-3/../app-4", f"{tmp_path}/app-3/", "", f"file://{tmp_path}/app-3"):
            with pytest.raises(InvalidInput, match="is not one of the state directories that the connection"):
                rollouts.apply(plan_id, form(foreign), "bob")
        assert plans.journal_of(lake, plan_id).entries == ()
        assert rollouts.apply(plan_id, form(str(tmp_path / "app-3")), "bob")

    def test_does_not_go_by_a_policy_s_word_where_there_are_approvers(
        self, lake: FsspecLake, make: Any, recorded: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plan_id, run = make(policy(review="never"))
        decided(plan_id, decisions.question(run).answer or {})
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_APPROVERS", '["olga"]')

        with pytest.raises(InvalidInput, match="a person must decide"):
            rollouts.apply(plan_id, {"state_dirs": {}, "confirmed": [], "snapshot": just_taken(lake, recorded)}, "bob")


def test_four_eyes_are_wanted_of_a_policy_s_approval_too(lake: FsspecLake, make: Any) -> None:
    plan = plans.load(lake, make(policy(review="never", four_eyes=True))[0])

    assert approval.needs_a_person(plan, plan.policy.review)
    document = {"format_version": "1.0", "plan_id": plan.plan_id, "approved": True, "by": "the policy", "reason": "",
                "at": plan.created_at, "decided_by": "policy"}  # fmt: skip
    with pytest.raises(StepRefused, match="four_eyes is true"):
        approval.refuse_unapproved(plan, codec_of(Approval).read(document))


@pytest.mark.parametrize(
    "task",
    [
        lambda: collecting.clusters_to_read("password=oPen5esame"),
        lambda: collecting.collect("local", "password=oPen5esame", "run"),
        lambda: planning.draft("password:oPen5esame", FORM),
        lambda: rollouts.apply("0" * 16, {"snapshot": "x?token=oPen5esame"}, "bob", "run"),
        lambda: rollouts.apply("0" * 16, {}, "bob", "password:oPen5esame"),
    ],
)
def test_a_secret_in_a_run_s_id_or_parameters_is_not_handed_on_nor_kept(lake: FsspecLake, task: Any) -> None:
    """Airflow shows what an airflow task hands on, and the fields that it was called with."""
    with pytest.raises(InvalidInput, match="Airflow keeps it, with this run and in its audit log") as refusal:
        task()
    assert "oPen5esame" not in str(refusal.value)
    assert lake.names(("drafts",)) == lake.names(("plans",)) == lake.names(("leases",)) == ()


def test_who_logs_in_to_a_host_is_no_secret_and_a_password_is() -> None:
    runs.refuse_secrets("run", {"state_dirs": {C: "ssh://deploy@app-1/var/wc"}})
    for login in ("deploy:oPen5esame", "deploy%3AoPen5esame"):
        with pytest.raises(InvalidInput, match=r"^state_dirs"):
            runs.refuse_secrets("run", {"state_dirs": {C: f"ssh://{login}@app-1/var/wc"}})
