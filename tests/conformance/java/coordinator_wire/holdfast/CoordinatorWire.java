package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;

/** Messages and records a line as JSON, in the form of Kafka's own converters; answers with the bytes that the release's classes write. */
public final class CoordinatorWire {
    private static final ObjectMapper JSON = new ObjectMapper();

    private CoordinatorWire() {
    }

    public static void main(final String[] arguments) throws Exception {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final PrintStream out = new PrintStream(System.out, true, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            final JsonNode question = JSON.readTree(line);
            final Class<?> converter = Class.forName(question.get("class").asText() + "JsonConverter");
            final short version = (short) question.path("version").asInt(0);
            final Message message;
            if (question.has("bytes")) {
                final ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(question.get("bytes").asText()));
                message = (Message) Class.forName(question.get("class").asText()).getDeclaredConstructor().newInstance();
                message.read(new ByteBufferAccessor(bytes), version);
            } else {
                message = (Message) converter.getMethod("read", JsonNode.class, short.class).invoke(null, question.get("json"), version);
            }
            final ByteBuffer written = MessageUtil.toByteBufferAccessor(message, version).buffer();
            final byte[] bytes = new byte[written.remaining()];
            written.get(bytes);
            out.println(JSON.createObjectNode().put("bytes", Base64.getEncoder().encodeToString(bytes)).put("says", message.toString()));
        }
    }
}
