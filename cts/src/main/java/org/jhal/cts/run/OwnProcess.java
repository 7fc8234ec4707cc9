// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.cts.run.plan.TestName;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.support.Cts;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/**
 * Runs one invocation of a test in a separate Java process, for tests after which this process
 * could no longer use the device.
 */
public final class OwnProcess {
  /** The property with the display name of the only invocation to run, set in such a process. */
  private static final String INVOCATION = "jhal.cts.invocation";

  /** Not passed on: a recording is of one process, so this one's goes on without the test. */
  private static final Pattern RECORDS = Pattern.compile("jhal\\.(.+\\.)?record|JHAL_(.+_)?RECORD");

  private static final Duration START =
      Duration.ofSeconds(60); // in addition to the test's deadline

  private OwnProcess() {}

  /** Whether this is such a process. */
  static boolean isIt() {
    return System.getProperty(INVOCATION) != null;
  }

  /** In such a process, skips all other invocations. */
  static void checkAskedFor(String invocation) {
    String wanted = System.getProperty(INVOCATION);
    if (wanted != null && !wanted.equals(invocation)) {
      throw Cts.unsupported("another invocation was requested");
    }
  }

  /** Runs the invocation. Returns its failure, or null. */
  static @Nullable Throwable run(
      CtsSession session, TestName test, String invocation, Duration deadline) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED"); // otherwise, newer JDKs print warnings
    // It lives for a second, which C2 would spend on compiling.
    command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:TieredStopAtLevel=1"));
    command.add("-XX:+UseSerialGC");
    System.getProperties()
        .stringPropertyNames()
        .forEach(
            name -> {
              if (name.startsWith("jhal.")
                  && !name.equals(CtsSession.DEVICE_PROPERTY)
                  && !RECORDS.matcher(name).matches()) {
                command.add("-D" + name + "=" + System.getProperty(name));
              }
            });
    command.add("-D" + INVOCATION + "=" + invocation);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(OwnProcess.class.getName());
    command.addAll(List.of(session.uri(), test.toString(), String.valueOf(session.seed())));
    Path log = null;
    Process process = null;
    try {
      log = Files.createTempFile("jhal-cts", ".log");
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
      builder.environment().keySet().removeIf(name -> RECORDS.matcher(name).matches());
      process = builder.start();
      if (!process.waitFor(deadline.plus(START).toSeconds(), TimeUnit.SECONDS)) {
        return new AssertionFailedError(
            "the test's own process did not end within "
                + deadline.plus(START)
                + ":\n"
                + read(log));
      }
      return process.exitValue() == 0
          ? null
          : new AssertionFailedError(
              "the test failed in its own process, which exited with "
                  + process.exitValue()
                  + ":\n"
                  + read(log));
    } catch (IOException e) {
      return e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e;
    } finally {
      if (process != null) {
        process.destroyForcibly();
      }
      if (log != null) {
        log.toFile().delete();
      }
    }
  }

  private static String read(Path log) throws IOException {
    return new String(Files.readAllBytes(log), StandardCharsets.UTF_8).strip();
  }

  /** Runs the test in the separate process. The arguments are the device, the test and the seed. */
  public static void main(String[] args) {
    // In the encoding that read() expects, which may not be the machine's.
    PrintWriter out =
        new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), true);
    boolean isSuccess = false;
    try {
      isSuccess =
          new CtsRun(CtsSession.findBackend(args[0]))
              .device(args[0])
              .tests(args[1])
              .seed(Long.parseLong(args[2]))
              .listen(
                  entry -> {
                    if (entry.outcome() == CtsReport.Outcome.FAILED) {
                      out.println(entry.test() + " (" + entry.display() + ")");
                      out.println(entry.detail());
                    }
                  })
              .run()
              .isSuccess();
    } catch (HalException e) {
      out.println(e.status() + ": " + e.getMessage());
    }
    System.exit(isSuccess ? 0 : 1);
  }
}
