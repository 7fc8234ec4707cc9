// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kernels in which names do not show what happens write what they must in each form. {@code
 * -Djhal.test.proofs=NAME} runs the kernels whose names contain that.
 */
@NeedsCompiler
class ProofsTest {
  private static final List<String> FILES =
      List.of(
          "proofs.cpp",
          "precedence.cpp",
          "meanings.cpp",
          "order.cpp",
          "groups.cpp",
          "accesses.cpp",
          "indexes.cpp",
          "ranges.cpp",
          "ranges_of_others.cpp",
          "short_rows.cpp",
          "jams.cpp",
          "scopes.cpp",
          "types.cpp",
          "vectors.cpp",
          "standard.cpp",
          "likenesses.cpp",
          "constants.cpp",
          "declarations.cpp",
          "stores.cpp");

  /**
   * Kernels of which each is a source of its own: what is known about others, or done because of
   * them, would hide faults.
   */
  private static final Set<String> APART =
      Set.of("likenesses.cpp", "constants.cpp", "declarations.cpp", "vectors.cpp");

  /** Kernels of which compilers that optimize much may leave something out, or change the order. */
  private static final Set<String> OPTIMIZED =
      Set.of(
          "groups.cpp", "accesses.cpp", "jams.cpp", "ranges.cpp", "short_rows.cpp", "vectors.cpp");

  /** Workgroups of four rows; those of all other kernels have one. */
  private static final Map<String, Workgroups> SIZES =
      Map.of("short_rows.cpp", Workgroups.of(FormRun.ITEMS / 4, 4));

  private static final String REJECTS = "the compiler rejects the faster form";
  private static final String ONLY = System.getProperty("jhal.test.proofs", "");

  /** A kernel, in a namespace of its own unless it is global, and what all items write. */
  private record Part(String name, int wanted, boolean isGlobal, String text) {
    String inNamespace() {
      return isGlobal ? text : "namespace of_" + name + " {\n" + text + "}\n";
    }

    String entry() {
      return isGlobal ? name : "of_" + name + "::" + name;
    }
  }

  private static String source(String file) throws IOException {
    try (InputStream in = ProofsTest.class.getResourceAsStream(file)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<Part> parts(String source) {
    return Arrays.stream(source.split("//@ "))
        .skip(1)
        .map(
            part -> {
              String[] head = part.lines().findFirst().orElseThrow().split(" ");
              String text = part.substring(part.indexOf('\n') + 1);
              return new Part(head[0], Integer.parseInt(head[1]), head.length > 2, text);
            })
        .filter(part -> part.name.contains(ONLY))
        .toList();
  }

  private static void run(
      String form, String file, String macros, List<Part> parts, Map<String, String> wrong)
      throws InterruptedException {
    if (parts.isEmpty()) { // no name of the file contains the property
      return;
    }
    String source = parts.stream().map(Part::inNamespace).collect(Collectors.joining());
    Map<String, Part> byName =
        parts.stream().collect(Collectors.toMap(Part::name, Function.identity()));
    Map<String, String> entries = parts.stream().collect(Collectors.toMap(Part::name, Part::entry));
    int[] input = new Random(1).ints(FormRun.COUNT, 0, 1000).toArray();
    String optimization = OPTIMIZED.contains(file) ? FormRun.MOST : FormRun.OPTIMIZATION;
    Workgroups size = SIZES.getOrDefault(file, Workgroups.of(FormRun.ITEMS));
    try (FormRun run = new FormRun(form, macros + source, entries, size, optimization)) {
      long slower =
          byName.keySet().stream().filter(each -> run.note(each).contains(REJECTS)).count();
      if (byName.size() > 10
          && slower > byName.size() / 10) { // those alone that the compiler names
        wrong.put("slower", slower + " of " + byName.size());
      }
      for (String name : byName.keySet()) {
        int[] written;
        try {
          written = run.run(name, input);
        } catch (HalException e) {
          wrong.put(name, e.getMessage());
          continue;
        }
        List<Integer> values = Arrays.stream(written).distinct().boxed().toList();
        if (!values.equals(List.of(byName.get(name).wanted))) {
          wrong.put(name, values + " as " + run.note(name));
        }
      }
    } catch (HalException e) {
      wrong.put(parts.get(0).name, e.getMessage());
    }
  }

  private static Stream<Arguments> inEachForm() {
    return Stream.of("auto", "coroutine", "fiber")
        .flatMap(form -> FILES.stream().map(file -> Arguments.of(form, file)));
  }

  @ParameterizedTest
  @MethodSource("inEachForm")
  void kernelsWriteWhatTheyMust(String form, String file) throws Exception {
    Map<String, String> wrong = new LinkedHashMap<>();
    String source = source(file);
    String macros = source.substring(0, source.indexOf("//@ "));
    if (APART.contains(file) && form.equals("auto")) {
      for (Part part : parts(source)) {
        run(form, file, macros, List.of(part), wrong);
      }
    } else {
      run(form, file, macros, parts(source), wrong);
    }
    assertEquals(Map.of(), wrong);
  }

  /** Other versions of GCC that a machine has, beside that of all tests, make right vectors. */
  @ParameterizedTest
  @ValueSource(strings = {"g++-13", "g++-14"})
  void vectorsOfOtherCompilersAreRight(String compiler) throws Exception {
    assumeTrue(HostCompiler.find(compiler).isPresent(), "there is no " + compiler + " on the PATH");
    Map<String, String> wrong = new LinkedHashMap<>();
    String source = source("vectors.cpp");
    String macros = source.substring(0, source.indexOf("//@ "));
    for (Part part : parts(source)) {
      run("auto&compiler=" + compiler, "vectors.cpp", macros, List.of(part), wrong);
    }
    assertEquals(Map.of(), wrong);
  }

  private static Stream<Arguments> inTheFastForms() {
    return Stream.of("auto", "fission")
        .flatMap(form -> FILES.stream().map(file -> Arguments.of(form, file)));
  }

  /** What is known about the other kernels of a source makes no difference. */
  @ParameterizedTest
  @Tag("long")
  @MethodSource("inTheFastForms")
  void eachKernelWritesWhatItMustAlone(String form, String file) throws Exception {
    Map<String, String> wrong = new LinkedHashMap<>();
    String source = source(file);
    String macros = source.substring(0, source.indexOf("//@ "));
    for (Part part : parts(source)) {
      run(form, file, macros, List.of(part), wrong);
    }
    assertEquals(Map.of(), wrong);
  }
}
