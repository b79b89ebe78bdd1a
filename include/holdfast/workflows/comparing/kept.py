"""Comparisons of protocols in the lake: `comparisons/cluster=C/group=G/<run>/comparison.json`, and the same as text next to it."""

import re
from collections.abc import Iterator

from holdfast.errors import InvalidInput
from holdfast.ports import Lake, LakePath
from holdfast.rollout.json.strict import LARGEST_DOCUMENT, dumps, loads
from holdfast.rollout.kinds.protocols import from_past, words
from holdfast.rollout.kinds.protocols.comparison import COMPARISON, ProtocolComparison
from holdfast.rollout.text.document_blocks import to_markdown
from holdfast.workflows import pasts
from holdfast.workflows.snapshots import segment
from holdfast.workflows.writers import versions

FOLDER = "comparisons"
DOCUMENT, TEXT = "comparison.json", "comparison.md"
_NAME = re.compile(r"[A-Za-z0-9-]{1,120}", re.ASCII)


def place(cluster: str, group_id: str, name: str = "") -> LakePath:
    """The folder of a group's comparisons, or of the one with that name."""
    folder = (FOLDER, segment("cluster", cluster), segment("group", group_id))
    return (*folder, name) if name else folder


def keep(lake: Lake, name: str, found: ProtocolComparison) -> LakePath:
    """Return its folder. The document comes last: where it is, the text is too."""
    folder = place(found.cluster, found.group_id, name)
    lake.write((*folder, TEXT), to_markdown(words.blocks(found)).encode())
    lake.write((*folder, DOCUMENT), dumps(COMPARISON.write(found), indent=2).encode())
    return folder


def is_kept(lake: Lake, cluster: str, group_id: str, name: str) -> bool:
    return lake.exists((*place(cluster, group_id, name), DOCUMENT))


def newest_first(lake: Lake, cluster: str, group_id: str) -> Iterator[str]:
    """The names of a group's comparisons; those of Airflow's runs begin with their time."""
    return (name for name in reversed(lake.names(place(cluster, group_id))) if is_kept(lake, cluster, group_id, name))


def load(lake: Lake, cluster: str, group_id: str, name: str) -> ProtocolComparison:
    """Raise InvalidInput where there is none of that name, or what is there is of another group."""
    if _NAME.fullmatch(name) is None or not is_kept(lake, cluster, group_id, name):
        raise InvalidInput("the lake has no such comparison of this group")
    with versions.explained(lake):
        found = COMPARISON.read(loads(lake.read((*place(cluster, group_id, name), DOCUMENT), LARGEST_DOCUMENT)))
    if (found.cluster, found.group_id) != (cluster, group_id):
        raise InvalidInput("the comparison in the lake is of another group: it was moved there")
    return found


def past_of(lake: Lake, cluster: str, group_id: str) -> tuple[str, bytes] | None:
    """The newest file of a group's past rebalances, with its path. None: the nightly job has read none."""
    of_cluster = (pasts.FOLDER, segment("cluster", cluster))
    for day in reversed(lake.names(of_cluster)):
        folder = (*of_cluster, day, segment("group", group_id))
        lives = sorted(lake.names(folder), key=lambda name: (len(name), name))
        if lives:
            path = (*folder, lives[-1])
            return "/".join(path), lake.read(path, from_past.MOST_BYTES)
    return None
