// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.util.ArrayList;
import java.util.List;

/** Text in XML. */
public final class Xml {
  private Xml() {}

  /** The text as XML, in which not all characters may occur, not even as references. */
  public static String escape(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints().forEach(c -> shown.appendCodePoint(mayBeInXml(c) ? c : '?'));
    return shown
        .toString()
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  private static boolean mayBeInXml(int c) {
    return c >= 0x20
        && Character.getType(c) != Character.CONTROL
        && Character.getType(c) != Character.SURROGATE
        && c != 0xFFFE
        && c != 0xFFFF;
  }

  /** The same for the lines of an attribute or a title. */
  static String escapeLines(String text) {
    List<String> lines = new ArrayList<>();
    text.lines().forEach(line -> lines.add(escape(line)));
    return String.join("&#10;", lines);
  }
}
