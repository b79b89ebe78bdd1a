"""The bytes that Kafka Streams puts into JoinGroup and SyncGroup. Decoding never reads: bytes in, values out."""
