// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.LockstepExpressions.Name;
import org.jhal.cpu.translate.LockstepExpressions.Type;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * What the names of a kernel stand for where a loop runs in {@link Lockstep}: a vector of the
 * items, a number that all items share, or a buffer.
 */
final class LockstepNames {
  /** What constants are declared with, beside their type. */
  private static final Set<String> OF_CONSTANTS =
      Set.of("static", "inline", "constexpr", "__device__", "__constant__", "__host__");

  private final Purity purity;
  private final Source source;
  private final UniformityAnalysis uniform;
  private final Set<String> parameters;
  private final Map<String, List<Token>> template = new HashMap<>(); // types of its parameters
  private final Map<String, List<Token>> initials = new HashMap<>(); // of variables
  private final Set<String> shared = new HashSet<>(); // variables in shared memory
  private final Set<String> constants = new HashSet<>(); // that the kernel declares
  private final boolean hasTypes; // the kernel declares some

  LockstepNames(
      Function kernel,
      List<Statement> statements,
      Purity purity,
      Source source,
      UniformityAnalysis uniform,
      Set<String> parameters) {
    this.purity = purity;
    this.source = source;
    this.uniform = uniform;
    this.parameters = parameters;
    this.hasTypes = hasTypes(statements);
    variables(statements);
    List<Token> all = kernel.templateParameters();
    for (List<Token> each : all == null ? List.<List<Token>>of() : Tokens.split(all)) {
      int name = Tokens.find(each, 0, "=") - 1;
      if (name > 0) {
        template.put(each.get(name).text(), each.subList(0, name));
      }
    }
  }

  private static boolean hasTypes(List<Statement> statements) {
    return statements.stream().anyMatch(each -> each.isTypeDeclaration() || hasTypes(each.inner()));
  }

  private void variables(List<Statement> statements) {
    for (Statement statement : statements) {
      if (statement instanceof Variables declared) {
        for (Declarator each : declared.declaration().declarators()) {
          initials.put(each.name().text(), each.initial());
          if (declared.declaration().is("__shared__")) {
            shared.add(each.name().text());
          } else if (declared.declaration().is("constexpr")) {
            constants.add(each.name().text());
          }
        }
      }
      variables(statement.inner());
    }
  }

  /** What a name stands for that no loop in lockstep declares; null if that is not known. */
  @Nullable Name of(String name) {
    if (!purity.isOwn(name)) {
      return constant(name);
    }
    if (purity.changes().isEscaping(name) || shared.contains(name)) {
      return null;
    }
    boolean isSteady = !purity.isAssigned(name);
    Token other = value(initials.getOrDefault(name, List.of()));
    Name pointer = isSteady && other != null && !other.is(name) ? of(other.text()) : null;
    if (pointer != null && pointer.isPointer()) {
      return pointer;
    }
    List<Token> type =
        purity.type(name).stream().filter(token -> !token.is("__restrict__")).toList();
    boolean isParameter = isSteady && parameters.contains(name);
    boolean isPointer = isParameter && Tokens.is(type, type.size() - 1, "*");
    Type number =
        LockstepExpressions.type(isPointer ? type.subList(0, type.size() - 1) : type, source);
    if (type.isEmpty() || number == null) {
      return null;
    }
    boolean isVector = !isParameter && !constants.contains(name) && !uniform.isUniform(name);
    return new Name(number, isVector, isPointer, name);
  }

  /** A constant outside the kernel, or a parameter of its template. */
  private @Nullable Name constant(String name) {
    if (hasTypes) { // an enumerator may have the name
      return null;
    }
    List<Token> words = new ArrayList<>(template.getOrDefault(name, source.constant(name)));
    words.removeIf(word -> OF_CONSTANTS.contains(word.text()));
    Type type = LockstepExpressions.type(words, source);
    return type == null ? null : new Name(type, false, false, name);
  }

  /** The variable that an initial value names; null if it is anything else. */
  static @Nullable Token value(List<Token> initial) {
    List<Token> value =
        Tokens.is(initial, 0, "=")
            ? Tokens.withoutParentheses(initial.subList(1, initial.size()))
            : List.of();
    return value.size() == 1 && value.get(0).isWord() ? value.get(0) : null;
  }
}
