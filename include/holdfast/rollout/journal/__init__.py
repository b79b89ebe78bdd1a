"""Decisions about a plan and their execution: approvals, the journal, its lease and its signatures."""
