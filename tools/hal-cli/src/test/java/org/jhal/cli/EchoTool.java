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
 * {@code hal echo}: prints its arguments; throws if the first is {@code throw}, with the second as
 * the message, logs a lost device, as drivers do, if it is {@code log}, fails as a file does whose
 * writer is interrupted if it is {@code interrupt}, and as Java does without memory if it is {@code
 * memory}.
 */
public final class EchoTool implements ToolProvider {
  @Override
  public String name() {
    return "hal-echo";
  }

  /** As of a tool that is compiled for Java 19 or newer. */
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
