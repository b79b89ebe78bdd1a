"""What an application prints of its topology. `tests/conformance/clients/test_described_topology.py` reads what the JVM prints."""

import pytest

from holdfast.errors import InvalidInput
from holdfast.kafka.topology_description import LONGEST, Described, read

TEXT = """Topologies:
   Sub-topology: 0
    Source: KSTREAM-SOURCE-0000000004 (topics: [in, more])
      --> KSTREAM-JOIN-0000000007
    Processor: KSTREAM-JOIN-0000000007 (stores: [prices])
      --> counted
      <-- KSTREAM-SOURCE-0000000004
    Source: KSTREAM-SOURCE-0000000005 (topics: [prices-in])
      --> KTABLE-SOURCE-0000000006
    Processor: KTABLE-SOURCE-0000000006 (stores: [prices])
      --> none
      <-- KSTREAM-SOURCE-0000000005
    Source: KSTREAM-SOURCE-0000000008 (topics: [days])
      --> KSTREAM-AGGREGATE-0000000009
    Processor: KSTREAM-AGGREGATE-0000000009 (stores: [sums])
      --> none
      <-- KSTREAM-SOURCE-0000000008
    Sink: counted (topic: counts-repartition)
      <-- KSTREAM-JOIN-0000000007

  Sub-topology: 1 for global store (will not generate tasks)
    Source: KSTREAM-SOURCE-0000000010 (topics: [all])
      --> KTABLE-SOURCE-0000000011
    Processor: KTABLE-SOURCE-0000000011 (stores: [everything])
      --> none
      <-- KSTREAM-SOURCE-0000000010

  Sub-topology: 2
    Source: customers-source (topics: [customers-in])
      --> customers
    Source: late (topics: in-.*)
      --> totals
    Processor: customers (stores: [customers])
      --> none
      <-- customers-source
    Processor: totals (stores: [days, totals])
      --> dynamic
      <-- late
    Sink: dynamic (extractor class: Extractor@5e91)
      <-- totals
"""


def test_stores_and_what_they_are_the_tables_of() -> None:
    """A store that another node reads is that of the table all the same; an aggregate directly behind a source is none."""
    assert read(TEXT) == (
        Described(0, ("days", "in", "more", "prices-in"), (("prices", "prices-in"), ("sums", None))),
        Described(2, None, (("customers", "customers-in"), ("days", None), ("totals", None))),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no subtopology was found.*Topology.describe"),
        ('{"subtopologies": []}', "no subtopology was found"),
        ("    Source: a (topics: [in])", "line 1: a node before the first subtopology"),
        ("Sub-topology: 0\nSub-topology: 0", "is there twice"),
        ("x" * (LONGEST + 1), "characters"),
    ],
)
def test_what_is_none_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=f"--topology: .*{problem}|{problem}"):
        read(text)
