package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Proxy;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.Stores;

/** A topology with exactly these subtopologies: sources with their topics and, where there are stores, a processor that has them. */
final class Topologies {
    private static final String PUBLIC = "org.apache.kafka.streams.processor.api.";
    private static final String OLD = "org.apache.kafka.streams.processor.";

    private Topologies() {
    }

    static Topology build(final JsonNode subtopologies) throws Exception {
        final Topology topology = new Topology();
        int number = 0;
        for (final JsonNode subtopology : subtopologies) {
            // Kafka numbers subtopologies by the sorted names of their sources.
            final String source = String.format("source-%05d", number);
            final JsonNode topics = subtopology.get("sources");
            final String[] names = new String[topics.size()];
            for (int i = 0; i < names.length; i++) {
                names[i] = topics.get(i).get(0).asText();
            }
            topology.addSource(source, names);
            if (subtopology.get("stores").size() > 0) {
                addProcessor(topology, "processor-" + number, source);
                for (final JsonNode store : subtopology.get("stores")) {
                    topology.addStateStore(
                        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(store.asText()), Serdes.String(), Serdes.String()),
                        "processor-" + number);
                }
            }
            number++;
        }
        return topology;
    }

    private static void addProcessor(final Topology topology, final String name, final String parent) throws Exception {
        final String home = Inside.exists(PUBLIC + "ProcessorSupplier") ? PUBLIC : OLD;
        final Class<?> supplierType = Class.forName(home + "ProcessorSupplier");
        final Class<?> processorType = Class.forName(home + "Processor");
        final ClassLoader loader = Topologies.class.getClassLoader();
        final Object supplier = Proxy.newProxyInstance(loader, new Class<?>[] {supplierType}, (self, method, arguments) ->
            method.getName().equals("get")
                ? Proxy.newProxyInstance(loader, new Class<?>[] {processorType}, (processor, called, given) -> null)
                : null);
        Topology.class.getMethod("addProcessor", String.class, supplierType, String[].class)
            .invoke(topology, name, supplier, new String[] {parent});
    }
}
