package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;

/** Reads a group a line as JSON, and answers each with a line: the target that the coordinator of this release gives it. Its argument: by which class. */
public final class Coordinator {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Coordinator() {
    }

    public static void main(final String[] arguments) throws Exception {
        final TargetAssignor assignor = (TargetAssignor) Class.forName("holdfast." + arguments[0]).getDeclaredConstructor().newInstance();
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final PrintStream out = new PrintStream(System.out, true, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            final JsonNode question = JSON.readTree(line);
            final ObjectNode answer = JSON.createObjectNode();
            try {
                if (question.get("ask").asText().equals("time")) {
                    time(assignor, question, answer.putArray("milliseconds"));
                } else {
                    assignor.read(question);
                    assignor.assign();
                    assignor.write(answer);
                }
            } catch (final RuntimeException thrown) {
                answer.removeAll();
                answer.put("error", thrown.getClass().getSimpleName() + ": " + thrown.getMessage());
            }
            out.println(JSON.writeValueAsString(answer));
        }
    }

    /** Time of the processor, not of the clock: what else the machine does is not counted. */
    private static void time(final TargetAssignor assignor, final JsonNode question, final ArrayNode times) {
        final ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
        for (int run = -question.get("warm").asInt(); run < question.get("runs").asInt(); run++) {
            assignor.read(question);
            final long start = cpu.getCurrentThreadCpuTime();
            assignor.assign();
            if (run >= 0) {
                times.add((cpu.getCurrentThreadCpuTime() - start) / 1e6);
            }
        }
    }
}
