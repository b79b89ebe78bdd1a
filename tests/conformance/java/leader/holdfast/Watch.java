package holdfast;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

/** Stands between the leader and its task assignor, changes nothing, and remembers what was given to clients. */
final class Watch {
    private static final String PUBLIC = "org.apache.kafka.streams.processor.assignment.";

    private final boolean insteadFallback;
    private final Map<String, Object> clientStates = new TreeMap<>();
    private final Map<String, List<Set<String>>> decided = new TreeMap<>();
    private Boolean probing = null;

    /** With `insteadFallback` the leader asks a FallbackPriorTaskAssignor, whatever is configured. */
    Watch(final boolean insteadFallback) {
        this.insteadFallback = insteadFallback;
    }

    boolean sawNothing() {
        return decided.isEmpty();
    }

    void listen(final Object assignor) throws Exception {
        final String name = Inside.field(assignor.getClass(), "legacyTaskAssignorSupplier") == null
            ? "taskAssignorSupplier" : "legacyTaskAssignorSupplier";
        final Supplier<?> original = (Supplier<?>) Inside.get(assignor, name);
        final Supplier<Object> listening = () -> watched(original);
        Inside.set(assignor, name, listening);
        if (Inside.field(assignor.getClass(), "customTaskAssignorSupplier") != null) {
            final Supplier<?> custom = (Supplier<?>) Inside.get(assignor, "customTaskAssignorSupplier");
            final Supplier<Object> listeningToo = () -> ((Optional<?>) custom.get()).map(Watch.this::watchedPublic);
            Inside.set(assignor, "customTaskAssignorSupplier", listeningToo);
        }
    }

    /** A StickyTaskAssignor stays one: the leader asks what it is. */
    private Object watched(final Supplier<?> original) {
        try {
            final Object real = insteadFallback
                ? Inside.make(Inside.type(Leader.ASSIGNMENT + "FallbackPriorTaskAssignor")) : original.get();
            final Class<?> sticky = Inside.type(
                Leader.ASSIGNMENT + "LegacyStickyTaskAssignor", Leader.ASSIGNMENT + "StickyTaskAssignor");
            if (insteadFallback || sticky.isInstance(real)) {
                final Function<Object[], Boolean> passOn = arguments -> asked(real, Inside.assign(real, arguments.length), arguments);
                return Inside.type("holdfast.SeenSticky").getConstructor(Function.class).newInstance(passOn);
            }
            final Class<?> type = Inside.type(Leader.ASSIGNMENT + "LegacyTaskAssignor", Leader.ASSIGNMENT + "TaskAssignor");
            return Proxy.newProxyInstance(Watch.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) ->
                method.getName().equals("assign") ? asked(real, method, arguments) : Inside.invoke(real, method, arguments));
        } catch (final Exception broken) {
            throw new IllegalStateException(broken);
        }
    }

    private Boolean asked(final Object real, final Method assign, final Object[] arguments) {
        try {
            probing = (Boolean) Inside.invoke(real, assign, arguments);
            for (final Map.Entry<?, ?> entry : ((Map<?, ?>) arguments[0]).entrySet()) {
                clientStates.put(entry.getKey().toString(), entry.getValue());
                decided.put(entry.getKey().toString(), List.of(
                    names((Collection<?>) Inside.call(entry.getValue(), "activeTasks")),
                    names((Collection<?>) Inside.call(entry.getValue(), "standbyTasks"))));
            }
            return probing;
        } catch (final RuntimeException thrown) {
            throw thrown;
        } catch (final Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    /** KIP-924: what it returns is the whole of its decision. */
    private Object watchedPublic(final Object real) {
        try {
            final Class<?> type = Inside.type(PUBLIC + "TaskAssignor");
            return Proxy.newProxyInstance(Watch.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                final Object returned = Inside.invoke(real, method, arguments);
                if (method.getName().equals("assign")) {
                    rememberPublic((Collection<?>) Inside.call(returned, "assignment"));
                }
                return returned;
            });
        } catch (final ClassNotFoundException absent) {
            throw new IllegalStateException(absent);
        }
    }

    private void rememberPublic(final Collection<?> assignments) throws Exception {
        probing = false;
        for (final Object assignment : assignments) {
            final Set<String> active = new TreeSet<>();
            final Set<String> standby = new TreeSet<>();
            for (final Object task : ((Map<?, ?>) Inside.call(assignment, "tasks")).values()) {
                (Inside.call(task, "type").toString().equals("ACTIVE") ? active : standby).add(Inside.call(task, "id").toString());
            }
            decided.put(Inside.call(assignment, "processId").toString(), List.of(active, standby));
            probing |= ((Optional<?>) Inside.call(assignment, "followupRebalanceDeadline")).isPresent();
        }
    }

    void tell(final ObjectNode answer) {
        if (probing != null) {
            answer.put("probing", probing);
        }
        final ObjectNode clients = answer.putObject("clients");
        for (final Map.Entry<String, List<Set<String>>> entry : decided.entrySet()) {
            final ObjectNode client = clients.putObject(entry.getKey());
            Leader.list(client.putArray("active"), entry.getValue().get(0));
            Leader.list(client.putArray("standby"), entry.getValue().get(1));
        }
    }

    /** Null where it cannot be seen: the release does not remember it (2.6), or a public assignor decided. */
    Set<String> withheld(final String member) throws Exception {
        if (clientStates.isEmpty()) {
            return null;
        }
        for (final Object state : clientStates.values()) {
            if (!Inside.has(state.getClass(), "revokingActiveTasksByConsumer", 0)) {
                return null;
            }
            final Object tasks = ((Map<?, ?>) Inside.call(state, "revokingActiveTasksByConsumer")).get(member);
            if (tasks != null) {
                return names((Collection<?>) tasks);
            }
        }
        return Collections.emptySet();
    }

    static Set<String> names(final Collection<?> tasks) {
        final Set<String> names = new TreeSet<>();
        for (final Object task : tasks) {
            names.add(task.toString());
        }
        return names;
    }
}
