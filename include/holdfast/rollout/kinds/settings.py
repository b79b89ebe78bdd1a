"""The doctor of settings for a group of any kind."""

import difflib
from collections.abc import Callable, Mapping

from holdfast.errors import InvalidInput
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.json import strict
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings.case import Case
from holdfast.rollout.settings.examine import examine
from holdfast.rollout.settings.findings import Report
from holdfast.rollout.settings.table import BY_NAME

DEFAULT = Policy()


def examined(
    snapshot: AnySnapshot,
    properties: Mapping[str, str] | None = None,
    policy: Policy = DEFAULT,
    seen_as: Callable[[Case], Case] | None = None,
) -> Report:
    """Every finding about the settings of a group. `properties`: those of its application, as its file has them; None: not given.
    `seen_as`: what is made of the case before it is examined.

    Raise InvalidInput for a policy that silences a rule that there is not, and for the properties of another application.
    """
    refuse_unknown_rules(policy)
    kind = kind_of(snapshot)
    key = "application.id" if kind.stateful else "group.id"
    other = (properties or {}).get(key, snapshot.group_id).strip()
    if other != snapshot.group_id:
        raise InvalidInput(
            f"the properties are those of {strict.shown(other)}; the group is {strict.shown(snapshot.group_id)}", key
        )
    case = kind.settings_case(snapshot, properties, policy)
    return examine(case if seen_as is None else seen_as(case))


def refuse_unknown_rules(policy: Policy) -> None:
    """Raise InvalidInput for a silenced rule that the doctor of settings does not have."""
    strict.refuse(
        InvalidInput(_unknown(one.rule), f"silenced[{number}].rule")
        for number, one in enumerate(policy.silenced)
        if one.rule not in BY_NAME
    )


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, BY_NAME, n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; docs/settings.md lists them"
    return f"the doctor of settings has no rule {strict.shown(name)}{hint}"
