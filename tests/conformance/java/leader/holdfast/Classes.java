package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** The classes of this release that it could create as the value of a configuration key. */
final class Classes {
    private static final String SUFFIX = ".class";

    private Classes() {
    }

    /** For each type that is asked for, the classes of Kafka that are of it, public, and can be made without arguments. */
    static void of(final JsonNode question, final ObjectNode answer) throws Exception {
        final List<Class<?>> made = new ArrayList<>();
        for (final String jar : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (jar.endsWith(".jar")) {
                add(jar, made);
            }
        }
        for (final JsonNode name : question.get("types")) {
            final ArrayNode found = answer.putArray(name.asText());
            final Class<?> type = known(name.asText());
            made.stream().filter(one -> type != null && type.isAssignableFrom(one)).map(Class::getName).sorted().forEach(found::add);
        }
    }

    private static void add(final String jar, final List<Class<?>> made) throws Exception {
        try (JarFile file = new JarFile(jar)) {
            for (final Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements();) {
                final String path = entries.nextElement().getName();
                if (path.startsWith("org/apache/kafka/") && path.endsWith(SUFFIX)) {
                    final Class<?> one = known(path.substring(0, path.length() - SUFFIX.length()).replace('/', '.'));
                    if (one != null && isMade(one)) {
                        made.add(one);
                    }
                }
            }
        }
    }

    /** Null: it is not there, or what it needs is not. */
    private static Class<?> known(final String name) {
        try {
            return Class.forName(name, false, Classes.class.getClassLoader());
        } catch (final ClassNotFoundException | LinkageError missing) {
            return null;
        }
    }

    private static boolean isMade(final Class<?> one) {
        if (one.isInterface() || Modifier.isAbstract(one.getModifiers()) || !Modifier.isPublic(one.getModifiers())) {
            return false;
        }
        try {
            one.getConstructor();
            return true;
        } catch (final NoSuchMethodException none) {
            return false;
        } catch (final LinkageError missing) { // another of its constructors takes what an optional library has
            return true;
        }
    }
}
