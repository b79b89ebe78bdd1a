"""What several events say of clients, and what shows them."""

from holdfast.rollout.broker_streams.events.parts.fields import DiskState
from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.coordinated.step_of import Name
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import many, printable
from holdfast.rollout.text.request_words import short


def newcomer(client: NewClient) -> str:
    """`a new client on app-3 (process ID …), 2 threads`."""
    place = f" on {printable(client.host)}" if client.host else ""
    identity = f" (process ID {printable(client.process_id)})" if client.process_id else ""
    count = client.threads or len(client.member_ids or ())
    threads = f", {many(count, 'thread')}" if count else ""
    return f"a new client{place}{identity}{threads}"


def short_newcomer(client: NewClient) -> str:
    return short(client.host or client.process_id or "a new client")


def disk(state: DiskState, name: Name) -> str:
    if state.copied_from is not None:
        return f", with a copy of the disk of {name(state.copied_from)}"
    return ", which keeps the disk" if state.disk is Disk.KEPT else ""


LISTED = "The group lists its threads."
NOT_LISTED = "The group no longer lists its threads."


def members(group_id: str) -> str:
    return kafka_commands.describe_streams_group(group_id, "--members")
