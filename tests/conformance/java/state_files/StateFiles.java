package state_files;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.internals.StateDirectory;
import org.apache.kafka.streams.state.internals.OffsetCheckpoint;

/**
 * What Kafka Streams itself makes of files: {@code <args[0]>/*} are checkpoint files, {@code <args[1]>/*} are state.dirs of the
 * application "app", each with process metadata. A line each: name, and what came of it.
 */
public final class StateFiles {
    private StateFiles() { }

    public static void main(String[] args) throws Exception {
        for (File file : sorted(new File(args[0]))) {
            System.out.println("checkpoint\t" + file.getName() + "\t" + checkpoint(file));
        }
        for (File folder : sorted(new File(args[1]))) {
            System.out.println("process\t" + folder.getName() + "\t" + processId(folder));
        }
    }

    private static File[] sorted(File folder) {
        File[] files = folder.listFiles();
        Arrays.sort(files);
        return files;
    }

    private static String checkpoint(File file) {
        Map<String, Long> entries = new TreeMap<>();
        try {
            for (Map.Entry<TopicPartition, Long> each : new OffsetCheckpoint(file).read().entrySet()) {
                byte[] topic = each.getKey().topic().getBytes(StandardCharsets.UTF_8);
                entries.put(Base64.getEncoder().encodeToString(topic) + ":" + each.getKey().partition(), each.getValue());
            }
        } catch (IOException problem) {
            return "not reported";
        } catch (RuntimeException problem) {
            return "fails";
        }
        return "read\t" + entries;
    }

    static StateDirectory directory(File stateDir) throws Exception {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "app");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
        properties.put(StreamsConfig.STATE_DIR_CONFIG, stateDir.getPath());
        Constructor<?> made = StateDirectory.class.getConstructors()[0];
        Object[] given = new Object[made.getParameterCount()];
        Arrays.fill(given, Boolean.FALSE);
        given[0] = new StreamsConfig(properties);
        given[1] = Time.SYSTEM;
        given[2] = Boolean.TRUE; // it has persistent stores
        return (StateDirectory) made.newInstance(given);
    }

    private static String processId(File stateDir) throws Exception {
        StateDirectory directory = directory(stateDir);
        Method initialize = StateDirectory.class.getMethod("initializeProcessId");
        try {
            return String.valueOf(initialize.invoke(directory));
        } finally {
            directory.close();
        }
    }
}
