"""What a forecast depends on: what would make it invalid, and what it assumes. For options of every kind of group."""

from enum import StrEnum

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.json.codec import NAME, choice, items, nullable, number
from holdfast.rollout.json.kafka_codecs import PROCESS_IDS
from holdfast.rollout.json.record import codec_of, member, record


class Invalid(StrEnum):
    """What would make a forecast invalid. Those of process IDs name them."""

    NEW_CLIENT_OTHER_ID = "new_client_other_id"
    CLIENT_OTHER_ID = "client_other_id"
    GIVEN_OTHER_ID = "given_other_id"
    ANOTHER_CLIENT = "another_client"
    ANOTHER_EVENT = "another_event"
    SESSION_OVER = "session_over"
    SESSION_NOT_OVER = "session_not_over"
    COPY_LATE = "copy_late"
    LEADER_WITHOUT_WARM_UPS = "leader_without_warm_ups"
    WARM_UPS_SLOW = "warm_ups_slow"
    STANDBY_BEHIND = "standby_behind"
    ASSIGNORS_MIXED = "assignors_mixed"
    STATE_KEPT = "state_kept"
    BACK_LATE = "back_late"
    OTHER_ENDPOINT = "other_endpoint"
    MEMBER_ID_RANK = "member_id_rank"
    ANOTHER_CONSUMER = "another_consumer"
    CONSUMER_SESSION_OVER = "consumer_session_over"
    INSTANCE_ID_TWICE = "instance_id_twice"
    INTERVAL_OVER = "interval_over"
    DELAY_OVER = "delay_over"
    STARTED_EARLY = "started_early"


OF_PROCESS_IDS = (Invalid.NEW_CLIENT_OTHER_ID, Invalid.CLIENT_OTHER_ID, Invalid.GIVEN_OTHER_ID)


@record
class Invalidation:
    """`process_ids`: those of which it is about; `seconds`: how long a client may be away."""

    kind: Invalid = member(choice(Invalid))
    process_ids: tuple[ProcessId, ...] = member(PROCESS_IDS, default=(), omit=True)
    seconds: float | None = member(nullable(number("a number of seconds", 0, 2**53)), default=None, omit=True)


class Assumed(StrEnum):
    """What an option takes to be so, without evidence for it."""

    READS_PROCESS_ID = "reads_process_id"
    ONE_CLIENT_AN_ID = "one_client_an_id"
    ROOM_FOR_COPIES = "room_for_copies"
    MANY_RESTORES = "many_restores"
    DOWN_AT_ONCE = "down_at_once"
    DOWN_TOGETHER = "down_together"
    DOWN_UNTIL_RESTORED = "down_until_restored"
    STATE_DELETED = "state_deleted"
    BACK_IN_SESSION = "back_in_session"
    RUNS_ELSEWHERE = "runs_elsewhere"
    INSTANCE_IDS_UNIQUE = "instance_ids_unique"
    COPIED_IN_SESSION = "copied_in_session"
    REBALANCE_A_MINUTE = "rebalance_a_minute"
    INTERNAL_SETTING = "internal_setting"
    CONSUMER_BACK_IN_SESSION = "consumer_back_in_session"
    LONGER_SESSION_SET = "longer_session_set"
    ALL_BACK_FIRST = "all_back_first"
    EVERY_CONSUMER_RESTARTS = "every_consumer_restarts"
    INSTANCE_ID_KEPT = "instance_id_kept"
    LISTENER_COOPERATES = "listener_cooperates"
    LEAVES_ON_CLOSE = "leaves_on_close"
    INTERVAL_ALLOWED = "interval_allowed"
    STOPPED_AT_ONCE = "stopped_at_once"
    STANDBYS_CAUGHT_UP = "standbys_caught_up"
    ALL_IN_DELAY = "all_in_delay"
    FILE_WRITTEN_STOPPED = "file_written_stopped"
    FIRST_THREAD_ALONE = "first_thread_alone"
    BACK_IN_INTERVAL = "back_in_interval"
    THREADS_TOGETHER = "threads_together"
    DIRECTORIES_REPORTED = "directories_reported"
    NOTHING_REPORTED = "nothing_reported"
    DISKS_REPORTED = "disks_reported"
    CLASSIC_MEMBERS_STAY = "classic_members_stay"
    STREAMS_FEATURE = "streams_feature"
    NO_SOURCE_PATTERNS = "no_source_patterns"
    WARM_UPS_IGNORED = "warm_ups_ignored"
    CONSUMER_LEAVES_ON_CLOSE = "consumer_leaves_on_close"
    CONSUMER_INTERVAL_ALLOWED = "consumer_interval_allowed"
    CONSUMER_STOPPED_AT_ONCE = "consumer_stopped_at_once"
    CONSUMERS_DOWN_TOGETHER = "consumers_down_together"
    NO_ASSIGNOR_ASKED = "no_assignor_asked"


@record
class Assumption:
    """`assignor`: that which the group has now, where it is about one."""

    kind: Assumed = member(choice(Assumed))
    assignor: str | None = member(nullable(NAME), default=None, omit=True)


INVALIDATIONS = items(codec_of(Invalidation))
ASSUMPTIONS = items(codec_of(Assumption))
