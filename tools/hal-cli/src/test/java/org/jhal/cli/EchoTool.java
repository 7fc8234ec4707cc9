// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.PrintWriter;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedByInterruptException;
import java.util.List;
import java.util.Optional;
import java.util.spi.ToolProvider;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cli.data.DataFiles;

/**
 * {@code hal echo}: prints its arguments. The first argument may ask for more: {@code throw} throws
 * an exception with the second one as the message, {@code log} logs a lost device as drivers do,
 * {@code interrupt} fails like a file whose writer is interrupted, and {@code memory} fails like a
 * Java without memory.
 */
public final class EchoTool implements ToolProvider {
  @Override
  public String name() {
    return "hal-echo";
  }

  /** The method that a tool for Java 19 or newer inherits. */
  public Optional<String> description() {
    return Optional.of("Prints 100 % of its arguments.");
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    if (args.length > 1 && args[0].equals("throw")) {
      throw new HalException(Status.INVALID_ARGUMENT, args[1]);
    }
    if (args.length > 0 && args[0].equals("throw")) {
      throw new IllegalStateException("as asked");
    }
    if (args.length > 0 && args[0].equals("memory")) {
      throw new OutOfMemoryError("heap");
    }
    if (args.length > 0 && args[0].equals("interrupt")) {
      throw DataFiles.failure("cannot write 'x'", new ClosedByInterruptException());
    }
    if (args.length > 0 && args[0].equals("log")) {
      System.getLogger(EchoTool.class.getName())
          .log(
              Level.WARNING,
              "device echo://0 is lost",
              new HalException(Status.UNAVAILABLE, "a kernel trapped\nin a warp"));
    }
    out.println(List.of(args));
    return 4;
  }
}
