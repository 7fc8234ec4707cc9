// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * A program in C that runs beside this JVM and takes one sample after the other on request. Between
 * requests it waits for its input, and its device is idle.
 *
 * <p>For one thread.
 */
final class RawProgram implements AutoCloseable {
  private static final String ABSENT = "absent "; // begins an answer that names what is missing
  private static final String END = "the end of the output";
  private static final Pattern RESULT =
      Pattern.compile("result (\\S+ \\d+ \\d+) (\\d+\\.\\d+) (\\d+\\.\\d+) (\\d+\\.\\d+)");

  /** Makes the program. */
  interface Maker {
    /** Its file, and its arguments; called before each start. */
    List<String> command() throws Exception;
  }

  private final Maker maker;
  private final Map<String, String> environment;
  private BlockingQueue<String> lines = new LinkedBlockingQueue<>(); // of this process alone
  private @Nullable Process process;

  /**
   * Starts nothing yet.
   *
   * @param environment variables for the program, in addition to those of this JVM
   */
  RawProgram(Maker maker, Map<String, String> environment) {
    this.maker = maker;
    this.environment = environment;
  }

  /**
   * A subject whose sample is one answer of the program.
   *
   * @param title its name in reports
   * @param name the program's name for the case
   * @param size of a step: how many bytes are transferred or allocated, or how many kernels run; 0
   *     where it means nothing
   * @param steps how many steps the sample has
   * @param convert makes the sample from the median, the lower and the upper quartile, in
   *     nanoseconds
   */
  Subject subject(
      String title, String name, long size, int steps, UnaryOperator<double[]> convert) {
    return new Subject() {
      @Override
      public String name() {
        return title;
      }

      @Override
      public double[] sample() throws Exception {
        return convert.apply(ask(name, size, steps));
      }
    };
  }

  /** The median and the quartiles in {@code line}, which answers the request. */
  static double[] parse(String line, String name, long size, int steps) throws IOException {
    String request = request(name, size, steps);
    Matcher result = RESULT.matcher(line);
    if (!result.matches() || !result.group(1).equals(request)) {
      throw new IOException("the raw program was asked for '" + request + "' and said: " + line);
    }
    return new double[] {
      Double.parseDouble(result.group(3)),
      Double.parseDouble(result.group(2)),
      Double.parseDouble(result.group(4))
    };
  }

  private static String request(String name, long size, int steps) {
    return String.format(Locale.ROOT, "%s %d %d", name, size, steps);
  }

  private double[] ask(String name, long size, int steps) throws Exception {
    try {
      Process running = start();
      Writer requests = running.outputWriter(StandardCharsets.UTF_8);
      requests.write(request(name, size, steps) + "\n");
      requests.flush();
      String line = nextLine();
      if (line.startsWith(ABSENT)) {
        throw new NotAvailableException(line.substring(ABSENT.length()));
      }
      return parse(line, name, size, steps);
    } catch (IOException | TimeoutException | InterruptedException | NotAvailableException e) {
      stop(); // the next request starts it again
      throw e;
    }
  }

  private Process start() throws Exception {
    if (process != null) {
      return process;
    }
    ProcessBuilder builder = new ProcessBuilder(maker.command()).redirectErrorStream(true);
    builder.environment().putAll(environment);
    BlockingQueue<String> target = new LinkedBlockingQueue<>();
    lines = target;
    Process started = builder.start();
    process = started;
    Baselines.daemon("bench-raw-output", () -> read(started, target)).start();
    String line = nextLine();
    if (!line.equals("ready")) {
      throw new IOException("the raw program does not start: " + line);
    }
    return started;
  }

  private static void read(Process process, BlockingQueue<String> target) {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        target.add(line);
      }
    } catch (IOException e) {
      target.add(e.toString());
    }
    target.add(END);
  }

  private String nextLine() throws InterruptedException, TimeoutException {
    String line = lines.poll(Bench.DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
    if (line == null) {
      throw new TimeoutException(
          "the raw program has not answered within " + DurationText.of(Bench.DEADLINE));
    }
    return line;
  }

  private void stop() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
      process = null;
    }
  }

  /** Ends the program. */
  @Override
  public void close() throws InterruptedException {
    stop();
  }
}
