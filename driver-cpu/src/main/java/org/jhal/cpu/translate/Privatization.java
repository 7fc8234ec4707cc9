// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declaration;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jspecify.annotations.Nullable;

/**
 * Privatization of the variables that a kernel declares where it is divided. A variable is private
 * to one region, expanded to an array with an element for each work item if it is live across a
 * barrier (scalar expansion), rematerialized in each region, or uniform: then the workgroup has
 * one.
 *
 * <p>In {@code int i = threadIdx.x; float v = in[i]; __syncthreads(); out[i] = v;} the index is
 * rematerialized behind the barrier, and {@code v} is expanded to an array.
 */
final class Privatization {
  private static final Set<String> GROUPS =
      Set.of(
          "thread_block",
          "thread_block_tile",
          "grid_group",
          "coalesced_group",
          "this_thread_block",
          "tiled_partition",
          "coalesced_threads",
          "this_grid");

  private final Purity purity;
  private final UniformityAnalysis uniform;
  private final Set<String> parameters;
  private final Map<String, Variable> byName = new HashMap<>();
  private final List<Variable> all = new ArrayList<>();

  Privatization(Purity purity, UniformityAnalysis uniform, Set<String> parameters) {
    this.purity = purity;
    this.uniform = uniform;
    this.parameters = parameters;
  }

  /** All that were added. */
  List<Variable> variables() {
    return all;
  }

  @Nullable Variable variable(String name) {
    return byName.get(name);
  }

  Variable add(Variable added) {
    all.add(added);
    byName.put(added.name(), added);
    return added;
  }

  /** Adds a uniform variable. */
  void addUniform(Declaration declaration, Declarator declarator, int number) {
    add(new Variable(declaration, declarator, number, new Object(), false)).kind =
        Variable.Kind.UNIFORM;
  }

  /** Adds a varying variable, and what its initial value needs. */
  Variable addVarying(
      Declaration declaration, Declarator declarator, int number, Step.Region declaredIn) {
    boolean isRematerializable = isRematerializable(declaration, declarator);
    Variable added =
        add(new Variable(declaration, declarator, number, declaredIn, isRematerializable));
    added.ofWarp = isRematerializable ? Residues.ofWarp(added, this::variable) : "";
    List<Token> initial = declarator.initial();
    added.mayDivide = isRematerializable && purity.mayDivideByZero(initial);
    for (int i = 0; i < initial.size(); i++) {
      Variable mentioned = mentioned(initial, i);
      if (mentioned != null && mentioned != added) {
        (isRematerializable ? added.needs : added.mentions).add(mentioned);
        added.mayDivide |= isRematerializable && mentioned.mayDivide;
      }
    }
    return added;
  }

  /**
   * Decides about those that are left when all uses are known.
   *
   * @throws UnfitException if a variable can live nowhere
   */
  void settle() throws UnfitException {
    boolean mayPoint =
        all.stream().anyMatch(each -> each.kind != Variable.Kind.PRIVATE && mayPoint(each));
    for (Variable variable : all) {
      Changes changes = purity.changes();
      boolean isEscaping =
          variable.declarator.dimensions().isEmpty()
              ? changes.isEscaping(variable.name())
              : changes.isDecayed(variable.name());
      isEscaping |= mayPoint && hasInside(variable);
      if (variable.kind == Variable.Kind.PRIVATE
          && isEscaping
          && !variable.declarator.isReference()) { // a pointer to it may outlive the region
        variable.kind = Variable.Kind.EXPANDED;
      }
    }
    for (int i = all.size() - 1; i >= 0; i--) { // those that are mentioned come earlier
      Variable variable = all.get(i);
      if (variable.kind != Variable.Kind.EXPANDED) {
        continue;
      }
      variable.isOfClass = isOfClass(variable);
      if (variable.declaration.is("auto")) {
        variable.mentions.forEach(Variable::mention); // its type depends on theirs
      }
      Token name = variable.declarator.name();
      boolean isDeduced = variable.declaration.is("decltype") && variable.declaration.is("auto");
      if (variable.declarator.isReference() || isDeduced) {
        throw new UnfitException("a reference that lives over a barrier", name);
      }
      if (isGroup(variable.declaration, variable.declarator)) {
        throw new UnfitException("a cooperative group that changes", name);
      }
      if (hasLambda(variable.declarator.initial())) {
        throw new UnfitException("a lambda that lives over a barrier", name);
      }
    }
  }

  /** Whether a variable may be, or have, a pointer. */
  private boolean mayPoint(Variable variable) {
    return !variable.declaration.is("__shared__")
        && (variable.declaration.is("auto")
            || variable.declarator.pointers().stream().anyMatch(token -> token.is("*"))
            || isOfClass(variable));
  }

  /**
   * Whether a variable has arrays or members to which a pointer can be made without a mark that
   * says so: {@code int* row = rows[1]}, {@code p = b.values}, {@code p = b.begin()}.
   */
  private boolean hasInside(Variable variable) {
    return variable.declarator.dimensions().stream().filter(token -> token.is("[")).count() > 1
        || isOfClass(variable)
        || (variable.declarator.pointers().isEmpty()
            && !isOfLanguage(variable.declaration)
            && !isGroup(variable.declaration, variable.declarator)
            && purity.changes().hasMember(variable.name()));
  }

  /** Whether a type is one of the language or the dialect, whose members are numbers. */
  private static boolean isOfLanguage(Declaration declaration) {
    return declaration.plainType().stream()
        .allMatch(
            token ->
                Declarations.isBuiltIn(List.of(token))
                    || Declarations.INTEGERS.contains(token.text())
                    || token.text().matches("u?(char|short|int|long|longlong|float|double)[1-4]")
                    || token.text().matches("dim3|(__)?half2?|__nv_bfloat16(2)?"));
  }

  private boolean isOfClass(Variable variable) {
    return variable.declarator.pointers().isEmpty()
        && purity.isObject(variable.declaration.plainType());
  }

  private static boolean hasLambda(List<Token> tokens) {
    for (int i = 0; i < tokens.size(); i++) {
      if (Tokens.isLambda(tokens, i)) {
        return true;
      }
    }
    return false;
  }

  static List<Token> initial(Declarator declarator) {
    List<Token> initial = declarator.initial();
    return initial.isEmpty() ? initial : initial.subList(1, initial.size());
  }

  private boolean isRematerializable(Declaration declaration, Declarator declarator) {
    if (!Tokens.is(declarator.initial(), 0, "=")
        || declarator.name().text().startsWith(BarrierLowering.EXCHANGED)
        || declarator.name().text().startsWith(Lockstep.COPY)
        || !declarator.dimensions().isEmpty()
        || declaration.is("volatile")
        || (!declarator.isReference() && isObject(declaration, declarator))) {
      return false;
    }
    return declarator.isReference()
        ? isElementOfShared(initial(declarator))
        : (isConstant(declarator) || isGroup(declaration, declarator))
            && isKnown(initial(declarator));
  }

  /** Whether a variable may be an object of a class of the source, which is made once. */
  private boolean isObject(Declaration declaration, Declarator declarator) {
    List<Token> type = new ArrayList<>(declaration.plainType());
    type.addAll(declarator.pointers());
    List<Token> initial = initial(declarator);
    return purity.isObject(type) || (initial.size() == 1 && purity.isObject(initial.get(0).text()));
  }

  private boolean isConstant(Declarator declarator) {
    String name = declarator.name().text();
    boolean isPointer = declarator.pointers().stream().anyMatch(token -> token.is("*"));
    return !purity.isAssigned(name) && (isPointer || !purity.changes().isElementAssigned(name));
  }

  /** Whether a variable is a cooperative group, whose methods do not change it. */
  static boolean isGroup(Declaration declaration, Declarator declarator) {
    return declaration.type().stream().anyMatch(token -> GROUPS.contains(token.text()))
        || declarator.initial().stream().anyMatch(token -> GROUPS.contains(token.text()));
  }

  /** Whether an expression is an element of shared memory, at places that are known. */
  private boolean isElementOfShared(List<Token> expression) {
    Variable array = Tokens.get(expression, 0).isWord() ? variable(expression.get(0).text()) : null;
    if (array == null || !array.declaration.is("__shared__")) {
      return false;
    }
    int at = 1;
    while (Tokens.is(expression, at, "[")) {
      int close = Tokens.close(expression, at);
      if (!isKnown(expression.subList(at + 1, close))) {
        return false;
      }
      at = close + 1;
    }
    return at == expression.size();
  }

  /** Whether an expression has the same value for an item in any region. */
  boolean isKnown(List<Token> expression) {
    return purity.isPure(expression, this::isKnown);
  }

  private boolean isKnown(String name) {
    Variable variable = variable(name);
    if (variable == null) {
      return parameters.contains(name) ? !purity.isAssigned(name) : purity.isConstantOutside(name);
    }
    if (variable.declaration.is("__shared__")) { // an array's name is an address, others are read
      return !variable.declarator.dimensions().isEmpty();
    }
    if (variable.kind == Variable.Kind.UNIFORM) {
      return !uniform.isUnsteady(name);
    }
    return variable.isRematerializable
        && !variable.declarator.isReference(); // whose name reads memory
  }

  /** Whether an expression has the same value for an item anywhere in one region. */
  boolean isKnownInSegment(List<Token> expression) {
    return purity.isPure(expression, name -> isKnown(name) || uniform.isUniform(name));
  }

  /** Whether computing an expression for an item that takes no part may divide by zero. */
  boolean mayDivide(List<Token> expression) {
    boolean mayDivide = purity.mayDivideByZero(expression);
    for (int i = 0; i < expression.size(); i++) {
      Variable variable = mentioned(expression, i);
      mayDivide |= variable != null && variable.mayDivide;
    }
    return mayDivide;
  }

  private @Nullable Variable mentioned(List<Token> tokens, int at) {
    Token token = tokens.get(at);
    if (!token.isWord() || !Scopes.isVariable(tokens, at)) {
      return null;
    }
    Variable variable = variable(token.text());
    if (variable == null && token.text().endsWith("_all")) { // what was exchanged
      variable = variable(token.text().substring(0, token.text().length() - 4));
    }
    return variable;
  }

  /** A region uses all variables in these tokens. */
  void use(List<Token> tokens, Step.Region region) {
    for (int i = 0; i < tokens.size(); i++) {
      Variable variable = mentioned(tokens, i);
      if (variable != null) {
        use(variable, region);
      }
    }
  }

  private static void use(Variable variable, Step.Region region) {
    if (variable.declaredIn != region) {
      variable.cross();
      variable.needs.forEach(needed -> use(needed, region));
      region.uses(variable);
    }
  }

  /** The first of these tokens that is a variable of the items; null if there is none. */
  @Nullable Token firstVarying(List<Token> tokens) {
    for (int i = 0; i < tokens.size(); i++) {
      Variable variable = mentioned(tokens, i);
      if (variable != null && variable.kind != Variable.Kind.UNIFORM) {
        return tokens.get(i);
      }
    }
    return null;
  }
}
