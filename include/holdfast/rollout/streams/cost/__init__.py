"""What a forecast costs: tasks moved, records, bytes, downtime, effort."""
