package org.jhal.cpu.translate;

/**
 * A kernel to compile.
 *
 * @param entry its name in the source, with its template arguments if it is a template
 * @param x how many work items a workgroup has along the first axis
 */
public record KernelRequest(String entry, int x, int y, int z) {
  String name() {
    int angle = entry.indexOf('<');
    return (angle < 0 ? entry : entry.substring(0, angle)).strip();
  }

  /** The template arguments with a comma before them; empty without any. */
  String arguments() {
    int angle = entry.indexOf('<');
    return angle < 0 ? "" : ", " + entry.substring(angle + 1, entry.lastIndexOf('>'));
  }

  String sizes() {
    return x + ", " + y + ", " + z;
  }
}
