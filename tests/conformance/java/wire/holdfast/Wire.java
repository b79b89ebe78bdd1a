package holdfast;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.streams.processor.internals.assignment.AssignmentInfo;
import org.apache.kafka.streams.processor.internals.assignment.SubscriptionInfo;
import org.apache.kafka.streams.state.internals.OffsetCheckpoint;

/**
 * Lines "KIND HEX" in; for each, what this release of Kafka reads in these bytes: named fields as JSON, and under "again" the bytes
 * that it writes for what it has read. Maps are sorted by their keys' text. What the release throws is {"error": class}.
 */
public final class Wire {
    /** Half of a surrogate pair comes through as such. */
    private static final ObjectMapper JSON = new ObjectMapper().configure(JsonGenerator.Feature.ESCAPE_NON_ASCII, true);

    public static void main(final String[] arguments) throws Exception {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        final PrintStream out = new PrintStream(System.out, true, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            final Map<String, Object> answer = new TreeMap<>();
            try {
                read(line.substring(0, 1), bytes(line.substring(2)), answer);
            } catch (final Throwable thrown) {
                answer.clear();
                answer.put("error", thrown.getClass().getSimpleName());
            }
            out.println(JSON.writeValueAsString(answer));
        }
    }

    private static void read(final String kind, final byte[] data, final Map<String, Object> answer) throws Throwable {
        switch (kind) {
            case "S":
                final SubscriptionInfo subscription = SubscriptionInfo.decode(ByteBuffer.wrap(data));
                note(answer, subscription, "version", "latestSupportedVersion", "processId", "userEndPoint", "taskOffsetSums",
                    "errorCode", "clientTags");
                answer.put("again", hex(subscription.encode()));
                break;
            case "A":
                final AssignmentInfo assignment = AssignmentInfo.decode(ByteBuffer.wrap(data));
                note(answer, assignment, "version", "commonlySupportedVersion", "activeTasks", "standbyTasks", "partitionsByHost",
                    "standbyPartitionByHost", "errCode", "nextRebalanceMs");
                answer.put("again", hex(assignment.encode()));
                break;
            case "E":
                final ConsumerPartitionAssignor.Subscription joined = ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(data));
                note(answer, joined, "topics", "userData", "ownedPartitions", "generationId", "rackId");
                answer.put("again", written("serializeSubscription", joined, data));
                break;
            case "C":
                final ConsumerPartitionAssignor.Assignment handed = ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(data));
                note(answer, handed, "partitions", "userData");
                answer.put("again", written("serializeAssignment", handed, data));
                break;
            case "K":
                final File checkpoint = File.createTempFile("wire", ".checkpoint");
                Files.write(checkpoint.toPath(), data);
                try {
                    answer.put("offsets", text(new OffsetCheckpoint(checkpoint).read()));
                } finally {
                    checkpoint.delete();
                }
                break;
            case "P":
                final Class<?> file = Class.forName("org.apache.kafka.streams.processor.internals.StateDirectory$StateDirectoryProcessFile");
                final Field processId = file.getDeclaredField("processId");
                processId.setAccessible(true);
                answer.put("processId", text(processId.get(new ObjectMapper().readValue(data, file))));
                break;
            default:
                throw new IllegalArgumentException(kind);
        }
    }

    /** The envelope, written in the version that it was read in, or the newest that this release has. */
    private static String written(final String serializer, final Object value, final byte[] data) throws Throwable {
        final ByteBuffer read = ByteBuffer.wrap(data);
        final short version = read.getShort();
        for (final Method method : ConsumerProtocol.class.getDeclaredMethods()) {
            if (method.getName().equals(serializer) && method.getParameterCount() == 2 && method.getParameterTypes()[0].isInstance(value)) {
                method.setAccessible(true);
                try {
                    return hex((ByteBuffer) method.invoke(null, value, version));
                } catch (final InvocationTargetException thrown) {
                    throw thrown.getCause();
                }
            }
        }
        throw new IllegalStateException(serializer);
    }

    /** The named methods that this release has. */
    private static void note(final Map<String, Object> answer, final Object value, final String... names) throws Throwable {
        for (final String name : names) {
            for (final Method method : value.getClass().getDeclaredMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == 0) {
                    method.setAccessible(true);
                    try {
                        answer.put(name, text(method.invoke(value)));
                    } catch (final InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }
            }
        }
    }

    private static Object text(final Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof Optional) {
            return ((Optional<?>) value).map(Wire::text).orElse(null);
        }
        if (value instanceof ByteBuffer) {
            return hex(((ByteBuffer) value).duplicate());
        }
        if (value instanceof Map) {
            final Map<String, Object> sorted = new TreeMap<>();
            ((Map<?, ?>) value).forEach((key, each) -> sorted.put(key.toString(), text(each)));
            return sorted;
        }
        if (value instanceof Collection) {
            final List<Object> all = new ArrayList<>();
            ((Collection<?>) value).forEach(each -> all.add(text(each)));
            return all;
        }
        return value instanceof Number ? value : value.toString();
    }

    private static byte[] bytes(final String hex) {
        final byte[] data = new byte[hex.length() / 2];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        }
        return data;
    }

    private static String hex(final ByteBuffer buffer) {
        final StringBuilder text = new StringBuilder();
        while (buffer.hasRemaining()) {
            text.append(String.format("%02x", buffer.get()));
        }
        return text.toString();
    }
}
