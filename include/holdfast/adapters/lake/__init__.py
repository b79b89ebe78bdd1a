"""The lake: files by fsspec, tables by PyArrow."""
