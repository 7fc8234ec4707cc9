// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What GCC writes about the loops that it makes vectors of ({@code -fdump-tree-vect-details}). GCC
 * 12.2 makes wrong code of two kinds of loops, which its dump shows; in findings/ are programs in C
 * without JHAL:
 *
 * <ul>
 *   <li>A load or store with an address for each lane, whose offset is nothing but a comparison
 *       (gcc-comparison-as-subscript.sh): the vector of the comparison has -1 where the number is
 *       1. Where the vectorizer looks which statements a load needs, the operand that it names last
 *       is the offset. Loads of neighbours need none.
 *   <li>Loads under masks that become one load although they are not in the order of memory, or
 *       leave some of it out (gcc-swapped-masked-loads.sh).
 * </ul>
 *
 * <p>A dump of another format shows nothing. Used by one thread.
 */
final class VectorizerDump {
  private static final Pattern NOTE = Pattern.compile("\\S+ (?:note|missed|optimized): +(.*)");
  private static final String STATEMENT = "worklist: examine stmt: ";
  private static final Pattern OPERAND =
      Pattern.compile("vect_is_simple_use: operand (.*), type of def: .*");
  private static final String TEMPLATE = "op template: ";
  private static final Pattern LANE = Pattern.compile("stmt \\d+ (.*)");
  private static final Pattern MADE =
      Pattern.compile("-+>vectorizing SLP node starting from: (.*)");
  private static final String MASKED_LOAD = " = .MASK_LOAD (";

  /** A comparison, or what may combine some. */
  private static final Pattern TRUTH =
      Pattern.compile(
          "\\S+ (?:<|>|<=|>=|==|!=|ord|unord|ltgt|uneq|u[nlg]\\S*) \\S+|\\w+ [&|^] [a-z_]\\w*|~\\w+");

  private enum Access {
    LOAD,
    STORE,
    MASKED_LOAD
  }

  /** Statements that access neighbours in memory, in its order; null for one that none accesses. */
  private final Map<String, List<@Nullable String>> groups = new HashMap<>(); // by member

  private final Map<String, List<String>> lanes = new HashMap<>(); // by the first of a node

  private @Nullable Access access; // whose operands are being read
  private final List<String> operands = new ArrayList<>();
  private @Nullable List<@Nullable String> group; // being read
  private @Nullable List<String> node; // likewise
  private boolean isWrong;

  private VectorizerDump() {}

  /** Whether code was made that is wrong; true also where that cannot be ruled out. */
  static boolean showsWrongCode(Path dump) throws IOException {
    VectorizerDump read = new VectorizerDump();
    try (BufferedReader lines = Files.newBufferedReader(dump, StandardCharsets.ISO_8859_1)) {
      for (String line = lines.readLine(); line != null && !read.isWrong; line = lines.readLine()) {
        read.line(line);
      }
    }
    read.endOperands();
    return read.isWrong;
  }

  private void line(String line) {
    Matcher note = NOTE.matcher(line);
    String text = (note.matches() ? note.group(1) : line).strip();
    if (text.startsWith(STATEMENT)) {
      endOperands();
      access = access(text.substring(STATEMENT.length()));
    } else if (access != null) {
      readOperand(text);
    }
    readGroup(text);
    readNode(text);
    Matcher made = MADE.matcher(text);
    if (made.matches() && made.group(1).contains(MASKED_LOAD)) {
      isWrong |= !isInOrder(lanes.getOrDefault(made.group(1), List.of()));
    }
  }

  private static @Nullable Access access(String statement) {
    int equals = statement.indexOf(" = ");
    if (equals < 0) {
      return null;
    }
    if (statement.contains(MASKED_LOAD)) {
      return Access.MASKED_LOAD;
    }
    if (isMemory(statement.substring(equals + 3))) {
      return Access.LOAD;
    }
    return isMemory(statement.substring(0, equals)) ? Access.STORE : null;
  }

  private static boolean isMemory(String expression) {
    return expression.startsWith("*")
        || expression.startsWith("MEM")
        || expression.contains("[")
        || expression.contains(".");
  }

  private void readOperand(String text) {
    Matcher operand = OPERAND.matcher(text);
    if (operand.matches()) {
      operands.add(operand.group(1));
    } else if (text.startsWith("init:") || text.startsWith("===")) {
      endOperands();
    }
  }

  /** What a store stores, and the mask of a load, come before the offset. */
  private void endOperands() {
    int others = access == Access.LOAD ? 0 : 1;
    if (access != null && operands.size() > others) {
      isWrong |= TRUTH.matcher(operands.get(operands.size() - 1)).matches();
    }
    access = null;
    operands.clear();
  }

  private void readGroup(String text) {
    if (text.startsWith("Detected interleaving ")) {
      group = new ArrayList<>();
    } else if (group != null && text.startsWith("<gap ")) {
      group.add(null);
    } else if (group != null && text.contains(" = ") && text.endsWith(";")) {
      group.add(text);
      groups.put(text, group);
    } else {
      group = null;
    }
  }

  private void readNode(String text) {
    if (text.startsWith(TEMPLATE)) {
      node = new ArrayList<>();
      lanes.put(text.substring(TEMPLATE.length()), node);
    } else if (node != null) {
      Matcher lane = LANE.matcher(text);
      if (lane.matches()) {
        node.add(lane.group(1));
      } else {
        node = null;
      }
    }
  }

  /** Whether the loads are those of a whole range of memory, from its start on. */
  private boolean isInOrder(List<String> loads) {
    List<@Nullable String> all = loads.isEmpty() ? null : groups.get(loads.get(0));
    return all != null && all.size() >= loads.size() && all.subList(0, loads.size()).equals(loads);
  }
}
