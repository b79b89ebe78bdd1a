package plain;

import java.io.FileInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/** A consumer that polls until it is told to end, then closes; it says what it is handed and what it gives up. */
public final class PlainConsumer {
    private PlainConsumer() {
    }

    public static void main(final String[] arguments) throws Exception {
        final Properties properties = new Properties();
        try (InputStream file = new FileInputStream(arguments[0])) {
            properties.load(file);
        }
        final KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties);
        final Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            consumer.wakeup();
            try {
                main.join(20_000);
            } catch (final InterruptedException interrupted) {
                main.interrupt();
            }
        }));
        consumer.subscribe(Arrays.asList(arguments[1].split(",")), new Listener());
        try {
            while (true) {
                consumer.poll(Duration.ofMillis(200));
            }
        } catch (final WakeupException told) {
            System.out.println("CLOSING");
        } finally {
            consumer.close();
            System.out.println("CLOSED");
        }
    }

    private static final class Listener implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(final Collection<TopicPartition> partitions) {
            System.out.println("ASSIGNED " + System.currentTimeMillis() + " " + partitions);
        }

        @Override
        public void onPartitionsRevoked(final Collection<TopicPartition> partitions) {
            System.out.println("REVOKED " + System.currentTimeMillis() + " " + partitions);
        }
    }
}
