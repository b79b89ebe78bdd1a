"""Spark's clusters, on machines that share nothing but the network: processes in mount namespaces of their own."""
