// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Rewrites a source so that each function that needs to know the work item gets it as a parameter,
 * and the dynamic shared memory is a member of it. So compilers see an index as a local variable,
 * which lets them vectorize.
 */
final class ItemRewriter {
  private static final String ITEM = "hal_self";

  /** Stands before an item that is given to a function which asks for active ones. */
  static final String CALLED = "hal_called";

  /** Words that stand before an expression. */
  private static final Set<String> BEFORE_CALLS =
      Set.of(
          "return",
          "co_return",
          "else",
          "do",
          "case",
          "throw",
          "new",
          "delete",
          "sizeof",
          "typename");

  /** Words behind which something else than a variable is named. */
  private static final Set<String> NO_VARIABLES =
      Set.of("struct", "class", "union", "enum", "namespace", "goto");

  private final List<Token> tokens;
  private final Calls calls;
  private final Map<Integer, Function> functions = new HashMap<>(); // by their parenthesis
  private final Set<Integer> devices = new HashSet<>(); // of functions that are to be inline
  private final Set<Integer> captures = new HashSet<>(); // the ends of those that lack the item
  private final Set<Integer> hidden = new HashSet<>(); // names that mean methods, or variables
  private final List<Token> out = new ArrayList<>();

  private ItemRewriter(SourceFile source) {
    this.tokens = source.tokens();
    this.calls = new Calls(source);
    Set<String> inherited = new HashSet<>(); // names that methods have
    List<Integer> derived = new ArrayList<>(); // the braces of classes that have a base
    for (int i = 0; i < tokens.size(); i++) {
      boolean isClass = tokens.get(i).is("struct") || tokens.get(i).is("class");
      if (isClass && !Tokens.is(tokens, i - 1, "<") && !Tokens.is(tokens, i - 1, ",")) {
        int open = Tokens.find(tokens, i, "{", ";");
        inherited.addAll(addMethods(open));
        if (Tokens.find(tokens, i, ":") < open) {
          derived.add(open);
        }
      } else if (isVariable(i)) {
        hide(tokens.get(i).text(), i, scopeEnd(i));
      }
    }
    for (int open : derived) {
      inherited.forEach(name -> hide(name, open, Tokens.close(tokens, open)));
    }
    for (Function function : source.functions()) {
      functions.put(function.open(), function);
      if (!function.isInline()) {
        for (int i = function.start(); i < function.name(); i++) {
          if (tokens.get(i).is("__device__")) {
            devices.add(i);
          }
        }
      }
      if (function.hasBody() && calls.hasItem(function.text())) {
        for (int i = function.body(); i < function.end(); i++) {
          if (Tokens.isLambda(tokens, i) && lacksItem(i)) {
            captures.add(Tokens.close(tokens, i));
          }
        }
      }
    }
  }

  static List<Token> rewrite(List<Token> tokens) {
    List<Token> named = Pointers.rewrite(withoutDynamicShared(tokens));
    ItemRewriter rewriter = new ItemRewriter(new SourceFile(named));
    rewriter.run();
    return rewriter.out;
  }

  /** Replaces {@code extern __shared__ T name[];} and the uses of its name. */
  private static List<Token> withoutDynamicShared(List<Token> tokens) {
    Deque<Map<String, List<Token>>> scopes = new ArrayDeque<>(); // types by name; innermost first
    scopes.push(new HashMap<>());
    List<Token> out = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.is("{")) {
        scopes.push(new HashMap<>());
      } else if (token.is("}") && scopes.size() > 1) {
        scopes.pop();
      }
      int end = token.is("extern") ? Tokens.find(tokens, i, ";") : 0;
      List<Token> declaration = end > 0 && end < tokens.size() ? tokens.subList(i, end) : List.of();
      if (declaration.stream().anyMatch(word -> word.is("__shared__")) && declaration.size() < 24) {
        int bracket = Tokens.find(declaration, 0, "[");
        scopes
            .getFirst()
            .put(declaration.get(bracket - 1).text(), type(declaration.subList(1, bracket - 1)));
        i = end;
        continue;
      }
      List<Token> type = null;
      for (Map<String, List<Token>> scope : scopes) {
        type = type == null && token.isWord() ? scope.get(token.text()) : type;
      }
      boolean isMember = Tokens.is(tokens, i - 1, ".") || Tokens.is(tokens, i - 1, "->");
      if (type == null || isMember) {
        out.add(token);
      } else {
        out.add(Token.mark("(", token));
        out.add(Token.mark("(", token));
        out.addAll(type.stream().map(word -> at(word, token)).toList());
        out.add(Token.mark("*", token));
        out.add(Token.mark(")", token));
        out.add(Token.word(ITEM, token));
        out.add(Token.mark(".", token));
        out.add(Token.word("hal_shared", token));
        out.add(Token.mark(")", token));
      }
    }
    return out;
  }

  private static Token at(Token token, Token place) {
    return token.at(place);
  }

  private static List<Token> type(List<Token> words) {
    List<Token> type = new ArrayList<>();
    for (int i = 0; i < words.size(); i++) {
      Token word = words.get(i);
      if (word.is("__align__") || word.is("alignas") || word.is("__attribute__")) {
        i = Tokens.close(words, i + 1);
      } else if (!word.is("__shared__")) {
        type.add(word);
      }
    }
    return type;
  }

  /** Finds where names mean methods of a class. Returns these. */
  private Set<String> addMethods(int open) {
    if (!Tokens.is(tokens, open, "{") || Tokens.is(tokens, open - 1, ")")) {
      return Set.of(); // no class, or that of a function's result
    }
    int close = Tokens.close(tokens, open);
    Set<String> names = new HashSet<>();
    boolean isValue = false; // of a field
    for (int i = open + 1; i < close; i++) {
      Token token = tokens.get(i);
      isValue = token.is("=") || (isValue && !token.is(";"));
      if (token.is("(") && !isValue) {
        names.add(tokens.get(i - 1).text());
      }
      i = Tokens.isOpen(tokens.get(i)) ? Tokens.close(tokens, i) : i;
    }
    names.forEach(name -> hide(name, open, close));
    return names;
  }

  /** A name means another thing than a function of the source, unless it is qualified. */
  private void hide(String name, int from, int to) {
    for (int i = from; i < to; i++) {
      if (tokens.get(i).is(name) && !Tokens.is(tokens, i - 1, "::")) {
        hidden.add(i);
      }
    }
  }

  /** Whether a variable, or a parameter, with the name of a function that takes the item begins. */
  private boolean isVariable(int name) {
    Token token = tokens.get(name);
    Token behind = Tokens.get(tokens, name + 1);
    if (!token.isWord()
        || !calls.passItem(token.text())
        || !Set.of("=", ",", ")", "{", ";").contains(behind.text())) {
      return false;
    }
    int type = name - 1;
    while (Set.of("&", "&&", "*", "...").contains(Tokens.get(tokens, type).text())) {
      type--;
    }
    return isTypeEnd(type);
  }

  private boolean isTypeEnd(int at) {
    Token token = Tokens.get(tokens, at);
    return token.is(">")
        ? Tokens.openAngle(tokens, at) > 0
        : isDeclared(at + 1) && !NO_VARIABLES.contains(token.text());
  }

  /** Where the block, or the body of the function, ends in which a variable is seen. */
  private int scopeEnd(int name) {
    for (int i = name; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (Tokens.isOpen(token)) {
        i = Tokens.close(tokens, i);
      } else if (token.is(")")) { // of parameters, or of a header
        int body = Tokens.find(tokens, i, "{", ";");
        return Tokens.is(tokens, body, "{") ? Tokens.close(tokens, body) : body;
      } else if (token.is("}")) {
        return i;
      }
    }
    return name; // of the whole source: functions have other scopes
  }

  /** Whether a lambda asks for the item, which is a variable here, and does not capture it. */
  private boolean lacksItem(int open) {
    int close = Tokens.close(tokens, open);
    boolean isByReference =
        Tokens.is(tokens, open + 1, "&") && (open + 2 == close || Tokens.is(tokens, open + 2, ","));
    return !isByReference
        && tokens.subList(close, Tokens.lambdaEnd(tokens, open)).stream()
            .anyMatch(
                token ->
                    token.is(ITEM) || Calls.isIndex(token.text()) || calls.passItem(token.text()));
  }

  private void run() {
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      Function function = functions.get(i);
      if (captures.contains(i)) {
        out.addAll(Generated.tokens((Tokens.is(tokens, i - 1, "[") ? "&" : ", &") + ITEM, token));
      }
      if (devices.contains(i)) {
        out.add(
            new Token(token.kind(), "HAL_DEVICE", token.isSpaced(), token.file(), token.line()));
        continue;
      }
      out.add(token);
      if (function != null && calls.hasItem(function.text())) {
        parameter(function, token);
      } else if (token.is("(") && isCall(i)) {
        item(i);
        addComma(i);
      }
    }
  }

  private void parameter(Function function, Token at) {
    out.add(Token.word("hal_item", at));
    out.add(Token.mark("&", at));
    out.add(Token.word(ITEM, at));
    if (!function.parameters().isEmpty()) {
      out.add(Token.mark(",", at));
    }
  }

  /**
   * Gives a function the item. Where it asks which items are active, those count that have come to
   * the same place by the same calls, so each of these has a number. Numbers rise in the source.
   */
  private void item(int open) {
    Token at = tokens.get(open);
    String function = tokens.get(called(open)).text();
    if (function.equals(Calls.ACTIVE)) {
      out.addAll(Generated.tokens(ITEM + "," + open, at));
    } else if (calls.asksForActive(function)) {
      out.addAll(Generated.tokens(CALLED + "(" + ITEM + "," + open + ")", at));
    } else {
      out.add(Token.word(ITEM, at));
    }
  }

  private void addComma(int open) {
    if (!Tokens.is(tokens, open + 1, ")")) {
      out.add(Token.mark(",", tokens.get(open)));
    }
  }

  /** Whether a parenthesis begins the arguments of a function that takes the work item. */
  private boolean isCall(int open) {
    int name = called(open);
    Token called = Tokens.get(tokens, name);
    return called.isWord()
        && calls.passItem(called.text())
        && !functions.containsKey(open)
        && !hidden.contains(name)
        && !isDeclared(name)
        && !Tokens.is(tokens, name - 1, ".")
        && !Tokens.is(tokens, name - 1, "->");
  }

  /** Whether a type stands before a name, so that a method of the same name is declared. */
  private boolean isDeclared(int name) {
    Token before = Tokens.get(tokens, name - 1);
    return before.isWord() && !BEFORE_CALLS.contains(before.text());
  }

  /** Where the name is whose arguments, behind those of a template, begin here; -1 if nowhere. */
  private int called(int open) {
    int name = open - 1;
    if (Tokens.is(tokens, name, ">")) {
      int depth = 0;
      for (; name >= 0; name--) {
        depth += Tokens.is(tokens, name, ">") ? 1 : Tokens.is(tokens, name, "<") ? -1 : 0;
        if (depth == 0) {
          break;
        }
        if (Tokens.is(tokens, name, ";") || Tokens.is(tokens, name, "{")) {
          return -1;
        }
      }
      name--;
    }
    return name;
  }
}
