// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jhal.bench.kernel.JavaLoops;
import org.jhal.bench.kernel.Workload;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;
import org.jhal.cpu.compile.HostCompiler;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of {@code compute/kernels.c}, written by hand for one thread. They are compiled when
 * they are first needed, by the compiler of the cpu device and with its flags, and loaded into this
 * process.
 *
 * <p>For one thread.
 */
public final class HostKernels implements AutoCloseable {
  /** The name of the baseline. */
  public static final String NAME = "C";

  private static final List<String> COMPILERS = List.of("c++", "g++", "clang++");

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
  public HostKernels(Map<String, String> environment, String named) {
    this.environment = environment;
    this.named = named;
  }

  /** Runs of {@code workload}; a sample is the nanoseconds of one of {@code count} in a row. */
  public Subject subject(Workload workload, int count) {
    return new Subject() {
      private Object @Nullable [] arguments; // of a loop, once it is prepared

      @Override
      public String name() {
        return NAME;
      }

      @Override
      public void prepare() throws Exception {
        List<Object> all = new ArrayList<>(List.of(1));
        all.addAll(workload.arguments());
        arguments = all.toArray();
        long unused = call(arguments);
        workload.check(JavaLoops.result(workload), (ByteBuffer) arguments[1 + workload.result()]);
        arguments[0] = count;
      }

      @Override
      public double[] sample() throws Exception {
        return new double[] {(double) call(Objects.requireNonNull(arguments)) / count};
      }

      private long call(Object[] all) throws Exception {
        return load().getFunction("loop_" + workload.kernel()).invokeLong(all);
      }
    };
  }

  private NativeLibrary load() throws Exception {
    if (library == null) {
      String compiler = compiler(environment, named);
      build = NativeBuild.of("compute", "kernels.c");
      Path made = build.file("kernels.so");
      List<String> command = new ArrayList<>(List.of(compiler, "-x", "c", "-std=gnu11"));
      command.addAll(HostCompiler.at(compiler).flags());
      command.addAll(List.of("-march=native", "-o", made.toString()));
      command.addAll(List.of(build.file("kernels.c").toString(), "-lm"));
      build.run(command);
      library = NativeLibrary.getInstance(made.toString());
    }
    return library;
  }

  /** The compiler that is named, or else the first one on the path. */
  static String compiler(Map<String, String> environment, String named)
      throws NotAvailableException {
    if (!named.isEmpty()) {
      return named;
    }
    for (String name : COMPILERS) {
      Path found = NativeBuild.executable(name, environment.getOrDefault("PATH", ""));
      if (found != null) {
        return found.toString();
      }
    }
    throw new NotAvailableException("it cannot be compiled: no c++, g++ or clang++ on the PATH");
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
