// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Adds functions that do what methods of objects do which ask for the work item, or in which items
 * meet, since only functions can be given the item, and a class without these methods:
 *
 * <pre>{@code
 * template <class Op> struct Reduce {
 *   Op op;
 *   __device__ float warp(float v) { ... op(v, __shfl_xor_sync(~0u, v, by)) ... }
 * };
 * ... Reduce<Max> reduce{Max()}; v = reduce.warp(v);
 * }</pre>
 *
 * becomes this, besides what is there:
 *
 * <pre>{@code
 * template <class Op> struct hal_object_Reduce { Op op; };
 * template <class Op> __device__ float hal_method_Reduce_warp(hal_object_Reduce<Op>& hal_this, float v) {
 *   ... hal_this.op(v, __shfl_xor_sync(~0u, v, by)) ...
 * }
 * ... hal_object_Reduce<Max> reduce{Max()}; v = hal_method_Reduce_warp<Max>(reduce, v);
 * }</pre>
 *
 * <p>The new class has the same members, in the same order, and its objects are only used to call
 * methods and to name members. So only these classes are taken: of a name that nothing else has,
 * without bases, destructors, friends, virtual or overloaded methods, nested types, static members
 * and {@code this}; their methods that move are no templates, and declare no name that a member
 * has. An object is a variable of a function that all of the function uses in this way. Any other
 * class stays as it is: then it asks the thread.
 */
final class ObjectMethods {
  /** What no class has that is taken, except in methods that stay. */
  private static final Set<String> REFUSED =
      Set.of(
          "this",
          "friend",
          "virtual",
          "static",
          "typedef",
          "using",
          "struct",
          "class",
          "union",
          "enum",
          "~",
          "explicit",
          "template",
          "mutable",
          "volatile",
          "decltype",
          "final",
          "override",
          "operator");

  /** What no method has that moves. */
  private static final Set<String> REFUSED_INSIDE =
      Set.of(
          "__func__",
          "__FUNCTION__",
          "this",
          "friend",
          "static",
          "typedef",
          "using",
          "struct",
          "class",
          "union",
          "enum",
          "template",
          "decltype",
          "operator",
          "goto",
          "try",
          "namespace",
          "asm",
          "__asm__");

  private static final Set<String> BEFORE_USE =
      Set.of(
          ";", "{", "}", "(", ",", "=", "+", "-", "/", "<", "?", ":", "!", "||", "==", "!=", "+=",
          "-=", "*=", "/=", "return", "else", ")");

  private static final Set<String> HEADERS = Set.of("for", "if", "while", "switch", "catch");

  private static final String CALL = "operator()";

  /**
   * A method: its name, {@code operator()} for an operator, where its parameters begin, and its
   * body.
   */
  private record Method(String name, int start, int named, int open, int body, int end) {
    boolean isConstant(List<Token> tokens) {
      return Tokens.is(tokens, Tokens.close(tokens, open) + 1, "const");
    }
  }

  /** A class whose methods move. */
  private static final class Owner {
    final String name;
    final int start; // its template, if it has one
    final int open;
    final int close;
    final List<String> parameters = new ArrayList<>(); // of the template
    final List<List<Token>> declared = new ArrayList<>(); // the same as they are declared
    final Map<String, Method> methods = new LinkedHashMap<>();
    final Set<String> fields = new HashSet<>();
    final Set<String> initial = new HashSet<>(); // words of what fields begin with
    final Set<String> moved = new HashSet<>();

    Owner(String name, int start, int open, int close) {
      this.name = name;
      this.start = start;
      this.open = open;
      this.close = close;
    }
  }

  private final List<Token> tokens;
  private final SourceFile file;
  private final CallGraph calls;
  private final Map<Integer, Owner> behind = new HashMap<>(); // the semicolon of a class
  private final Map<Integer, List<Token>> replaced = new HashMap<>(); // tokens, by where they are

  private ObjectMethods(List<Token> tokens) {
    this.tokens = tokens;
    this.file = new SourceFile(tokens);
    this.calls = new CallGraph(file);
    for (int[] each : file.plainClasses()) {
      Owner owner = owner(each[0], each[1]);
      if (owner != null && use(owner)) {
        behind.put(each[1] + 1, owner);
      }
    }
  }

  /** The source with these functions and classes, and with uses of them. */
  static List<Token> withFunctions(List<Token> tokens) {
    return new ObjectMethods(tokens).written();
  }

  // Classes.

  private @Nullable Owner owner(int at, int close) {
    int start = at;
    if (Tokens.is(tokens, at - 1, ">")) {
      start = Tokens.openAngle(tokens, at - 1) - 1;
      if (!Tokens.is(tokens, start, "template")) {
        return null;
      }
    }
    Owner owner = new Owner(tokens.get(at + 1).text(), start, at + 2, close);
    boolean isKnown =
        (start == at || hasParameters(owner, start + 2, at - 1))
            && !StaticMethods.isAmbiguous(tokens, owner.name)
            && hasMembers(owner);
    if (!isKnown) {
      return null;
    }
    owner.methods.forEach(
        (name, method) -> {
          if (tokens.subList(method.start, method.end).stream()
              .anyMatch(token -> token.isWord() && calls.asks(token.text()))) {
            owner.moved.add(name);
          }
        });
    boolean isMore = !owner.moved.isEmpty();
    while (isMore) {
      isMore = false;
      for (Method method : owner.methods.values()) {
        if (tokens.subList(method.open, method.end).stream()
            .anyMatch(token -> owner.moved.contains(token.text()))) {
          isMore |= owner.moved.add(method.name);
        }
      }
    }
    return !owner.moved.isEmpty()
            && owner.moved.stream().allMatch(each -> canMove(owner, owner.methods.get(each)))
        ? owner
        : null;
  }

  private boolean hasParameters(Owner owner, int from, int to) {
    for (List<Token> parameter : Tokens.split(tokens.subList(from, to))) {
      List<Token> declared = parameter.subList(0, Tokens.find(parameter, 0, "="));
      boolean isKnown = declared.size() == 2 && declared.stream().allMatch(Token::isWord);
      if (!isKnown) {
        return false;
      }
      owner.parameters.add(declared.get(1).text());
      owner.declared.add(declared);
    }
    return !owner.parameters.isEmpty();
  }

  /** Finds the members; false if some are of a kind that is not known here. */
  private boolean hasMembers(Owner owner) {
    int start = owner.open + 1;
    for (int i = start; i < owner.close; i++) {
      Token token = tokens.get(i);
      if (token.is(":") && i == start + 1) { // public:
        start = i + 1;
      } else if (token.is(";")) {
        if (!isField(owner, start, i)) {
          return false;
        }
        start = i + 1;
      } else if (token.is("(")) {
        int body = Tokens.find(tokens, i, "{", ";");
        Method method = method(start, i, body);
        if (method == null || owner.methods.put(method.name, method) != null) {
          return false;
        }
        i = method.end - 1;
        start = method.end;
      } else if (token.is("{") || token.is("=") || token.is("[")) {
        int end = Tokens.find(tokens, i, ";");
        if (!isField(owner, start, end)) {
          return false;
        }
        i = end;
        start = end + 1;
      }
    }
    return start == owner.close
        && tokens.subList(owner.open, owner.close).stream().noneMatch(each -> each.is(owner.name))
        && owner.methods.keySet().stream().noneMatch(owner.fields::contains)
        && owner.methods.keySet().stream().noneMatch(owner.initial::contains)
        && owner.parameters.stream().noneMatch(owner.fields::contains);
  }

  private @Nullable Method method(int start, int parenthesis, int body) {
    int named = parenthesis - 1;
    int open = parenthesis;
    String name = tokens.get(named).text();
    if (name.equals("operator") && Tokens.is(tokens, parenthesis + 1, ")")) {
      name = CALL;
      open = parenthesis + 2;
    }
    int close = Tokens.close(tokens, open);
    int behindConst = Tokens.is(tokens, close + 1, "const") ? close + 2 : close + 1;
    boolean isKnown =
        tokens.get(named).isWord()
            && named > start
            && Tokens.is(tokens, open, "(")
            && Tokens.is(tokens, body, "{")
            && behindConst == body
            && tokens.subList(start, named).stream().noneMatch(this::isRefused);
    return isKnown
        ? new Method(name, start, named, open, body, Tokens.close(tokens, body) + 1)
        : null;
  }

  private boolean isRefused(Token token) {
    return REFUSED.contains(token.text());
  }

  /** Adds one variable, or several of a type. */
  private boolean isField(Owner owner, int start, int end) {
    List<Token> declared = tokens.subList(start, end);
    if (declared.stream().anyMatch(this::isRefused)) {
      return false;
    }
    try {
      Declarations.Declaration declaration = Declarations.of(declared);
      if (declaration == null) { // T* p; is no product here
        List<Token> constant = new ArrayList<>(declared);
        constant.add(0, Token.word("const", tokens.get(start)));
        declaration = Declarations.of(constant);
      }
      if (declaration == null) {
        return false;
      }
      for (Declarations.Declarator each : declaration.declarators()) {
        if (each.isReference() || !owner.fields.add(each.name().text())) {
          return false;
        }
        each.initial().forEach(token -> owner.initial.add(token.text()));
      }
      return true;
    } catch (UnfitException e) {
      return false;
    }
  }

  /** Whether a method means the same outside its class, with {@code hal_this} before members. */
  private boolean canMove(Owner owner, @Nullable Method method) {
    if (method == null) {
      return false;
    }
    List<Token> all = tokens.subList(method.open, method.end);
    Set<String> declared = new HashSet<>();
    try {
      Scopes.declared(
          StatementParser.parse(tokens.subList(method.body + 1, method.end - 1)), declared);
    } catch (UnfitException e) {
      return false;
    }
    int close = Tokens.close(tokens, method.open);
    for (List<Token> parameter : Tokens.split(tokens.subList(method.open + 1, close))) {
      if (parameter.stream().anyMatch(token -> token.is("=") || token.is("("))) {
        return false; // T (*name)(U), T (&name)[4]
      }
      int end = Tokens.find(parameter, 0, "[");
      declared.add(Tokens.get(parameter, end - 1).text());
    }
    for (int i = 0; i < all.size(); i++) {
      Token token = all.get(i);
      boolean isMoved = token.isWord() && owner.moved.contains(token.text());
      boolean isOfObject = Tokens.isMember(all, i) || Tokens.is(all, i - 1, "::");
      boolean isMember = owner.fields.contains(token.text()) || isMoved;
      Token before = Tokens.get(all, i - 1);
      if (REFUSED_INSIDE.contains(token.text())
          || (token.is("auto") && isBinding(all, i + 1))
          || (isMember && before.isWord() && !Tokens.isBeforeExpression(before)) // declared
          || Tokens.isLambda(all, i)
          || (isMoved && !isOfObject && !Tokens.is(all, i + 1, "("))) {
        return false;
      }
    }
    return declared.stream()
        .noneMatch(each -> owner.fields.contains(each) || owner.methods.containsKey(each));
  }

  private static boolean isBinding(List<Token> all, int at) {
    return Tokens.is(all, Tokens.is(all, at, "&") || Tokens.is(all, at, "&&") ? at + 1 : at, "[");
  }

  // Uses.

  /** Looks at all functions. Returns whether any has an object. */
  private boolean use(Owner owner) {
    boolean isUsed = false;
    for (Function function : file.functions()) {
      if (function.isPlain() && function.hasBody()) {
        isUsed |= use(owner, function);
      }
    }
    return isUsed;
  }

  private boolean use(Owner owner, Function function) {
    Map<Integer, List<Token>> found = new HashMap<>();
    Set<String> declared = new HashSet<>();
    try {
      Scopes.declared(StatementParser.parse(function.statements()), declared);
    } catch (UnfitException e) {
      return false;
    }
    for (int i = function.start(); i < function.end(); i++) {
      if (!tokens.get(i).is(owner.name)) {
        continue;
      }
      Token before = Tokens.get(tokens, i - 1);
      int name = i + 1;
      List<Token> given = List.of();
      if (Tokens.is(tokens, name, "<")) {
        int close = Tokens.closeAngle(tokens, name);
        if (close < 0) {
          return false;
        }
        given = tokens.subList(name + 1, close);
        name = close + 1;
      }
      boolean isDeclaration =
          i > function.body()
              && (before.is(";") || before.is("{") || before.is("}"))
              && Tokens.get(tokens, name).isWord()
              && Tokens.split(given).size() == owner.parameters.size()
              && isDeclared(name)
              && given.stream().noneMatch(token -> mayChange(token, function, declared));
      if (!isDeclaration || !use(owner, function, name, given, found)) {
        return false;
      }
      found.put(i, List.of(tokens.get(i).named(AddedNames.ofObject(owner.name))));
    }
    replaced.putAll(found);
    return !found.isEmpty();
  }

  /** Whether a template argument may mean something else where a method is called. */
  private boolean mayChange(Token given, Function function, Set<String> declared) {
    return declared.contains(given.text())
        || given.is("decltype")
        || function.parameters().stream()
            .map(each -> each.subList(0, Tokens.find(each, 0, "=")))
            .map(each -> each.subList(0, Tokens.find(each, 0, "[")))
            .anyMatch(each -> Tokens.get(each, each.size() - 1).is(given.text()))
        || tokens.subList(function.body(), function.end()).stream()
            .anyMatch(each -> REFUSED_INSIDE.contains(each.text()) && !each.is("static"));
  }

  /** Whether a variable is declared alone, with a list of values, or without a value. */
  private boolean isDeclared(int name) {
    int at = Tokens.is(tokens, name + 1, "=") ? name + 2 : name + 1;
    boolean isList = Tokens.is(tokens, at, "{");
    return Tokens.is(tokens, isList ? Tokens.close(tokens, at) + 1 : name + 1, ";");
  }

  /** Looks at all places where a function names an object. */
  private boolean use(
      Owner owner,
      Function function,
      int name,
      List<Token> given,
      Map<Integer, List<Token>> found) {
    Token object = tokens.get(name);
    int end = endOfBlock(name);
    if (owner.fields.contains(object.text())) {
      return false;
    }
    for (int i = function.start(); i < function.end(); i++) {
      if (!tokens.get(i).is(object.text()) || i == name || Tokens.isMember(tokens, i)) {
        continue;
      }
      boolean isCall = Tokens.is(tokens, i + 1, "(");
      String member = isCall ? CALL : Tokens.get(tokens, i + 2).text();
      boolean isMember = isCall || Tokens.is(tokens, i + 1, ".");
      if (i < name || i > end || !isMember || !isUse(i)) {
        return false;
      }
      if (!owner.moved.contains(member)) {
        continue;
      }
      int open = isCall ? i + 1 : i + 3;
      if (!Tokens.is(tokens, open, "(") || found.containsKey(i)) {
        return false;
      }
      List<Token> call = called(owner, member, given, object);
      call.add(object);
      if (!Tokens.is(tokens, open + 1, ")")) {
        call.add(Token.mark(",", object));
      }
      found.put(i, call);
      for (int j = i + 1; j <= open; j++) {
        found.put(j, List.of());
      }
    }
    return true;
  }

  /** The brace that closes the innermost block around a token. */
  private int endOfBlock(int at) {
    int i = at;
    while (i < tokens.size() && !tokens.get(i).is("}")) {
      i = Tokens.isOpen(tokens.get(i)) ? Tokens.close(tokens, i) + 1 : i + 1;
    }
    return i;
  }

  /** Whether a name stands where an expression may, rather than where it is declared. */
  private boolean isUse(int at) {
    Token before = Tokens.get(tokens, at - 1);
    boolean isProduct = before.is("*") && Tokens.is(tokens, at + 1, "."); // and no pointer
    if (!BEFORE_USE.contains(before.text()) && !isProduct) {
      return false;
    }
    if (!before.is(",")) {
      return true;
    }
    int depth = 0;
    for (int i = at - 1; i >= 0; i--) { // a list of variables is in no call
      Token token = tokens.get(i);
      boolean isClose = token.is(")") || token.is("]") || token.is("}");
      depth += isClose ? 1 : Tokens.isOpen(token) ? -1 : 0;
      if (depth < 0) {
        Token name = Tokens.get(tokens, i - 1);
        return token.is("(") && name.isWord() && !HEADERS.contains(name.text());
      }
    }
    return false;
  }

  /** The beginning of a call of the function that does what a method does. */
  private static List<Token> called(Owner owner, String method, List<Token> given, Token at) {
    List<Token> call = new ArrayList<>();
    call.add(at.named(function(owner, method)));
    if (!given.isEmpty()) {
      call.add(Token.mark("<", at));
      call.addAll(given);
      call.add(Token.mark(">", at));
    }
    call.add(Token.mark("(", at));
    return call;
  }

  private static String function(Owner owner, String method) {
    return AddedNames.ofMethod(owner.name, method.equals(CALL) ? "call" : method);
  }

  // Output.

  private List<Token> written() {
    if (behind.isEmpty()) {
      return tokens;
    }
    List<Token> out = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      List<Token> other = replaced.get(i);
      if (other != null) {
        out.addAll(other);
      } else {
        out.add(tokens.get(i));
      }
      Owner owner = behind.get(i);
      if (owner != null) {
        object(owner, out);
        if (owner.moved.size() > 1) {
          owner.methods.values().forEach(method -> function(owner, method, false, out));
        }
        owner.methods.values().forEach(method -> function(owner, method, true, out));
      }
    }
    return out;
  }

  /** The class without the methods that move. All of it is public, as functions use it. */
  private void object(Owner owner, List<Token> out) {
    out.addAll(tokens.subList(owner.start, owner.open - 2));
    out.add(tokens.get(owner.open - 2).named("struct"));
    out.add(tokens.get(owner.open - 1).named(AddedNames.ofObject(owner.name)));
    out.add(tokens.get(owner.open));
    Set<Integer> skipped = new HashSet<>();
    for (Method method : owner.methods.values()) {
      for (int i = method.start; owner.moved.contains(method.name) && i < method.end; i++) {
        skipped.add(i);
      }
    }
    for (int i = owner.open + 1; i <= owner.close; i++) {
      Token token = tokens.get(i);
      boolean isAccess =
          Tokens.is(tokens, i + 1, ":") && (token.is("private") || token.is("protected"));
      if (!skipped.contains(i)) {
        out.add(isAccess ? token.named("public") : token);
      }
    }
    out.add(tokens.get(owner.close + 1));
  }

  private void function(Owner owner, Method method, boolean hasBody, List<Token> out) {
    if (!owner.moved.contains(method.name)) {
      return;
    }
    Token at = tokens.get(method.named);
    List<Token> given = new ArrayList<>();
    if (!owner.parameters.isEmpty()) {
      out.add(Token.word("template", at));
      out.add(Token.mark("<", at));
      for (int i = 0; i < owner.parameters.size(); i++) {
        if (i > 0) {
          out.add(Token.mark(",", at));
          given.add(Token.mark(",", at));
        }
        out.addAll(owner.declared.get(i));
        given.add(Token.word(owner.parameters.get(i), at));
      }
      out.add(Token.mark(">", at));
    }
    out.addAll(tokens.subList(method.start, method.named));
    out.add(at.named(function(owner, method.name)));
    out.add(tokens.get(method.open));
    if (method.isConstant(tokens)) {
      out.add(Token.word("const", at));
    }
    out.add(Token.word(AddedNames.ofObject(owner.name), at));
    if (!given.isEmpty()) {
      out.add(Token.mark("<", at));
      out.addAll(given);
      out.add(Token.mark(">", at));
    }
    out.add(Token.mark("&", at));
    out.add(Token.word(AddedNames.THIS, at));
    int close = Tokens.close(tokens, method.open);
    if (close > method.open + 1) {
      out.add(Token.mark(",", at));
    }
    out.addAll(tokens.subList(method.open + 1, close + 1));
    if (!hasBody) {
      out.add(Token.mark(";", at));
      return;
    }
    for (int i = method.body; i < method.end; i++) {
      Token token = tokens.get(i);
      boolean isOwn =
          token.isWord() && !Tokens.isMember(tokens, i) && !Tokens.is(tokens, i - 1, "::");
      if (isOwn && owner.moved.contains(token.text())) {
        out.addAll(called(owner, token.text(), given, token));
        out.add(Token.word(AddedNames.THIS, token));
        if (!Tokens.is(tokens, i + 2, ")")) {
          out.add(Token.mark(",", token));
        }
        i++;
      } else {
        boolean isMember =
            isOwn
                && (owner.fields.contains(token.text()) || owner.methods.containsKey(token.text()));
        if (isMember) {
          out.add(Token.word(AddedNames.THIS, token));
          out.add(Token.mark(".", token));
        }
        out.add(token);
      }
    }
  }
}
