"""What brokers are asked about streams groups whose coordinator assigns (KIP-1071), and how their answers are read."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from kafka import errors as kafka_errors
from kafka.admin import ConfigResourceType
from kafka.protocol.admin import DescribeConfigsRequest, IncrementalAlterConfigsRequest
from kafka.protocol.metadata import ApiVersionsRequest

from holdfast.adapters.broker.brokers import Brokers
from holdfast.adapters.broker.describing import Describing
from holdfast.adapters.broker.messages.streams_group_describe import StreamsGroupDescribeRequest
from holdfast.adapters.broker.session import PASSING, refusal
from holdfast.errors import ClusterTrouble, HoldfastError
from holdfast.kafka.wire import streams_group_description as wire
from holdfast.kafka.wire.streams_group_description import DescribedGroup
from holdfast.ports import GroupConfig, GroupConfigs, ObservedGroup
from holdfast.rollout.text.format import printable

_CONFIGS_A_REQUEST = 1_000
_GROUP_SOURCE = 8
"""`ConfigSource.DYNAMIC_GROUP_CONFIG`: the value was set for the group."""
_SET, _DELETE = 0, 1
"""`AlterConfigOp.OpType`."""
_METADATA_VERSION = "metadata.version"
_CLIENT = {"client_software_name": "holdfast", "client_software_version": "0"}


def observed(group: DescribedGroup, metadata_version: int | None) -> ObservedGroup:
    return ObservedGroup(
        group.group_id, group.state, "streams", group.assignor or "", (), described=group, metadata_version=metadata_version
    )


STREAMS = Describing(
    StreamsGroupDescribeRequest,
    wire.decode_response,
    "the coordinator describes a streams group only to users with DESCRIBE on all topics of its topology (source, repartition and"
    " changelog topics)",
    observed,
)
"""Brokers describe streams groups from 4.2 on, in 4.1 where early access was turned on."""


def newest_metadata_versions(brokers: Brokers, nodes: Collection[int]) -> dict[int, int | None]:
    """The newest `metadata.version` that each broker supports, which shows its release; None: not given."""
    what = "asking a coordinator for its features"
    answers, _ = brokers.ask(what, {node: (ApiVersionsRequest(min_version=3, max_version=4, **_CLIENT),) for node in nodes})
    found: dict[int, int | None] = {}
    for node in nodes:
        features = [one for response in answers[node] for one in response.supported_features or ()]
        found[node] = next((int(one.max_version) for one in features if one.name == _METADATA_VERSION), None)
    return found


def group_configs(brokers: Brokers, group_ids: Sequence[str]) -> dict[str, GroupConfigs | HoldfastError]:
    """The configs of each group, by name; any broker knows them. Needs DESCRIBE_CONFIGS on the group."""
    what = "reading the configs of the group"
    found: dict[str, GroupConfigs | HoldfastError] = {}
    for start in range(0, len(group_ids), _CONFIGS_A_REQUEST):
        batch = group_ids[start : start + _CONFIGS_A_REQUEST]
        try:
            response = brokers.ask_any(what, _describe_configs(batch))
        except ClusterTrouble as trouble:
            found |= dict.fromkeys(batch, trouble)
            continue
        for result in response.results:
            if result.error_code:
                found[result.resource_name] = _config_trouble(what, result)
            else:
                found[result.resource_name] = tuple(
                    sorted(GroupConfig(one.name, one.value or "", one.config_source == _GROUP_SOURCE) for one in result.configs)
                )
    for group_id in group_ids:
        if group_id not in found:
            found[group_id] = ClusterTrouble(f"{what} {group_id!r}: the broker left it out of its answer")
    return found


def _describe_configs(group_ids: Sequence[str]) -> DescribeConfigsRequest:
    one = DescribeConfigsRequest.DescribeConfigsResource
    kind = ConfigResourceType.GROUP.value
    resources = [one(resource_type=kind, resource_name=group_id, configuration_keys=None) for group_id in group_ids]
    return DescribeConfigsRequest(resources=resources)


def alter_configs(brokers: Brokers, group_id: str, settings: Mapping[str, str | None]) -> None:
    """Incrementally: other configs of the group stay. Any broker hands it to the controller. Needs ALTER_CONFIGS on the group.

    Raise ClusterTrouble; it may have been done then.
    """
    what = "setting configs of the group"
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource
    configs = [
        resource.AlterableConfig(name=name, config_operation=_DELETE if value is None else _SET, value=value)
        for name, value in settings.items()
    ]
    kind = ConfigResourceType.GROUP.value
    asked = IncrementalAlterConfigsRequest(
        resources=[resource(resource_type=kind, resource_name=group_id, configs=configs)], validate_only=False
    )
    response = brokers.ask_any(what, asked)
    for result in response.responses:
        if result.error_code:
            error = kafka_errors.for_code(result.error_code)()
            refused = isinstance(error, kafka_errors.GroupAuthorizationFailedError)
            why = "not authorized: this user needs ALTER_CONFIGS on the group" if refused else refusal(error)
            said = f" ({printable(result.error_message, 300)})" if result.error_message and not refused else ""
            raise ClusterTrouble(f"{what} {group_id!r}: {why}{said}", lasting=not isinstance(error, PASSING))


def _config_trouble(what: str, result: Any) -> ClusterTrouble:
    error = kafka_errors.for_code(result.error_code)()
    refused = isinstance(error, kafka_errors.GroupAuthorizationFailedError)
    why = "not authorized: this user needs DESCRIBE_CONFIGS on the group" if refused else refusal(error)
    return ClusterTrouble(f"{what} {result.resource_name!r}: {why}", lasting=not isinstance(error, PASSING))
