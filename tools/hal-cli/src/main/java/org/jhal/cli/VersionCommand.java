// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hal version}: the version of JHAL and of the Java that runs it. */
@Command(name = "version", description = "Prints the version of JHAL and of Java.")
final class VersionCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    print(spec.commandLine().getOut());
  }

  static void print(PrintWriter out) {
    out.println("hal " + version());
    out.println(
        "Java "
            + System.getProperty("java.version")
            + " ("
            + System.getProperty("java.vendor")
            + ")");
    out.flush();
  }

  /** What the build wrote into {@code version.properties}. */
  private static String version() {
    Properties properties = new Properties();
    try (InputStream in = VersionCommand.class.getResourceAsStream("version.properties")) {
      if (in == null) {
        throw new IllegalStateException("version.properties is missing beside this class");
      }
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }
}
