// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.Do;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Jump;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;

/**
 * Whether the order matters in which one item accesses memory. The pragma by which a compiler takes
 * the items of a loop for unordered makes GCC ignore dependences within an item, too: it may move
 * {@code x = s[2 * t + k]} before {@code s[2 * t] = 1}. So a loop has that pragma only if no item
 * accesses what it may have written before by another expression. In doubt it has not.
 */
final class AccessOrder {
  /** Functions of the dialect that access memory begin so. */
  private static final List<String> OF_MEMORY =
      List.of("atomic", "__atomic", "__sync_", "__st", "__ld", "mem", "printf", "__builtin_mem");

  private static final Set<String> NO_CALLS =
      Set.of("if", "while", "for", "switch", "return", "sizeof", "alignof", "decltype", "catch");

  private enum Kind {
    ARRAY,
    PARAMETER,
    ANY
  }

  private record Access(Kind kind, String base, String text, boolean isStore) {}

  private final Names names;
  private final SourceFile file;
  private final Set<String> globals;
  private final Casts casts;
  private final Map<String, Integer> arrays = new HashMap<>(); // their dimensions
  private final Set<String> parameters = new HashSet<>(); // pointers
  private final Set<String> restricted = new HashSet<>(); // some of these
  private final Set<String> arithmetic = new HashSet<>(); // functions that access no memory
  private final Set<String> functions = new HashSet<>();
  private final Set<String> references = new HashSet<>();
  private final boolean hasObjects; // whose operators and constructors may access memory
  private final boolean hasReached;

  // Of the segment that is looked at.
  private final List<Access> accesses = new ArrayList<>();
  private final Set<String> changed = new HashSet<>();
  private boolean matters;

  AccessOrder(
      Function kernel, List<Statement> statements, Names names, SourceFile file, Source source) {
    this.names = names;
    this.file = file;
    this.globals = source.globals();
    this.casts = new Casts(names::isOwn);
    Set<String> others = new HashSet<>();
    declared(statements, others);
    for (List<Token> parameter : kernel.parameters()) {
      boolean isPointer = parameter.stream().anyMatch(token -> token.is("*"));
      Token name = parameter.get(Math.max(0, Tokens.find(parameter, 0, "=") - 1));
      if (isPointer && !names.isAssigned(name.text()) && !others.contains(name.text())) {
        parameters.add(name.text());
        if (parameter.stream().anyMatch(token -> token.text().contains("restrict"))) {
          restricted.add(name.text());
        }
      }
    }
    arrays.keySet().removeAll(others);
    parameters.removeAll(arrays.keySet());
    hasReached =
        others.stream().anyMatch(name -> names.changes().isReached(name) && names.isOwn(name));
    functions();
    hasObjects =
        file.classes().stream().anyMatch(each -> mayAccess(each.tokens()))
            || (functions.contains("operator") && !arithmetic.contains("operator"));
  }

  /** Whether a class may have a pointer, a reference or an array, and code that uses it. */
  private static boolean mayAccess(List<Token> type) {
    boolean hasCode = type.stream().anyMatch(token -> token.is("(") || token.is("operator"));
    for (int i = 1; hasCode && i < type.size(); i++) {
      Token before = type.get(i - 1);
      boolean isProduct =
          before.is(")") || before.kind() == Token.Kind.NUMBER || Tokens.isMember(type, i - 1);
      boolean isThis = Tokens.is(type, i + 1, "this");
      if (type.get(i).is("[")
          || type.get(i).is("->")
          || (type.get(i).is("*") && !isProduct && !isThis)
          || (type.get(i).is("&") && Tokens.is(type, i + 2, ";"))) {
        return true;
      }
    }
    return false;
  }

  private void declared(List<Statement> statements, Set<String> others) {
    for (Statement statement : statements) {
      if (statement instanceof Variables variables) {
        for (Declarator each : variables.declaration().declarators()) {
          long dimensions = each.dimensions().stream().filter(token -> token.is("[")).count();
          if (each.isReference()) {
            references.add(each.name().text());
          }
          Integer before = arrays.putIfAbsent(each.name().text(), (int) dimensions);
          if (dimensions == 0
              || !each.pointers().isEmpty()
              || (before != null && before != (int) dimensions)) {
            others.add(each.name().text());
          }
        }
      }
      declared(statement.inner(), others);
    }
  }

  /** Finds the functions that do nothing but compute, as far as their bodies show. */
  private void functions() {
    for (Function each : file.functions()) {
      functions.add(each.text());
      arithmetic.add(each.text());
    }
    boolean isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (Function each : file.functions()) {
        if (arithmetic.contains(each.text()) && !isArithmetic(each)) {
          arithmetic.remove(each.text());
          isChanged = true;
        }
      }
    }
  }

  private boolean isArithmetic(Function function) {
    List<Token> tokens = function.source();
    for (int i = function.open(); i < function.end(); i++) {
      Token token = tokens.get(i);
      boolean isParameter = i < function.close();
      boolean isPointer = token.is("*") || (token.is("&") && !Tokens.is(tokens, i - 1, "hal_item"));
      if (token.is("[")
          || token.is("->")
          || (isParameter && isPointer)
          || (token.isWord() && (globals.contains(token.text()) || token.is("static")))
          || (isCall(tokens, i) && mayAccess(token.text()))) {
        return false;
      }
    }
    return true;
  }

  private boolean mayAccess(String function) {
    return functions.contains(function) || functions.contains(AddedNames.withoutItem(function))
        ? !arithmetic.contains(function)
        : OF_MEMORY.stream().anyMatch(function::startsWith);
  }

  private static boolean isCall(List<Token> tokens, int at) {
    if (!tokens.get(at).isWord() || NO_CALLS.contains(tokens.get(at).text())) {
      return false;
    }
    int behind = at + 1;
    if (Tokens.is(tokens, behind, "<")) {
      behind = Tokens.closeAngle(tokens, behind) + 1; // 0 for a comparison
    }
    return behind > 0 && Tokens.is(tokens, behind, "(");
  }

  /**
   * Whether the order matters in a loop over the items.
   *
   * @param more what is evaluated behind the statements
   */
  boolean matters(List<Statement> statements, List<Token> more) {
    accesses.clear();
    changed.clear();
    matters = false;
    changesIn(statements);
    changes(more);
    statements.forEach(this::statement);
    expression(more);
    boolean hasAny = accesses.stream().anyMatch(each -> each.kind == Kind.ANY);
    return matters || hasObjects || (hasReached && hasAny);
  }

  private void changesIn(List<Statement> statements) {
    for (Statement statement : statements) {
      if (!(statement instanceof Variables)) {
        List<Token> all = new ArrayList<>();
        statement.collect(all);
        changes(all);
      }
    }
  }

  private void changes(List<Token> tokens) {
    for (int i = 0; i < tokens.size(); i++) {
      Token behind = Tokens.get(tokens, i + 1);
      if (tokens.get(i).isWord()
          && (Changes.isAssignment(behind)
              || Changes.isStep(behind)
              || Changes.isStep(Tokens.get(tokens, i - 1)))) {
        changed.add(tokens.get(i).text());
      }
    }
  }

  private void statement(Statement statement) {
    if (statement instanceof Plain plain) {
      expression(plain.tokens());
    } else if (statement instanceof Variables variables) {
      for (Declarator each : variables.declaration().declarators()) {
        expression(each.initial());
        if (!each.dimensions().isEmpty() && !each.initial().isEmpty()) {
          add(new Access(Kind.ARRAY, each.name().text(), "", true));
        }
      }
    } else if (statement instanceof If choice) {
      expression(choice.condition());
      choice.inner().forEach(this::statement);
    } else if (statement instanceof For loop) {
      if (loop.start() != null) {
        statement(loop.start());
      }
      int first = accesses.size();
      expression(loop.condition());
      statement(loop.body());
      expression(loop.step());
      again(first);
    } else if (statement instanceof Do loop) {
      int first = accesses.size();
      statement(loop.body());
      expression(loop.condition());
      again(first);
    } else if (statement instanceof Jump jump) {
      expression(jump.value());
    } else if (statement instanceof Statement.Block) {
      statement.inner().forEach(this::statement);
    } else {
      List<Token> all = new ArrayList<>();
      statement.collect(all);
      int first = accesses.size();
      expression(all);
      again(first);
    }
  }

  /** In a loop, each access comes behind each other one. */
  private void again(int first) {
    List<Access> inside = List.copyOf(accesses.subList(first, accesses.size()));
    inside.forEach(this::add);
  }

  /** Adds what an expression reads, and then what it writes. */
  private void expression(List<Token> tokens) {
    List<Access> stores = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (Tokens.isLambda(tokens, i) || token.is("asm") || token.is("new")) {
        unknown(stores);
      } else if (token.is("*") && casts.isUnary(tokens, i) && !Tokens.is(tokens, i + 1, ")")) {
        unknown(stores);
      } else if (token.isWord() && !Tokens.isMember(tokens, i)) {
        word(tokens, i, stores);
      } else if (token.isWord() && isCall(tokens, i)) { // a method
        unknown(stores);
      } else if (token.is("[") && Tokens.is(tokens, i - 1, ")")) { // f(x)[i], (p + 1)[i]
        unknown(stores);
      } else if (token.is("->") && Tokens.is(tokens, i - 1, ")")) {
        unknown(stores);
      }
    }
    int first = accesses.size();
    stores.forEach(this::add);
    if (stores.size() > 1) {
      again(first);
    }
  }

  private void unknown(List<Access> stores) {
    add(new Access(Kind.ANY, "", "", false));
    stores.add(new Access(Kind.ANY, "", "", true));
  }

  private void word(List<Token> tokens, int at, List<Access> stores) {
    String name = tokens.get(at).text();
    if (isCall(tokens, at)) {
      if (mayAccess(name) || names.isOwn(name)) {
        unknown(stores);
      }
      return;
    }
    int behind = at + 1;
    int subscripts = 0;
    boolean isPointer = false;
    while (true) {
      if (Tokens.is(tokens, behind, "[")) {
        subscripts++;
        behind = Tokens.close(tokens, behind) + 1;
      } else if (Tokens.is(tokens, behind, ".") || Tokens.is(tokens, behind, "->")) {
        isPointer |= Tokens.is(tokens, behind, "->");
        behind += 2;
      } else {
        break;
      }
    }
    if (Tokens.is(tokens, at - 1, "&") && casts.isUnary(tokens, at - 1)) {
      unknown(stores);
      return;
    }
    boolean isGlobal = globals.contains(name) && !names.isOwn(name);
    boolean isReference = references.contains(name);
    if (subscripts == 0 && !isPointer && !isGlobal && !isReference) {
      return; // a variable of the item, or one that all share
    }
    Token next = Tokens.get(tokens, behind);
    boolean isStep = Changes.isStep(next) || Changes.isStep(Tokens.get(tokens, at - 1));
    boolean isStore = isStep || Changes.isAssignment(next);
    Kind kind = Kind.ANY;
    if (!isPointer && !isReference && arrays.getOrDefault(name, -1) == subscripts) {
      kind = Kind.ARRAY;
    } else if (!isPointer && subscripts == 1 && parameters.contains(name)) {
      kind = Kind.PARAMETER;
    }
    String text = Tokens.text(tokens.subList(at, behind));
    boolean isSteady =
        tokens.subList(at, behind).stream().noneMatch(each -> changed.contains(each.text()));
    String key = isSteady && kind != Kind.ANY ? text : "";
    if (!isStore || !next.is("=")) {
      add(new Access(kind, name, key, false));
    }
    if (isStore) {
      stores.add(new Access(kind, name, key, true));
    }
  }

  private void add(Access access) {
    for (Access before : accesses) {
      boolean isSame = !access.text.isEmpty() && access.text.equals(before.text);
      matters |= before.isStore && !isSame && mayBeOne(before, access);
    }
    accesses.add(access);
  }

  private boolean mayBeOne(Access a, Access b) {
    if (a.kind == Kind.ANY || b.kind == Kind.ANY || a.base.equals(b.base)) {
      return true;
    }
    return a.kind == Kind.PARAMETER
        && b.kind == Kind.PARAMETER
        && !restricted.contains(a.base)
        && !restricted.contains(b.base);
  }
}
