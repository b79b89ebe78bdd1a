"""What was decided about a plan and what was done: approvals, the journal, its lease and its signatures."""
