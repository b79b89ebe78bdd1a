package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.StreamsConfig;

/** What the leader's assignor finds around itself in its own process: settings, topology, task manager. */
final class Surroundings {
    private Surroundings() {
    }

    static Map<String, Object> of(final JsonNode group, final Broker broker) throws Exception {
        final Map<String, Object> properties = new HashMap<>();
        properties.put("application.id", "app");
        properties.put("bootstrap.servers", "127.0.0.1:1");
        properties.put("client.id", "leader");
        final Iterator<Map.Entry<String, JsonNode>> given = group.get("config").fields();
        while (given.hasNext()) {
            final Map.Entry<String, JsonNode> entry = given.next();
            properties.put(entry.getKey(), entry.getValue().asText());
        }
        final StreamsConfig config = new StreamsConfig(properties);
        final Object builder = Inside.get(Topologies.build(group.get("subtopologies")), "internalTopologyBuilder");
        final Object taskManager = Inside.bare(Inside.type(Leader.INTERNALS + "TaskManager"));
        final Object topology;
        if (Inside.field(taskManager.getClass(), "topologyMetadata") != null) {
            topology = Inside.make(Inside.type(Leader.INTERNALS + "TopologyMetadata"), builder, config);
            Inside.call(topology, "buildAndRewriteTopology");
            Inside.set(taskManager, "topologyMetadata", topology);
        } else {
            topology = builder;
            Inside.call(builder, "rewriteTopology", config);
            Inside.call(builder, "buildTopology");
            Inside.set(taskManager, "builder", builder);
        }
        Inside.set(taskManager, "mainConsumer", unused(Consumer.class));
        Inside.set(taskManager, "processId", processId(group.get("leader").asText()));
        final Object metadataState = metadataState(topology);
        if (Inside.exists(Leader.ASSIGNMENT + "ReferenceContainer")) {
            final Object container = Inside.type(Leader.ASSIGNMENT + "ReferenceContainer").getConstructor().newInstance();
            Inside.set(container, "adminClient", broker.admin());
            Inside.set(container, "mainConsumer", unused(Consumer.class));
            Inside.set(container, "taskManager", taskManager);
            Inside.set(container, "streamsMetadataState", metadataState);
            Inside.set(container, "time", Time.SYSTEM);
            properties.put("__reference.container.instance__", container);
        } else {
            properties.put("__task.manager.instance__", taskManager);
            properties.put("__streams.metadata.state.instance__", metadataState);
            properties.put("__streams.admin.client.instance__", broker.admin());
            properties.put("__assignment.error.code__", new AtomicInteger());
            properties.put("__next.probing.rebalance.ms__", new AtomicLong());
            properties.put("__time__", Time.SYSTEM);
        }
        return properties;
    }

    private static Object metadataState(final Object topology) throws Exception {
        for (final Constructor<?> constructor : Inside.type(Leader.INTERNALS + "StreamsMetadataState").getDeclaredConstructors()) {
            final Object[] values = new Object[constructor.getParameterCount()];
            for (int i = 0; i < values.length; i++) {
                final Class<?> parameter = constructor.getParameterTypes()[i];
                if (parameter.isInstance(topology)) {
                    values[i] = topology;
                } else if (parameter.getSimpleName().equals("LogContext")) {
                    values[i] = parameter.getConstructor().newInstance();
                } else {
                    values[i] = new org.apache.kafka.streams.state.HostInfo("unknown", -1);
                }
            }
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        }
        throw new IllegalStateException("StreamsMetadataState cannot be made");
    }

    static Object processId(final String text) throws Exception {
        final UUID uuid = UUID.fromString(text);
        final String publicName = "org.apache.kafka.streams.processor.assignment.ProcessId";
        return Inside.exists(publicName) ? Inside.make(Inside.type(publicName), uuid) : uuid;
    }

    static <T> T unused(final Class<T> type) {
        return type.cast(Proxy.newProxyInstance(Surroundings.class.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
            throw new UnsupportedOperationException(method.getName());
        }));
    }
}
