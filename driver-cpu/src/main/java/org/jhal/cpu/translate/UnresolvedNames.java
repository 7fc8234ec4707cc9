// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Functions of which tokens do not show what their names mean. {@link ItemRewriter} gives calls of
 * functions the item, and replaces the names of indexes and of dynamic shared memory. It may do so
 * only where such a name surely means that: a function that is called by its name, and nothing else
 * that is declared in the function around the call, or outside functions. What is in doubt stays as
 * it is, and so does what uses it.
 */
final class UnresolvedNames {
  private static final Set<String> POINTERS = Set.of("*", "&", "&&");
  private static final Set<String> BEHIND_DECLARED = Set.of(",", ")", ";", "=", ">", ":");
  private static final Set<String> WITH_TYPES =
      Set.of("decltype", "__typeof__", "typeof", "alignas", "__align__", "__attribute__");
  private static final Set<String> CLASSES = Set.of("struct", "class", "union");

  private final SourceFile source;
  private final List<Token> tokens;
  private final CallGraph calls;
  private final Set<String> classes = new HashSet<>();
  private final Set<Integer> declaredShared; // where arrays of dynamic shared memory are
  private final Set<String> arrays; // those that are declared outside functions
  private final Set<String> unclear = new HashSet<>(); // some of these
  private final Set<Integer> parameters = new HashSet<>(); // the parentheses before some
  private final Map<String, UnfitException> found = new LinkedHashMap<>();

  private UnresolvedNames(SourceFile source, CallGraph calls) {
    this.source = source;
    this.tokens = source.tokens();
    this.calls = calls;
    this.declaredShared = DynamicShared.declared(tokens);
    this.arrays = DynamicShared.names(outsideFunctions());
  }

  /** The functions, and why each is one. */
  static Map<String, UnfitException> in(SourceFile source, CallGraph calls) {
    UnresolvedNames doubts = new UnresolvedNames(source, calls);
    doubts.declarations();
    for (Function function : source.functions()) {
      if (calls.takesAny(function)) {
        doubts.function(function);
      }
    }
    return doubts.found;
  }

  /** The indexes whose names mean nothing else anywhere in a source. */
  static Set<String> indexes(SourceFile source, CallGraph calls) {
    UnresolvedNames names = new UnresolvedNames(source, calls);
    Set<String> clear = CallGraph.indexes();
    for (int i = 0; i < names.tokens.size(); i++) {
      if (CallGraph.isIndex(names.tokens.get(i).text()) && names.isOther(i)) {
        clear.remove(names.tokens.get(i).text());
      }
    }
    return clear;
  }

  private void doubt(String function, String why, Token at) {
    found.putIfAbsent(function, new UnfitException(why, at));
  }

  private static String meaning(String name) {
    return "the name " + name + " may mean something else";
  }

  /** What is declared outside functions. */
  private void declarations() {
    Set<String> others = new HashSet<>(source.variables());
    others.addAll(source.namespaces());
    source.classes().forEach(each -> classes.add(each.name()));
    others.addAll(classes);
    source.aliases().forEach(each -> others.add(each.name()));
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.is("friend") || token.is("enum") || token.is("using")) {
        int end = Tokens.find(tokens, i, ";", token.is("friend") ? "{" : ";");
        tokens.subList(i, Math.min(end, tokens.size())).stream()
            .filter(Token::isWord)
            .forEach(word -> others.add(word.text()));
      }
    }
    for (SourceFile.Named each : source.aliases()) {
      boolean isShared = each.tokens().stream().anyMatch(token -> token.is("__shared__"));
      if (arrays.contains(each.name()) && !isShared) { // another namespace has such a variable
        unclear.add(each.name());
      }
    }
    for (Function function : source.functions()) {
      parameters.add(function.open());
      String name = function.text();
      boolean isInNamespace = source.namespaces().contains(function.owner());
      boolean hasOther = others.contains(name) || CallGraph.isOfDialect(name);
      if (calls.isFunction(name) && (function.isPlain() ? hasOther : isInNamespace)) {
        doubt(name, meaning(name), tokens.get(function.name()));
      }
    }
  }

  private List<Token> outsideFunctions() {
    List<Token> outside = new ArrayList<>();
    int from = 0;
    for (Function function : source.functions()) {
      outside.addAll(tokens.subList(from, function.start()));
      from = function.end();
    }
    outside.addAll(tokens.subList(from, tokens.size()));
    return outside;
  }

  // Functions.

  private void function(Function function) {
    String name = function.text();
    boolean returnsValue =
        function.isKernel()
            || Tokens.text(function.result()).equals("void")
            || Declarations.isBuiltIn(function.result());
    Set<String> own = DynamicShared.names(tokens.subList(function.start(), function.end()));
    own.addAll(arrays);
    for (int i = function.start(); i < function.end(); i++) {
      Token token = tokens.get(i);
      boolean isInside = function.hasBody() && i > function.body();
      if (token.isWord() && i != function.name() && isDoubtful(i, own)) {
        doubt(name, meaning(token.text()), token);
      }
      boolean isParameter = i > function.open() && i < function.close();
      if (isParameter && token.isWord() && calls.asks(token.text())) {
        doubt(name, "a default argument asks for the work item", token);
      }
      if (isInside && CLASSES.contains(token.text())) {
        localClass(function, i);
      } else if (isInside && !returnsValue && Tokens.isLambda(tokens, i)) {
        if (asks(i, Tokens.lambdaEnd(tokens, i))) { // which the lambda would have a reference to
          doubt(name, name + " may return a lambda that asks for the work item", token);
        }
      } else if (isInside && token.is("static") && !function.isKernel() && !isConstant(i)) {
        doubt(name, "a static variable of " + name, token);
      }
    }
  }

  private boolean isConstant(int at) {
    for (int i = at + 1; i <= at + 2; i++) {
      if (Set.of("const", "constexpr", "__shared__").contains(Tokens.get(tokens, i).text())) {
        return true;
      }
    }
    return false;
  }

  private boolean asks(int from, int to) {
    return tokens.subList(from, Math.min(to, tokens.size())).stream()
        .anyMatch(token -> token.isWord() && calls.asks(token.text()));
  }

  /** The methods of a class in a function are not given the item of that function. */
  private void localClass(Function function, int at) {
    int open = Tokens.find(tokens, at, "{", ";");
    if (open < function.end()
        && Tokens.is(tokens, open, "{")
        && !Tokens.is(tokens, open - 1, "=")
        && asks(open, Tokens.close(tokens, open))) {
      doubt(function.text(), "a class in a function asks for the work item", tokens.get(at));
    }
  }

  /** Whether a name in a function may mean something else than the translator takes it for. */
  private boolean isDoubtful(int at, Set<String> own) {
    String name = tokens.get(at).text();
    if (CallGraph.isIndex(name)) {
      return isOther(at);
    }
    return unclear.contains(name)
        || (own.contains(name) && !Tokens.isMember(tokens, at) && isDeclaration(at))
        || (calls.isFunction(name) && !Tokens.isMember(tokens, at) && !isCall(at));
  }

  /** Whether the name of an index may be one that is declared here, or a member. */
  private boolean isOther(int index) {
    return Tokens.isMember(tokens, index) || isDeclaration(index);
  }

  /** Whether the name of an array or an index may be one that is declared here. */
  private boolean isDeclaration(int at) {
    Token before = Tokens.get(tokens, at - 1);
    Token behind = Tokens.get(tokens, at + 1);
    if (before.isWord()) {
      return !isBeforeName(before) && !declaredShared.contains(at);
    }
    if (before.is("::") || behind.is("{")) {
      return true;
    }
    if (POINTERS.contains(before.text())) {
      int type = at - 1;
      while (POINTERS.contains(Tokens.get(tokens, type).text())) {
        type--;
      }
      return isTypeEnd(type) && (BEHIND_DECLARED.contains(behind.text()));
    }
    boolean isBound = before.is("[") || (before.is(",") && behind.is("]"));
    return behind.is("=") || isTypeEnd(at - 1) || (isBound && !behind.is("."));
  }

  /** Whether the name behind a word is used in an expression, evaluated or not. */
  private static boolean isBeforeName(Token word) {
    return Tokens.isBeforeExpression(word) || word.is("sizeof");
  }

  /** Whether a type may end here: with a word, or with template arguments. */
  private boolean isTypeEnd(int at) {
    Token token = Tokens.get(tokens, at);
    return token.is(">")
        ? Tokens.openAngle(tokens, at) > 0
        : token.isWord() && !isBeforeName(token);
  }

  /** Whether the name of a function is surely called here. */
  private boolean isCall(int at) {
    int open = at + 1;
    if (Tokens.is(tokens, open, "<")) {
      open = Tokens.closeAngle(tokens, open) + 1; // 0 for a comparison
    }
    if (open == 0 || !Tokens.is(tokens, open, "(")) {
      return false;
    }
    int start = Tokens.qualifiedStart(tokens, at);
    if (!isInNamespaces(start, at)) {
      return false;
    }
    Token before = Tokens.get(tokens, start - 1);
    if (before.isWord()) {
      return isBeforeName(before);
    }
    if (POINTERS.contains(before.text())) {
      return !isDeclared(start);
    }
    if (before.is(")")) {
      int type = Tokens.open(tokens, start - 1) - 1;
      return !WITH_TYPES.contains(Tokens.get(tokens, type).text());
    }
    return before.is(",") ? isArgument(start) : !isTypeEnd(start - 1);
  }

  /** Whether a name is surely qualified by namespaces alone, if at all. */
  private boolean isInNamespaces(int start, int name) {
    boolean isGlobal = Tokens.is(tokens, start, "::");
    for (int i = isGlobal ? start + 1 : start; i < name; i += 2) {
      String qualifier = tokens.get(i).text();
      if (classes.contains(qualifier) || !source.namespaces().contains(qualifier)) {
        return false;
      }
    }
    return !(isGlobal && Tokens.is(tokens, start - 1, ">")); // T<U>::name
  }

  /** Whether a statement, or a parameter, begins with a type before {@code * name(}. */
  private boolean isDeclared(int name) {
    int start = name;
    while (true) {
      Token before = Tokens.get(tokens, start - 1);
      if (isBeforeName(before)) {
        return false;
      }
      if (before.is(">") && Tokens.openAngle(tokens, start - 1) > 0) {
        start = Tokens.openAngle(tokens, start - 1);
      } else if (before.isWord() || before.is("::") || POINTERS.contains(before.text())) {
        start--;
      } else {
        boolean hasType = tokens.get(start).isWord();
        boolean isStatement = Set.of(";", "{", "}", "").contains(before.text());
        return hasType && (isStatement || isParameter(start));
      }
    }
  }

  private boolean isParameter(int at) {
    int open = enclosing(at);
    return Tokens.is(tokens, open, "(")
        && (parameters.contains(open)
            || Tokens.is(tokens, open - 1, "]")
            || Tokens.is(tokens, open - 1, "for"));
  }

  /** Whether what stands behind a comma is no other variable of a declaration. */
  private boolean isArgument(int at) {
    int open = enclosing(at);
    Token bracket = Tokens.get(tokens, open);
    Token before = Tokens.get(tokens, open - 1);
    return bracket.is("(")
        ? !before.is("for")
        : bracket.is("[")
            || (bracket.is("{")
                && (before.is("=") || before.is(",") || before.is("(") || before.is("return")));
  }

  /** The innermost bracket around a place in the same statement; -1 if there is none. */
  private int enclosing(int at) {
    for (int i = at - 1; i >= 0; i--) {
      Token token = tokens.get(i);
      if (token.is(";")) {
        return -1;
      }
      if (token.is(")") || token.is("]") || token.is("}")) {
        i = Tokens.open(tokens, i);
      } else if (Tokens.isOpen(token)) {
        return i;
      }
    }
    return -1;
  }
}
