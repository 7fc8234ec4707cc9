// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What GCC writes about the loops that it makes vectors of ({@code -fdump-tree-vect-details}). GCC
 * 12.2 makes wrong code of three kinds of loops, which its dump shows, 13.3 of the first and the
 * third, and 14.2 of none; in findings/ are programs in C without JHAL. All are looked for whatever
 * the version, which takes vectors from loops of the first kind that GCC 14 would get right:
 *
 * <ul>
 *   <li>A load or store with an address for each lane, whose offset is nothing but a comparison
 *       (gcc-comparison-as-subscript.sh): the vector of the comparison has -1 where the number is
 *       1. Where the vectorizer looks which statements a load needs, the operand that it names last
 *       is the offset. Loads of neighbours need none. {@code a & b} is a number if GCC looks for a
 *       vector of numbers for it.
 *   <li>Loads under masks that become one load although they are not in the order of memory, or
 *       leave some of it out (gcc-swapped-masked-loads.sh).
 *   <li>Loads of neighbours under masks that take several vectors, such as three numbers an item:
 *       all get the mask of the first (gcc-one-mask-for-several-vectors.sh).
 * </ul>
 *
 * <p>A dump of another format shows nothing. Used by one thread.
 */
final class VectorizerDump {
  private static final Pattern NOTE = // behind a place, in a file whose name may have spaces
      Pattern.compile("(?:\\S+|.*?:\\d+): (?:note|missed|optimized): +(.*)");
  private static final String STATEMENT = "worklist: examine stmt: ";
  private static final Pattern OPERAND =
      Pattern.compile("vect_is_simple_use: operand (.*), type of def: .*");
  private static final String TEMPLATE = "op template: ";
  private static final Pattern LANE = Pattern.compile("stmt \\d+ (.*)");
  private static final Pattern MADE =
      Pattern.compile("-+>vectorizing (?:SLP node starting from: )?(.*)");
  private static final String SEVERAL = ">vectorizing SLP node ";
  private static final Pattern NEW_MASKED_LOAD =
      Pattern.compile("add new stmt: .* = \\.MASK_LOAD \\(.*, (\\S+)\\);");
  private static final int NONE = -1;
  private static final String MASKED_LOAD = " = .MASK_LOAD (";
  private static final String MASKED_STORE = ".MASK_STORE (";

  /** Points before digits belong to names, as in iftmp.3_14, and to numbers. */
  private static final Pattern MEMORY = Pattern.compile("^\\*|^MEM|[(<]\\*|\\[|->|\\S\\.\\D");

  /** What a statement stores is an operand only if it is no constant. */
  private static final Pattern STORED_OPERAND = Pattern.compile(".*\\b\\w*_\\d+(?:\\(D\\))?\\)?;");

  private static final Pattern COMPARISON =
      Pattern.compile("\\S+ (?:u?(?:<|>|<=|>=|==)|!=|<>|ord|unord) \\S+");

  /** What may combine comparisons, or numbers: GCC says which, where it chooses vectors. */
  private static final Pattern BITS = Pattern.compile("\\S+ [&|^] [a-z_]\\S*|~\\S+");

  private static final Pattern CHOSEN = Pattern.compile("==> examining statement: \\w+ = (.*);");
  private static final Pattern TYPE =
      Pattern.compile("get vectype for scalar type(?: \\(.*\\))?: (?!_?[Bb]ool\\b)(.*)");
  private static final String FUNCTION = ";; Function ";

  /** Statements that access neighbours in memory, in its order; null for one that none accesses. */
  private final Map<String, List<@Nullable String>> groups = new HashMap<>(); // by member

  private final Map<String, List<String>> lanes = new HashMap<>(); // by the first of a node

  private int others = NONE; // how many operands of the statement come before an offset
  private final List<String> operands = new ArrayList<>(); // of that statement
  private final Set<String> bits = new HashSet<>(); // offsets of a function that may be truths
  private final Set<String> numbers = new HashSet<>(); // expressions of it that are none
  private @Nullable String chosen; // the expression whose type the next line may say
  private @Nullable List<@Nullable String> group; // being read
  private @Nullable List<String> node; // likewise
  private boolean isInNode; // of whose vectors the dump tells
  private @Nullable String mask; // of the first masked load of that node
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
    read.endFunction();
    return read.isWrong;
  }

  private void line(String line) {
    Matcher note = NOTE.matcher(line);
    String text = (note.matches() ? note.group(1) : line).strip();
    if (text.startsWith(STATEMENT)) {
      endOperands();
      others = others(text.substring(STATEMENT.length()));
    } else if (others != NONE) {
      readOperand(text);
    }
    if (text.startsWith(FUNCTION)) {
      endFunction();
    }
    readType(text);
    readGroup(text);
    readNode(text);
    readVectors(text);
  }

  private void readType(String text) {
    Matcher choice = CHOSEN.matcher(text);
    if (choice.matches()) {
      chosen = choice.group(1);
    } else if (chosen != null) {
      if (TYPE.matcher(text).matches()) {
        numbers.add(chosen);
      }
      chosen = null;
    }
  }

  /** Names have another meaning in the next function. */
  private void endFunction() {
    endOperands();
    isWrong |= !numbers.containsAll(bits);
    bits.clear();
    numbers.clear();
  }

  /**
   * How many operands of a statement, as the dump names them, are none of its address: the value
   * that a store stores, unless it is a constant, and a mask. {@link #NONE} if it accesses no
   * memory.
   */
  private static int others(String statement) {
    int stored = STORED_OPERAND.matcher(statement).matches() ? 1 : 0;
    if (statement.startsWith(MASKED_STORE)) {
      return 1 + stored;
    }
    int equals = statement.indexOf(" = ");
    if (equals < 0) {
      return NONE;
    }
    if (statement.contains(MASKED_LOAD)) {
      return 1;
    }
    if (MEMORY.matcher(statement.substring(equals + 3)).find()) {
      return 0;
    }
    return MEMORY.matcher(statement.substring(0, equals)).find() ? stored : NONE;
  }

  private void readOperand(String text) {
    Matcher operand = OPERAND.matcher(text);
    if (operand.matches()) {
      operands.add(operand.group(1));
    } else if (text.startsWith("init:") || text.startsWith("===")) {
      endOperands();
    }
  }

  private void endOperands() {
    if (others != NONE && operands.size() > others) {
      String offset = operands.get(operands.size() - 1);
      isWrong |= COMPARISON.matcher(offset).matches();
      if (BITS.matcher(offset).matches()) {
        bits.add(offset);
      }
    }
    others = NONE;
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

  private void readVectors(String text) {
    Matcher made = MADE.matcher(text);
    if (made.matches()) {
      isInNode = text.contains(SEVERAL);
      mask = null;
      if (isInNode && made.group(1).contains(MASKED_LOAD)) {
        isWrong |= !isInOrder(lanes.getOrDefault(made.group(1), List.of()));
      }
    } else if (isInNode) {
      Matcher load = NEW_MASKED_LOAD.matcher(text);
      if (load.matches()) {
        isWrong |= load.group(1).equals(mask);
        mask = load.group(1);
      }
    }
  }

  /** Whether the loads are those of a whole range of memory, from its start on. */
  private boolean isInOrder(List<String> loads) {
    List<@Nullable String> all = loads.isEmpty() ? null : groups.get(loads.get(0));
    return all != null && all.size() >= loads.size() && all.subList(0, loads.size()).equals(loads);
  }
}
