// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.cpu.translate.Statement.Barrier;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.Do;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Jump;
import org.jhal.cpu.translate.Statement.Opaque;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Gives each variable of a kernel a name of its own, so that a name says which variable is meant:
 * {@code int i = 1; { int i = 2; f(i); }} becomes {@code int i = 1; { int hal_1_i = 2; f(hal_1_i);
 * }}. A name that also means something outside the kernel is left to that: the variable may come to
 * stand before its use.
 */
final class Scopes {
  private final Set<String> taken; // names that the next variable cannot have
  private final String prefix;
  private Map<String, String> names = new HashMap<>(); // new ones by those of the source
  private int number;

  private Scopes(Set<String> taken, String prefix) {
    this.taken = new HashSet<>(taken);
    this.prefix = prefix;
  }

  static List<Statement> unique(List<Statement> statements, Set<String> parameters)
      throws UnfitException {
    Set<String> taken = new HashSet<>(parameters);
    outer(statements, new HashSet<>(parameters), taken);
    return new Scopes(taken, "hal_scope").list(statements);
  }

  /** Adds the words that are not, or not yet, those of variables, where they stand. */
  private static void outer(List<Statement> statements, Set<String> visible, Set<String> to) {
    for (Statement statement : statements) {
      if (statement instanceof Variables variables) {
        Declarations.Declaration declaration = variables.declaration();
        words(declaration.type(), visible, to);
        for (Declarations.Declarator each : declaration.declarators()) {
          words(each.dimensions(), visible, to);
          visible.add(each.name().text());
          words(each.initial(), visible, to);
        }
      } else if (statement instanceof Barrier barrier) {
        words(barrier.mask(), visible, to);
      } else {
        inner(statement, new HashSet<>(visible), to);
      }
    }
  }

  private static void inner(Statement statement, Set<String> visible, Set<String> to) {
    if (statement instanceof For loop
        && loop.start() != null) { // its condition sees what it starts
      outer(List.of(loop.start()), visible, to);
    }
    if (!statement.isTypeDeclaration() || statement instanceof Plain) {
      List<Token> own = new ArrayList<>();
      statement.own(own);
      words(own, visible, to);
    }
    for (Statement inside : statement.inner()) {
      outer(List.of(inside), statement instanceof Block ? visible : new HashSet<>(visible), to);
    }
  }

  private static void words(List<Token> tokens, Set<String> visible, Set<String> to) {
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean isOfSource = !token.text().startsWith("hal_"); // others have names of their own
      if (token.isWord()
          && isOfSource
          && isVariable(tokens, i)
          && !visible.contains(token.text())) {
        to.add(token.text());
      }
    }
  }

  /** A copy of a statement whose variables have other names, which begin with {@code prefix}. */
  static Statement again(Statement statement, String prefix) throws UnfitException {
    Set<String> declared = new HashSet<>();
    declared(List.of(statement), declared);
    return new Scopes(declared, prefix).one(statement);
  }

  /** Adds the names of the variables that statements declare. */
  static void declared(List<Statement> statements, Set<String> to) {
    for (Statement statement : statements) {
      if (statement instanceof Variables variables) {
        variables.declaration().declarators().forEach(each -> to.add(each.name().text()));
      }
      declared(statement.inner(), to);
    }
  }

  /** Adds the variables that statements declare, with their types. */
  static void types(List<Statement> statements, Map<String, List<Token>> to) {
    for (Statement statement : statements) {
      if (statement instanceof Variables variables) {
        Declarations.Declaration declaration = variables.declaration();
        for (Declarations.Declarator each : declaration.declarators()) {
          List<Token> type = new ArrayList<>(declaration.plainType());
          type.addAll(each.pointers());
          to.put(each.name().text(), type.size() == 1 ? deduced(type, each, to) : type);
        }
      }
      types(statement.inner(), to);
    }
  }

  /**
   * The type of a variable that has the value of a pointer, such as an argument that was passed.
   */
  private static List<Token> deduced(
      List<Token> type, Declarations.Declarator declarator, Map<String, List<Token>> known) {
    List<Token> initial = declarator.initial();
    if (!type.get(0).is("auto") || !Tokens.is(initial, 0, "=")) {
      return type;
    }
    List<Token> value = Tokens.withoutParentheses(initial.subList(1, initial.size()));
    List<Token> other = value.size() == 1 ? known.get(value.get(0).text()) : null;
    return other != null && Tokens.is(other, other.size() - 1, "*") ? other : type;
  }

  private List<Statement> list(List<Statement> statements) throws UnfitException {
    List<Statement> all = new ArrayList<>();
    for (Statement statement : statements) {
      all.add(one(statement));
    }
    return all;
  }

  private Statement one(Statement statement) throws UnfitException {
    Map<String, String> around = names;
    if (statement instanceof Variables variables) {
      return variables(variables);
    }
    if (statement instanceof Plain plain) {
      return new Plain(renamed(plain.tokens()));
    }
    if (statement instanceof Opaque whole) {
      return new Opaque(renamed(whole.tokens()));
    }
    if (statement instanceof Barrier barrier) {
      return new Barrier(barrier.at(), barrier.who(), renamed(barrier.mask()));
    }
    if (statement instanceof Jump jump) {
      return new Jump(jump.word(), renamed(jump.value()));
    }
    names = new HashMap<>(around);
    try {
      if (statement instanceof Block block) {
        return new Block(list(block.statements()), block.at());
      }
      if (statement instanceof If choice) {
        return new If(
            choice.isConstant(),
            renamed(choice.condition()),
            one(new Block(List.of(choice.then()), choice.at())),
            body(choice.otherwise(), choice.at()),
            choice.at());
      }
      if (statement instanceof For loop) {
        Statement start = loop.start() == null ? null : one(loop.start());
        return new For(
            start, renamed(loop.condition()), renamed(loop.step()), one(loop.body()), loop.at());
      }
      if (statement instanceof Do loop) {
        return new Do(one(loop.body()), renamed(loop.condition()), loop.at());
      }
      return statement;
    } finally {
      names = around;
    }
  }

  private @Nullable Statement body(@Nullable Statement statement, Token at) throws UnfitException {
    return statement == null ? null : one(new Block(List.of(statement), at));
  }

  /** Each declarator sees those before it, and itself. */
  private Statement variables(Variables variables) throws UnfitException {
    List<Token> tokens = new ArrayList<>(renamed(variables.declaration().type()));
    for (Declarations.Declarator declarator : variables.declaration().declarators()) {
      Token name = declarator.name();
      if (declarator != variables.declaration().declarators().get(0)) {
        tokens.add(Token.mark(",", name));
      }
      tokens.addAll(declarator.pointers());
      List<Token> dimensions = renamed(declarator.dimensions());
      if (taken.add(name.text())) {
        names.remove(name.text());
      } else {
        names.put(name.text(), prefix + ++number + "_" + name);
      }
      tokens.addAll(renamed(List.of(name)));
      tokens.addAll(dimensions);
      tokens.addAll(renamed(declarator.initial()));
    }
    Declarations.Declaration declaration = Declarations.of(tokens);
    if (declaration == null) {
      throw new UnfitException("a declaration of another kind than usual", tokens.get(0));
    }
    return new Variables(declaration, tokens);
  }

  private List<Token> renamed(List<Token> tokens) {
    if (names.isEmpty()) {
      return tokens;
    }
    List<Token> all = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      String name = token.isWord() && isVariable(tokens, i) ? names.get(token.text()) : null;
      all.add(name == null ? token : token.named(name));
    }
    return all;
  }

  /** Whether a word is no member, and no part of a qualified name. */
  static boolean isVariable(List<Token> tokens, int at) {
    return !Tokens.isMember(tokens, at)
        && !Tokens.is(tokens, at - 1, "::")
        && !Tokens.is(tokens, at + 1, "::");
  }
}
