// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Prints rows with their cells below each other; the last cell of a row may be of any length. */
public final class Table {
  private final List<String[]> rows = new ArrayList<>();

  /** Adds a row. The lines of a cell, such as a driver's message, are joined to one. */
  public void row(String... cells) {
    rows.add(
        Arrays.stream(cells)
            .map(cell -> cell.strip().replaceAll("\\s*\\R\\s*", "; "))
            .toArray(String[]::new));
  }

  /** Prints all rows, without spaces at the end of a line. */
  public void print(PrintWriter out) {
    List<Integer> widths = new ArrayList<>();
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        if (i == widths.size()) {
          widths.add(0);
        }
        if (i < row.length - 1) {
          widths.set(i, Math.max(widths.get(i), row[i].length()));
        }
      }
    }
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        line.append(row[i]).append(" ".repeat(Math.max(0, widths.get(i) - row[i].length()) + 2));
      }
      out.println(line.toString().stripTrailing());
    }
  }
}
