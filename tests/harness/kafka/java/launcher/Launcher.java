package launcher;

import java.io.FileInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;

/**
 * Runs a topology as a client that is made at a moment of the test's choosing: its JVM can be started early.
 *
 * <p>The file to wait for says when; one beside it, with ".threads" behind its name, says by how many stream threads the running
 * client is to have more. Uses what every release from 2.6 on has, but for that.
 */
public final class Launcher {
    private Launcher() { }

    public static Properties properties(String file) throws Exception {
        Properties properties = new Properties();
        try (InputStream stream = new FileInputStream(file)) {
            properties.load(stream);
        }
        return properties;
    }

    public static void run(Topology topology, Properties properties, String go) throws Exception {
        System.out.println("LOADED");
        await(Paths.get(go));
        KafkaStreams streams = new KafkaStreams(topology, properties);
        streams.setStateListener((now, before) -> System.out.println("STATE " + now));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(20))));
        streams.start();
        Path more = Paths.get(go + ".threads");
        await(more);
        int threads = Integer.parseInt(new String(Files.readAllBytes(more)).trim());
        for (int one = 0; one < Math.abs(threads); one++) {
            KafkaStreams.class.getMethod(threads > 0 ? "addStreamThread" : "removeStreamThread").invoke(streams);
        }
    }

    private static void await(Path go) throws InterruptedException {
        while (!Files.exists(go)) {
            Thread.sleep(20);
        }
    }
}
