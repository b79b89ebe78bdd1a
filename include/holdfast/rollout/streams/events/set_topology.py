"""`set_topology`: every client comes back, all together, with another topology.

A state directory is named by subtopology and partition and by nothing else. If subtopologies are renumbered, a task finds in "its"
directory the stores of another: it restores its own from the beginning, while its client reports the offsets of what is there.
"""

from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.streams.group import Client, Task
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json.codec import BOOLEAN
from holdfast.rollout.json.record import member, record
from holdfast.rollout.streams.events.event import Before, Event, Name, StepContext
from holdfast.rollout.streams.events.parts import members
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot.group_codecs import TASKS
from holdfast.rollout.streams.steps.drafts import Draft, StepOrder
from holdfast.rollout.streams.steps.steps import DeployTopology
from holdfast.rollout.text.format import listed, many


def _each_with_changelogs(tasks: tuple[Task, ...]) -> None:
    if not tasks or any(task.changelogs is None for task in tasks):
        raise InvalidInput("one task or more is needed, each with a list of changelogs; it is empty for a stateless task")


@record(defaults=True)
class SetTopology(Event):
    """Every client comes back, all together, with a topology that has these tasks. Not `keeps_state`: with empty disks."""

    tasks: tuple[Task, ...] = member(TASKS.checked(_each_with_changelogs))
    keeps_state: bool = member(BOOLEAN, default=True, omit=True)

    VERB = "set_topology"
    ALL_DOWN = True

    def partitions_made(self) -> int:
        return len(self.tasks)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no client
        return f"go to another topology of {many(len(self.tasks), 'task')}{'' if self.keeps_state else ', with empty disks'}"

    def title(self, host: Name) -> tuple[str, str]:  # noqa: ARG002 - names no client
        return "deploy", f"another topology of {many(len(self.tasks), 'task')}"

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:  # noqa: ARG002 - as every event
        self._refuse_stores_of_others(scene.tasks)
        return replace(members.all_started_again(scene, reports, keeps_state=self.keeps_state), tasks=self.tasks)

    def _refuse_stores_of_others(self, before: tuple[Task, ...]) -> None:
        """Raise CannotPredict where a task that keeps its number keeps other stores, unless the disks are cleared."""
        if not self.keeps_state:
            return
        had = {task.id: _logs(task) for task in before}
        wrong = [task for task in self.tasks if had.get(task.id) and had[task.id] != _logs(task)]
        if not wrong:
            return
        moved = {}
        for task in wrong:
            was = next((one for one, logs in had.items() if logs and logs == _logs(task)), None)
            if was is not None:
                moved[was.subtopology] = task.id.subtopology
        known = ", ".join(f"{old} is now {new}" for old, new in sorted(moved.items()))
        raise CannotPredict(
            f"The directories of {many(len(wrong), 'task')} ({listed([task.id for task in wrong])}) hold the stores of others"
            f"{f' (subtopology {known})' if known else ''}. Their clients would report offsets of those stores, and restore their"
            " own from the beginning. Keep the subtopologies' order, or clear the state directories and say"
            ' `"keeps_state": false`.'
        )

    def begins_anew(self, clients: tuple[Client, ...]) -> tuple[ProcessId, ...]:
        return tuple(client.process_id for client in clients)

    def restarts(self, clients: int) -> int:
        return clients

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:
        disks = "on their own disks" if self.keeps_state else "on empty disks"
        clients = many(len(context.snapshot.clients), "client")
        draft = Draft(
            StepOrder.START,
            DeployTopology(len(self.tasks), self.keeps_state),
            Who.OPERATOR,
            "The group is stable. Topology#describe of the new build shows the subtopologies of this plan: their numbers are part"
            " of the names of tasks, of directories and, for stores without a name, of changelogs.",
            f"{clients} run the new build, and {many(len(self.tasks), 'task')} are assigned.",
            "Stop every client and start the old build, unless the new one has written data that the old one cannot read.",
            f"All clients stop, and start again together {disks}: two topologies in one group would take over each other's tasks.",
        )
        return (draft,)


def _logs(task: Task) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((one.topic, one.partition) for one in task.changelogs or ()))
