"""What a snapshot shows of a step, as a value; `seen_words` says it. For steps of every kind of group."""

from enum import StrEnum

from holdfast.rollout.json.codec import COUNT, TEXT, TEXTS, choice, nullable
from holdfast.rollout.json.record import codec_of, member, record


class Sees(StrEnum):
    """What is seen, or why nothing can be."""

    STATE = "state"
    STABLE = "stable"
    NO_MEMBERS = "no_members"
    STABLE_SINCE = "stable_since"
    NOT_REBALANCED = "not_rebalanced"
    STEP_BEFORE = "step_before"
    NEW_MEMBERS = "new_members"
    FILE_ON_DISK = "file_on_disk"
    ON_DISK = "on_disk"
    THREADS = "threads"
    FEWER_THREADS = "fewer_threads"
    GONE = "gone"
    MEMBERS_GONE = "members_gone"
    STILL_LISTED = "still_listed"
    STILL_SOME = "still_some"
    STILL_NAMED = "still_named"
    CLIENTS_MISSING = "clients_missing"
    CAME = "came"
    NO_SUCH_CLIENT = "no_such_client"
    MEMBERS_FROM_BEFORE = "members_from_before"
    RUNS = "runs"
    AT_ITS_START = "at_its_start"
    MOVED = "moved"
    STILL_CLASSIC = "still_classic"
    NOT_BACK = "not_back"
    GONE_AND_CAME = "gone_and_came"
    GONE_ONLY = "gone_only"
    GONE_AND_BACK = "gone_and_back"
    RAN = "ran"
    STOPPED_LATER = "stopped_later"
    STOPPED_SINCE = "stopped_since"
    CHANGED_LATER = "changed_later"
    CHANGED_AGAIN = "changed_again"
    STARTED_BEFORE = "started_before"
    NOT_RESTARTED = "not_restarted"
    SOME_RESTARTED = "some_restarted"
    SECOND_RESTART = "second_restart"
    RESTARTED = "restarted"
    SETTING = "setting"
    TASKS = "tasks"
    COPIES_NOT_TOLD = "copies_not_told"
    NO_COPIES_YET = "no_copies_yet"
    COPIES_MISSING = "copies_missing"
    COPIES_COME_LATER = "copies_come_later"
    COPIES = "copies"
    RELEASE_NOT_TOLD = "release_not_told"
    RELEASE = "release"
    RELEASE_NOT_YET = "release_not_yet"
    PARTITIONS = "partitions"
    PARTITIONS_READ = "partitions_read"
    PARTITIONS_MISSING = "partitions_missing"
    PARTITIONS_UNNOTICED = "partitions_unnoticed"
    TOPIC_THERE = "topic_there"
    TOPIC_GONE = "topic_gone"
    TOPIC_LATER = "topic_later"
    JOINED_SO_FAR = "joined_so_far"
    JOINED_IN_PLAN = "joined_in_plan"
    JOINED = "joined"
    LEFT = "left"
    LEFT_SINCE = "left_since"
    CONFIG = "config"
    CONFIG_NOT_YET = "config_not_yet"
    CONFIG_LATER = "config_later"
    CONFIG_UNKNOWN = "config_unknown"


@record
class Seen:
    """`of`: the client, topic, setting, release, step or state that it is about; `names`: clients or members. `count`: what was
    found, `wanted`: what the plan has; `version`: of the metadata that members write."""

    kind: Sees = member(choice(Sees))
    of: str = member(TEXT, default="", omit=True)
    names: tuple[str, ...] = member(TEXTS, default=(), omit=True)
    count: int | None = member(nullable(COUNT), default=None, omit=True)
    wanted: int | None = member(nullable(COUNT), default=None, omit=True)
    version: int | None = member(nullable(COUNT), default=None, omit=True)

    @property
    def found(self) -> int:
        return self.count or 0


SEEN = codec_of(Seen)
