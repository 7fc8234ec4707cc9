// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Proxy;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.kernel.Workgroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kernels in Java: from the class path and from class files in a bundle, and their errors. */
class JavaKernelsTest {
  /** The last argument of {@link OnClassPath#mark}. */
  private static Workgroup marked = fakeGroup();

  private static final String SOURCE =
      """
      package demo;
      import org.jhal.kernel.Workgroup;
      public class Kernels {
        public static void ok(Workgroup group) { Helper.note("ok"); }
        public static void second(Workgroup group) { Helper.note("second"); }
        public static void fails(Workgroup group) { throw new IllegalStateException("on purpose"); }
        static void hidden(Workgroup group) {}
        public void instance(Workgroup group) {}
        public static int returns(Workgroup group) { return 1; }
        public static void other(String text) {}
      }
      class Helper {
        static void note(String what) { System.setProperty("demo.kernels", what); }
      }
      """;

  @TempDir Path folder;

  /** A kernel class of the test's own class loader. */
  public static class OnClassPath {
    private OnClassPath() {}

    /** Remembers its argument. */
    public static void mark(Workgroup group) {
      marked = group;
    }
  }

  @Test
  void findsAClassOfTheLoaderOfTheSource() throws Throwable {
    ExecutableSource source = ExecutableSource.ofResources(JavaKernelsTest.class, "none");
    Workgroup group = fakeGroup();

    load(source, OnClassPath.class.getName(), "", "mark").get(0).invokeExact(group);

    assertSame(group, marked);
  }

  @Test
  void definesAClassFromTheRootOfTheBundle() throws Throwable {
    compile("demo.Kernels", SOURCE, folder);

    checkRuns(load(ExecutableSource.of(folder), "demo.Kernels", "", "ok", "second"));
  }

  @Test
  void definesAClassFromAFolderOfAnArchive() throws Throwable {
    Path classes = Files.createDirectory(folder.resolve("out"));
    compile("demo.Kernels", SOURCE, classes);
    Path archive = folder.resolve("bundle.zip");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(archive))) {
      for (String name : List.of("demo/Kernels.class", "demo/Helper.class")) {
        out.putNextEntry(new ZipEntry("deep/classes/" + name));
        out.write(Files.readAllBytes(classes.resolve(name)));
      }
    }

    checkRuns(load(ExecutableSource.of(archive), "demo.Kernels", "deep/classes", "ok", "second"));
  }

  private static void checkRuns(List<MethodHandle> kernels) throws Throwable {
    assertEquals(2, kernels.size());
    assertEquals(MethodType.methodType(void.class, Workgroup.class), kernels.get(0).type());
    kernels.get(0).invokeExact(fakeGroup());
    assertEquals("ok", System.clearProperty("demo.kernels"));
    kernels.get(1).invokeExact(fakeGroup());
    assertEquals("second", System.clearProperty("demo.kernels"));
  }

  @Test
  void theSourcesClassLoaderPrecedesTheBundlesClasses() throws Throwable {
    String name = OnClassPath.class.getName();
    compile(
        "org.jhal.kernels.bundle.JavaKernelsTest",
        """
        package org.jhal.kernels.bundle;
        public class JavaKernelsTest {
          public static class OnClassPath {
            public static void mark(org.jhal.kernel.Workgroup group) { throw new Error("wrong"); }
          }
        }
        """,
        folder);
    Workgroup group = fakeGroup();

    load(ExecutableSource.of(folder), name, "", "mark").get(0).invokeExact(group);

    assertSame(group, marked);
  }

  @Test
  void aKernelsThrowableIsNotWrapped() throws IOException {
    compile("demo.Kernels", SOURCE, folder);
    MethodHandle fails = load(ExecutableSource.of(folder), "demo.Kernels", "", "fails").get(0);

    Throwable thrown =
        assertThrows(
            IllegalStateException.class,
            () -> {
              fails.invokeExact(fakeGroup());
            });

    assertEquals("on purpose", thrown.getMessage());
  }

  @Test
  void eachLoadingHasItsOwnStaticState() throws Throwable {
    compile(
        "demo.Counter",
        """
        package demo;
        public class Counter {
          static int calls;
          public static void count(org.jhal.kernel.Workgroup group) {
            System.setProperty("demo.counter", String.valueOf(++calls));
          }
        }
        """,
        folder);
    ExecutableSource source = ExecutableSource.of(folder);

    load(source, "demo.Counter", "", "count").get(0).invokeExact(fakeGroup());
    load(source, "demo.Counter", "", "count").get(0).invokeExact(fakeGroup());

    assertEquals("1", System.clearProperty("demo.counter"));
  }

  @Test
  void refusesAMissingClass() throws IOException {
    compile("demo.Kernels", SOURCE, folder);

    refuses(
        Status.NOT_FOUND,
        "class demo.Kernel is neither known to the class loader of the bundle nor in its folder ''",
        "demo.Kernel",
        "ok");
  }

  @Test
  void refusesAMissingOrMalformedMethod() throws IOException {
    compile("demo.Kernels", SOURCE, folder);

    refuses(Status.NOT_FOUND, "has no method 'none'; expected", "demo.Kernels", "none");
    refuses(Status.INVALID_ARGUMENT, "static void demo.Kernels.hidden", "demo.Kernels", "hidden");
    refuses(Status.INVALID_ARGUMENT, "void demo.Kernels.instance", "demo.Kernels", "instance");
    refuses(Status.INVALID_ARGUMENT, "int demo.Kernels.returns", "demo.Kernels", "returns");
    refuses(
        Status.INVALID_ARGUMENT,
        "other(java.lang.String)'; expected public static void other(Workgroup)",
        "demo.Kernels",
        "other");
  }

  @Test
  void refusesAClassThatIsNotPublic() throws IOException {
    compile(
        "demo.Hidden",
        "package demo; class Hidden {"
            + " public static void ok(org.jhal.kernel.Workgroup group) {} }",
        folder);

    refuses(Status.INVALID_ARGUMENT, "demo.Hidden is not public", "demo.Hidden", "ok");
  }

  @Test
  void refusesAClassWhoseInitialiserThrows() throws IOException {
    compile(
        "demo.Broken",
        """
        package demo;
        public class Broken {
          static { if (true) throw new IllegalStateException("no luck"); }
          public static void ok(org.jhal.kernel.Workgroup group) {}
        }
        """,
        folder);

    HalException refused =
        refuses(
            Status.INVALID_ARGUMENT,
            "a static initialiser throws java.lang.IllegalStateException: no luck",
            "demo.Broken",
            "ok");
    assertInstanceOf(IllegalStateException.class, refused.getCause());
  }

  /** Has the test's own loader, so that the second load finds the failed class. */
  public static class BrokenOnClassPath {
    static final int VALUE = Integer.parseInt("no number");

    private BrokenOnClassPath() {}

    /** Never runs. */
    public static void ok(Workgroup group) {}
  }

  @Test
  void refusesAClassOfTheClassPathWhoseInitialiserThrewBefore() {
    String name = BrokenOnClassPath.class.getName();

    refuses(Status.INVALID_ARGUMENT, "a static initialiser throws", name, "ok");
    refuses(Status.INVALID_ARGUMENT, "cannot be used: Could not initialize", name, "ok");
  }

  @Test
  void refusesAClassForANewerJava() throws IOException {
    compile("demo.Kernels", SOURCE, folder);
    Path file = folder.resolve("demo/Kernels.class");
    byte[] bytes = Files.readAllBytes(file);
    bytes[7] = (byte) 200; // the low byte of the major version
    Files.write(file, bytes);

    refuses(Status.INVALID_ARGUMENT, "was compiled for a newer Java: ", "demo.Kernels", "ok");
  }

  @Test
  void refusesADamagedClassFile() throws IOException {
    compile("demo.Kernels", SOURCE, folder);
    Path file = folder.resolve("demo/Kernels.class");
    byte[] bytes = Files.readAllBytes(file);

    for (int length = 0; length < bytes.length; length += 7) {
      Files.write(file, Arrays.copyOf(bytes, length));
      refuses(Status.INVALID_ARGUMENT, "is not a valid class file: ", "demo.Kernels", "ok");
    }
  }

  @Test
  void refusesAFileThatHoldsAnotherClass() throws IOException {
    compile("demo.Kernels", SOURCE, folder);
    Files.move(folder.resolve("demo/Kernels.class"), folder.resolve("demo/Other.class"));

    refuses(Status.INVALID_ARGUMENT, "wrong name: demo/Kernels", "demo.Other", "ok");
  }

  @Test
  void namesTheMissingClassThatAKernelClassNeeds() throws IOException {
    compile(
        "demo.Needs",
        """
        package demo;
        public class Needs extends Base {
          public static void ok(org.jhal.kernel.Workgroup group) {}
        }
        class Base {}
        """,
        folder);
    Files.delete(folder.resolve("demo/Base.class"));

    refuses(
        Status.NOT_FOUND,
        "class demo.Needs needs the class demo/Base, which is missing",
        "demo.Needs",
        "ok");
  }

  @Test
  void refusesALinkThatLeadsOutOfTheBundle() throws IOException {
    Path outside = Files.createDirectory(folder.resolve("outside"));
    Path bundle = Files.createDirectory(folder.resolve("bundle"));
    compile("demo.Kernels", SOURCE, outside);
    Files.createSymbolicLink(bundle.resolve("demo"), outside.resolve("demo"));

    HalException refused =
        assertThrows(
            HalException.class, () -> load(ExecutableSource.of(bundle), "demo.Kernels", "", "ok"));

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertTrue(refused.getMessage().contains("points outside the bundle"), refused::getMessage);
  }

  private HalException refuses(Status status, String message, String className, String kernel) {
    HalException refused =
        assertThrows(
            HalException.class, () -> load(ExecutableSource.of(folder), className, "", kernel));
    assertEquals(status, refused.status(), refused::getMessage);
    assertTrue(
        refused.getMessage().startsWith("bundle " + folder + ", class " + className),
        refused::getMessage);
    assertTrue(
        refused.getMessage().contains(message),
        () -> "expected: " + message + "\n but was: " + refused.getMessage());
    return refused;
  }

  private static List<MethodHandle> load(
      ExecutableSource source, String className, String path, String... kernels) {
    Variant variant =
        new Variant(Variant.JAVA, null, className, path, null, Map.of(), Map.of(), Map.of(), false);
    return JavaKernels.load(
        source,
        variant,
        Arrays.stream(kernels)
            .map(name -> new KernelSpec(name, List.of(), Workgroups.of(1), 0))
            .toList());
  }

  private static void compile(String className, String text, Path target) throws IOException {
    Path sources = Files.createTempDirectory(target, "source");
    Path file = sources.resolve(className.substring(className.lastIndexOf('.') + 1) + ".java");
    Files.writeString(file, text);
    StringWriter said = new StringWriter();
    PrintWriter out = new PrintWriter(said);
    int result =
        ToolProvider.findFirst("javac")
            .orElseThrow(() -> new AssertionError("this Java has no compiler; a JDK is needed"))
            .run(
                out,
                out,
                "-proc:none",
                "-d",
                target.toString(),
                "-cp",
                placeOf(Workgroup.class).toString(),
                file.toString());
    assertEquals(0, result, said::toString);
  }

  /** The folder or jar that a class comes from. */
  private static Path placeOf(Class<?> type) {
    try {
      URL place = type.getProtectionDomain().getCodeSource().getLocation();
      return Path.of(place.toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private static Workgroup fakeGroup() {
    return (Workgroup)
        Proxy.newProxyInstance(
            Workgroup.class.getClassLoader(),
            new Class<?>[] {Workgroup.class},
            (proxy, method, arguments) -> {
              throw new UnsupportedOperationException(method.getName());
            });
  }
}
