"""Files of a state directory: what they say, and what is made of broken ones."""

import pytest

from holdfast.errors import MalformedBytes
from holdfast.kafka.state_dir import parse_checkpoint, parse_process_metadata, raw_offset_sum, render_process_metadata
from holdfast.kafka.vocabulary import ProcessId, TopicPartition

A = ProcessId.parse("4b61083e-57d0-457d-951f-d06556c148ca")


class TestProcessMetadata:
    def test_is_written_as_kafka_writes_it(self) -> None:
        assert render_process_metadata(A) == b'{"processId":"4b61083e-57d0-457d-951f-d06556c148ca"}'
        assert parse_process_metadata(render_process_metadata(A)) == A

    @pytest.mark.parametrize(
        "text",
        [
            '{"later": [1, {"x": null}], "processId": "4b61083e-57d0-457d-951f-d06556c148ca"}',
            '\n {"processId": "4B61083E-57D0-457D-951F-D06556C148CA"} trailing',
            '{"processId": null, "processId": "4b61083e-57d0-457d-951f-d06556c148ca"}',
            '{"processId": "S2EIPlfQRX2VH9BlVsFIyg=="}',
        ],
    )
    def test_is_read_as_leniently_as_jackson_reads_it(self, text: str) -> None:
        assert parse_process_metadata(text.encode()) == A

    @pytest.mark.parametrize("text", ["{}", '{"processId": null}', '{"processID": "4b61083e-57d0-457d-951f-d06556c148ca"}'])
    def test_without_an_id_there_is_none(self, text: str) -> None:
        assert parse_process_metadata(text.encode()) is None

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"4b61083e-57d0-457d-951f-d06556c148ca",
            b"[]",
            b'{"processId": 7}',
            b'{"processId": "nonsense", "processId": "4b61083e-57d0-457d-951f-d06556c148ca"}',
            b'{"processId": "4b61083e"}',
            b'{"processId": "4b61083e57d0457d951fd06556c148ca"}',
            b'{"processId": "!!!!!!!!!!!!!!!!!!!!!!!!"}',
            b'{"a": NaN}',
            b"\xff\xfe",
            b"[" * 100_000,
        ],
    )
    def test_a_broken_file_is_said_to_bring_a_new_id(self, data: bytes) -> None:
        with pytest.raises(MalformedBytes, match="new process ID"):
            parse_process_metadata(data)


class TestCheckpoint:
    def test_is_read_in_its_order_and_summed_as_it_stands(self) -> None:
        offsets = parse_checkpoint(b"0\n3\nz-changelog 1 7\na-changelog 1 5\nb-changelog 1 -4\n")
        assert offsets == (
            (TopicPartition("z-changelog", 1), 7),
            (TopicPartition("a-changelog", 1), 5),
            (TopicPartition("b-changelog", 1), -4),
        )
        assert raw_offset_sum(offsets) == 12

    def test_other_negative_offsets_are_left_out_and_not_counted(self) -> None:
        assert parse_checkpoint(b"0\r\n2\r\na 0 -1\r\nb\t 0 5 \r\n") == ((TopicPartition("b", 0), 5),)

    def test_a_sum_is_pinned_as_java_pins_it(self) -> None:
        largest = 2**63 - 1
        assert raw_offset_sum(parse_checkpoint(f"0\n2\na 0 {largest}\nb 0 {largest}\n".encode())) == largest

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "second line"),
            ("0\n", "second line"),
            ("0\n1\n", "announces 1 entries and has 0"),
            ("0\n2\na 0 1\na 0 2\n", "announces 2 entries and has 1"),
            ("0\n1\na 0\n", "'a 0'"),
            ("0\n1\n a 0 1\n", "' a 0 1'"),
            ("0\n1\na 0 1\n\n", "line ''"),
            ("1\n0\n", "version 1"),
            ("x\n0\n", "not a number"),
            ("0\n1\na 0 9223372036854775808\n", "not a number"),
            ("0\n1\na 2147483648 1\n", "not a number"),
        ],
    )
    def test_a_broken_file_says_what_kafka_would_do(self, text: str, said: str) -> None:
        with pytest.raises(MalformedBytes, match=said):
            parse_checkpoint(text.encode())
