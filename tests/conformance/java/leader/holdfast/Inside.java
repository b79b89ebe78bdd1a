package holdfast;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Reflection into classes whose shape differs from release to release. */
final class Inside {
    private Inside() {
    }

    static Throwable cause(final Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof InvocationTargetException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    static Class<?> type(final String... names) throws ClassNotFoundException {
        for (final String name : names) {
            try {
                return Class.forName(name);
            } catch (final ClassNotFoundException absent) {
                // a class of another release
            }
        }
        throw new ClassNotFoundException(String.join(", ", names));
    }

    static boolean exists(final String name) {
        try {
            Class.forName(name);
            return true;
        } catch (final ClassNotFoundException absent) {
            return false;
        }
    }

    /** An instance without its constructor having run. */
    static Object bare(final Class<?> type) throws Exception {
        final Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        final Field field = unsafe.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return unsafe.getMethod("allocateInstance", Class.class).invoke(field.get(null), type);
    }

    static Field field(final Class<?> type, final String name) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            try {
                final Field field = each.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (final NoSuchFieldException absent) {
                // perhaps in the class above
            }
        }
        return null;
    }

    /** Set the field if this release has it. */
    static boolean set(final Object object, final String name, final Object value) throws Exception {
        final Field field = field(object.getClass(), name);
        if (field == null) {
            return false;
        }
        field.set(object, value);
        return true;
    }

    static Object get(final Object object, final String name) throws Exception {
        return field(object.getClass(), name).get(object);
    }

    /** The first method of that name with so many parameters. */
    static Method method(final Class<?> type, final String name, final int parameters) throws NoSuchMethodException {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (final Method method : each.getDeclaredMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == parameters) {
                    method.setAccessible(true);
                    return method;
                }
            }
        }
        throw new NoSuchMethodException(type.getName() + "." + name + " with " + parameters + " parameters");
    }

    static boolean has(final Class<?> type, final String name, final int parameters) {
        try {
            method(type, name, parameters);
            return true;
        } catch (final NoSuchMethodException absent) {
            return false;
        }
    }

    static Object call(final Object object, final String name, final Object... arguments) throws Exception {
        return method(object.getClass(), name, arguments.length).invoke(object, arguments);
    }

    /** What the method throws is thrown, not wrapped. */
    static Object invoke(final Object object, final Method method, final Object... arguments) throws Throwable {
        method.setAccessible(true);
        try {
            return method.invoke(object, arguments);
        } catch (final InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /** Its `assign` with so many parameters. */
    static Method assign(final Object object, final int parameters) {
        try {
            return method(object.getClass(), "assign", parameters);
        } catch (final NoSuchMethodException absent) {
            throw new IllegalStateException(absent);
        }
    }

    /** Construct with the first public constructor, or else any, whose parameters the values fit in order. */
    static Object make(final Class<?> type, final Object... arguments) throws Exception {
        for (final Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (fits(constructor, arguments)) {
                constructor.setAccessible(true);
                return constructor.newInstance(arguments);
            }
        }
        throw new NoSuchMethodException(type.getName() + " cannot be made from " + arguments.length + " values");
    }

    private static boolean fits(final Constructor<?> constructor, final Object... arguments) {
        final Class<?>[] parameters = constructor.getParameterTypes();
        if (parameters.length != arguments.length) {
            return false;
        }
        for (int i = 0; i < parameters.length; i++) {
            if (arguments[i] != null && !parameters[i].isPrimitive() && !parameters[i].isInstance(arguments[i])) {
                return false;
            }
        }
        return true;
    }
}
