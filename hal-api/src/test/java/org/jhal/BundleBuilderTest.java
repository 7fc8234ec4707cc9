// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.U32;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.inout;
import static org.jhal.Parameter.out;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jhal.kernel.JavaKernel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Bundles that a program builds. */
class BundleBuilderTest {
  private static BundleBuilder saxpy() {
    return ExecutableSource.builder("b \"1\"\n")
        .kernel(
            "saxpy",
            256,
            constant("n", U32),
            constant("a", F32),
            in("x", F32),
            inout("y", F32),
            out("z", F32));
  }

  private static String text(ExecutableSource source, String path) {
    byte[] bytes = source.read(path);
    return bytes == null ? "none" : new String(bytes, UTF_8);
  }

  private static void assertRefused(Status status, Executable call, String... parts) {
    HalException refused = assertThrows(HalException.class, call);
    assertEquals(status, refused.status(), refused::getMessage);
    for (String part : parts) {
      assertTrue(refused.getMessage().contains(part), () -> part + " in: " + refused.getMessage());
    }
  }

  @Test
  void writesTheDeclarationsToTheManifest() {
    ExecutableSource source =
        saxpy()
            .kernel("none", new Workgroups(8, 4, 2), 64)
            .cpp("first", "-DA=\"1\"", "-O3")
            .compilerOptions("nvrtc", "-G")
            .entry("none", "_Z4nonev")
            .variant("cuda-ptx", "second")
            .java(BundleBuilderTest.class)
            .build();
    assertEquals("b \"1\"\n", source.name());
    assertSame(BundleBuilderTest.class.getClassLoader(), source.classLoader());
    assertEquals(
        "{\"version\": 1, \"name\": \"b \\u00221\\u0022\\u000a\", \"kernels\": ["
            + "{\"name\": \"saxpy\", \"parameters\": ["
            + "{\"name\": \"n\", \"kind\": \"constant\", \"type\": \"u32\"}, "
            + "{\"name\": \"a\", \"kind\": \"constant\", \"type\": \"f32\"}, "
            + "{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"f32\", \"direction\": \"in\"}, "
            + "{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"f32\", \"direction\": \"inout\"}, "
            + "{\"name\": \"z\", \"kind\": \"buffer\", \"type\": \"f32\", \"direction\": \"out\"}], "
            + "\"workgroupSize\": [256, 1, 1], \"dynamicSharedMemory\": 0}, "
            + "{\"name\": \"none\", \"parameters\": [], "
            + "\"workgroupSize\": [8, 4, 2], \"dynamicSharedMemory\": 64}], \"variants\": ["
            + "{\"format\": \"gpu-c++\", \"file\": \"code.cpp\", "
            + "\"options\": {\"all\": [\"-DA=\\u00221\\u0022\", \"-O3\"], \"nvrtc\": [\"-G\"]}, "
            + "\"entries\": {\"none\": \"_Z4nonev\"}}, "
            + "{\"format\": \"cuda-ptx\", \"file\": \"code.cuda-ptx\"}, "
            + "{\"format\": \"java\", \"class\": \"org.jhal.BundleBuilderTest\"}]}",
        text(source, "manifest.json"));
    assertEquals("first", text(source, "code.cpp"));
    assertEquals("second", text(source, "code.cuda-ptx"));
    assertNull(source.read("code"));
    assertThrows(HalException.class, () -> source.read("../code.cpp"));
    assertTrue(source.javaKernels().isEmpty());
  }

  @Test
  void takesTheSizesOfWorkgroupsAsNumbers() {
    ExecutableSource source =
        ExecutableSource.builder("b")
            .kernel("one", 16, in("x", F32))
            .kernel("two", 16, 8, in("x", F32))
            .kernel("three", 16, 8, 4, in("x", F32))
            .kernel("none", 4, 2)
            .cpp("code")
            .build();
    List<String> sizes =
        Pattern.compile("\"workgroupSize\": \\[([0-9, ]+)]")
            .matcher(text(source, "manifest.json"))
            .results()
            .map(found -> found.group(1))
            .toList();
    assertEquals(List.of("16, 1, 1", "16, 8, 1", "16, 8, 4", "4, 2, 1"), sizes);
    assertRefused(Status.OUT_OF_RANGE, () -> saxpy().kernel("k", 16, 0), "'k'", "16", "0");
    assertRefused(Status.OUT_OF_RANGE, () -> saxpy().kernel("k", 16, 16, 0), "'k'", "16", "0");
    assertRefused(Status.OUT_OF_RANGE, () -> saxpy().kernel("k", 16, 16, -1), "16,16,-1");
  }

  @Test
  void copiesCodeAndReadsFilesOnDemand(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("saxpy.sm_90.cubin");
    Files.writeString(file, "old");
    byte[] code = {1, 2};
    BundleBuilder builder =
        saxpy()
            .variant("cuda-cubin", file)
            .variant("cuda-cubin", file)
            .variant("hip-hsaco", code)
            .variant("hip-hsaco", code)
            .file("lib/a.h", "header");
    code[0] = 9;
    ExecutableSource source = builder.build();
    ExecutableSource changed = builder.cpp("more").build();
    Files.writeString(file, "new");
    assertEquals("new", text(source, "saxpy.sm_90.cubin"));
    assertEquals("new", text(source, "saxpy.sm_902.cubin"));
    assertArrayEquals(new byte[] {1, 2}, source.read("code.hip-hsaco"));
    assertArrayEquals(new byte[] {1, 2}, source.read("code2.hip-hsaco"));
    assertEquals("header", text(source, "lib/a.h"));
    assertNull(source.read("code.cpp"), "it was added later");
    assertEquals("more", text(changed, "code.cpp"));
    Files.delete(file);
    assertRefused(
        Status.NOT_FOUND, () -> source.read("saxpy.sm_90.cubin"), "there is no file " + file);
    assertRefused(Status.NOT_FOUND, () -> saxpy().variant("cuda-cubin", file), file.toString());
    assertRefused(Status.NOT_FOUND, () -> saxpy().variant("cuda-cubin", folder), "no file");
  }

  @Test
  void acceptsKernelsAsObjects() {
    JavaKernel body = group -> {};
    ExecutableSource source = saxpy().java("saxpy", body).build();
    assertEquals(Map.of("saxpy", body), source.javaKernels());
    assertTrue(text(source, "manifest.json").endsWith("\"variants\": [{\"format\": \"java\"}]}"));
    assertThrows(UnsupportedOperationException.class, () -> source.javaKernels().clear());
    assertRefused(
        Status.INVALID_ARGUMENT, () -> saxpy().java("saxpy", body).java("saxpy", body), "twice");
    assertRefused(
        Status.INVALID_ARGUMENT,
        () -> saxpy().java("saxpy", body).java("daxpy", body).build(),
        "'daxpy' is not declared",
        "[saxpy]");
    assertRefused(
        Status.FAILED_PRECONDITION,
        () -> saxpy().kernel("second", 1).java("saxpy", body).build(),
        "[saxpy, second]",
        "only " + Set.of("saxpy"));
  }

  @Test
  void refusesInvalidDeclarationsAtOnce() {
    assertRefused(Status.INVALID_ARGUMENT, () -> ExecutableSource.builder(""), "empty");
    for (String name : new String[] {"", "1a", "a-b", "a b", "ä"}) {
      assertRefused(
          Status.INVALID_ARGUMENT, () -> saxpy().kernel(name, 1), "kernel name '" + name + "'");
      assertRefused(
          Status.INVALID_ARGUMENT,
          () -> saxpy().kernel("k", 1, in(name, F32)),
          "parameter name '" + name + "'");
    }
    assertRefused(Status.INVALID_ARGUMENT, () -> saxpy().kernel("saxpy", 1), "two kernels");
    assertRefused(Status.INVALID_ARGUMENT, () -> saxpy().cooperative("sazpy"), "'sazpy'");
    assertRefused(
        Status.INVALID_ARGUMENT,
        () -> saxpy().kernel("k", 1, in("x", F32), constant("x", U32)),
        "two parameters",
        "'x'");
    assertRefused(Status.OUT_OF_RANGE, () -> saxpy().kernel("k", 0), "'k'", "0");
    assertRefused(Status.OUT_OF_RANGE, () -> saxpy().kernel("k", -1), "-1");
    assertRefused(Status.OUT_OF_RANGE, () -> saxpy().kernel("k", Workgroups.of(1), -5), "-5 bytes");
    assertRefused(Status.INVALID_ARGUMENT, () -> saxpy().cpp(""), "gpu-c++ is empty");
    assertRefused(
        Status.INVALID_ARGUMENT, () -> saxpy().variant("x", new byte[0]), "format x is empty");
    assertRefused(Status.FAILED_PRECONDITION, () -> saxpy().build(), "no variants");
    assertRefused(
        Status.FAILED_PRECONDITION,
        () -> ExecutableSource.builder("b").cpp("x").build(),
        "no kernels");
    assertRefused(Status.FAILED_PRECONDITION, () -> saxpy().options("-O3"), "options must follow");
    assertRefused(
        Status.FAILED_PRECONDITION,
        () -> saxpy().java(String.class).entry("saxpy", "s"),
        "an entry point must follow");
    assertRefused(
        Status.INVALID_ARGUMENT,
        () -> saxpy().cpp("x").entry("sapxy", "s").build(),
        "'sapxy' is not declared");
    assertRefused(
        Status.INVALID_ARGUMENT, () -> saxpy().cpp("x").file("code.cpp", "y"), "two files");
    for (String format : new String[] {"", "PTX", "1a", "a b", "a_b", "\u00e4"}) {
      assertRefused(
          Status.INVALID_ARGUMENT, () -> saxpy().variant(format, "x"), "'" + format + "'");
    }
    assertRefused(
        Status.INVALID_ARGUMENT, () -> saxpy().variant("java", "org.example.X"), "java(...)");
    assertRefused(Status.INVALID_ARGUMENT, () -> saxpy().cpp("x", ""), "[] of the compiler 'all'");
    assertRefused(
        Status.INVALID_ARGUMENT, () -> saxpy().cpp("x").compilerOptions("NVRTC", "-G"), "'NVRTC'");
    assertRefused(Status.INVALID_ARGUMENT, () -> saxpy().java(int[].class), "[I has no name");
  }

  @Test
  void refusesPathsOutsideTheBundle(@TempDir Path folder) throws Exception {
    for (String path :
        new String[] {"", "/a", "a/", "a//b", "../a", "a/../b", "./a", "a\\b", "c:a"}) {
      assertRefused(
          Status.INVALID_ARGUMENT, () -> saxpy().file(path, "x"), "the path '" + path + "'");
    }
    assertRefused(
        Status.INVALID_ARGUMENT,
        () -> saxpy().file("manifest.json", "{}"),
        "'manifest.json' is made by the builder");
    Path code = folder.resolve("manifest.json");
    Files.writeString(code, "code");
    ExecutableSource source = saxpy().variant("x", code).build();
    assertEquals("code", text(source, "manifest2.json"));
    assertTrue(text(source, "manifest.json").contains("\"file\": \"manifest2.json\""));
  }

  /** A refused call changes nothing. */
  @Test
  void aRefusedCallAddsNothing() {
    JavaKernel body = group -> {};
    BundleBuilder builder = saxpy().cpp("code").file("a.h", "first").java("saxpy", body);
    assertRefused(Status.INVALID_ARGUMENT, () -> builder.file("a.h", "second"), "two files 'a.h'");
    assertRefused(
        Status.INVALID_ARGUMENT, () -> builder.file("code.cpp", "x"), "the code of a variant");
    assertRefused(
        Status.INVALID_ARGUMENT, () -> builder.java("saxpy", group -> {}), "in Java twice");
    ExecutableSource source = builder.build();
    assertEquals("first", text(source, "a.h"));
    assertEquals("code", text(source, "code.cpp"));
    assertEquals(Map.of("saxpy", body), source.javaKernels());
  }

  /** A class loader that defines this test's class again. */
  private static final class Again extends ClassLoader {
    Class<?> define() throws IOException {
      try (InputStream in =
          Objects.requireNonNull(
              BundleBuilderTest.class.getResourceAsStream("BundleBuilderTest.class"))) {
        byte[] bytes = in.readAllBytes();
        return defineClass(BundleBuilderTest.class.getName(), bytes, 0, bytes.length);
      }
    }
  }

  @Test
  void findsTheGivenClassesWhateverTheirLoader() throws Exception {
    Class<?> again = new Again().define();
    ExecutableSource source = saxpy().java(Map.class).java(again).build();
    assertSame(again, source.classLoader().loadClass(BundleBuilderTest.class.getName()));
    assertSame(Map.class, source.classLoader().loadClass("java.util.Map"));
    assertSame(ExecutableSource.class, source.classLoader().loadClass("org.jhal.ExecutableSource"));
    assertRefused(
        Status.INVALID_ARGUMENT,
        () -> saxpy().java(BundleBuilderTest.class).java(again),
        "two classes");
  }
}
