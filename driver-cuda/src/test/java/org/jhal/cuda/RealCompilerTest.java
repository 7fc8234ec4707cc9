// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.gpu.compile.RuntimeCompiler;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.simulator.kit.DialectSources;
import org.jhal.simulator.kit.ProbeJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real NVRTC of this machine, if there is one; no device is needed. */
@Timeout(200)
class RealCompilerTest {
  private static final String ARCHITECTURE = "compute_80";
  private static final List<String> NAMES =
      List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so");

  @TempDir private Path folder;

  private List<String> compile(String text, String option) throws Exception {
    Path source = Files.writeString(folder.resolve("dialect.cpp"), text);
    List<String> lines =
        new ProbeJvm(folder, Map.of(), Map.of(), Compiling.class, source.toString(), option)
            .lines();
    String last = lines.get(lines.size() - 1);
    assumeFalse(
        last.startsWith("no compiler"),
        () -> "there is no NVRTC on this machine (JHAL_CUDA_NVRTC may name its file): " + last);
    return lines;
  }

  private void assertCompiles(String text, String option) throws Exception {
    List<String> lines = compile(text, option);
    String last = lines.get(lines.size() - 1);
    assertTrue(last.startsWith("compiled to "), () -> String.join("\n", lines));
  }

  @Test
  void compilesEachFunctionOfTheDialect() throws Exception {
    for (String source : DialectSources.functions().values()) {
      assertCompiles(source, "--std=c++17");
    }
  }

  @Test
  void compilesEachOtherNameOfTheDialect() throws Exception {
    assertCompiles(DialectSources.names(), "--std=c++17");
    assertCompiles(DialectSources.names(), "--std=c++20");
  }

  /** What the drivers cpu and the simulators do as CUDA does, without a word in the source. */
  @Test
  void narrowNumbersBecomeIntsWhenLanesExchangeThem() throws Exception {
    assertCompiles(
        """
        template <class A, class B> struct Same { static constexpr bool value = false; };
        template <class A> struct Same<A, A> { static constexpr bool value = true; };
        #define IS(type, ...) static_assert(Same<decltype(__VA_ARGS__), type>::value, #__VA_ARGS__)
        enum Plain { SMALL, LARGE = 1 << 30 };
        enum Narrow : unsigned char { FIRST };
        struct Bits { unsigned five : 5; };
        extern "C" __global__ void k(Bits bits) {
          IS(int, __shfl_sync(~0u, (unsigned char)1, 1));
          IS(int, __shfl_up_sync(~0u, (short)1, 1));
          IS(int, __shfl_down_sync(~0u, true, 1));
          IS(int, __shfl_xor_sync(~0u, SMALL, 1));
          IS(int, __shfl_xor_sync(~0u, FIRST, 1));
          IS(unsigned, __shfl_sync(~0u, bits.five, 1));
          IS(float, __shfl_sync(~0u, 0.5f, 1));
          IS(int, __reduce_add_sync(~0u, (unsigned char)1));
          IS(unsigned, __reduce_add_sync(~0u, 1u));
          IS(int, __reduce_min_sync(~0u, (short)1));
          IS(int, __reduce_max_sync(~0u, true));
          IS(unsigned, __reduce_and_sync(~0u, (unsigned char)1));
          IS(unsigned, __reduce_or_sync(~0u, 1));
          IS(unsigned, __reduce_xor_sync(~0u, true));
        }
        """,
        "--std=c++17");
  }

  /** The header that the compiler puts in front of each source has these names, too. */
  @Test
  void optionsDefineNamesThatTheCompilersOwnHeaderHas() throws Exception {
    for (String name : List.of("T", "type", "value", "base")) {
      assertCompiles(
          "extern \"C\" __global__ void k(" + name + "* x) { *x = 1; }", "-D" + name + "=float");
    }
  }

  @Test
  void linesKeepTheirNumbersBehindDefinitions() throws Exception {
    List<String> lines = compile("__global__ void k() {}\nint x = y;\n", "-DN=3");
    assertTrue(
        lines.stream().anyMatch(line -> line.contains("dialect.cpp(2)")),
        () -> String.join("\n", lines));
  }

  /** NVRTC without a driver: it makes PTX. */
  private static final class Alone extends RuntimeCompiler {
    private final Nvrtc.Api api;

    Alone(SharedLibrary library, Nvrtc.Api api) {
      super(library.path(), api, List.of());
      this.api = api;
    }

    @Override
    protected String architectureOption(String architecture, List<String> options, String what) {
      return "--gpu-architecture=" + architecture;
    }

    @Override
    protected boolean isForSource(String macro) {
      return true;
    }

    @Override
    protected byte[] code(Pointer program, List<String> options) {
      LongByReference size = new LongByReference();
      return bytes(api.getPTXSize(program, size), size, target -> api.getPTX(program, target));
    }
  }

  /**
   * A process that compiles a file. It must not load a simulated driver: NVRTC asks a driver that
   * it finds in the process for functions, and calls what it gets.
   */
  public static final class Compiling {
    private Compiling() {}

    /** Its arguments are a file and an option. */
    public static void main(String[] args) throws IOException {
      SharedLibrary library;
      try {
        library = Nvrtc.WANTED.findAll(NAMES, "nvrtcCompileProgram", found -> true).get(0);
      } catch (HalException e) {
        System.out.println("no compiler: " + String.valueOf(e.getMessage()).replace('\n', ' '));
        return;
      }
      if (library.path().contains("gpu-simulator")) {
        System.out.println("no compiler: " + library.path() + " is simulated");
        return;
      }
      Alone compiler =
          new Alone(library, Nvrtc.WANTED.map(library, Nvrtc.Api.class, Nvrtc.NAME, "CUDA 11.2"));
      String text = Files.readString(Path.of(args[0]));
      try {
        byte[] code =
            compiler.compile(text, "dialect.cpp", List.of(args[1]), ARCHITECTURE, "dialect.cpp");
        System.out.println("compiled to " + code.length + " bytes by " + compiler);
      } catch (HalException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
