// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.jhal.cli.text.Table;
import org.jhal.cli.text.Units;
import org.junit.jupiter.api.Test;

/** Numbers, tables and the progress bar. */
class ReportTest {
  private static final long NEVER = TimeUnit.HOURS.toMillis(1);

  @Test
  void formatsNumbersWithUnits() {
    assertEquals("0 B", Units.bytes(0));
    assertEquals("1023 B", Units.bytes(1023));
    assertEquals("1.5 KiB", Units.bytes(1536));
    assertEquals("16.0 GiB", Units.bytes(16L << 30));
    assertEquals("8.0 EiB", Units.bytes(Long.MAX_VALUE));
    assertEquals("0.1 us", Units.nanos(123));
    assertEquals("12.3 us", Units.nanos(12_345));
    assertEquals("1.50 ms", Units.nanos(1_500_000));
    assertEquals("2.00 s", Units.nanos(2_000_000_000));
  }

  @Test
  void alignsTheCellsOfATable() {
    Table table = new Table();
    table.row("a", "bbb", "");
    table.row("aaa", "b\n  c\n");
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    table.print(writer);
    writer.flush();
    assertEquals(String.format("a    bbb%naaa  b; c%n"), out.toString());
  }

  @Test
  void drawsAndErasesTheProgressBar() {
    assertEquals("[" + " ".repeat(30) + "] 0/7", Progress.bar(0, 7));
    assertEquals(
        "[" + "#".repeat(15) + " ".repeat(15) + "] 500000/1000000",
        Progress.bar(500_000, 1_000_000));
    assertEquals("[" + "#".repeat(30) + "] 7/7", Progress.bar(7, 7));
    StringWriter err = new StringWriter();
    try (Progress progress = new Progress(new PrintWriter(err), 2, NEVER)) {
      progress.step();
      progress.paint();
      assertEquals("\r" + Progress.bar(1, 2), err.toString());
    }
    String bar = Progress.bar(1, 2);
    assertEquals("\r" + bar + "\r" + " ".repeat(bar.length()) + "\r", err.toString());
  }

  @Test
  void printsNothingForABarThatWasNeverShown() {
    StringWriter err = new StringWriter();
    new Progress(new PrintWriter(err), 2, NEVER).close();
    assertEquals("", err.toString());
  }
}
