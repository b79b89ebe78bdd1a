"""The classes of Kafka that a configuration key can name, by release. Generated from the jars, not by hand:

    python -m tests.conformance.clients.record_classes

A line of `TABLE` is: type, first and last minor release, class.
"""

# ruff: noqa: E501

TABLE = """\
org.apache.kafka.clients.consumer.ConsumerPartitionAssignor 2.6 4.3 org.apache.kafka.clients.consumer.CooperativeStickyAssignor
org.apache.kafka.clients.consumer.ConsumerPartitionAssignor 2.6 4.3 org.apache.kafka.clients.consumer.RangeAssignor
org.apache.kafka.clients.consumer.ConsumerPartitionAssignor 2.6 4.3 org.apache.kafka.clients.consumer.RoundRobinAssignor
org.apache.kafka.clients.consumer.ConsumerPartitionAssignor 2.6 4.3 org.apache.kafka.clients.consumer.StickyAssignor
org.apache.kafka.clients.consumer.ConsumerPartitionAssignor 2.6 4.3 org.apache.kafka.streams.processor.internals.StreamsPartitionAssignor
org.apache.kafka.clients.producer.Partitioner 2.6 4.3 org.apache.kafka.clients.producer.RoundRobinPartitioner
org.apache.kafka.clients.producer.Partitioner 2.6 3.9 org.apache.kafka.clients.producer.UniformStickyPartitioner
org.apache.kafka.clients.producer.Partitioner 2.6 3.9 org.apache.kafka.clients.producer.internals.DefaultPartitioner
org.apache.kafka.common.metrics.MetricsReporter 2.6 4.3 org.apache.kafka.common.metrics.JmxReporter
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 2.6 4.3 org.apache.kafka.common.security.authenticator.AbstractLogin$DefaultLoginCallbackHandler
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 2.6 4.3 org.apache.kafka.common.security.authenticator.SaslClientCallbackHandler
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 2.6 4.3 org.apache.kafka.common.security.authenticator.SaslServerCallbackHandler
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 2.6 4.3 org.apache.kafka.common.security.kerberos.KerberosClientCallbackHandler
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 3.4 4.3 org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 3.4 4.3 org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 2.6 4.3 org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 2.6 4.3 org.apache.kafka.common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 2.6 4.3 org.apache.kafka.common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 3.1 3.9 org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 3.1 3.9 org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerValidatorCallbackHandler
org.apache.kafka.common.security.auth.AuthenticateCallbackHandler 2.6 4.3 org.apache.kafka.common.security.plain.internals.PlainServerCallbackHandler
org.apache.kafka.common.security.auth.Login 2.6 4.3 org.apache.kafka.common.security.authenticator.DefaultLogin
org.apache.kafka.common.security.auth.Login 2.6 4.3 org.apache.kafka.common.security.kerberos.KerberosLogin
org.apache.kafka.common.security.auth.Login 2.6 4.3 org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerRefreshingLogin
org.apache.kafka.common.security.auth.SslEngineFactory 3.7 4.3 org.apache.kafka.common.security.ssl.CommonNameLoggingSslEngineFactory
org.apache.kafka.common.security.auth.SslEngineFactory 2.6 4.3 org.apache.kafka.common.security.ssl.DefaultSslEngineFactory
org.apache.kafka.common.serialization.Deserializer 3.5 4.3 org.apache.kafka.common.serialization.BooleanDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.common.serialization.ByteArrayDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.common.serialization.ByteBufferDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.common.serialization.BytesDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.common.serialization.DoubleDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.common.serialization.FloatDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.common.serialization.IntegerDeserializer
org.apache.kafka.common.serialization.Deserializer 3.0 4.3 org.apache.kafka.common.serialization.ListDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.common.serialization.LongDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.common.serialization.ShortDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.common.serialization.StringDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.common.serialization.UUIDDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.common.serialization.VoidDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 2.8 org.apache.kafka.connect.json.JsonDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.streams.kstream.SessionWindowedDeserializer
org.apache.kafka.common.serialization.Deserializer 2.6 4.3 org.apache.kafka.streams.kstream.TimeWindowedDeserializer
org.apache.kafka.common.serialization.Serde 3.5 4.3 org.apache.kafka.common.serialization.Serdes$BooleanSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.common.serialization.Serdes$ByteArraySerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.common.serialization.Serdes$ByteBufferSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.common.serialization.Serdes$BytesSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.common.serialization.Serdes$DoubleSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.common.serialization.Serdes$FloatSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.common.serialization.Serdes$IntegerSerde
org.apache.kafka.common.serialization.Serde 3.0 4.3 org.apache.kafka.common.serialization.Serdes$ListSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.common.serialization.Serdes$LongSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.common.serialization.Serdes$ShortSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.common.serialization.Serdes$StringSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.common.serialization.Serdes$UUIDSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.common.serialization.Serdes$VoidSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.streams.kstream.WindowedSerdes$SessionWindowedSerde
org.apache.kafka.common.serialization.Serde 2.6 4.3 org.apache.kafka.streams.kstream.WindowedSerdes$TimeWindowedSerde
org.apache.kafka.common.serialization.Serializer 3.5 4.3 org.apache.kafka.common.serialization.BooleanSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.common.serialization.ByteArraySerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.common.serialization.ByteBufferSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.common.serialization.BytesSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.common.serialization.DoubleSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.common.serialization.FloatSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.common.serialization.IntegerSerializer
org.apache.kafka.common.serialization.Serializer 3.0 4.3 org.apache.kafka.common.serialization.ListSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.common.serialization.LongSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.common.serialization.ShortSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.common.serialization.StringSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.common.serialization.UUIDSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.common.serialization.VoidSerializer
org.apache.kafka.common.serialization.Serializer 2.6 2.8 org.apache.kafka.connect.json.JsonSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.streams.kstream.SessionWindowedSerializer
org.apache.kafka.common.serialization.Serializer 2.6 4.3 org.apache.kafka.streams.kstream.TimeWindowedSerializer
org.apache.kafka.streams.KafkaClientSupplier 2.6 4.3 org.apache.kafka.streams.processor.internals.DefaultKafkaClientSupplier
org.apache.kafka.streams.errors.DeserializationExceptionHandler 2.6 4.3 org.apache.kafka.streams.errors.LogAndContinueExceptionHandler
org.apache.kafka.streams.errors.DeserializationExceptionHandler 2.6 4.3 org.apache.kafka.streams.errors.LogAndFailExceptionHandler
org.apache.kafka.streams.errors.ProcessingExceptionHandler 3.9 4.3 org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler
org.apache.kafka.streams.errors.ProcessingExceptionHandler 3.9 4.3 org.apache.kafka.streams.errors.LogAndFailProcessingExceptionHandler
org.apache.kafka.streams.errors.ProductionExceptionHandler 2.6 4.3 org.apache.kafka.streams.errors.DefaultProductionExceptionHandler
org.apache.kafka.streams.processor.TimestampExtractor 2.6 4.3 org.apache.kafka.streams.processor.FailOnInvalidTimestamp
org.apache.kafka.streams.processor.TimestampExtractor 2.6 4.3 org.apache.kafka.streams.processor.LogAndSkipOnInvalidTimestamp
org.apache.kafka.streams.processor.TimestampExtractor 2.6 4.3 org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp
org.apache.kafka.streams.processor.TimestampExtractor 2.6 2.8 org.apache.kafka.streams.processor.UsePreviousTimeOnInvalidTimestamp
org.apache.kafka.streams.processor.TimestampExtractor 2.6 4.3 org.apache.kafka.streams.processor.WallclockTimestampExtractor
org.apache.kafka.streams.processor.api.ProcessorWrapper 4.0 4.3 org.apache.kafka.streams.processor.internals.NoOpProcessorWrapper
org.apache.kafka.streams.processor.assignment.TaskAssignor 3.8 4.3 org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor
org.apache.kafka.streams.state.DslStoreSuppliers 3.7 4.3 org.apache.kafka.streams.state.BuiltInDslStoreSuppliers$InMemoryDslStoreSuppliers
org.apache.kafka.streams.state.DslStoreSuppliers 3.7 4.3 org.apache.kafka.streams.state.BuiltInDslStoreSuppliers$RocksDBDslStoreSuppliers
"""
