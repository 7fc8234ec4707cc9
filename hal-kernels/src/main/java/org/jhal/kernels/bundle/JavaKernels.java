// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernel.JavaKernel;
import org.jhal.kernel.Workgroup;

/**
 * Loads kernels that are Java methods: {@code public static void NAME(Workgroup)}, or with the
 * kernel's parameters after the workgroup ({@link TypedKernel}), of a public class, which is looked
 * up with the class loader of the bundle's source first and then among the bundle's own class
 * files; an overlay's own class files come first. If the class is in a module, the module must
 * export its package, at least to the engine.
 *
 * <p>Thread-safe.
 */
public final class JavaKernels {
  /** Also sees packages that a module exports to the engine alone. */
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private static final MethodHandle RUN = findRun();

  private JavaKernels() {}

  /**
   * Loads and initialises the class of a variant and finds its kernels.
   *
   * @param variant of the format {@link Variant#JAVA}
   * @return a handle of type {@code (Workgroup)void} for each of {@code kernels}, in their order
   * @throws HalException NOT_FOUND if the class, a class that it needs or a method is missing;
   *     INVALID_ARGUMENT if the class or a method has the wrong form, the class file is damaged or
   *     made for a newer Java, or a static initialiser throws
   */
  public static List<MethodHandle> load(
      ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    String className = variant.className();
    if (className == null) {
      return objects(source, kernels);
    }
    String where = "bundle " + source.name() + ", class " + className;
    try {
      Class<?> type = Class.forName(className, true, new BundleClassLoader(source, variant.path()));
      List<MethodHandle> found = new ArrayList<>(kernels.size());
      for (KernelSpec kernel : kernels) {
        found.add(find(where, type, kernel));
      }
      return found;
    } catch (ClassNotFoundException e) {
      throw new HalException(
          Status.NOT_FOUND,
          "%s is neither known to the class loader of the bundle nor in its folder '%s'"
              .formatted(where, variant.path()),
          e);
    } catch (UnsupportedClassVersionError e) {
      throw new HalException(
          Status.INVALID_ARGUMENT, where + " was compiled for a newer Java: " + e.getMessage(), e);
    } catch (ExceptionInInitializerError e) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          where + ": a static initialiser throws " + e.getCause(),
          e.getCause());
    } catch (NoClassDefFoundError e) {
      // Any cause but "not found" means that the class exists and failed before.
      boolean missing = e.getCause() instanceof ClassNotFoundException;
      throw new HalException(
          missing ? Status.NOT_FOUND : Status.INVALID_ARGUMENT,
          where
              + (missing ? " needs the class " + e.getMessage() : " cannot be used: ")
              + (missing ? ", which is missing" : e.getMessage()),
          e);
    } catch (LinkageError e) {
      throw new HalException(
          Status.INVALID_ARGUMENT, where + " is not a valid class file: " + e.getMessage(), e);
    }
  }

  private static List<MethodHandle> objects(ExecutableSource source, List<KernelSpec> kernels) {
    List<MethodHandle> found = new ArrayList<>(kernels.size());
    for (KernelSpec kernel : kernels) {
      JavaKernel body = source.javaKernels().get(kernel.name());
      if (body == null) {
        throw new HalException(
            Status.NOT_FOUND,
            "bundle " + source.name() + " has no Java object for kernel '" + kernel.name() + "'");
      }
      found.add(RUN.bindTo(body));
    }
    return found;
  }

  private static MethodHandle findRun() {
    try {
      return LOOKUP.findVirtual(
          JavaKernel.class, "run", MethodType.methodType(void.class, Workgroup.class));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("JavaKernel has this method", e);
    }
  }

  private static MethodHandle find(String where, Class<?> type, KernelSpec kernel) {
    String name = kernel.name();
    String wanted = "public static void " + name + "(Workgroup)";
    List<Method> named = new ArrayList<>();
    for (Method method : type.getDeclaredMethods()) {
      if (method.getName().equals(name)) {
        named.add(method);
      }
    }
    if (named.isEmpty()) {
      throw new HalException(
          Status.NOT_FOUND, where + " has no method '" + name + "'; expected " + wanted);
    }
    named.sort(Comparator.comparing(Method::getParameterCount).thenComparing(Method::toString));
    List<Method> kernels = named.stream().filter(JavaKernels::isKernel).toList();
    if (kernels.isEmpty()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "%s has '%s'; expected %s, or the kernel's parameters after the workgroup"
              .formatted(where, named.get(0), wanted));
    }
    LOOKUP.lookupClass().getModule().addReads(type.getModule());
    return kernels.size() == 1 || kernels.get(0).getParameterCount() == 1
        ? handle(where, kernels.get(0), kernel)
        : onlyOne(where, kernels, kernel);
  }

  private static boolean isKernel(Method method) {
    return Modifier.isPublic(method.getModifiers())
        && Modifier.isStatic(method.getModifiers())
        && method.getReturnType() == void.class
        && method.getParameterCount() > 0
        && method.getParameterTypes()[0] == Workgroup.class;
  }

  private static MethodHandle handle(String where, Method method, KernelSpec kernel) {
    try {
      MethodHandle handle = LOOKUP.unreflect(method);
      return method.getParameterCount() == 1
          ? handle
          : TypedKernel.adapt(handle, method, kernel, where);
    } catch (IllegalAccessException e) {
      throw new HalException(
          Status.INVALID_ARGUMENT, where + inaccessible(method.getDeclaringClass()), e);
    }
  }

  /** The one of several methods whose parameters are those of the kernel. */
  private static MethodHandle onlyOne(String where, List<Method> methods, KernelSpec kernel) {
    List<String> fitting = new ArrayList<>();
    List<HalException> others = new ArrayList<>();
    MethodHandle found = null;
    for (Method method : methods) {
      try {
        found = handle(where, method, kernel);
        fitting.add(TypedKernel.describe(method));
      } catch (HalException e) {
        others.add(e);
      }
    }
    if (found != null && fitting.size() == 1) {
      return found;
    }
    HalException refused =
        new HalException(
            Status.INVALID_ARGUMENT,
            where
                + " has several methods "
                + kernel.name()
                + (fitting.isEmpty() ? ", and the kernel is none of " : ", and the kernel may be ")
                + (fitting.isEmpty()
                    ? String.join(", ", methods.stream().map(TypedKernel::describe).toList())
                    : String.join(" or ", fitting)));
    others.forEach(refused::addSuppressed);
    throw refused;
  }

  private static String inaccessible(Class<?> type) {
    Module ours = LOOKUP.lookupClass().getModule();
    Module theirs = type.getModule();
    if (theirs.isExported(type.getPackageName(), ours)) {
      return " is not public";
    }
    String to = ours.isNamed() ? " to " + ours.getName() : "";
    return (" is in module %s, which does not export its package; add to its module-info.java:"
            + " exports %s%s;")
        .formatted(theirs.getName(), type.getPackageName(), to);
  }
}
