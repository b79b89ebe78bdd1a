package drawn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import launcher.Launcher;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * Builds the topology that a JSON text describes: a list of parts, {@code [{"kind": "count", "name": "a", "store": "disk"}, …]}.
 *
 * <p>Arguments: properties file, JSON, and the file that {@link Launcher} waits for; "-": its
 * description is printed, and nothing runs. It is also written next to the properties. A part reads the topic
 * {@code <prefix><name>}, one that joins also {@code <prefix><name>-other}; the prefix is the property {@code drawn.prefix}. What
 * was renamed between releases is looked up by its names, so that the same source serves every release from 2.7 on. Keys and
 * values are strings, as the default serdes say.
 */
public final class Drawn {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private Drawn() { }

    public static void main(String[] args) throws Exception {
        Properties properties = Launcher.properties(args[0]);
        StreamsBuilder builder = new StreamsBuilder();
        for (JsonNode part : new ObjectMapper().readTree(args[1])) {
            add(builder, properties.getProperty("drawn.prefix") + part.get("name").asText(), part);
        }
        Topology topology = builder.build(properties);
        if (args[2].equals("-")) {
            System.out.print(topology.describe());
            return;
        }
        Files.write(Paths.get(args[0] + ".topology"), topology.describe().toString().getBytes(StandardCharsets.UTF_8));
        Launcher.run(topology, properties, args[2]);
    }

    private static void add(StreamsBuilder builder, String topic, JsonNode part) throws Exception {
        String name = part.get("name").asText();
        switch (part.get("kind").asText()) {
            case "count":
                grouped(builder, topic).count(longs(part));
                break;
            case "two-topics":
                builder.<String, String>stream(Arrays.asList(topic, topic + "-other")).groupByKey().count(longs(part));
                break;
            case "recount":
                builder.<String, String>stream(topic).groupBy((key, value) -> value, Grouped.<String, String>as(name)).count(longs(part));
                break;
            case "windows":
                grouped(builder, topic).windowedBy(made(TimeWindows.class, "ofSizeWithNoGrace", "of")).count(Materialized.as(name));
                break;
            case "sessions":
                grouped(builder, topic).windowedBy(made(SessionWindows.class, "ofInactivityGapWithNoGrace", "with"))
                    .count(Materialized.as(name));
                break;
            case "stream-join":
                builder.<String, String>stream(topic).join(builder.<String, String>stream(topic + "-other"), (one, other) -> one + other,
                    made(JoinWindows.class, "ofTimeDifferenceWithNoGrace", "of"),
                    StreamJoined.<String, String, String>as(name).withStoreName(name));
                break;
            case "table":
                builder.table(topic, texts(name));
                break;
            case "table-join":
                table(builder, topic, name).join(table(builder, topic + "-other", name + "-other"), (one, other) -> one + other,
                    texts(name + "-joined"));
                break;
            case "foreign-key":
                table(builder, topic, name).join(table(builder, topic + "-other", name + "-other"), value -> value,
                    (one, other) -> one + other, texts(name + "-joined"));
                break;
            case "stream-table":
                builder.<String, String>stream(topic).join(table(builder, topic + "-other", name), (one, other) -> one + other)
                    .foreach((key, value) -> { });
                break;
            case "suppressed":
                grouped(builder, topic).count(longs(part))
                    .suppress(Suppressed.untilTimeLimit(MINUTE, Suppressed.BufferConfig.unbounded()).withName(name + "-later"))
                    .toStream().foreach((key, value) -> { });
                break;
            case "global":
                builder.<String, String>stream(topic).join(builder.globalTable(topic + "-other", texts(name)),
                    (key, value) -> key, (one, other) -> one + other).foreach((key, value) -> { });
                break;
            case "stateless":
                builder.<String, String>stream(topic).foreach((key, value) -> { });
                break;
            default:
                throw new IllegalArgumentException("unknown part: " + part);
        }
    }

    private static KGroupedStream<String, String> grouped(StreamsBuilder builder, String topic) {
        return builder.<String, String>stream(topic).groupByKey();
    }

    private static KTable<String, String> table(StreamsBuilder builder, String topic, String store) {
        return builder.table(topic, texts(store));
    }

    private static Materialized<String, String, KeyValueStore<Bytes, byte[]>> texts(String store) {
        return Materialized.as(store);
    }

    /** "store": "disk", "memory", or "unlogged" (on disk, without a changelog). */
    private static Materialized<String, Long, KeyValueStore<Bytes, byte[]>> longs(JsonNode part) {
        String name = part.get("name").asText();
        String store = part.path("store").asText("disk");
        Materialized<String, Long, KeyValueStore<Bytes, byte[]>> found = store.equals("memory")
            ? Materialized.<String, Long>as(Stores.inMemoryKeyValueStore(name))
            : Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as(name);
        found.withValueSerde(Serdes.Long());
        return store.equals("unlogged") ? found.withLoggingDisabled() : found;
    }

    /** Windows of a minute, by the first of these methods that the release has. */
    @SuppressWarnings("unchecked")
    private static <T> T made(Class<T> kind, String... names) throws Exception {
        for (String name : names) {
            try {
                return (T) kind.getMethod(name, Duration.class).invoke(null, MINUTE);
            } catch (NoSuchMethodException olderOrNewer) {
                continue;
            }
        }
        throw new NoSuchMethodException(kind.getName());
    }
}
