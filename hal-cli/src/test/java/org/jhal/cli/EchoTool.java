package org.jhal.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.spi.ToolProvider;

/** {@code hal echo}: prints its arguments; throws if the first is {@code throw}. */
public final class EchoTool implements ToolProvider {
  @Override
  public String name() {
    return "hal-echo";
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    if (args.length > 0 && args[0].equals("throw")) {
      throw new IllegalStateException("as asked");
    }
    out.println(List.of(args));
    return 4;
  }
}
