import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.spi.ToolProvider;

/** javac, many times in one JVM: a line has its arguments, tab-separated; the answer is "ok", or what javac said in base64. */
public final class Compiler {
    public static void main(String[] none) throws Exception {
        ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            var said = new StringWriter();
            var out = new PrintWriter(said, true);
            boolean done = javac.run(out, out, line.split("\t")) == 0;
            System.out.println(done ? "ok" : Base64.getEncoder().encodeToString(said.toString().getBytes(StandardCharsets.UTF_8)));
        }
    }
}
