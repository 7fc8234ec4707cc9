// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.arithmetic;

import static org.jhal.ElementType.U32;
import static org.jhal.ElementType.U64;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.out;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.QueueSteps;
import org.jhal.Sequence;

/**
 * Computes functions on a device: one source for all that share operands. It has a kernel for each
 * few of them, since compilers take far longer for a large kernel than for several small ones.
 */
public final class FunctionRun {
  private static final String KERNEL = "compute"; // and a number
  private static final String BEGINNING = "extern \"C\" __global__ void " + KERNEL;
  private static final int ITEMS = 128; // of a workgroup
  private static final int FUNCTIONS = 32; // of a kernel
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private FunctionRun() {}

  /** Kernels that compute functions: for each, the results of all tuples, one after the other. */
  public static String source(List<DialectFunction> functions) {
    String head = head();
    int beginning = head.indexOf(BEGINNING);
    StringBuilder text = new StringBuilder(head.substring(0, beginning));
    for (int index = 0; index < functions.size(); index++) {
      if (index % FUNCTIONS == 0) {
        text.append(head.substring(beginning).replace(BEGINNING, BEGINNING + index / FUNCTIONS));
      }
      text.append("  out[")
          .append(index)
          .append(" * n + at] = bits_of(")
          .append(functions.get(index).expression())
          .append(");\n");
      if (index % FUNCTIONS == FUNCTIONS - 1 || index == functions.size() - 1) {
        text.append("}\n");
      }
    }
    return text.toString();
  }

  private static String head() {
    try (InputStream file =
        Objects.requireNonNull(FunctionRun.class.getResourceAsStream("head.cpp"))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The bundle of {@link #source} for functions, without its code. Operands are in its name. */
  public static BundleBuilder bundle(List<DialectFunction> functions) {
    String operands = functions.get(0).operands().name().toLowerCase(Locale.ROOT);
    BundleBuilder bundle = ExecutableSource.builder("functions-" + operands);
    for (int part = 0; part * FUNCTIONS < functions.size(); part++) {
      bundle.kernel(
          KERNEL + part,
          ITEMS,
          constant("n", U32),
          in("as", U32),
          in("bs", U32),
          in("cs", U32),
          in("ps", U64),
          in("qs", U64),
          out("out", U64));
    }
    return bundle;
  }

  /**
   * Computes functions, all of which have the same operands.
   *
   * @return the bits of the results, by the names of the functions
   */
  public static Map<String, long[]> run(Device device, List<DialectFunction> functions)
      throws InterruptedException {
    return run(device, bundle(functions).cpp(source(functions)).build(), functions);
  }

  /** Likewise, with a bundle whose code comes from {@link #source}. */
  public static Map<String, long[]> run(
      Device device, ExecutableSource bundle, List<DialectFunction> functions)
      throws InterruptedException {
    Operands.Tuples tuples = functions.get(0).operands().tuples();
    int n = Operands.COUNT;
    long[] bits = new long[n * functions.size()];
    try (Executable executable = device.loadExecutable(bundle);
        Sequence sequence = device.createSequence()) {
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer a = steps.uploading(HostMemory.of(tuples.a()));
      DeviceBuffer b = steps.uploading(HostMemory.of(tuples.b()));
      DeviceBuffer c = steps.uploading(HostMemory.of(tuples.c()));
      DeviceBuffer p = steps.uploading(HostMemory.of(tuples.p()));
      DeviceBuffer q = steps.uploading(HostMemory.of(tuples.q()));
      DeviceBuffer out = steps.allocate(U64, bits.length);
      for (int part = 0; part * FUNCTIONS < functions.size(); part++) {
        Kernel kernel = executable.kernel(KERNEL + part);
        steps.dispatch(kernel, kernel.covering(n), Args.of(n, a, b, c, p, q, out));
      }
      steps.readback(out, HostMemory.of(bits));
      sequence.await(PATIENCE);
    }
    Map<String, long[]> results = new LinkedHashMap<>();
    for (int index = 0; index < functions.size(); index++) {
      long[] one = new long[n];
      System.arraycopy(bits, index * n, one, 0, n);
      results.put(functions.get(index).name(), one);
    }
    return results;
  }
}
