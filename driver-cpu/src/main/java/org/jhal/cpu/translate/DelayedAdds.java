// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Plain;

/**
 * Additions to memory of buffers that many items make, and none waits for: {@code
 * atomicAdd(&bins[data[i]], 1);} adds to memory of the thread, which is added to the buffer when
 * the thread has run its workgroups ({@code hal_delayed.h}). Locked instructions take twenty times
 * as long.
 *
 * <p>The operation orders no other accesses, and nobody may tell when it takes effect, as long as
 * it does so before the kernel is over, and before the item that makes it looks at the memory
 * again. So all of the following must hold.
 *
 * <ul>
 *   <li>It is a statement of its own, the last one of the item, and in no loop. Behind it come only
 *       others of its kind whose operands read no memory.
 *   <li>The kernel and all functions have no other atomic operations than on shared memory, no
 *       fences, {@code volatile} or assembly: no item waits for what another one adds, or tells
 *       others that it has added something.
 *   <li>It adds an integer, of which sums are the same in any order; the compiler looks at the
 *       type.
 *   <li>The address is {@code &p[index]} or {@code p + index} of a parameter that never changes and
 *       points to numbers, so the operators are those of the language.
 * </ul>
 */
final class DelayedAdds {
  private static final String NAME = "atomicAdd";

  private static final Set<String> TYPES = Set.of("int", "unsigned", "long");

  private final OwnedAtomics owned;
  private final Predicate<String> isPointer;
  private final Predicate<String> isNumber;
  private final Predicate<String> isOrder;
  private final Set<Statement> last = // of an item
      Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<String> delayed = new LinkedHashSet<>(); // the parameters

  /**
   * For a kernel, in a source whose functions order nothing.
   *
   * @param owned operations on shared memory
   * @param isPointer whether a name is that of a parameter that never changes, and points to
   *     integers
   * @param isNumber whether a name is that of a parameter or a variable that is a number
   * @param isOrder whether a word may order what items do
   */
  DelayedAdds(
      List<Statement> statements,
      OwnedAtomics owned,
      Predicate<String> isPointer,
      Predicate<String> isNumber,
      Predicate<String> isOrder) {
    this.owned = owned;
    this.isPointer = isPointer;
    this.isNumber = isNumber;
    this.isOrder = isOrder;
    end(statements);
    if (!hasOthers(statements)) {
      last.forEach(each -> delayed.add(parameter(((Plain) each).tokens())));
    }
  }

  /** Whether a type is that of a pointer to integers that are added to. */
  static boolean isPointer(List<Token> type) {
    int end = type.size() - 1;
    while (end > 0
        && (type.get(end).is("const") || type.get(end).text().startsWith("__restrict"))) {
      end--;
    }
    return end > 0
        && type.get(end).is("*")
        && type.subList(0, end).stream().allMatch(token -> TYPES.contains(token.text()));
  }

  /** Whether a type is that of a number of the language, and no reference. */
  static boolean isNumber(List<Token> type) {
    return !type.isEmpty()
        && type.stream().allMatch(token -> Declarations.NUMBERS.contains(token.text()));
  }

  /** The memory for the additions, as declarations before the workgroups run. */
  String declarations() {
    StringBuilder all = new StringBuilder();
    for (String name : delayed) {
      String type = "<hal_bare<decltype(*" + name + ")>> ";
      String sums = "hal_sums_" + name;
      all.append(" hal_sums" + type + sums + ";");
      all.append(" hal_delayed" + type + "hal_delayed_" + name);
      all.append("(" + name + ", " + sums + ", hal_count * (HAL_X * HAL_Y * HAL_Z));");
    }
    return all.toString();
  }

  /** What is written for a statement. */
  List<Token> statement(List<Token> tokens) {
    String name = parameter(tokens);
    if (!delayed.contains(name)) {
      return tokens;
    }
    List<Token> all = new ArrayList<>(tokens);
    all.set(0, all.get(0).writtenAs("hal_delayed_" + name + ".add"));
    return all;
  }

  /** Remembers the additions with which an item ends. */
  private void end(List<Statement> statements) {
    int first = statements.size();
    while (first > 0 && isAddition(statements.get(first - 1))) {
      first--;
    }
    for (int i = first; i < statements.size(); i++) {
      List<Token> tokens = ((Plain) statements.get(i)).tokens();
      if (i == first || readsNoMemory(tokens)) {
        last.add(statements.get(i));
      }
    }
    if (first == statements.size() && first > 0) {
      Statement end = statements.get(first - 1);
      if (end instanceof Block block) {
        end(block.statements());
      } else if (end instanceof If choice) {
        end(List.of(choice.then()));
        end(choice.otherwise() == null ? List.of() : List.of(choice.otherwise()));
      }
    }
  }

  private boolean isAddition(Statement statement) {
    return statement instanceof Plain plain && !parameter(plain.tokens()).isEmpty();
  }

  /** To what a statement adds; empty if it does something else. */
  private String parameter(List<Token> tokens) {
    if (!Tokens.is(tokens, 0, NAME)
        || !Tokens.is(tokens, 1, "(")
        || Tokens.close(tokens, 1) != tokens.size() - 1) {
      return "";
    }
    List<List<Token>> arguments = Tokens.split(tokens.subList(2, tokens.size() - 1));
    if (arguments.size() != 2) {
      return "";
    }
    List<Token> address = arguments.get(0);
    int at = Tokens.is(address, 0, "&") ? 1 : 0;
    String name = Tokens.get(address, at).text();
    boolean isElement =
        at == 1 && Tokens.is(address, 2, "[") && Tokens.close(address, 2) == address.size() - 1;
    boolean isSum =
        at == 0 && (address.size() == 1 || Tokens.is(address, 1, "+")) && Tokens.isSum(address);
    return (isElement || isSum) && isPointer.test(name) && hasNoEffect(tokens) ? name : "";
  }

  private static boolean hasNoEffect(List<Token> tokens) {
    for (int i = 1; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (Changes.isAssignment(token)
          || Set.of("++", "--", "{", "?", "&&", "||").contains(token.text())
          || (token.isWord() && Tokens.is(tokens, i + 1, "("))) {
        return false;
      }
    }
    return true;
  }

  private boolean readsNoMemory(List<Token> tokens) {
    boolean isElement = Tokens.is(tokens, 2, "&");
    int close = isElement ? Tokens.close(tokens, 4) : 2;
    for (int i = isElement ? 5 : 3; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (CallGraph.isIndex(token.text()) && Tokens.is(tokens, i + 1, ".")) {
        i += 2;
      } else if (token.isWord() ? !isNumber.test(token.text()) : i != close && isAccess(token)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAccess(Token token) {
    return Set.of("[", "]", "->", ".", "&").contains(token.text());
  }

  /** Whether other operations than these additions may order what items do. */
  private boolean hasOthers(List<Statement> statements) {
    for (Statement statement : statements) {
      List<Token> own = new ArrayList<>();
      statement.own(own);
      boolean isOwned =
          statement instanceof Plain plain && owned.statement(plain.tokens()) != plain.tokens();
      long words =
          own.stream().filter(token -> token.isWord() && isOrder.test(token.text())).count();
      if (words > (isOwned || last.contains(statement) ? 1 : 0) || hasOthers(statement.inner())) {
        return true;
      }
    }
    return false;
  }
}
