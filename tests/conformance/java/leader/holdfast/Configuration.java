package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.streams.StreamsConfig;

/** The configuration keys of this release, and what it makes of values. */
final class Configuration {
    private Configuration() {
    }

    static void keys(final ObjectNode answer) throws Exception {
        tell(answer.putObject("streams"), StreamsConfig.configDef());
        tell(answer.putObject("consumer"), definition("org.apache.kafka.clients.consumer.ConsumerConfig"));
        tell(answer.putObject("producer"), definition("org.apache.kafka.clients.producer.ProducerConfig"));
        tell(answer.putObject("admin"), definition("org.apache.kafka.clients.admin.AdminClientConfig"));
        constants(TopicConfig.class, "_CONFIG").forEach(answer.putArray("topic")::add);
        constants(StreamsConfig.InternalConfig.class, "").forEach(answer.putArray("internal")::add);
    }

    /** The values of a class's public text constants: keys that no definition lists. */
    private static Set<String> constants(final Class<?> type, final String suffix) throws IllegalAccessException {
        final Set<String> keys = new TreeSet<>();
        for (final Field field : type.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class && field.getName().endsWith(suffix)) {
                keys.add((String) field.get(null));
            }
        }
        return keys;
    }

    private static ConfigDef definition(final String type) throws Exception {
        return (ConfigDef) Class.forName(type).getMethod("configDef").invoke(null);
    }

    private static void tell(final ObjectNode answer, final ConfigDef definition) {
        for (final Map.Entry<String, ConfigDef.ConfigKey> entry : new TreeMap<>(definition.configKeys()).entrySet()) {
            final ConfigDef.ConfigKey key = entry.getValue();
            final ObjectNode told = answer.putObject(entry.getKey());
            told.put("type", key.type.toString().toLowerCase(java.util.Locale.ROOT));
            told.put("valid", key.validator == null ? "" : String.valueOf(key.validator));
            told.put("default", key.hasDefault() ? ConfigDef.convertToString(key.defaultValue, key.type) : null);
        }
    }

    /** What Streams hands each of its clients, with that client's own default for what it does not say. */
    static void clients(final JsonNode question, final ObjectNode answer) throws Exception {
        final StreamsConfig config = new StreamsConfig(properties(question));
        final ConfigDef consumer = definition("org.apache.kafka.clients.consumer.ConsumerConfig");
        final ConfigDef producer = definition("org.apache.kafka.clients.producer.ProducerConfig");
        final ConfigDef admin = definition("org.apache.kafka.clients.admin.AdminClientConfig");
        handed(answer.putObject("streams"), question, StreamsConfig.configDef(), config.values());
        handed(answer.putObject("main"), question, consumer, config.getMainConsumerConfigs("app", "c", 0));
        handed(answer.putObject("restore"), question, consumer, config.getRestoreConsumerConfigs("c"));
        handed(answer.putObject("global"), question, consumer, config.getGlobalConsumerConfigs("c"));
        handed(answer.putObject("producer"), question, producer, config.getProducerConfigs("c"));
        handed(answer.putObject("admin"), question, admin, config.getAdminConfigs("c"));
        handed(answer.putObject("consumer"), question, consumer, new HashMap<>());
    }

    private static void handed(
        final ObjectNode answer, final JsonNode question, final ConfigDef definition, final Map<String, ?> given) {
        for (final JsonNode asked : question.get("keys")) {
            final ConfigDef.ConfigKey key = definition.configKeys().get(asked.asText());
            if (key != null) {
                final Object value = given.containsKey(key.name) ? given.get(key.name) : key.hasDefault() ? key.defaultValue : null;
                answer.put(key.name, value instanceof java.util.List ? ConfigDef.convertToString(value, key.type) : String.valueOf(value));
            }
        }
    }

    static void parse(final JsonNode question, final ObjectNode answer) {
        final Map<String, ?> values = new StreamsConfig(properties(question)).values();
        for (final JsonNode key : question.get("keys")) {
            answer.put(key.asText(), String.valueOf(values.get(key.asText())));
        }
    }

    private static Map<String, Object> properties(final JsonNode question) {
        final Map<String, Object> properties = new HashMap<>();
        properties.put("application.id", "app");
        properties.put("bootstrap.servers", "127.0.0.1:1");
        final Iterator<Map.Entry<String, JsonNode>> given = question.get("config").fields();
        while (given.hasNext()) {
            final Map.Entry<String, JsonNode> entry = given.next();
            properties.put(entry.getKey(), entry.getValue().asText());
        }
        return properties;
    }
}
