"""Rules as a policy judges them, whichever kind of group they are about."""

from collections.abc import Iterable

from holdfast.rollout.contract.verdicts import Rule, Status
from holdfast.rollout.policy.policy import Policy


def made(name: str, found: str, limit: str, status: Status, policy: Policy) -> Rule:
    """Whether it blocks is the policy's to say."""
    return Rule(name, found, limit, status, blocking=name in policy.blocking)


def actions_rule(verbs: Iterable[str], policy: Policy) -> Rule | None:
    """`verbs`: what the steps ask for, without waiting, which is always allowed."""
    if policy.actions is None:
        return None
    asked = dict.fromkeys(verbs)
    forbidden = [name for name in asked if name not in policy.actions]
    found = f"it asks for {', '.join(forbidden)}" if forbidden else ", ".join(asked) or "nothing"
    limit = ", ".join(policy.actions) or "none"
    return made("actions", found, limit, Status.FAIL if forbidden else Status.PASS, policy)
