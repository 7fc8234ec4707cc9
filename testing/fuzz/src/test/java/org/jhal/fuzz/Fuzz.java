// SPDX-License-Identifier: Apache-2.0
package org.jhal.fuzz;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Runs a parser on its seeds and on many damaged ones. Each must give a value or the documented
 * exception, before a deadline and with limited memory.
 *
 * <p>{@code -Dfuzz.times=N} multiplies the number of inputs, {@code -Dfuzz.seed=N} selects others.
 *
 * @param name of the parser; failing inputs are kept in {@code target/fuzz} under this name
 * @param seeds valid inputs, which the parser must read
 * @param others inputs that are damaged as well, but need not be valid
 * @param tokens pieces of text that have a meaning in the format
 * @param documented the exception for malformed input; HalException must not be INTERNAL
 * @param maxAllocated the most memory that reading one input may allocate in all, in bytes
 * @param mend mends what would hide the rest from the parser, such as a checksum
 */
public record Fuzz(
    String name,
    List<byte[]> seeds,
    List<byte[]> others,
    List<String> tokens,
    Class<? extends Exception> documented,
    long maxAllocated,
    UnaryOperator<byte[]> mend) {
  /** A parser. */
  public interface Target {
    /** Reads an input; what it returns elsewhere does not matter. */
    void read(byte[] input) throws Exception;
  }

  private static final int DEADLINE_SECONDS = 60; // far more than any input takes
  private static final int TIMES = Integer.getInteger("jhal.fuzz.times", 1);
  private static final long SEED = Long.getLong("jhal.fuzz.seed", 1);

  /** For a format without checksums whose parser throws HalException. */
  public Fuzz(String name, List<byte[]> seeds, List<String> tokens) {
    this(name, seeds, List.of(), tokens, HalException.class, 64 << 20, UnaryOperator.identity());
  }

  /** The same with inputs that need not be valid. */
  public Fuzz alsoFrom(List<byte[]> more) {
    return new Fuzz(name, seeds, more, tokens, documented, maxAllocated, mend);
  }

  /** The same with another exception. */
  public Fuzz documented(Class<? extends Exception> other) {
    return new Fuzz(name, seeds, others, tokens, other, maxAllocated, mend);
  }

  /** The same with checksums that are mended. */
  public Fuzz mending(UnaryOperator<byte[]> mender) {
    return new Fuzz(name, seeds, others, tokens, documented, maxAllocated, mender);
  }

  /** The same with another limit of memory. */
  public Fuzz allocating(long bytes) {
    return new Fuzz(name, seeds, others, tokens, documented, bytes, mend);
  }

  /** Texts as inputs. */
  public static List<byte[]> texts(String... texts) {
    return List.of(texts).stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
  }

  /**
   * Runs the parser.
   *
   * @param inputs how many damaged inputs an ordinary build tries
   * @throws AssertionError for the first input that gives anything else; the message names the file
   *     with the input
   */
  public void run(int inputs, Target target) throws InterruptedException {
    Random random = new Random(SEED);
    List<byte[]> all = Stream.concat(seeds.stream(), others.stream()).toList();
    Mutator mutator = new Mutator(random, all, tokens);
    int count = Math.multiplyExact(inputs, TIMES);
    System.out.printf("%s: %s inputs of -Dfuzz.seed=%s%n", name, count, SEED);
    ExecutorService worker =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, "fuzz " + name);
              thread.setDaemon(true); // one that hangs must not keep the process
              return thread;
            });
    try {
      for (byte[] seed : seeds) {
        Exception refusal = check(worker, target, seed);
        if (refusal != null) {
          throw failure(seed, "is valid, and is refused", refusal);
        }
      }
      for (byte[] other : others) {
        Exception unused = check(worker, target, other);
      }
      for (int i = 0; i < count; i++) {
        byte[] input = mutator.next();
        byte[] mended = random.nextInt(8) == 0 ? input : mend.apply(input);
        Exception unused = check(worker, target, mended);
      }
    } finally {
      worker.shutdownNow();
    }
  }

  /** Reads an input, and returns the documented exception if it was thrown. */
  private @Nullable Exception check(ExecutorService worker, Target target, byte[] input)
      throws InterruptedException {
    try {
      worker.submit(() -> read(target, input)).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      return null;
    } catch (TimeoutException e) {
      throw failure(input, "takes longer than " + DEADLINE_SECONDS + " s", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof TooMuchException) {
        throw failure(input, cause.getMessage(), null);
      }
      if (documented.isInstance(cause)
          && !(cause instanceof HalException hal && hal.status() == Status.INTERNAL)
          && cause.getMessage() != null) {
        return documented.cast(cause);
      }
      throw failure(input, "ends with\n" + trace(cause), cause);
    }
  }

  private Void read(Target target, byte[] input) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(id);
    try {
      target.read(input);
    } finally {
      long allocated = threads.getThreadAllocatedBytes(id) - before;
      if (allocated > maxAllocated) {
        throw new TooMuchException("allocates " + allocated + " bytes, more than " + maxAllocated);
      }
    }
    return null;
  }

  private AssertionError failure(byte[] input, String what, @Nullable Throwable cause) {
    Path file = Path.of("target", "fuzz", name + "-" + Integer.toHexString(Arrays.hashCode(input)));
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, input);
    } catch (IOException e) {
      throw new AssertionError(name + " " + what + "; the input cannot be kept: " + e, cause);
    }
    return new AssertionError(
        name + ", -Dfuzz.seed=" + SEED + ": " + file.toAbsolutePath() + " " + what, cause);
  }

  private static String trace(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString().lines().limit(20).reduce("", (a, b) -> a + b + "\n");
  }

  private static final class TooMuchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooMuchException(String message) {
      super(message);
    }
  }
}
