// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;

/**
 * Prints log records of JHAL and its drivers in the format of the command's own failures: {@code
 * hal: LEVEL: message: cause} on stderr, with a stack trace only with {@code --verbose}.
 */
public final class LogLines extends Formatter {
  private static final String CONFIG_CLASS = "java.util.logging.config.class";
  private static final String CONFIG_FILE = "java.util.logging.config.file";

  private static volatile boolean verbose;

  /** For {@link LogManager}, which creates it when something is logged for the first time. */
  public LogLines() {}

  /**
   * Makes the process log in this format, unless it was started with a logging configuration. Costs
   * nothing until something is logged.
   */
  static void install(boolean withStackTraces) {
    verbose = withStackTraces;
    if (System.getProperty(CONFIG_CLASS) == null && System.getProperty(CONFIG_FILE) == null) {
      System.setProperty(CONFIG_CLASS, Configuration.class.getName());
    }
  }

  /** Configures the process; {@link LogManager} calls the constructor. */
  public static final class Configuration {
    /** Sends log records to stderr, in this format. */
    public Configuration() throws IOException {
      String console = ConsoleHandler.class.getName();
      String text =
          String.join(
              "\n",
              ".level=INFO",
              "handlers=" + console,
              console + ".formatter=" + LogLines.class.getName());
      LogManager.getLogManager()
          .readConfiguration(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }
  }

  @Override
  public String format(LogRecord record) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    Throwable thrown = record.getThrown();
    String what = record.getLevel().getName() + ": " + formatMessage(record);
    Main.print(out, thrown == null ? what : what + ": " + Main.describe(thrown));
    if (thrown != null && verbose) {
      thrown.printStackTrace(out);
    }
    out.flush();
    return text.toString();
  }
}
