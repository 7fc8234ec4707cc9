// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.Do;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Jump;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Which variables of a kernel always have the same value for all work items that still run,
 * although they change: {@code stride} in
 *
 * <pre>{@code
 * int stride = blockDim.x / 2;
 * while (stride > 0) {
 *   if (threadIdx.x < stride) sum[threadIdx.x] += sum[threadIdx.x + stride];
 *   __syncthreads();
 *   stride >>= 1;
 * }
 * }</pre>
 *
 * <p>So the workgroup has one of them, and goes through the loop once. A variable is one of these
 * until something says otherwise: a value that may differ, a change where not all items are, or a
 * change that is more than a statement of its own. What is found is taken away until nothing more
 * is.
 */
final class Uniform {
  private static final Set<String> TYPES =
      Set.of(
          "int", "unsigned", "long", "short", "char", "bool", "size_t", "uint", "float", "double");

  private final Names names;
  private final Source source;
  private final Set<String> parameters;
  private final Set<String> uniform = new HashSet<>();
  private final Set<String> shared = new HashSet<>(); // variables in shared memory
  private final Map<String, For> owners = new HashMap<>(); // the loop that declares a variable
  private final Set<String> unsteady = new HashSet<>(); // changed by more than their loop's step
  private final boolean hasVolatile;
  private boolean isChanged;

  Uniform(List<Statement> statements, Names names, Source source, Set<String> parameters) {
    this.names = names;
    this.source = source;
    this.parameters = parameters;
    List<Token> all = new ArrayList<>();
    statements.forEach(statement -> statement.collect(all));
    this.hasVolatile = all.stream().anyMatch(token -> token.is("volatile"));
    candidates(statements);
    do {
      isChanged = false;
      list(statements, true);
    } while (isChanged);
  }

  /** Whether a variable is the same for all items wherever they meet, though it may change. */
  boolean isUniform(String name) {
    return uniform.contains(name);
  }

  /** Whether it changes elsewhere than in the header of the loop that declares it. */
  boolean isUnsteady(String name) {
    return names.isAssigned(name) && (!owners.containsKey(name) || unsteady.contains(name));
  }

  /** Whether an expression is the same for all items that compute it now. */
  boolean isSame(List<Token> expression) {
    return names.isSafe(expression, this::allows) && !names.mayDivideByZero(expression);
  }

  /**
   * Whether a condition is the same for all items that meet behind it: besides what {@link #isSame}
   * says, they may all read the same element, which none changes before they meet.
   */
  boolean isSameChoice(List<Token> condition) {
    if (isSame(condition)) {
      return true;
    }
    List<Token> rest = hasVolatile ? null : withoutReads(condition);
    return rest != null && names.isSafe(rest, this::allows) && !names.mayDivideByZero(condition);
  }

  /** Puts the name of an array for each of its elements; null if others may differ. */
  private @Nullable List<Token> withoutReads(List<Token> expression) {
    List<Token> rest = new ArrayList<>();
    for (int i = 0; i < expression.size(); i++) {
      Token token = expression.get(i);
      rest.add(token);
      boolean isMemory =
          token.isWord()
              && Scopes.isVariable(expression, i)
              && (shared.contains(token.text())
                  || (source.globals().contains(token.text()) && !isDeclared(token.text()))
                  || (parameters.contains(token.text()) && !names.isAssigned(token.text())));
      while (isMemory && Tokens.is(expression, i + 1, "[")) {
        int close = Tokens.close(expression, i + 1);
        if (!isSameChoice(expression.subList(i + 2, close))) {
          return null;
        }
        i = close;
        rest.set(rest.size() - 1, Token.word("true", token));
      }
    }
    return rest;
  }

  /** Whether the kernel has a variable of a name, which hides one outside. */
  private boolean isDeclared(String name) {
    return names.isOwn(name) && !parameters.contains(name);
  }

  private boolean allows(String name) {
    if (uniform.contains(name) || shared.contains(name)) {
      return true;
    }
    if (parameters.contains(name)) {
      return !names.isAssigned(name);
    }
    return !Names.ITEM_INDEXES.contains(name) && names.isConstantOutside(name);
  }

  /** Whether all items go through a loop together, as far as its header says. */
  boolean isTogether(For loop) {
    boolean isStart =
        loop.start() == null
            || (loop.start() instanceof Plain plain && isUniformChange(plain.tokens()))
            || (loop.start() instanceof Variables start && isAllUniform(start));
    return isStart && isSame(loop.condition()) && isUniformChange(loop.step());
  }

  private boolean isAllUniform(Variables start) {
    return start.declaration().declarators().stream()
        .allMatch(each -> uniform.contains(each.name().text()));
  }

  /** Whether expressions do nothing but change variables that are the same for all items. */
  boolean isUniformChange(List<Token> expressions) {
    return Tokens.split(expressions).stream().allMatch(each -> changed(each) != null);
  }

  /** The uniform variable that an expression changes uniformly; null if it does anything else. */
  private @Nullable String changed(List<Token> expression) {
    boolean isPrefix = Changes.isStep(Tokens.get(expression, 0));
    Token name = Tokens.get(expression, isPrefix ? 1 : 0);
    if (!name.isWord() || !uniform.contains(name.text())) {
      return null;
    }
    boolean isStep = expression.size() == 2 && (isPrefix || Changes.isStep(expression.get(1)));
    boolean isAssignment =
        expression.size() > 2
            && Changes.isAssignment(expression.get(1))
            && isSame(expression.subList(2, expression.size()))
            && !isDivision(expression);
    return isStep || isAssignment ? name.text() : null;
  }

  private boolean isDivision(List<Token> expression) {
    Token mark = expression.get(1);
    return (mark.is("/=") || mark.is("%="))
        && (expression.size() != 3
            || expression.get(2).kind() != Token.Kind.NUMBER
            || !expression.get(2).text().matches(".*[1-9].*"));
  }

  // Candidates.

  private void candidates(List<Statement> statements) {
    for (Statement statement : statements) {
      if (statement instanceof Variables variables) {
        candidates(variables, null);
      } else if (statement instanceof For loop && loop.start() instanceof Variables start) {
        candidates(start, loop);
        candidates(List.of(loop.body()));
      } else {
        candidates(statement.inner());
      }
    }
  }

  private void candidates(Variables variables, @Nullable For owner) {
    Declarations.Declaration declaration = variables.declaration();
    for (Declarator declarator : declaration.declarators()) {
      String name = declarator.name().text();
      if (declaration.is("__shared__")) {
        boolean ignored = shared.add(name);
      } else if (declaration.is("constexpr")
          || (isNumber(declaration)
              && declarator.pointers().isEmpty()
              && declarator.dimensions().isEmpty()
              && !name.startsWith(Meetings.EXCHANGED)
              && !names.changes().isReached(name))) {
        uniform.add(name);
        if (owner != null) {
          owners.put(name, owner);
        }
      }
    }
  }

  private static boolean isNumber(Declarations.Declaration declaration) {
    return !declaration.is("volatile")
        && !declaration.is("static")
        && declaration.plainType().stream()
            .allMatch(
                token ->
                    TYPES.contains(token.text())
                        || token.is("const")
                        || token.is("auto")
                        || token.text().matches("u?int(8|16|32|64)_t"));
  }

  // What takes candidates away.

  private void remove(String name) {
    isChanged |= uniform.remove(name);
  }

  private void removeChanged(List<Token> tokens) {
    Changes changes = names.changes(tokens, source);
    for (String name : List.copyOf(uniform)) {
      if (changes.isAssigned(name)) {
        remove(name);
      }
    }
  }

  private void list(List<Statement> statements, boolean isTogether) {
    statements.forEach(statement -> one(statement, isTogether));
  }

  private void one(Statement statement, boolean isTogether) {
    if (statement instanceof Variables variables) {
      variables(variables, isTogether);
    } else if (statement instanceof Plain plain) {
      change(plain.tokens(), isTogether, false);
    } else if (!statement.divides()) {
      inside(statement);
    } else if (statement instanceof Block block) {
      list(block.statements(), isTogether);
    } else if (statement instanceof If choice) {
      removeChanged(choice.condition());
      list(choice.inner(), isTogether && isSameChoice(choice.condition()));
    } else if (statement instanceof For loop) {
      loop(loop, isTogether);
    } else if (statement instanceof Do loop) {
      removeChanged(loop.condition());
      list(loop.inner(), isTogether && isSame(loop.condition()) && !leavesApart(loop.body(), true));
    }
  }

  /** What an item does alone: nothing there is the same for all, unless it is never changed. */
  private void inside(Statement statement) {
    List<Token> tokens = new ArrayList<>();
    statement.collect(tokens);
    removeChanged(tokens);
    Set<String> declared = new HashSet<>();
    Scopes.declared(List.of(statement), declared);
    declared.forEach(this::remove);
  }

  private void loop(For loop, boolean isTogether) {
    removeChanged(loop.condition());
    if (loop.start() instanceof Variables start) {
      variables(start, true); // its variables are seen by those that go through the loop
    } else if (loop.start() != null) {
      one(loop.start(), isTogether);
    }
    boolean isSame = isSame(loop.condition());
    boolean isApart = leavesApart(loop.body(), true);
    for (List<Token> part : Tokens.split(loop.step())) {
      String name = changed(part);
      boolean isOwn = name != null && owners.get(name) == loop;
      change(part, isSame && (isOwn || (isTogether && !isApart)), isOwn);
    }
    one(loop.body(), isTogether && isSame && !isApart);
  }

  private void change(List<Token> expression, boolean isTogether, boolean isOwnStep) {
    String name = changed(expression);
    if (name == null || !isTogether) {
      removeChanged(expression);
    } else if (!isOwnStep) {
      unsteady.add(name);
    }
  }

  private void variables(Variables variables, boolean isTogether) {
    for (Declarator declarator : variables.declaration().declarators()) {
      String name = declarator.name().text();
      List<Token> initial = declarator.initial();
      boolean isSame =
          variables.declaration().is("constexpr")
              || name.startsWith(Meetings.AGREED)
              || (initial.isEmpty()
                  ? names.isAssigned(name)
                  : Tokens.is(initial, 0, "=") && isSame(initial.subList(1, initial.size())));
      if (!isSame || (!isTogether && names.isAssigned(name))) {
        remove(name);
      }
    }
    removeChanged(variables.tokens());
  }

  /** Whether some items may leave the innermost loop, or a round of it, before others. */
  private boolean leavesApart(Statement statement, boolean isTogether) {
    if (statement instanceof Jump) {
      return !statement.isReturn();
    }
    if (statement instanceof If choice) {
      boolean isSame = isTogether && isSame(choice.condition());
      return !(isSame && isJump(choice))
          && choice.inner().stream().anyMatch(each -> leavesApart(each, isSame));
    }
    return statement instanceof Block
        && statement.inner().stream().anyMatch(each -> leavesApart(each, isTogether));
  }

  /** Whether it does nothing but jump. If its condition is the same for all, they jump together. */
  static boolean isJump(If choice) {
    return choice.otherwise() == null && choice.then().single() instanceof Jump;
  }
}
