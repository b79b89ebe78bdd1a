"""Messages of Kafka that kafka-python has no schema for, in the form of kafka-python's own (`load_json`).

A response is not decoded by kafka-python, but kept as bytes for `holdfast.kafka.wire`, which checks everything.
"""
