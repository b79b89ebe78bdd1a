"""The names in a snapshot of lamps: of the cluster, the group and each lamp."""

from dataclasses import replace

from tests.harness.lamps.values import LampSnapshot

from holdfast.rollout.group.redacting import Redacting
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names


def _names(snapshot: LampSnapshot) -> Found:
    found = Found(snapshot.group_id, streams=False)
    found.add(Role.CLUSTER, snapshot.cluster)
    found.add(Role.MEMBER, *(name for name, _ in snapshot.lit))
    return found


def _redacted(snapshot: LampSnapshot, names: Names) -> LampSnapshot:
    lit = tuple((names.of(Role.MEMBER, name), burns) for name, burns in snapshot.lit)
    return replace(snapshot, cluster=names.of(Role.CLUSTER, snapshot.cluster), group_id=names.group, lit=lit)


REDACTING = Redacting(_names, _redacted)
