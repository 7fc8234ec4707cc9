// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which sources are compiled once in a process, and which are compiled again. */
class RuntimeCompilerTest {
  private static final String KERNEL = "extern \"C\" __global__ void f() {}\n";

  /** The library's functions, without a library. */
  private static final class Functions implements CompilerApi {
    int compiled;
    int created; // what creating a program returns
    int result; // what compiling returns

    @Override
    public String getErrorString(int result) {
      return "error " + result;
    }

    @Override
    public int createProgram(
        PointerByReference program,
        String source,
        String name,
        int headerCount,
        @Nullable Pointer headers,
        @Nullable Pointer includeNames) {
      return created;
    }

    @Override
    public int destroyProgram(PointerByReference program) {
      return 0;
    }

    @Override
    public int addNameExpression(Pointer program, String expression) {
      return 0;
    }

    @Override
    public int getLoweredName(Pointer program, String expression, PointerByReference symbol) {
      Memory text = new Memory(64);
      text.setString(0, expression.replaceAll("\\W", "_"));
      symbol.setValue(text);
      return 0;
    }

    @Override
    public int compileProgram(Pointer program, int optionCount, StringArray options) {
      compiled++;
      return result;
    }

    @Override
    public int getProgramLogSize(Pointer program, LongByReference size) {
      return 0;
    }

    @Override
    public int getProgramLog(Pointer program, Memory log) {
      return 0;
    }
  }

  private final Functions functions = new Functions();

  private final RuntimeCompiler compiler =
      new RuntimeCompiler("fake", functions, List.of()) {
        @Override
        protected String architectureOption(
            String architecture, List<String> options, String what) {
          return "--arch=" + architecture;
        }

        @Override
        protected byte[] code(Pointer program, List<String> options) {
          return new byte[] {(byte) functions.compiled};
        }
      };

  /** How often a source is compiled when it is requested twice. */
  private int twice(SourceCode source, String... options) {
    int before = functions.compiled;
    for (int i = 0; i < 2; i++) {
      CompiledCode compiled = compiler.compile(source, List.of(options), List.of(), "a", "k");
      assertEquals(1, compiled.code().length);
    }
    return functions.compiled - before;
  }

  private static SourceCode source(String text, String... missing) {
    return new SourceCode(text, "k.cpp", Map.of(), List.of(missing));
  }

  @Test
  void compilesASelfContainedSourceOnce() {
    assertEquals(1, twice(source(KERNEL)));
    assertEquals(1, twice(source(KERNEL), "-DX=1"));
    assertEquals(0, twice(source(KERNEL)));
    Map<String, String> header = Map.of("a.h", "int a;");
    assertEquals(
        1, twice(new SourceCode("#include \"a.h\"\n" + KERNEL, "k.cpp", header, List.of())));
  }

  @Test
  void keepsTheSymbolsOfExpressionsWithTheirCode() {
    SourceCode source = source("template <int N> __global__ void f() {}\n");
    for (int i = 0; i < 2; i++) {
      for (String expression : List.of("f<1>", "f<2>")) {
        CompiledCode made = compiler.compile(source, List.of(), List.of(expression), "a", "k");
        assertEquals(expression.replaceAll("\\W", "_"), made.symbol(expression));
      }
    }
    assertEquals(2, functions.compiled);
  }

  /** That says nothing about the source. */
  @Test
  void aCompilerWithoutMemoryIsNoErrorInTheSource() {
    functions.created = 1;
    assertEquals(Status.RESOURCE_EXHAUSTED, failure());
    functions.created = 0;
    functions.result = 1;
    assertEquals(Status.RESOURCE_EXHAUSTED, failure());
    functions.result = 6;
    assertEquals(Status.INVALID_ARGUMENT, failure());
    functions.result = 0;
    assertEquals(1, twice(source(KERNEL)), "no failure is kept");
  }

  private Status failure() {
    return assertThrows(
            HalException.class,
            () -> compiler.compile(source(KERNEL), List.of(), List.of(), "a", "k"))
        .status();
  }

  /** A file may have changed, or it may be another day. */
  @Test
  void compilesASourceThatReadsFilesEachTime() {
    assertEquals(2, twice(source("#include <a.h>\n" + KERNEL)));
    assertEquals(2, twice(source("#include \"a.h\"\n" + KERNEL, "a.h")));
    assertEquals(2, twice(source("// __DATE__\n" + KERNEL)));
    assertEquals(2, twice(source(KERNEL), "-I/somewhere"));
  }

  private int twiceWithDialect(String text, String... options) {
    return twice(source(text).with(DialectHeaders.with(List.of(options))), options);
  }

  @Test
  void compilesASourceOnceThatIncludesTheDialect() {
    String includes = "#include <cooperative_groups.h>\n  # include /* a */ <cuda_fp16.h> // b\n";
    assertEquals(1, twiceWithDialect(includes + KERNEL));
    assertEquals(2, twiceWithDialect(includes + "#include <other.h>\n" + KERNEL));
    assertEquals(2, twiceWithDialect(includes + "#include <cuda_fp16.h\n" + KERNEL));
    assertEquals(2, twiceWithDialect(includes + KERNEL, "-I/usr/include"));
  }

  @Test
  void leavesFoldersOfOptionsTheirHeaders() {
    assertEquals(Map.of(), DialectHeaders.with(List.of("-I/usr/include")));
    assertEquals(Map.of(), DialectHeaders.with(List.of("--include-path=/usr/include")));
    String groups = DialectHeaders.with(List.of("-O3")).getOrDefault("cooperative_groups.h", "");
    assertTrue(groups.contains("this_thread_block"), groups);
    assertFalse(groups.contains("#include"), groups);
  }
}
