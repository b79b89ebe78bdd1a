"""Clusters for tests: a contract server that is held to a real kube-apiserver, and the kubelet behind both."""
