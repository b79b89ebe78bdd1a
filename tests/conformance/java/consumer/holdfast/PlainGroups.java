package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Reads a plain consumer group a line as JSON, and answers each with a line: what the assignor of this release gives its members. */
public final class PlainGroups {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Map<String, PlainMember> LIVING = new HashMap<>();

    private PlainGroups() {
    }

    public static void main(final String[] arguments) throws Exception {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final PrintStream out = new PrintStream(System.out, true, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            final JsonNode question = JSON.readTree(line);
            final ObjectNode answer = JSON.createObjectNode();
            try {
                if (question.get("ask").asText().equals("round")) {
                    if (question.path("first").asBoolean()) {
                        LIVING.clear();
                    }
                    new PlainLeader(question, LIVING).round(answer, LIVING);
                    out.println(JSON.writeValueAsString(answer));
                    continue;
                }
                final PlainLeader leader = new PlainLeader(question);
                switch (question.get("ask").asText()) {
                    case "assign":
                        leader.assign(answer);
                        break;
                    case "subscriptions":
                        leader.subscriptions(answer);
                        break;
                    case "time":
                        leader.time(answer);
                        break;
                    default:
                        throw new IllegalArgumentException("unknown question " + question);
                }
            } catch (final Throwable thrown) {
                Throwable cause = thrown;
                while (cause instanceof InvocationTargetException && cause.getCause() != null) {
                    cause = cause.getCause();
                }
                answer.removeAll();
                answer.put("error", cause.getClass().getSimpleName() + ": " + cause.getMessage());
                if (!(cause instanceof RuntimeException)) {
                    thrown.printStackTrace();
                }
            }
            out.println(JSON.writeValueAsString(answer));
        }
    }

    static void put(final ArrayNode list, final String topic, final int partition) {
        list.addArray().add(topic).add(partition);
    }
}
