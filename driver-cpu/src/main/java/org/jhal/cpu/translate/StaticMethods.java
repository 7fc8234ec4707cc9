// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Adds functions that do what static methods do which ask for the work item, or in which items
 * meet, since only functions can be given the item: {@code struct Sum { static __device__ float
 * all(float v) {...} }; ... Sum::all(v)} becomes {@code struct Sum { static __device__ float
 * all(float v) {...} }; __device__ float hal_method_Sum_all(float v) {...} ...
 * hal_method_Sum_all(v)}. It leaves those alone that use other members of their class, or are
 * overloaded. What calls one in another way, such as by an object, mentions its class, and asks the
 * thread for the item.
 */
final class StaticMethods {
  /** What may stand before a name that is declared, in a list of template parameters as well. */
  private static final Set<String> DECLARING =
      Set.of("struct", "class", "union", "enum", "typename", "using", "namespace");

  /**
   * A method.
   *
   * @param start of its definition; {@code end} is behind it
   */
  private record Method(String owner, int name, int start, int end) {
    String newName(List<Token> tokens) {
      return AddedNames.ofMethod(owner, tokens.get(name).text());
    }
  }

  private final List<Token> tokens;
  private final Map<Integer, List<Method>> behind = new HashMap<>(); // the semicolon of a class
  private final Map<Integer, String> renamed = new HashMap<>(); // NAME::method, by where it begins
  private final Set<Integer> inPlain = new HashSet<>(); // functions

  private StaticMethods(List<Token> tokens) {
    this.tokens = tokens;
    SourceFile file = new SourceFile(tokens);
    for (Function function : file.functions()) {
      for (int i = function.start(); function.isPlain() && i < function.end(); i++) {
        inPlain.add(i);
      }
    }
    for (int[] each : file.plainClasses()) {
      if (!Tokens.is(tokens, each[0] - 1, ">")) { // no template
        look(each[0] + 1, each[0] + 2, each[1]);
      }
    }
  }

  /** The source with these functions behind the classes, and with calls of them in others. */
  static List<Token> withFunctions(List<Token> tokens) {
    return new StaticMethods(tokens).written();
  }

  private void look(int owner, int open, int close) {
    List<Method> methods = new ArrayList<>();
    List<String> members = new ArrayList<>();
    int start = open + 1;
    for (int i = open + 1; i < close; i++) {
      Token token = tokens.get(i);
      if (token.is(":") && tokens.subList(start, i).size() == 1) { // public:
        start = i + 1;
      } else if (token.is(";")) {
        addMember(start, i, members);
        start = i + 1;
      } else if (token.is("{")) {
        int end = Tokens.close(tokens, i);
        addMember(start, i, members);
        int parenthesis = Tokens.find(tokens, afterTemplate(start), "(");
        if (parenthesis < i && isStatic(start, parenthesis) && asks(i, end)) {
          methods.add(new Method(tokens.get(owner).text(), parenthesis - 1, start, end + 1));
        }
        if (parenthesis > i) { // a type, perhaps an enumeration, whose constants are members
          tokens.subList(i, end).forEach(each -> members.add(each.text()));
        }
        boolean isValue = Tokens.is(tokens, end + 1, ";") || Tokens.is(tokens, end + 1, ",");
        start = isValue ? start : end + 1;
        i = end;
      } else if (Tokens.isOpen(token)) {
        i = Tokens.close(tokens, i);
      }
    }
    for (Method method : methods) {
      if (canMove(method, members)) {
        behind.computeIfAbsent(close + 1, at -> new ArrayList<>()).add(method);
      }
    }
  }

  private int afterTemplate(int start) {
    return Tokens.is(tokens, start, "template")
        ? Math.max(start, Tokens.closeAngle(tokens, start + 1))
        : start;
  }

  private boolean isStatic(int start, int end) {
    return tokens.subList(start, end).stream().anyMatch(token -> token.is("static"));
  }

  private boolean asks(int from, int to) {
    return tokens.subList(from, to).stream()
        .anyMatch(token -> token.isWord() && CallGraph.isOfItem(token.text()));
  }

  /** Adds the words before the parameters, the dimensions or the values of members. */
  private void addMember(int start, int end, List<String> members) {
    for (List<Token> declared : Tokens.split(tokens.subList(afterTemplate(start), end))) {
      String name = "";
      for (Token token : declared) {
        if (token.is("(") || token.is("[") || token.is("=") || token.is("{")) {
          break;
        }
        name = token.isWord() ? token.text() : name;
      }
      members.add(name);
    }
  }

  private boolean canMove(Method method, List<String> members) {
    String name = tokens.get(method.name).text();
    if (Collections.frequency(members, name) > 1 || isAmbiguous(tokens, method.owner)) {
      return false;
    }
    for (int i = method.start; i < method.end; i++) {
      if (i != method.name && tokens.get(i).isWord() && members.contains(tokens.get(i).text())) {
        return false;
      }
    }
    List<Integer> uses = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i).is(name)
          && Tokens.is(tokens, i - 1, "::")
          && Tokens.is(tokens, i - 2, method.owner)
          && Tokens.is(tokens, i + 1, "(")
          && !Tokens.is(tokens, i - 3, "::")) {
        uses.add(i - 2);
      }
    }
    uses.forEach(use -> renamed.put(use, method.newName(tokens)));
    return true;
  }

  /** Whether the name of a class may be that of something else, too, such as a parameter. */
  static boolean isAmbiguous(List<Token> tokens, String owner) {
    int declared = 0;
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i).is(owner)) {
        Token before = Tokens.get(tokens, i - 1);
        Token behind = Tokens.get(tokens, i + 1);
        boolean isTyped = before.isWord() && !before.is("const") && !before.is("return");
        declared += DECLARING.contains(before.text()) ? 1 : 0;
        if (isTyped
            && !DECLARING.contains(before.text())
            && Set.of(";", "=", ",", ")", "[").contains(behind.text())) { // typedef Other Op;
          return true;
        }
      }
    }
    return declared > 1;
  }

  private List<Token> written() {
    if (behind.isEmpty()) {
      return tokens;
    }
    List<Token> out = new ArrayList<>();
    write(0, tokens.size(), -1, out);
    return out;
  }

  private void write(int from, int to, int named, List<Token> out) {
    for (int i = from; i < to; i++) {
      Token token = tokens.get(i);
      String name = renamed.get(i);
      if (name != null && (named >= 0 || inPlain.contains(i))) {
        out.add(token.named(name));
        i += 2;
      } else {
        out.add(token);
      }
      for (Method method : named < 0 ? behind.getOrDefault(i, List.of()) : List.<Method>of()) {
        for (int j = method.start; j < method.end; j++) {
          if (j == method.name) {
            out.add(tokens.get(j).named(method.newName(tokens)));
          } else if (!tokens.get(j).is("static") || j > method.name) {
            write(j, j + 1, j, out);
            j += renamed.containsKey(j) ? 2 : 0;
          }
        }
      }
    }
  }
}
