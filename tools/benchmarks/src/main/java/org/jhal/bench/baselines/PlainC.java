// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jhal.bench.kernel.PlainKernel;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * What the kernels of {@link org.jhal.bench.kernel.PlainKernels} compute, in plain C for one
 * thread. It is compiled when it is first needed, with the flags that a C programmer uses, and not
 * those of the cpu device.
 *
 * <p>For one thread.
 */
public final class PlainC implements AutoCloseable {
  /** The name of the baseline. */
  public static final String NAME = "C";

  /** Likewise, without vector instructions. */
  public static final String SCALAR = "C -O2, scalar";

  private static final List<String> FLAGS =
      List.of("-std=gnu11", "-march=native", "-fPIC", "-shared");
  private static final List<String> FASTEST = List.of("-O3");
  private static final List<String> SCALAR_FLAGS =
      List.of("-O2", "-fno-tree-vectorize", "-fno-tree-slp-vectorize");

  private final String name;
  private final List<String> more;
  private final Map<String, String> environment;
  private final String named;
  private @Nullable NativeBuild build;
  private @Nullable NativeLibrary library;

  /**
   * Compiles nothing yet.
   *
   * @param environment with the {@code PATH} on which a compiler is looked for
   * @param named the path of a compiler to use instead, or empty
   */
  public PlainC(Map<String, String> environment, String named) {
    this(environment, named, NAME, FASTEST);
  }

  private PlainC(Map<String, String> environment, String named, String name, List<String> more) {
    this.environment = environment;
    this.named = named;
    this.name = name;
    this.more = more;
  }

  /** Likewise, without vector instructions. */
  public static PlainC scalar(Map<String, String> environment, String named) {
    return new PlainC(environment, named, SCALAR, SCALAR_FLAGS);
  }

  /** Runs of {@code kernel}; a sample is the nanoseconds of one of {@code count} in a row. */
  public Subject subject(PlainKernel kernel, int count) {
    return new Subject() {
      private Object[] arguments = {}; // once it is prepared

      @Override
      public String name() {
        return name;
      }

      @Override
      public void prepare() throws Exception {
        arguments = kernel.arguments().toArray();
        call(kernel, arguments);
      }

      @Override
      public double[] sample() throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
          call(kernel, arguments);
        }
        return new double[] {(System.nanoTime() - start) / (double) count};
      }
    };
  }

  /** What one run on new arguments writes. */
  public ByteBuffer result(PlainKernel kernel) throws Exception {
    Object[] arguments = kernel.arguments().toArray();
    call(kernel, arguments);
    return (ByteBuffer) arguments[kernel.result()];
  }

  private void call(PlainKernel kernel, Object[] arguments) throws Exception {
    load().getFunction(kernel.kernel()).invokeVoid(arguments);
  }

  private NativeLibrary load() throws Exception {
    if (library == null) {
      String compiler = HostKernels.compiler(environment, named);
      String[] sources = new String[PlainKernel.Style.values().length];
      for (PlainKernel.Style style : PlainKernel.Style.values()) {
        sources[style.ordinal()] = style.file() + ".c";
      }
      build = NativeBuild.of("plain", sources);
      Path made = build.file("plain.so");
      List<String> command = new ArrayList<>(List.of(compiler));
      command.addAll(FLAGS);
      command.addAll(more);
      command.addAll(List.of("-o", made.toString()));
      for (String source : sources) {
        // The language is said before each file: g++ takes those behind the first for C++.
        command.addAll(List.of("-x", "c", build.file(source).toString()));
      }
      command.addAll(List.of("-x", "none", "-lm"));
      build.run(command);
      library = NativeLibrary.getInstance(made.toString());
    }
    return library;
  }

  /** Unloads and removes the compiled library. */
  @Override
  public void close() throws IOException {
    if (library != null) {
      library.close();
      library = null;
    }
    if (build != null) {
      build.close();
      build = null;
    }
  }
}
