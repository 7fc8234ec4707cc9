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
 * Which variables of a kernel are uniform: they have the same value for all work items that still
 * run, although they change: {@code stride} in
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
final class UniformityAnalysis {
  private static final Set<String> TYPES =
      Set.of(
          "int", "unsigned", "long", "short", "char", "bool", "size_t", "uint", "float", "double");

  private final Purity purity;
  private final Source source;
  private final Set<String> parameters;
  private final Set<String> uniform = new HashSet<>();
  private final Set<String> shared = new HashSet<>(); // variables in shared memory
  private final Map<String, For> owners = new HashMap<>(); // the loop that declares a variable
  private final Set<String> unsteady = new HashSet<>(); // changed by more than their loop's step
  private final boolean hasVolatile;
  private boolean isChanged;

  UniformityAnalysis(
      List<Statement> statements, Purity purity, Source source, Set<String> parameters) {
    this.purity = purity;
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
    return purity.isAssigned(name) && (!owners.containsKey(name) || unsteady.contains(name));
  }

  /** Whether an expression is the same for all items that compute it now. */
  boolean isUniform(List<Token> expression) {
    return purity.isPure(expression, this::allows) && !purity.mayDivideByZero(expression);
  }

  /**
   * Whether a condition is the same for all items that meet behind it: besides what {@link
   * #isUniform} says, they may all read the same element, which none changes before they meet.
   */
  boolean isUniformBranch(List<Token> condition) {
    if (isUniform(condition)) {
      return true;
    }
    List<Token> rest = hasVolatile ? null : withoutReads(condition);
    return rest != null && purity.isPure(rest, this::allows) && !purity.mayDivideByZero(condition);
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
                  || (parameters.contains(token.text()) && !purity.isAssigned(token.text())));
      while (isMemory && Tokens.is(expression, i + 1, "[")) {
        int close = Tokens.close(expression, i + 1);
        if (!isUniformBranch(expression.subList(i + 2, close))) {
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
    return purity.isOwn(name) && !parameters.contains(name);
  }

  private boolean allows(String name) {
    if (uniform.contains(name) || shared.contains(name)) {
      return true;
    }
    if (parameters.contains(name)) {
      return !purity.isAssigned(name);
    }
    return !Purity.ITEM_INDEXES.contains(name) && purity.isConstantOutside(name);
  }

  /** Whether a loop is uniform, as far as its header says. */
  boolean isConvergent(For loop) {
    boolean isStart =
        loop.start() == null
            || (loop.start() instanceof Plain plain && isUniformChange(plain.tokens()))
            || (loop.start() instanceof Variables start && isAllUniform(start));
    return isStart && isUniform(loop.condition()) && isUniformChange(loop.step());
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
            && isUniform(expression.subList(2, expression.size()))
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
        shared.add(name);
      } else if (declaration.is("constexpr")
          || (isNumber(declaration)
              && declarator.pointers().isEmpty()
              && declarator.dimensions().isEmpty()
              && !name.startsWith(BarrierLowering.EXCHANGED)
              && !purity.changes().isEscaping(name))) {
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
    Changes changes = purity.changes(tokens, source);
    for (String name : List.copyOf(uniform)) {
      if (changes.isAssigned(name)) {
        remove(name);
      }
    }
  }

  private void list(List<Statement> statements, boolean isConvergent) {
    statements.forEach(statement -> one(statement, isConvergent));
  }

  private void one(Statement statement, boolean isConvergent) {
    if (statement instanceof Variables variables) {
      variables(variables, isConvergent);
    } else if (statement instanceof Plain plain) {
      change(plain.tokens(), isConvergent, false);
    } else if (!statement.hasBarrier()) {
      inside(statement);
    } else if (statement instanceof Block block) {
      list(block.statements(), isConvergent);
    } else if (statement instanceof If choice) {
      removeChanged(choice.condition());
      list(choice.inner(), isConvergent && isUniformBranch(choice.condition()));
    } else if (statement instanceof For loop) {
      loop(loop, isConvergent);
    } else if (statement instanceof Do loop) {
      removeChanged(loop.condition());
      list(
          loop.inner(),
          isConvergent && isUniform(loop.condition()) && !hasDivergentExit(loop.body(), true));
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

  private void loop(For loop, boolean isConvergent) {
    removeChanged(loop.condition());
    if (loop.start() instanceof Variables start) {
      variables(start, true); // its variables are seen by those that go through the loop
    } else if (loop.start() != null) {
      one(loop.start(), isConvergent);
    }
    boolean isUniform = isUniform(loop.condition());
    boolean isApart = hasDivergentExit(loop.body(), true);
    for (List<Token> part : Tokens.split(loop.step())) {
      String name = changed(part);
      boolean isOwn = name != null && owners.get(name) == loop;
      change(part, isUniform && (isOwn || (isConvergent && !isApart)), isOwn);
    }
    one(loop.body(), isConvergent && isUniform && !isApart);
  }

  private void change(List<Token> expression, boolean isConvergent, boolean isOwnStep) {
    String name = changed(expression);
    if (name == null || !isConvergent) {
      removeChanged(expression);
    } else if (!isOwnStep) {
      unsteady.add(name);
    }
  }

  private void variables(Variables variables, boolean isConvergent) {
    for (Declarator declarator : variables.declaration().declarators()) {
      String name = declarator.name().text();
      List<Token> initial = declarator.initial();
      boolean isUniform =
          variables.declaration().is("constexpr")
              || name.startsWith(BarrierLowering.AGREED)
              || (initial.isEmpty()
                  ? purity.isAssigned(name)
                  : Tokens.is(initial, 0, "=") && isUniform(initial.subList(1, initial.size())));
      if (!isUniform || (!isConvergent && purity.isAssigned(name))) {
        remove(name);
      }
    }
    removeChanged(variables.tokens());
  }

  /** Whether some items may leave the innermost loop, or an iteration of it, before others. */
  private boolean hasDivergentExit(Statement statement, boolean isConvergent) {
    if (statement instanceof Jump) {
      return !statement.isReturn();
    }
    if (statement instanceof If choice) {
      boolean isUniform = isConvergent && isUniform(choice.condition());
      return !(isUniform && isJump(choice))
          && choice.inner().stream().anyMatch(each -> hasDivergentExit(each, isUniform));
    }
    return statement instanceof Block
        && statement.inner().stream().anyMatch(each -> hasDivergentExit(each, isConvergent));
  }

  /** Whether it does nothing but jump. If its condition is the same for all, they jump together. */
  static boolean isJump(If choice) {
    return choice.otherwise() == null && choice.then().single() instanceof Jump;
  }
}
