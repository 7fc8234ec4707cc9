// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.Variables;

/**
 * Atomic operations on memory that one thread owns, which need no instruction that locks it: in the
 * second form, one thread runs a workgroup, and nothing else knows its shared memory. So {@code
 * atomicAdd(&bins[k], 1);} is written as {@code hal_owned_atomicAdd(&bins[k], 1);}, if {@code bins}
 * is a shared variable of the kernel.
 *
 * <p>It must be a statement of its own. A loop that waits for the result has no end on this device,
 * and would have no meaning without an atomic operation: compilers may assume that it ends.
 *
 * <p>That the address is one of shared memory is sure if it is {@code &name} or {@code
 * &name[index]} of an array, or a variable, of a built-in type, whose {@code &} and {@code []} are
 * those of the language. A pointer may lead anywhere. That the function is the one of the dialect
 * is sure if nothing else has its name.
 */
final class OwnedAtomics {
  private static final Set<String> FUNCTIONS =
      Set.of("atomicAdd", "atomicSub", "atomicMin", "atomicMax", "atomicAnd", "atomicOr");

  private static final Set<String> TYPES =
      Set.of("int", "unsigned", "long", "float", "double", "__shared__");

  /** Those that make sums, which are the same in any order if they are of integers. */
  private static final Set<String> SUMS = Set.of("atomicAdd", "atomicSub");

  private static final Set<String> FLOATS = Set.of("float", "double");

  private final Predicate<String> isOther;
  private final Set<String> shared = new HashSet<>();
  private final Set<String> integers = new HashSet<>(); // of these

  /**
   * For a kernel.
   *
   * @param isOther whether a name is that of a function, a type or a variable of the source
   */
  OwnedAtomics(List<Statement> statements, Predicate<String> isOther) {
    this.isOther = isOther;
    declared(statements);
  }

  private void declared(List<Statement> statements) {
    for (Statement statement : statements) {
      if (statement instanceof Variables declared
          && declared.declaration().is("__shared__")
          && declared.declaration().type().stream()
              .allMatch(token -> TYPES.contains(token.text()))) {
        for (Declarator each : declared.declaration().declarators()) {
          if (each.pointers().isEmpty()) {
            shared.add(each.name().text());
            if (declared.declaration().type().stream()
                .noneMatch(token -> FLOATS.contains(token.text()))) {
              integers.add(each.name().text());
            }
          }
        }
      }
      declared(statement.inner());
    }
  }

  /** What is written for a statement. */
  List<Token> statement(List<Token> tokens) {
    String name = Tokens.get(tokens, 0).text();
    if (!FUNCTIONS.contains(name)
        || isOther.test(name)
        || !Tokens.is(tokens, 1, "(")
        || Tokens.close(tokens, 1) != tokens.size() - 1) {
      return tokens;
    }
    List<List<Token>> arguments = Tokens.split(tokens.subList(2, tokens.size() - 1));
    if (arguments.size() != 2 || !isShared(arguments.get(0))) {
      return tokens;
    }
    List<Token> all = new ArrayList<>(tokens);
    all.set(0, all.get(0).writtenAs("hal_owned_" + name));
    return all;
  }

  /**
   * The subscripts and the number of a statement that adds to an integer, or subtracts from one:
   * the sum is the same whichever item comes first, and no item sees it before the next barrier.
   * Empty for other statements.
   */
  List<List<Token>> sum(List<Token> tokens) {
    if (statement(tokens) == tokens
        || !SUMS.contains(tokens.get(0).text())
        || !integers.contains(tokens.get(3).text())) {
      return List.of();
    }
    List<List<Token>> parts = new ArrayList<>();
    int at = 4;
    for (; Tokens.is(tokens, at, "["); at = Tokens.close(tokens, at) + 1) {
      parts.add(tokens.subList(at + 1, Tokens.close(tokens, at)));
    }
    parts.add(tokens.subList(at + 1, tokens.size() - 1));
    return parts;
  }

  private boolean isShared(List<Token> address) {
    if (!Tokens.is(address, 0, "&") || !shared.contains(Tokens.get(address, 1).text())) {
      return false;
    }
    int end = 2;
    while (Tokens.is(address, end, "[")) {
      end = Tokens.close(address, end) + 1;
    }
    return end == address.size();
  }
}
