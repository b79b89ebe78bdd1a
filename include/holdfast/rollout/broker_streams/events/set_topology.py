"""`set_topology`: clients start with another topology. No covered release lets a group have another one than its first.

Java: `GroupMetadataManager.maybeUpdateTopology` (4.2.0 to 4.4.0): a member with an older topology epoch gets the group's, and the
status STALE_TOPOLOGY; any other difference is refused. A group without members keeps its topology until it is deleted.
"""

from collections.abc import Iterator

from holdfast.errors import InvalidInput, TopologyRejected
from holdfast.kafka import java
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.broker_streams.snapshot.snapshot import GroupTopology, TopicsOfSubtopology
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated.roster import quoted
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import integer, nullable
from holdfast.rollout.json.record import codec_of, keyed, member, record
from holdfast.rollout.text.format import listed, many

_EPOCH = nullable(integer(0, java.INT_MAX)).described("Null: the group's.")


@record(defaults=True)
class SetTopology(BrokerEvent):
    """`subtopologies`: of the new build, as a Snapshot has them."""

    subtopologies: tuple[TopicsOfSubtopology, ...] = member(keyed(codec_of(TopicsOfSubtopology)))
    epoch: int | None = member(_EPOCH, default=None, omit=True)

    VERB = "set_topology"

    ACTIONS = (ActionName.DEPLOY_TOPOLOGY,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - as every event
        return f"go to another topology of {many(len(self.subtopologies), 'subtopology', 'subtopologies')}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return "deploy", f"a topology of {many(len(self.subtopologies), 'subtopology', 'subtopologies')}"

    def step(self, of: StepOf) -> StepWords:  # noqa: ARG002
        return StepWords("Deploy the build with the other topology", "", "Deploy the build before.", "Its threads are members.")

    def applied(self, scene: Scene) -> Scene:
        """Raise TopologyRejected; InvalidInput where it is the group's topology already."""
        now = scene.topology
        older = self.epoch is not None and now.epoch is not None and self.epoch < now.epoch
        if older:
            raise TopologyRejected(
                f"its coordinator answers STALE_TOPOLOGY to clients with the topology epoch {self.epoch}, and keeps the topology of"
                f" epoch {now.epoch}: they are assigned tasks of that one"
            )
        other = [*_differences(now, self.subtopologies)]
        if self.epoch not in (None, now.epoch):
            other.append(f"its epoch is {self.epoch}, the group's {now.epoch}")
        if not other:
            raise InvalidInput("it is the group's topology: leave the event out, and restart the clients", "subtopologies")
        raise TopologyRejected(
            "its coordinator answers INVALID_REQUEST (Topology updates are not supported yet.) to each client that starts with this"
            f" topology, which ends that client; the group keeps its own ({'; '.join(other)}). Deploy it under a new application"
            " ID, or stop all clients, delete the group with its committed offsets, and start them"
        )


def _differences(now: GroupTopology, new: tuple[TopicsOfSubtopology, ...]) -> Iterator[str]:
    before, after = ({one.subtopology: _topics(one) for one in some} for some in (now.subtopologies, new))
    for says, names in (
        ("new", after.keys() - before.keys()),
        ("removed", before.keys() - after.keys()),
        ("with other topics", {name for name in before.keys() & after.keys() if before[name] != after[name]}),
    ):
        if names:
            yield f"{says}: {listed([quoted(name) for name in sorted(names, key=java.string_order)])}"


def _topics(one: TopicsOfSubtopology) -> tuple[frozenset[str], ...]:
    kinds = (one.source_topics, one.repartition_source_topics, one.repartition_sink_topics, one.changelog_topics)
    return tuple(map(frozenset, kinds))
