package wordcount;

import java.util.Arrays;
import java.util.Properties;
import launcher.Launcher;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * Counts words: subtopology 0 splits lines (stateless), subtopology 1 counts (one store, one changelog).
 *
 * <p>Arguments: properties file, input topic, store name, and the file that {@link Launcher} waits for. With the property
 * wordcount.in.memory=true the store is kept in memory.
 */
public final class WordCount {
    private WordCount() { }

    public static void main(String[] args) throws Exception {
        Properties properties = Launcher.properties(args[0]);
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(args[1], Consumed.with(Serdes.String(), Serdes.String()))
            .flatMapValues(line -> Arrays.asList(line.trim().split("\\s+")))
            .groupBy((key, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
            .count(counts(properties, args[2]).withKeySerde(Serdes.String()).withValueSerde(Serdes.Long()));
        Launcher.run(builder.build(), properties, args[3]);
    }

    private static Materialized<String, Long, KeyValueStore<Bytes, byte[]>> counts(Properties properties, String store) {
        return Boolean.parseBoolean(properties.getProperty("wordcount.in.memory"))
            ? Materialized.<String, Long>as(Stores.inMemoryKeyValueStore(store))
            : Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as(store);
    }
}
