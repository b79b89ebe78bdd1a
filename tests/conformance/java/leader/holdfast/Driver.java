package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Reads a question a line as JSON, and answers each with a line: what the classes of the Kafka release on the class path do. */
public final class Driver {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Driver() {
    }

    public static void main(final String[] arguments) throws Exception {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final PrintStream out = new PrintStream(System.out, true, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            final JsonNode question = JSON.readTree(line);
            final ObjectNode answer = JSON.createObjectNode();
            try {
                ask(question, answer);
            } catch (final Throwable thrown) {
                answer.removeAll();
                final Throwable cause = Inside.cause(thrown);
                answer.put("error", cause.getClass().getSimpleName() + ": " + cause.getMessage());
                if (!(cause instanceof RuntimeException)) {
                    thrown.printStackTrace();
                }
            }
            out.println(JSON.writeValueAsString(answer));
        }
    }

    private static void ask(final JsonNode question, final ObjectNode answer) throws Exception {
        switch (question.get("ask").asText()) {
            case "assign":
                new Leader(question).assign(answer);
                return;
            case "time":
                new Leader(question).time(answer);
                return;
            case "java":
                JavaItself.answer(question, answer);
                return;
            case "config keys":
                Configuration.keys(answer);
                return;
            case "client configs":
                Configuration.clients(question, answer);
                return;
            case "classes":
                Classes.of(question, answer);
                return;
            case "config":
                Configuration.parse(question, answer);
                return;
            default:
                throw new IllegalArgumentException("unknown question " + question);
        }
    }
}
