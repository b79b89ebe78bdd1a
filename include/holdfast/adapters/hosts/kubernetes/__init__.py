"""Hosts that are pods: addresses, a bounded client of the API server, scripts in containers, pods of a workload."""
