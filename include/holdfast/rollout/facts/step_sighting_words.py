"""What a snapshot shows of a step, in words."""

from collections.abc import Callable, Mapping

from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.facts.step_sightings import Seen, Sees
from holdfast.rollout.text.format import listed, many, printable


def sentence(one: Seen) -> str:
    return _WORDS[one.kind](one)


def _names(one: Seen, most: int | None = None) -> str:
    names = [printable(name) for name in one.names]
    return listed(names) if most is None else listed(names, most)


_WORDS: Mapping[Sees, Callable[[Seen], str]] = {
    Sees.STATE: lambda s: f"The group is {printable(s.of)}, not {STABLE}.",
    Sees.STABLE: lambda s: f"The group is stable{'' if s.count is None else f' in generation {s.count}'}.",
    Sees.NO_MEMBERS: lambda _: "The group has no members, as planned.",
    Sees.STABLE_SINCE: lambda s: f"The group is stable in generation {s.count}; the plan was made in {s.wanted}.",
    Sees.NOT_REBALANCED: lambda s: f"The group has not rebalanced since generation {s.count}.",
    Sees.STEP_BEFORE: lambda s: f"Step {s.of} comes first." if s.of else "An earlier step is not visible yet.",
    Sees.NEW_MEMBERS: lambda s: f"A client runs under {s.of} with new member IDs.",
    Sees.FILE_ON_DISK: lambda _: "The file is on a disk: brokers show it when the client has started.",
    Sees.ON_DISK: lambda _: "No broker shows what is on disks.",
    Sees.THREADS: lambda s: f"{s.of} has {many(s.found, 'stream thread')}, the plan has {s.wanted}.",
    Sees.FEWER_THREADS: lambda s: f"{s.of} has {many(s.found, 'stream thread')} of {s.wanted}.",
    Sees.GONE: lambda s: f"{s.of} is not in the group any more.",
    Sees.MEMBERS_GONE: lambda s: f"The members that {s.of} had are gone.",
    Sees.STILL_LISTED: lambda s: f"The group still lists {many(s.found, 'member')} of {s.of} that were there before.",
    Sees.STILL_SOME: lambda s: f"The group still lists {many(s.found, 'member')} from before.",
    Sees.STILL_NAMED: lambda s: f"The group still lists {_names(s)} with the member ID from before.",
    Sees.CLIENTS_MISSING: lambda s: f"{s.count} of {many(s.wanted or 0, 'new client')} are missing.",
    Sees.CAME: lambda s: f"{_names(s)} joined.",
    Sees.NO_SUCH_CLIENT: lambda s: f"{s.of} has not started: the group has no such client yet.",
    Sees.MEMBERS_FROM_BEFORE: lambda s: f"{s.of} has not started: the members under it are those from before.",
    Sees.RUNS: lambda s: f"{s.of} runs with {many(s.found, 'new member')}.",
    Sees.RAN: lambda s: f"{s.of} ran with {many(s.found, 'new member')}, which are gone.",
    Sees.STOPPED_LATER: lambda s: f"A later step stops {s.of} again: only recorded targets show its start.",
    Sees.AT_ITS_START: lambda _: "No broker shows which configuration a client will start with.",
    Sees.MOVED: lambda _: "The group is a streams group.",
    Sees.STILL_CLASSIC: lambda s: f"The group is still classic: {s.of} is not in it as a streams member.",
    Sees.NOT_BACK: lambda s: f"{s.of} is gone, and has not come back under another process ID.",
    Sees.GONE_AND_CAME: lambda s: f"{s.of} has left, and {_names(s)} joined.",
    Sees.GONE_ONLY: lambda s: f"{s.of} has left, and {_names(s)} has not joined.",
    Sees.GONE_AND_BACK: lambda s: f"{s.of} has left, and {_names(s)} joined with new member IDs.",
    Sees.STOPPED_SINCE: lambda _: "The clients that it restarts have been stopped since.",
    Sees.CHANGED_LATER: lambda s: f"A later step stops, starts or changes {s.of} again: only recorded generations show this step.",
    Sees.CHANGED_AGAIN: lambda s: f"{s.of} has {many(s.found, 'stream thread')}, as a later step has it.",
    Sees.STARTED_BEFORE: lambda s: f"{s.of} was started: recorded generations show it.",
    Sees.NOT_RESTARTED: lambda s: (
        f"{s.of} has not restarted, or not every thread of it: there are members from before, or too few."
    ),
    Sees.SOME_RESTARTED: lambda s: (
        f"{s.found} of {many(s.wanted or 0, 'client')} restarted (new member IDs); not yet: {_names(s, 4)}."
    ),
    Sees.SECOND_RESTART: lambda s: f"{_names(s, 4)}: only recorded generations show a second restart, and there is none of it.",
    Sees.RESTARTED: lambda s: f"{s.of or f'all {s.count} clients'} restarted: new member IDs.",
    Sees.SETTING: lambda s: f"Every client has restarted (new member IDs); no broker shows with which {printable(s.of)}.",
    Sees.TASKS: lambda s: f"Every client has restarted; there are {many(s.found, 'task')}, the plan has {s.wanted:,}.",
    Sees.COPIES_NOT_TOLD: lambda _: "Every client has restarted; the snapshot does not say who has standby copies.",
    Sees.NO_COPIES_YET: lambda _: (
        "Every client has restarted; the forecast has no standby copy before the group's next rebalance, and none is there."
    ),
    Sees.COPIES_MISSING: lambda s: f"Every client has restarted; {s.found} of {s.wanted} standby copies are there.",
    Sees.COPIES_COME_LATER: lambda s: f"{_WORDS[Sees.COPIES_MISSING](s)} They come with the group's next rebalance.",
    Sees.COPIES: lambda s: f"Every client has restarted, and {many(s.found, 'standby copy', 'standby copies')} are there.",
    Sees.RELEASE_NOT_TOLD: lambda _: "Every client has restarted (new member IDs); the snapshot does not say with which release.",
    Sees.RELEASE: lambda s: (
        f"Every client has restarted, and all {many(s.found, 'member')} write metadata version {s.version},"
        f" as {printable(s.of)} and its neighbours do."
    ),
    Sees.RELEASE_NOT_YET: lambda s: (
        f"Every client has restarted; {s.found} of {many(s.wanted or 0, 'member')} do not write metadata version"
        f" {s.version} yet. {printable(s.of)} does."
    ),
    Sees.PARTITIONS: lambda s: f"{printable(s.of)} has {many(s.found, 'partition')}, the plan has {s.wanted:,}.",
    Sees.PARTITIONS_READ: lambda s: f"Tasks read all {many(s.found, 'partition')} of {printable(s.of)}.",
    Sees.PARTITIONS_MISSING: lambda s: f"Tasks read {s.found} of {many(s.wanted or 0, 'partition')} of {printable(s.of)}.",
    Sees.PARTITIONS_UNNOTICED: lambda s: f"{_WORDS[Sees.PARTITIONS_MISSING](s)} The topic has them; the group has not noticed.",
    Sees.TOPIC_THERE: lambda s: f"{printable(s.of)} is still there.",
    Sees.TOPIC_GONE: lambda s: f"{printable(s.of)} is gone.",
    Sees.TOPIC_LATER: lambda s: f"A later step changes {printable(s.of)} again.",
    Sees.JOINED_SO_FAR: lambda s: f"{s.found} of {many(s.wanted or 0, 'new member')} joined.",
    Sees.JOINED_IN_PLAN: lambda _: "It joined during this plan: a further restart is not visible.",
    Sees.JOINED: lambda s: f"{many(s.found, 'new member')} joined, and all members to be removed have left.",
    Sees.LEFT: lambda _: "It has left the group.",
    Sees.LEFT_SINCE: lambda s: f"{s.found} of {many(s.wanted or 0, 'new member')} are there; later steps stop some that joined.",
    Sees.CONFIG: lambda s: f"The group has {printable(s.of)}.",
    Sees.CONFIG_NOT_YET: lambda s: f"The group does not have {printable(s.of)} yet.",
    Sees.CONFIG_LATER: lambda s: f"A later step sets it again: {printable(s.of)} is not visible.",
    Sees.CONFIG_UNKNOWN: lambda s: f"The group's configs could not be read, {printable(s.of)} among them.",
}
