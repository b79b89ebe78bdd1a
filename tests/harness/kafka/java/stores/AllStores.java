package stores;

import java.io.FileInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.Properties;
import java.util.TreeSet;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyDescription;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/**
 * One subtopology for each way to keep state: each reads a topic and puts every record into its stores.
 *
 * <p>Arguments: properties file and the prefix of the topics. Topics: {@code <prefix>disk}, {@code windows} (a window and a
 * session store, both segmented), {@code memory}, {@code both} (one store on disk, one in memory), {@code table} (with
 * topology.optimization=all it is its own changelog) and {@code global}. Prints which stores each subtopology has. Uses what every
 * release from 2.7 on has.
 */
public final class AllStores {
    private static final Duration RETENTION = Duration.ofMinutes(20);

    private AllStores() { }

    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        try (InputStream file = new FileInputStream(args[0])) {
            properties.load(file);
        }
        StreamsBuilder builder = new StreamsBuilder();
        builder.table(args[1] + "table", Consumed.with(Serdes.String(), Serdes.String()),
            Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("table"));
        builder.globalTable(args[1] + "global", Consumed.with(Serdes.String(), Serdes.String()),
            Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("global"));
        Topology topology = builder.build(properties);
        add(topology, args[1], "disk", keyValue("disk", true));
        add(topology, args[1], "windows",
            Stores.windowStoreBuilder(Stores.persistentWindowStore("windows", RETENTION, Duration.ofMinutes(1), false),
                Serdes.String(), Serdes.String()),
            Stores.sessionStoreBuilder(Stores.persistentSessionStore("sessions", RETENTION), Serdes.String(), Serdes.String()));
        add(topology, args[1], "memory", keyValue("memory", false));
        add(topology, args[1], "both", keyValue("both-disk", true), keyValue("both-memory", false));
        for (TopologyDescription.Subtopology each : topology.describe().subtopologies()) {
            TreeSet<String> stores = new TreeSet<>();
            for (TopologyDescription.Node node : each.nodes()) {
                if (node instanceof TopologyDescription.Processor) {
                    stores.addAll(((TopologyDescription.Processor) node).stores());
                }
            }
            System.out.println("SUBTOPOLOGY " + each.id() + " " + String.join(",", stores));
        }
        KafkaStreams streams = new KafkaStreams(topology, properties);
        streams.setStateListener((now, before) -> System.out.println("STATE " + now));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(20))));
        streams.start();
    }

    private static StoreBuilder<KeyValueStore<String, String>> keyValue(String name, boolean onDisk) {
        return Stores.keyValueStoreBuilder(onDisk ? Stores.persistentKeyValueStore(name) : Stores.inMemoryKeyValueStore(name),
            Serdes.String(), Serdes.String());
    }

    private static void add(Topology topology, String prefix, String name, StoreBuilder<?>... stores) {
        String[] names = new String[stores.length];
        for (int i = 0; i < stores.length; i++) {
            names[i] = stores[i].name();
        }
        topology.addSource("from-" + name, prefix + name);
        topology.addProcessor("into-" + name, () -> new Keeper(names), "from-" + name);
        for (StoreBuilder<?> each : stores) {
            topology.addStateStore(each, "into-" + name);
        }
    }

    /** Puts each record into all stores. */
    private static final class Keeper implements Processor<String, String, Void, Void> {
        private final String[] names;
        private ProcessorContext<Void, Void> context;

        Keeper(String[] names) {
            this.names = names;
        }

        @Override
        public void init(ProcessorContext<Void, Void> given) {
            context = given;
        }

        @Override
        @SuppressWarnings("unchecked")
        public void process(Record<String, String> record) {
            for (String name : names) {
                StateStore store = (StateStore) context.getStateStore(name);
                if (store instanceof WindowStore) {
                    ((WindowStore<String, String>) store).put(record.key(), record.value(), record.timestamp());
                } else if (store instanceof SessionStore) {
                    SessionWindow window = new SessionWindow(record.timestamp(), record.timestamp());
                    ((SessionStore<String, String>) store).put(new Windowed<>(record.key(), window), record.value());
                } else {
                    ((KeyValueStore<String, String>) store).put(record.key(), record.value());
                }
            }
        }
    }
}
