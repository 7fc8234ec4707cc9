// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jhal.bench.measure.NotAvailableException;
import org.jspecify.annotations.Nullable;

/**
 * The loops in {@code hip/calls.c}, compiled when they are first needed and loaded into this
 * process, so that they can be given the handles that Java has.
 *
 * <p>For one thread.
 */
public final class HipLoops implements AutoCloseable {
  private static final String LIBRARY = "calls.so";

  private final Map<String, String> environment;
  private @Nullable NativeBuild build;
  private @Nullable NativeLibrary loops;

  /**
   * Compiles nothing yet.
   *
   * @param environment with the {@code PATH} on which a compiler is looked for
   */
  public HipLoops(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * Calls a function in a loop.
   *
   * @param library the library that has the function
   * @param arguments of the loop, from the third on
   * @return how many nanoseconds all calls took, or a failed call's result as a negative number
   * @throws NotAvailableException if there is no compiler
   */
  public long run(NativeLibrary library, String kernel, int count, Object... arguments)
      throws Exception {
    Object[] all = new Object[2 + arguments.length];
    all[0] = library.getFunction(kernel);
    all[1] = count;
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return load().getFunction("loop_" + kernel).invokeLong(all);
  }

  private NativeLibrary load() throws Exception {
    if (loops == null) {
      Path compiler = NativeBuild.compiler(environment);
      build = NativeBuild.of("hip", "calls.c");
      Path made = build.file(LIBRARY);
      build.run(
          List.of(
              compiler.toString(),
              "-O2",
              "-shared",
              "-fPIC",
              "-o",
              made.toString(),
              build.file("calls.c").toString()));
      loops = NativeLibrary.getInstance(made.toString());
    }
    return loops;
  }

  /** Unloads and removes the compiled library. */
  @Override
  public void close() throws IOException {
    if (loops != null) {
      loops.close();
      loops = null;
    }
    if (build != null) {
      build.close();
      build = null;
    }
  }
}
