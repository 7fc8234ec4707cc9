// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jhal.BundleManifest.KernelDeclaration;
import org.jhal.BundleManifest.Variant;
import org.jhal.kernel.JavaKernel;
import org.jspecify.annotations.Nullable;

/**
 * Builds a bundle of kernels within the program, without a folder and a manifest:
 *
 * <pre>{@code
 * import static org.jhal.ElementType.F32;
 * import static org.jhal.ElementType.U32;
 * import static org.jhal.Parameter.*;
 *
 * ExecutableSource source =
 *     ExecutableSource.builder("saxpy")
 *         .kernel("saxpy", 256, constant("n", U32), constant("a", F32), in("x", F32), inout("y", F32))
 *         .cpp("""
 *             extern "C" __global__ void saxpy(unsigned n, float a, const float* x, float* y) {
 *               unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
 *               if (i < n) y[i] = a * x[i] + y[i];
 *             }
 *             """)
 *         .java(SaxpyInJava.class)
 *         .build();
 * }</pre>
 *
 * <p>The kernels are declared once, and may be added in several formats, the variants. As with
 * every bundle, a device loads the first variant that it supports, so the same program runs on
 * devices of different kinds. docs/bundles.md describes the formats, and docs/kernels.md how to
 * write kernels.
 *
 * <p>The declaration of a kernel must match its code. This is checked when the bundle is loaded, as
 * far as the code and the device allow; docs/kernels.md describes the checks.
 *
 * <p>Not thread-safe. The resulting bundle is immutable; later calls do not change it.
 */
public final class BundleBuilder {
  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern FORMAT = Pattern.compile("[a-z][a-z0-9+.-]*");
  private static final String CPP = "gpu-c++";
  private static final String JAVA = "java";

  /** A file of the bundle. */
  private interface Content {
    InputStream open() throws IOException;
  }

  private final String name;
  private final List<KernelDeclaration> kernels = new ArrayList<>();
  private final List<Global> globals = new ArrayList<>();
  private final List<Variant> variants = new ArrayList<>();
  private final Map<String, Content> files = new HashMap<>();
  private final Map<String, JavaKernel> bodies = new LinkedHashMap<>();
  private final Map<String, Class<?>> classes = new LinkedHashMap<>(); // of kernels, by name
  private boolean isPortable;

  BundleBuilder(String name) {
    this.name = Objects.requireNonNull(name, "name");
    if (name.isEmpty()) {
      throw invalid("a bundle's name must not be empty");
    }
  }

  /**
   * Declares a kernel with workgroups of one dimension.
   *
   * @param kernel the name of its function: letters, digits and underscores, not starting with a
   *     digit; unique in the bundle
   * @param workgroupSize the number of work items of a workgroup, at least 1
   * @param parameters in the order in which the function takes them; {@link Parameter#in} and
   *     similar methods create them
   * @throws HalException INVALID_ARGUMENT if a name is malformed or already in use; OUT_OF_RANGE if
   *     {@code workgroupSize} is less than 1
   */
  public BundleBuilder kernel(String kernel, int workgroupSize, Parameter... parameters) {
    return kernel(kernel, Workgroups.of(workgroupSize), 0, parameters);
  }

  /**
   * Declares a variable of the code that the host reads and writes; see {@link Executable#global}.
   * In C++ it is a {@code __device__} or {@code __constant__} variable outside of namespaces,
   * neither {@code static} nor {@code const}.
   *
   * @param global its name: letters, digits and underscores, not starting with a digit; unique
   *     among the variables
   * @param type of an element
   * @param count how many elements it has, at least 1
   * @throws HalException INVALID_ARGUMENT if the name is malformed or already in use; OUT_OF_RANGE
   *     if {@code count} is less than 1
   */
  public BundleBuilder global(String global, ElementType type, int count) {
    checkName("global", global);
    if (globals.stream().anyMatch(other -> other.name().equals(global))) {
      throw invalid("global '" + global + "' is declared twice");
    }
    globals.add(new Global(global, type, count));
    return this;
  }

  /**
   * Declares a kernel with workgroups of two dimensions.
   *
   * @param kernel as in {@link #kernel(String, int, Parameter...)}
   * @param x the number of work items of a workgroup along the first axis, at least 1
   * @param y that along the second axis, at least 1
   * @param parameters as in {@link #kernel(String, int, Parameter...)}
   * @throws HalException INVALID_ARGUMENT if a name is malformed or already in use; OUT_OF_RANGE if
   *     a size is less than 1
   */
  public BundleBuilder kernel(String kernel, int x, int y, Parameter... parameters) {
    return kernel(kernel, x, y, 1, parameters);
  }

  /**
   * Declares a kernel with workgroups of three dimensions.
   *
   * @param kernel as in {@link #kernel(String, int, Parameter...)}
   * @param x the number of work items of a workgroup along the first axis, at least 1
   * @param y that along the second axis, at least 1
   * @param z that along the third axis, at least 1
   * @param parameters as in {@link #kernel(String, int, Parameter...)}
   * @throws HalException as {@link #kernel(String, int, int, Parameter...)}
   */
  public BundleBuilder kernel(String kernel, int x, int y, int z, Parameter... parameters) {
    return kernel(kernel, new Workgroups(x, y, z), 0, parameters);
  }

  /**
   * Declares a kernel as {@link #kernel(String, Workgroups, int, Parameter...)} does, without
   * dynamic shared memory.
   */
  public BundleBuilder kernel(String kernel, Workgroups workgroupSize, Parameter... parameters) {
    return kernel(kernel, workgroupSize, 0, parameters);
  }

  /**
   * Declares a kernel.
   *
   * @param kernel as in {@link #kernel(String, int, Parameter...)}
   * @param workgroupSize the number of work items of a workgroup along each axis, at least 1 each
   * @param sharedMemory the dynamic shared memory per workgroup in bytes, in addition to what the
   *     code itself declares; at least 0
   * @param parameters as in {@link #kernel(String, int, Parameter...)}
   * @throws HalException INVALID_ARGUMENT if a name is malformed or already in use; OUT_OF_RANGE if
   *     a size is too small
   */
  public BundleBuilder kernel(
      String kernel, Workgroups workgroupSize, int sharedMemory, Parameter... parameters) {
    checkName("kernel", kernel);
    Objects.requireNonNull(workgroupSize, "workgroupSize");
    Objects.requireNonNull(parameters, "parameters");
    for (KernelDeclaration earlier : kernels) {
      if (earlier.name().equals(kernel)) {
        throw invalid("two kernels have the name '" + kernel + "'");
      }
    }
    if (workgroupSize.x() < 1 || workgroupSize.y() < 1 || workgroupSize.z() < 1) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          describe() + ": kernel '" + kernel + "' has workgroups of " + workgroupSize);
    }
    if (sharedMemory < 0) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          describe() + ": kernel '" + kernel + "' has " + sharedMemory + " bytes of shared memory");
    }
    Set<String> names = new HashSet<>();
    for (Parameter parameter : parameters) {
      checkName("parameter", Objects.requireNonNull(parameter, "parameter").name());
      if (!names.add(parameter.name())) {
        throw invalid(
            "two parameters of kernel '" + kernel + "' have the name '" + parameter.name() + "'");
      }
    }
    kernels.add(
        new KernelDeclaration(
            kernel, workgroupSize, sharedMemory, false, List.of(parameters.clone())));
    return this;
  }

  /**
   * Makes a kernel cooperative: all workgroups of a dispatch of it are on the device at the same
   * time, so that they can wait for each other, in C++ by {@code
   * cooperative_groups::this_grid().sync()} and in Java by {@link
   * org.jhal.kernel.Workgroup#syncGrid}. Its grids are limited by {@link
   * Kernel#residentWorkgroups}, and only devices with {@link Capability#COOPERATIVE_DISPATCH} load
   * the bundle.
   *
   * @param kernel that was declared before
   * @throws HalException INVALID_ARGUMENT if no kernel of this name was declared
   */
  public BundleBuilder cooperative(String kernel) {
    Objects.requireNonNull(kernel, "kernel");
    for (int i = 0; i < kernels.size(); i++) {
      if (kernels.get(i).name().equals(kernel)) {
        kernels.set(i, kernels.get(i).asCooperative());
        return this;
      }
    }
    throw invalid("no kernel '" + kernel + "' was declared that could be cooperative");
  }

  /**
   * Asks for portable arithmetic: no compiler fuses a product with a sum, so that {@code + - * /},
   * square roots and {@code fma} give the same bits on every device, except for those of NaN. It
   * has no effect on code that is compiled already. docs/bundles.md says what it costs.
   *
   * <p>When the bundle is loaded, an option of a compiler that contradicts this causes
   * INVALID_ARGUMENT.
   */
  public BundleBuilder portableArithmetic() {
    isPortable = true;
    return this;
  }

  /**
   * Adds the kernels as C++ for GPUs, the format {@code gpu-c++}. The source is compiled when the
   * bundle is loaded; the compiler's messages refer to lines and columns of {@code source}.
   *
   * @param options options for the compiler, such as {@code -DTILE=16}
   * @throws HalException INVALID_ARGUMENT if {@code source} or an option is empty
   */
  public BundleBuilder cpp(String source, String... options) {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(options, "options");
    return variant(CPP, source).options(options);
  }

  /**
   * Adds the kernels in a format that is text, such as {@code cuda-ptx}.
   *
   * @throws HalException INVALID_ARGUMENT if {@code code} is empty, or {@code format} is malformed
   *     or {@code java}
   */
  public BundleBuilder variant(String format, String code) {
    return variant(format, utf8(code, "code"));
  }

  /**
   * Adds the kernels in a format that is binary, such as {@code cuda-cubin} or {@code hip-hsaco}.
   *
   * @param code the code, which is copied
   * @throws HalException INVALID_ARGUMENT if {@code code} is empty, or {@code format} is malformed
   *     or {@code java}
   */
  public BundleBuilder variant(String format, byte[] code) {
    checkFormat(format);
    Objects.requireNonNull(code, "code");
    if (code.length == 0) {
      throw invalid("the code in the format " + format + " is empty");
    }
    byte[] copy = code.clone();
    String extension = format.equals(CPP) ? ".cpp" : "." + format;
    return variant(format, "code", extension, () -> new ByteArrayInputStream(copy));
  }

  /**
   * Adds the kernels in a format whose code is in a file. The file is read each time the bundle is
   * loaded; if it does not exist then, loading fails with NOT_FOUND. Files that it includes are not
   * looked up in its folder: add them with {@link #file(String, String)}.
   *
   * @throws HalException NOT_FOUND if {@code file} is not a regular file; INVALID_ARGUMENT if
   *     {@code format} is malformed or {@code java}
   */
  public BundleBuilder variant(String format, Path file) {
    checkFormat(format);
    Objects.requireNonNull(file, "file");
    if (!Files.isRegularFile(file)) {
      throw new HalException(Status.NOT_FOUND, describe() + ": there is no file " + file);
    }
    String full = String.valueOf(file.getFileName()).replace(':', '_').replace('\\', '_');
    int dot = full.lastIndexOf('.') <= 0 ? full.length() : full.lastIndexOf('.');
    return variant(format, full.substring(0, dot), full.substring(dot), () -> openFile(file));
  }

  private InputStream openFile(Path file) throws IOException {
    try {
      return Files.newInputStream(file);
    } catch (NoSuchFileException e) {
      throw new HalException(Status.NOT_FOUND, describe() + ": there is no file " + file, e);
    }
  }

  private void checkFormat(String format) {
    Objects.requireNonNull(format, "format");
    if (format.equals(JAVA)) {
      throw invalid("kernels in the format java are added by java(...)");
    }
    if (!FORMAT.matcher(format).matches()) {
      throw invalid(
          "the format '"
              + format
              + "' must be lower-case letters, digits, '+', '.' and '-', starting with a letter");
    }
  }

  private BundleBuilder variant(String format, String base, String extension, Content content) {
    String path = base + extension;
    for (int i = 2; files.containsKey(path) || path.equals(BundleManifest.FILE); i++) {
      path = base + i + extension;
    }
    files.put(path, content);
    variants.add(new Variant(format, "file", path));
    return this;
  }

  /**
   * Adds the kernels as methods of a class, the format {@code java}; docs/bundles.md describes
   * their form. The class must be public.
   *
   * @throws HalException INVALID_ARGUMENT if {@code kernelClass} is a hidden class, an array or a
   *     primitive type, or if another class of this name was added
   */
  public BundleBuilder java(Class<?> kernelClass) {
    Objects.requireNonNull(kernelClass, "kernelClass");
    String className = kernelClass.getName();
    if (kernelClass.isHidden() || kernelClass.isArray() || kernelClass.isPrimitive()) {
      throw invalid(className + " has no name by which it can be found; it must be a usual class");
    }
    Class<?> earlier = classes.putIfAbsent(className, kernelClass);
    if (earlier != null && earlier != kernelClass) {
      throw invalid("two classes of different class loaders have the name " + className);
    }
    variants.add(new Variant(JAVA, "class", className));
    return this;
  }

  /** Returns the class loader of the first class, or one that also finds the others. */
  private ClassLoader classLoader() {
    ClassLoader usual = BundleBuilder.class.getClassLoader();
    List<ClassLoader> owners = new ArrayList<>();
    for (Class<?> type : classes.values()) {
      ClassLoader own = type.getClassLoader();
      owners.add(own == null ? usual : own);
    }
    ClassLoader first = owners.isEmpty() ? usual : owners.get(0);
    return owners.stream().allMatch(owner -> owner == first)
        ? first
        : new GivenClasses(first, Map.copyOf(classes));
  }

  /** Finds classes that were passed as objects, whatever their class loader. */
  private static final class GivenClasses extends ClassLoader {
    private final Map<String, Class<?>> given;

    GivenClasses(ClassLoader parent, Map<String, Class<?>> given) {
      super(parent);
      this.given = given;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      Class<?> found = given.get(name);
      return found == null ? super.loadClass(name, resolve) : found;
    }
  }

  /**
   * Adds one kernel as a Java object, typically a lambda. All kernels that are added in this way
   * form one variant of the format {@code java}, which must contain every declared kernel. The
   * variant's position is that of the first of these calls.
   *
   * <p>The kernel gets its parameters from its {@link org.jhal.kernel.Workgroup} by index, from 0,
   * in the order in which they are declared. Only a method of a class ({@link #java(Class)}) can
   * have them as method parameters, because the type of a lambda fixes its parameters.
   *
   * @throws HalException INVALID_ARGUMENT if {@code kernel} has already been added in this way
   */
  public BundleBuilder java(String kernel, JavaKernel body) {
    Objects.requireNonNull(kernel, "kernel");
    Objects.requireNonNull(body, "body");
    if (bodies.containsKey(kernel)) {
      throw invalid("kernel '" + kernel + "' is given in Java twice");
    }
    if (bodies.isEmpty()) {
      variants.add(new Variant(JAVA, "", ""));
    }
    bodies.put(kernel, body);
    return this;
  }

  /**
   * Adds options for every compiler to the variant that was added last.
   *
   * @throws HalException INVALID_ARGUMENT if an option is empty; FAILED_PRECONDITION if that is not
   *     a variant with code
   */
  public BundleBuilder options(String... options) {
    Objects.requireNonNull(options, "options");
    if (options.length > 0) {
      compilerOptions("all", options);
    }
    return this;
  }

  /**
   * Adds options for one compiler to the variant that was added last.
   *
   * @param compiler its name: {@code nvrtc}, {@code hiprtc}, {@code cpu}, or {@code all} for every
   *     compiler
   * @throws HalException INVALID_ARGUMENT if the compiler's name is malformed or an option is
   *     empty; FAILED_PRECONDITION if that is not a variant with code
   */
  public BundleBuilder compilerOptions(String compiler, String... options) {
    Objects.requireNonNull(compiler, "compiler");
    List<String> some = List.of(Objects.requireNonNull(options, "options"));
    Variant variant = last("options");
    if (!FORMAT.matcher(compiler).matches() || some.contains("")) {
      throw invalid(
          "options "
              + some
              + " of the compiler '"
              + compiler
              + "': neither may be empty,"
              + " and a compiler has a name of lower-case letters");
    }
    variant.options.computeIfAbsent(compiler, missing -> new ArrayList<>()).addAll(some);
    return this;
  }

  /**
   * Sets the entry point of a kernel in the variant that was added last, if it differs from the
   * kernel's name. In C++ it may be an instance of a template, such as {@code reduce<float, 256>}.
   *
   * @throws HalException FAILED_PRECONDITION if that is not a variant with code
   */
  public BundleBuilder entry(String kernel, String entry) {
    Objects.requireNonNull(kernel, "kernel");
    Objects.requireNonNull(entry, "entry");
    last("an entry point").entries.put(kernel, entry);
    return this;
  }

  private Variant last(String what) {
    Variant last = variants.isEmpty() ? null : variants.get(variants.size() - 1);
    if (last == null || !last.key.equals("file")) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          describe() + ": " + what + " must follow the variant with code that it belongs to");
    }
    return last;
  }

  /**
   * Adds a file that a source includes by {@code #include "PATH"}. It may be added before or after
   * that source.
   *
   * @param path relative, with {@code /} between its parts
   * @throws HalException INVALID_ARGUMENT if there is already a file with this path, or if {@code
   *     path} is {@code manifest.json} or not a path inside a bundle
   */
  public BundleBuilder file(String path, String text) {
    Objects.requireNonNull(path, "path");
    byte[] bytes = utf8(text, "text");
    if (!isInside(path)) {
      throw invalid(
          "the path '"
              + path
              + "' must be relative, with '/' between its parts, and none of them '.' or '..'");
    }
    if (path.equals(BundleManifest.FILE)) {
      throw invalid("the file '" + path + "' is made by the builder");
    }
    if (files.containsKey(path)) {
      boolean isCode = variants.stream().anyMatch(variant -> variant.value.equals(path));
      throw invalid(
          "there are two files '"
              + path
              + (isCode ? "'; one is the code of a variant, which has this name" : "'"));
    }
    files.put(path, () -> new ByteArrayInputStream(bytes));
    return this;
  }

  private static boolean isInside(String path) {
    for (String part : path.split("/", -1)) {
      if (part.isEmpty() || part.equals(".") || part.equals("..")) {
        return false;
      }
    }
    return path.indexOf('\\') < 0 && path.indexOf(':') < 0 && path.indexOf('\0') < 0;
  }

  /**
   * Returns the bundle.
   *
   * @throws HalException FAILED_PRECONDITION if no kernel was declared or no variant was added, or
   *     if only some kernels were added as Java objects; INVALID_ARGUMENT if a kernel that was
   *     added as a Java object, or has an entry point, was not declared
   */
  public ExecutableSource build() {
    if (kernels.isEmpty() || variants.isEmpty()) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          describe() + " has no " + (kernels.isEmpty() ? "kernels" : "variants"));
    }
    List<String> names = kernels.stream().map(KernelDeclaration::name).toList();
    for (Variant variant : variants) {
      variant.entries.keySet().forEach(kernel -> checkDeclared(names, kernel));
    }
    bodies.keySet().forEach(kernel -> checkDeclared(names, kernel));
    if (!bodies.isEmpty() && bodies.size() < names.size()) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          describe() + " has kernels " + names + ", but in Java only " + bodies.keySet());
    }
    byte[] manifest =
        BundleManifest.text(name, isPortable, kernels, globals, variants)
            .getBytes(StandardCharsets.UTF_8);
    Map<String, Content> all = new HashMap<>(files);
    all.put(BundleManifest.FILE, () -> new ByteArrayInputStream(manifest));
    return new ExecutableSource(name, path -> open(all.get(path)), classLoader(), bodies);
  }

  private static byte[] utf8(String text, String what) {
    return Objects.requireNonNull(text, what).getBytes(StandardCharsets.UTF_8);
  }

  private static @Nullable InputStream open(@Nullable Content content) throws IOException {
    return content == null ? null : content.open();
  }

  private void checkDeclared(List<String> names, String kernel) {
    if (!names.contains(kernel)) {
      throw invalid("kernel '" + kernel + "' is not declared; declared are " + names);
    }
  }

  private void checkName(String what, String wanted) {
    if (!IDENTIFIER.matcher(Objects.requireNonNull(wanted, what)).matches()) {
      throw invalid(
          "the "
              + what
              + " name '"
              + wanted
              + "' must be letters, digits and underscores, not starting with a digit");
    }
  }

  private HalException invalid(String message) {
    return new HalException(Status.INVALID_ARGUMENT, describe() + ": " + message);
  }

  private String describe() {
    return "bundle " + name;
  }
}
