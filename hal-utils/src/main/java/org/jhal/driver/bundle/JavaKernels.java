package org.jhal.driver.bundle;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernel.Workgroup;

/**
 * Loads kernels that are Java methods: {@code public static void NAME(Workgroup)} of a public
 * class, which is looked up with the class loader of the bundle's source first and then among the
 * bundle's own class files. If the class is in a module, the module must export its package, at
 * least to the engine.
 *
 * <p>Thread-safe.
 */
public final class JavaKernels {
  /** Also has access to what a module exports to the engine alone. */
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

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
    String className =
        Objects.requireNonNull(variant.className(), "class name of the variant " + variant);
    String where = "bundle " + source.name() + ", class " + className;
    try {
      Class<?> type = Class.forName(className, true, new BundleClassLoader(source, variant.path()));
      List<MethodHandle> found = new ArrayList<>(kernels.size());
      for (KernelSpec kernel : kernels) {
        found.add(find(where, type, kernel.name()));
      }
      return found;
    } catch (ClassNotFoundException e) {
      throw new HalException(
          Status.NOT_FOUND,
          where
              + " is neither known to the class loader of the bundle nor in its folder '"
              + variant.path()
              + "'",
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
      // A cause other than "not found" means that the class is there, and failed before.
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

  private static MethodHandle find(String where, Class<?> type, String name) {
    String wanted = "public static void " + name + "(Workgroup)";
    Method method;
    try {
      method = type.getDeclaredMethod(name, Workgroup.class);
    } catch (NoSuchMethodException e) {
      List<Method> named =
          Arrays.stream(type.getDeclaredMethods()).filter(m -> m.getName().equals(name)).toList();
      if (named.isEmpty()) {
        throw new HalException(
            Status.NOT_FOUND, where + " has no method '" + name + "'; expected " + wanted, e);
      }
      throw wrongForm(where, named.get(0), wanted);
    }
    int modifiers = method.getModifiers();
    if (!Modifier.isPublic(modifiers)
        || !Modifier.isStatic(modifiers)
        || method.getReturnType() != void.class) {
      throw wrongForm(where, method, wanted);
    }
    try {
      LOOKUP.lookupClass().getModule().addReads(type.getModule());
      return LOOKUP.unreflect(method);
    } catch (IllegalAccessException e) {
      throw new HalException(Status.INVALID_ARGUMENT, where + inaccessible(type), e);
    }
  }

  private static String inaccessible(Class<?> type) {
    Module ours = LOOKUP.lookupClass().getModule();
    Module theirs = type.getModule();
    if (theirs.isExported(type.getPackageName(), ours)) {
      return " is not public";
    }
    return " is in module "
        + theirs.getName()
        + ", which does not export its package; add to its module-info.java: exports "
        + type.getPackageName()
        + (ours.isNamed() ? " to " + ours.getName() : "")
        + ";";
  }

  private static HalException wrongForm(String where, Method found, String wanted) {
    return new HalException(
        Status.INVALID_ARGUMENT, where + " has '" + found + "'; expected " + wanted);
  }
}
