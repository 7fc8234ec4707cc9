// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.html;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * Writes one self-contained HTML page, which is also well-formed XML. Text and attribute values are
 * escaped. A policy in the page keeps browsers from loading anything and from running scripts.
 *
 * <pre>{@code
 * Html page = new Html("Results", "");
 * page.element("h1", "Results").open("ul", "class", "wide");
 * page.element("li", "a < b");
 * page.close();
 * Files.writeString(file, page.end());
 * }</pre>
 *
 * <p>Used by one thread at a time.
 */
public final class Html {
  private static final String STYLE =
      """
      :root { color-scheme: light dark; --ink: #1c2128; --paper: #ffffff; --line: #c9d1d9;
        --soft: #f3f5f7; --good: #116329; --bad: #b3151d; --dim: #59636e; }
      @media (prefers-color-scheme: dark) {
        :root { --ink: #e6edf3; --paper: #0d1117; --line: #3d444d; --soft: #161b22;
          --good: #56d364; --bad: #ff7b72; --dim: #9198a1; } }
      body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
        margin: 0 auto; max-width: 72rem; padding: 1rem; }
      .table { overflow-x: auto; margin: 0.5rem 0 1.5rem; }
      table { border-collapse: collapse; }
      th, td { border: 1px solid var(--line); padding: 0.2rem 0.6rem; text-align: left;
        vertical-align: top; }
      thead th { background: var(--soft); }
      td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
      pre, code { font: 0.85em/1.4 ui-monospace, monospace; }
      pre { background: var(--soft); padding: 0.6rem; overflow-x: auto; white-space: pre-wrap;
        overflow-wrap: anywhere; }
      .good { color: var(--good); } .bad { color: var(--bad); } .dim { color: var(--dim); }
      .verdict { border-left: 0.4rem solid; padding: 0.2rem 1rem; font-weight: 600; }
      """;

  /** Elements within a line. After the end of any other element, a line ends. */
  private static final Set<String> WITHIN_LINE =
      Set.of("td", "th", "code", "span", "svg", "rect", "line");

  private final StringBuilder out = new StringBuilder();
  private final Deque<String> open = new ArrayDeque<>(); // the innermost first

  /**
   * A page with an empty body.
   *
   * @param title of the page
   * @param style further rules of CSS, without {@code <} and {@code &}
   */
  public Html(String title, String style) {
    out.append("<!DOCTYPE html>\n");
    open("html", "xmlns", "http://www.w3.org/1999/xhtml", "lang", "en");
    out.append("\n<head>\n<meta charset=\"utf-8\"/>\n");
    out.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    out.append("<meta http-equiv=\"Content-Security-Policy\"");
    out.append(" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n");
    element("title", title);
    out.append("\n<style>\n").append(STYLE).append(style).append("</style>\n</head>\n");
    open("body");
    out.append('\n');
  }

  /**
   * Opens an element within the innermost open one.
   *
   * @param name of the element
   * @param attributes their names and values in turn
   */
  public Html open(String name, String... attributes) {
    out.append('<').append(name);
    for (int i = 0; i < attributes.length; i += 2) {
      out.append(' ').append(attributes[i]).append("=\"");
      out.append(escape(attributes[i + 1])).append('"');
    }
    out.append('>');
    open.push(name);
    return this;
  }

  /** Closes the innermost open element. */
  public Html close() {
    String name = open.pop();
    out.append("</").append(name).append('>');
    if (!WITHIN_LINE.contains(name)) {
      out.append('\n');
    }
    return this;
  }

  /** Writes text into the innermost open element. */
  public Html text(String text) {
    out.append(escape(text));
    return this;
  }

  /** Writes an element that contains only text. */
  public Html element(String name, String text, String... attributes) {
    return open(name, attributes).text(text).close();
  }

  /**
   * Opens a table whose head has these columns, and its body; {@link #closeTable} closes both.
   * Words stay whole: a table that is wider than the window scrolls separately.
   */
  public Html openTable(String... columns) {
    open("div", "class", "table").open("table").open("thead").open("tr");
    for (String column : columns) {
      element("th", column, "scope", "col");
    }
    return close().close().open("tbody");
  }

  /** Closes what {@link #openTable} opened. */
  public Html closeTable() {
    return close().close().close();
  }

  /** Writes a row of a table: its head and its cells. */
  public Html row(String head, String... cells) {
    open("tr").element("th", head, "scope", "row");
    for (String cell : cells) {
      element("td", cell);
    }
    return close();
  }

  /** Ends the page, closes everything that is open, and returns the page. */
  public String end() {
    while (!open.isEmpty()) {
      close();
    }
    return out.toString();
  }

  /**
   * Escapes {@code text} for HTML and XML, as text and as an attribute value. Characters that XML
   * cannot contain, or that would change the direction of the text around them, become U+FFFD.
   */
  public static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '&' -> escaped.append("&amp;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                case '\n', '\t' -> escaped.append((char) c);
                case '\r' -> {} // a parser would drop it too
                default -> escaped.appendCodePoint(isPlain(c) ? c : 0xFFFD);
              }
            });
    return escaped.toString();
  }

  private static boolean isPlain(int c) {
    return c >= 0x20
        && !(c >= 0x7F && c < 0xA0)
        && !(c >= 0xD800 && c < 0xE000) // half of a surrogate pair
        && !(c >= 0x202A && c <= 0x202E)
        && !(c >= 0x2066 && c <= 0x2069)
        && (c & 0xFFFE) != 0xFFFE;
  }
}
