"""What an operator's change will do to a group, what it costs, and which option is best. Pure: no I/O, no clock, no randomness.

The rules of this package: pure functions over frozen values; no I/O, no clock (time is an argument), no chance. It imports
`holdfast.kafka` and the standard library only, so that it travels to any Spark executor. Folders
are nouns; `json.py` and `schema.py` are next to each noun. `pyproject.toml` says which folder may import which.
"""
