"""Collecting Streams groups whose broker assigns (`group.protocol=streams`)."""
