"""The tables of the lake, column by column. `docs/tables.md` says what each means; a test holds one against the other.

Every table is partitioned by `cluster` and `day`, so these two are in the path and not in the files. A new column may be added
within a version; anything else is a new one, with folders of its own.
"""

import pyarrow as pa

VERSION = "v1"

PARTITION = ("cluster", "day")
KEY = (*PARTITION, "group_id", "snapshot", "captured_at")
"""What a row of a table about one snapshot of one group begins with."""


def _columns(**columns: pa.DataType) -> list[tuple[str, pa.DataType]]:
    return list(columns.items())


def _about_snapshots(*columns: tuple[str, pa.DataType]) -> pa.Schema:
    return pa.schema([*((name, pa.string()) for name in KEY), *columns])


_text, _number, _long, _real, _flag = pa.string(), pa.int32(), pa.int64(), pa.float64(), pa.bool_()
_texts = pa.list_(pa.string())

CHANGELOG = _columns(topic=_text, partition=_number, end_offset=_long)
TASK = _columns(
    task_id=_text,
    subtopology=_number,
    partition=_number,
    stateful=_flag,
    end_offset_sum=_long,
    owner=_text,
    source_partitions=_texts,
)
CLIENT = _columns(
    process_id=_text,
    place_in_order=_number,
    host=_text,
    rack=_text,
    client_tags=_texts,
    threads=_number,
    active_stateful=_number,
    other_copies=_number,
)
MEMBER = _columns(
    process_id=_text,
    member_id=_text,
    client_id=_text,
    group_instance_id=_text,
    owned_partitions=_number,
    active_stateful=_number,
    other_copies=_number,
    host=_text,
    rack=_text,
    assignors=_texts,
    subscription=_texts,
)
PARTITIONED = _columns(
    topic=_text, partition=_number, owner=_text, begin_offset=_long, end_offset=_long, committed_offset=_long, lag=_long
)
STATE_DIRECTORY = _columns(url=_text, process_id=_text, tasks=_number, files=_number, bytes=_long, locked=_flag)
GROUP = _columns(
    protocol=_text,
    group_state=_text,
    kafka_release=_text,
    task_assignor=_text,
    leader_process_id=_text,
    clients=_number,
    threads=_number,
    threads_alike=_flag,
    tasks=_number,
    stateful_tasks=_number,
    standbys=_number,
    unknown=_texts,
    fingerprint=_text,
    assignor=_text,
    members=_number,
    partitions=_number,
    generation=_number,
    lag=_long,
    copies_behind=_long,
)
TARGET = _columns(task_id=_text, owner=_text, target=_text, will_move=_flag, topic=_text, partition=_number)
PLACE = _columns(place=_number, probability=_real, moved=_number, process_id=_text)
LOSS = _columns(
    process_id=_text,
    host=_text,
    scenario=_text,
    place=_number,
    probability=_real,
    stateful_tasks=_number,
    moved=_number,
    expected_moved=_real,
    without_copy=_number,
    warm_ups=_number,
    rebalances=_number,
    rebalances_exact=_flag,
    hours=_real,
    hours_most=_real,
    hours_exact=_flag,
    restored_hours=_real,
    restored_hours_most=_real,
    restore_bytes=_long,
    basis=_text,
    reason=_text,
    member_id=_text,
    partitions=_number,
    needless=_number,
    stopped_partition_seconds=_real,
    longest_stop_seconds=_real,
    covered=_real,
    draws=_number,
    missed_at_most=_real,
    moved_least=_number,
    moved_most=_number,
    work_us=_long,
    fingerprint=_text,
    computed_on=_text,
)
MOVE = _columns(task_id=_text, owner_before=_text, owner_after=_text, topic=_text, partition=_number)
SEED = _columns(lost=_text, keeps_the_order=_text)
ORDER_CHANGE = _columns(
    before=_text,
    before_at=_text,
    joined=_texts,
    left=_texts,
    shifted=_texts,
    moved=_number,
    moved_between_survivors=_number,
    seeds=pa.list_(pa.struct(SEED)),
    text_order_misleads=_flag,
    protocol=_text,
)
CANDIDATE = _columns(
    group_id=_text,
    plan_id=_text,
    created_at=_text,
    name=_text,
    title=_text,
    chosen=_flag,
    refused=_text,
    why_not=_text,
    stateful_tasks=_number,
    moved=_number,
    expected_moved=_real,
    needless=_number,
    rebalances_most=_number,
    hours_most=_real,
    restored_records=_long,
    partitions=_number,
    stopped_partition_seconds=_real,
)
VERDICT = _columns(
    group_id=_text,
    plan_id=_text,
    observed_at=_text,
    result=_text,
    tasks=_number,
    tasks_as_forecast=_number,
    rebalances_least=_number,
    rebalances_most=_number,
    rebalances=_number,
    differences=_texts,
    partitions=_number,
    partitions_as_forecast=_number,
)
BACKTEST = _columns(
    protocol=_text,
    releases=_texts,
    assignor=_text,
    standbys=_number,
    equal=_number,
    different=_number,
    inferred=_number,
    not_judged=_number,
    because=_texts,
    sequences=_number,
    ends_equal=_number,
    rounds_within=_number,
    seconds_within=_number,
    first_at=_text,
    last_at=_text,
    not_recorded=_number,
    different_numbers=pa.list_(pa.int32()),
    courses=_number,
    course_rounds_within=_number,
    durations_within=_number,
    durations_learnt=_number,
    learnt=_text,
)
SETTING = _columns(
    rule=_text,
    says=_text,
    settings=_texts,
    fixes=_texts,
    releases=_text,
    sources=_text,
    scenario=_text,
    measure=_text,
    as_is=_real,
    fixed=_real,
    costs=_text,
    not_priced=_text,
    silenced=_text,
    rules_judged=_number,
    not_judged=_number,
)
QUARANTINE = pa.schema([*((name, pa.string()) for name in (*PARTITION, "group_id", "snapshot", "problem"))])

TABLES: dict[str, pa.Schema] = {
    "clusters": pa.schema(
        [
            *((name, pa.string()) for name in PARTITION),
            *_columns(snapshots=_long, groups=_long, clients=_long, threads=_long, stateful_tasks=_long, quarantined=_long),
            *_columns(plain_groups=_long, members=_long, partitions=_long),
            *_columns(rebalances=_long, lag=_long, copies_behind=_long),
        ]
    ),
    "groups": _about_snapshots(*GROUP),
    "documents": _about_snapshots(("document", _text)),
    "clients": _about_snapshots(*CLIENT),
    "members": _about_snapshots(*MEMBER),
    "tasks": _about_snapshots(*TASK),
    "partitions": _about_snapshots(*PARTITIONED),
    "changelogs": _about_snapshots(("task_id", _text), *CHANGELOG),
    "state_directories": _about_snapshots(*STATE_DIRECTORY),
    "quarantine": QUARANTINE,
    "targets": _about_snapshots(*TARGET),
    "quarantine_targets": QUARANTINE,
    "order_changes": _about_snapshots(*ORDER_CHANGE),
    "order_change_moves": _about_snapshots(*MOVE),
    "quarantine_order_changes": QUARANTINE,
    "blast_radius": _about_snapshots(*LOSS),
    "blast_radius_places": _about_snapshots(("lost", _text), *PLACE),
    "quarantine_blast_radius": QUARANTINE,
    "candidates": pa.schema([*((name, pa.string()) for name in PARTITION), *CANDIDATE]),
    "verdicts": pa.schema([*((name, pa.string()) for name in PARTITION), *VERDICT]),
    "quarantine_scores": QUARANTINE,
    "backtests": _about_snapshots(*BACKTEST),
    "quarantine_backtests": QUARANTINE,
    "settings_findings": _about_snapshots(*SETTING),
    "quarantine_settings": QUARANTINE,
}
