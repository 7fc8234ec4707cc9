// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.List;
import org.jhal.KernelFinding;
import org.jhal.cpu.compile.LineTable;
import org.jhal.cpu.compile.SharedVariables;
import org.jhal.cpu.compile.VariableTypes;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * The code of checked kernels, and the source that it comes from.
 *
 * <p>Thread-safe.
 */
final class CheckedCode {
  private final byte[] library;
  private final SourceCode source;
  private final SharedVariables shared;
  private @Nullable LineTable lines; // read when it is first needed; guarded by `this`
  private @Nullable VariableTypes types; // likewise

  CheckedCode(byte[] library, SourceCode source) {
    this.library = library;
    this.source = source;
    this.shared = new SharedVariables(library);
  }

  /**
   * The place of an address.
   *
   * @param name what is marked in the line, if it is there
   * @return null if it is not known
   */
  KernelFinding.@Nullable Place place(long address, String name) {
    LineTable.Place place = lines().find(address, file -> text(file) != null);
    String text = place == null ? null : text(place.file());
    if (place == null || text == null) {
      return null;
    }
    List<String> all = text.lines().toList();
    String line = place.line() <= all.size() ? all.get(place.line() - 1) : "";
    return place(place.file(), place.line(), line.strip(), name);
  }

  /**
   * A place in a line. Which of several accesses was meant is not known, so they are marked
   * together, from the first to the last one, unless they are the same.
   */
  static KernelFinding.Place place(String file, int line, String text, String name) {
    int first = find(text, name, 0);
    if (first < 0) {
      return new KernelFinding.Place(file, line, text, 0, text.length());
    }
    int end = end(text, first);
    String access = text.substring(first, end);
    for (int at = find(text, name, end); at >= 0; at = find(text, name, end(text, at))) {
      if (!text.substring(at, end(text, at)).equals(access)) {
        end = end(text, at);
      }
    }
    return new KernelFinding.Place(file, line, text, first, end - first);
  }

  /** The lines of a file of the bundle; empty if it is none. */
  List<String> lines(String file) {
    String text = text(file);
    return text == null ? List.of() : text.lines().toList();
  }

  /** Lets a dispatch use its shared memory. */
  void writeVariables(long check) {
    for (SharedVariables.Variable each : shared.variables()) {
      HalRuntime.hal_check_variable(check, shared.anchor(), each.offset(), each.size(), 1);
    }
    for (SharedVariables.Variable each : shared.others()) {
      HalRuntime.hal_check_variable(check, shared.anchor(), each.offset(), each.size(), 0);
    }
  }

  /** A variable in shared memory, by its number. */
  SharedVariables.Variable variable(int index) {
    return shared.variables().get(index);
  }

  /**
   * What the source calls a part of a variable in shared memory, such as {@code tile[3][16]}.
   *
   * @param index the number of the variable
   * @param offset from its start, in bytes
   * @return null if it is not known
   */
  synchronized @Nullable String element(int index, long offset) {
    VariableTypes read = types;
    if (read == null) {
      read = new VariableTypes(library);
      types = read;
    }
    return read.element(variable(index).offset(), offset);
  }

  private synchronized LineTable lines() {
    LineTable read = lines;
    if (read == null) {
      read = new LineTable(library);
      lines = read;
    }
    return read;
  }

  /** The text of a file of the bundle; null if it is of JHAL or the compiler. */
  private @Nullable String text(String file) {
    if (file.equals(source.name())) {
      return source.text();
    }
    return source.provided().contains(file) ? null : source.headers().get(file);
  }

  /** Where a name stands as a whole, from a place on; -1 if it does not. */
  private static int find(String line, String name, int from) {
    for (int at = line.indexOf(name, from);
        at >= 0 && !name.isEmpty();
        at = line.indexOf(name, at + 1)) {
      int end = at + name.length();
      boolean isWhole =
          (at == 0 || !Character.isJavaIdentifierPart(line.charAt(at - 1)))
              && (end == line.length() || !Character.isJavaIdentifierPart(line.charAt(end)));
      if (isWhole) {
        return at;
      }
    }
    return -1;
  }

  /** The end of a name with the subscripts behind it. */
  private static int end(String line, int at) {
    int end = at;
    while (end < line.length() && Character.isJavaIdentifierPart(line.charAt(end))) {
      end++;
    }
    while (end < line.length() && line.charAt(end) == '[') {
      int depth = 0;
      int i = end;
      for (; i < line.length(); i++) {
        depth += line.charAt(i) == '[' ? 1 : line.charAt(i) == ']' ? -1 : 0;
        if (depth == 0) {
          break;
        }
      }
      if (depth != 0) {
        break;
      }
      end = i + 1;
    }
    return end;
  }
}
