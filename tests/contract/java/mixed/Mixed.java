package mixed;

import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Materialized;

/**
 * Five subtopologies of one size, in this order: a store on its source (0), a table whose source is its changelog (1), no store (2), and
 * a store behind a repartition (3, 4). Arguments: bootstrap servers, application ID, state directory.
 */
public final class Mixed {
    public static void main(final String[] arguments) throws InterruptedException {
        final Properties settings = new Properties();
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[1]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[2]);
        settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, "1");
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, "500");
        settings.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, StreamsConfig.OPTIMIZE);
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class.getName());
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class.getName());
        settings.put("auto.offset.reset", "earliest");
        settings.put("session.timeout.ms", "10000");
        final StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("mixed-in").groupByKey().count(Materialized.as("direct"));
        builder.<String, String>table("mixed-table", Materialized.as("table"));
        builder.<String, String>stream("mixed-through").to("mixed-out");
        builder.<String, String>stream("mixed-keyed").selectKey((key, value) -> value).groupByKey().count(Materialized.as("again"));
        final KafkaStreams streams = new KafkaStreams(builder.build(settings), settings);
        final CountDownLatch end = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
        end.await();
    }
}
