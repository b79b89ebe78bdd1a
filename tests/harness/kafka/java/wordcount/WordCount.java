package wordcount;

import java.io.FileInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * Counts words: subtopology 0 splits lines (stateless), subtopology 1 counts (one store, one changelog).
 *
 * <p>Arguments: properties file, input topic, store name, and the file to wait for before the client is made. The JVM can thus
 * be started early and the client later, at a moment of the test's choosing. A file beside it, with ".threads" behind its name,
 * says by how many stream threads the running client is to have more. Uses what every release from 2.6 on has, but for that.
 * With the property wordcount.in.memory=true the store is kept in memory.
 */
public final class WordCount {
    private WordCount() { }

    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        try (InputStream file = new FileInputStream(args[0])) {
            properties.load(file);
        }
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(args[1], Consumed.with(Serdes.String(), Serdes.String()))
            .flatMapValues(line -> Arrays.asList(line.trim().split("\\s+")))
            .groupBy((key, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
            .count(counts(properties, args[2]).withKeySerde(Serdes.String()).withValueSerde(Serdes.Long()));
        System.out.println("LOADED");
        await(Paths.get(args[3]));

        KafkaStreams streams = new KafkaStreams(builder.build(), properties);
        streams.setStateListener((now, before) -> System.out.println("STATE " + now));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(20))));
        streams.start();
        Path more = Paths.get(args[3] + ".threads");
        await(more);
        int threads = Integer.parseInt(new String(Files.readAllBytes(more)).trim());
        for (int one = 0; one < Math.abs(threads); one++) {
            KafkaStreams.class.getMethod(threads > 0 ? "addStreamThread" : "removeStreamThread").invoke(streams);
        }
    }

    private static Materialized<String, Long, KeyValueStore<Bytes, byte[]>> counts(Properties properties, String store) {
        return Boolean.parseBoolean(properties.getProperty("wordcount.in.memory"))
            ? Materialized.<String, Long>as(Stores.inMemoryKeyValueStore(store))
            : Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as(store);
    }

    private static void await(Path go) throws InterruptedException {
        while (!Files.exists(go)) {
            Thread.sleep(20);
        }
    }
}
