package state_files;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.internals.StateDirectory;

/**
 * Starts of a client, as far as its state directory goes, {@code <args[1]>} times in {@code <args[0]>}, while somebody writes there.
 * Each holds Kafka's own lock for up to a millisecond; every other one deletes the file before it lets go. Prints what came of it.
 */
public final class Starts {
    private Starts() { }

    public static void main(String[] args) throws Exception {
        File stateDir = new File(args[0]);
        File file = new File(new File(stateDir, "app"), "kafka-streams-process-metadata");
        Random chance = new Random(7);
        int locked = 0;
        int changed = 0;
        int alive = 0;
        List<StateDirectory> refused = new ArrayList<>();
        for (int round = 0; round < Integer.parseInt(args[1]); round++) {
            StateDirectory directory = StateFiles.directory(stateDir);
            UUID found;
            try {
                found = (UUID) StateDirectory.class.getMethod("initializeProcessId").invoke(directory);
            } catch (java.lang.reflect.InvocationTargetException failure) {
                if (!(failure.getCause() instanceof StreamsException) || !failure.getCause().getMessage().contains("multiple instances")) {
                    throw failure;
                }
                locked++;
                // It has no lock to let go, but its channel is still open. Collected as garbage, that channel would be closed, and
                // closing it drops every record lock that this process has on the file: the next client's too. A client that is
                // refused ends with its process; here it is kept.
                refused.add(directory);
                continue;
            }
            alive++;
            LockSupport.parkNanos(chance.nextInt(1_000_000));
            String content = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
            if (!content.contains(found.toString())) {
                changed++;
                System.err.println("started as " + found + ", and then the file was " + content);
            }
            if (round % 2 == 0) {
                Files.delete(file.toPath());
            }
            directory.close();
            LockSupport.parkNanos(chance.nextInt(1_000_000));
        }
        System.out.println(alive + " " + locked + " " + changed);
    }
}
