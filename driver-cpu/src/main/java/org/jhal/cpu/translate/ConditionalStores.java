// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;

/**
 * Branches that compare elements of shared memory and then replace such elements: {@code if
 * (best[t] < best[u]) { best[t] = best[u]; index[t] = index[u]; }}, also by way of a variable.
 * Processors cannot predict them, and a misprediction takes longer than such a branch. So the
 * elements are always written, with what they have if the condition is false ({@code hal_replace}).
 *
 * <p>One thread runs a workgroup, and nothing else knows its shared memory, so nobody sees that an
 * element is written which keeps its value. What is accessed although the condition is false must
 * exist: the condition, which has no {@code &&}, {@code ||} or {@code ?}, accesses an element of an
 * array of the same size by the same subscripts. All arrays are shared variables of the kernel, of
 * built-in types, and all else are variables and numbers, so operators are those of the language,
 * and nothing but the elements changes. An element is replaced by one of the same type, a variable
 * of that type or a literal, so that no conversion is made that the source does not make.
 */
final class ConditionalStores {
  private static final Set<String> TYPES =
      Set.of("char", "short", "int", "unsigned", "signed", "long", "float", "double");

  private static final Set<String> COMPARISONS = Set.of("<", ">", "<=", ">=", "==", "!=");

  private static final Set<String> MARKS = Set.of("+", "-", "*", "(", ")", "[", "]");

  /** What a variable is: its type, and its dimensions if it is a shared array. */
  private record Known(String type, List<Token> dimensions) {
    boolean isArray() {
      return !dimensions.isEmpty();
    }
  }

  private final Map<String, Known> variables = new HashMap<>();

  ConditionalStores(List<Statement> statements) {
    declared(statements);
  }

  private void declared(List<Statement> statements) {
    for (Statement statement : statements) {
      if (statement instanceof Variables declared) {
        boolean isShared = declared.declaration().is("__shared__");
        List<Token> type =
            declared.declaration().type().stream()
                .filter(token -> !token.is("__shared__") && !token.is("const"))
                .toList();
        boolean isKnown = type.stream().allMatch(token -> TYPES.contains(token.text()));
        for (Declarator each : declared.declaration().declarators()) {
          if (isKnown
              && each.pointers().isEmpty()
              && isShared != each.dimensions().isEmpty()
              && !Tokens.text(each.dimensions()).contains("[]")) {
            variables.put(each.name().text(), new Known(Tokens.text(type), each.dimensions()));
          }
        }
      }
      declared(statement.inner());
    }
  }

  /** Whether the stores of a branch are made in any case. */
  boolean isOne(If choice) {
    if (choice.isConstant() || choice.otherwise() != null) {
      return false;
    }
    List<Token> condition = Tokens.withoutParentheses(choice.condition());
    List<String> elements = new ArrayList<>();
    long comparisons =
        condition.stream().filter(token -> COMPARISONS.contains(token.text())).count();
    if (comparisons != 1 || !isPlain(condition, elements) || elements.isEmpty()) {
      return false;
    }
    boolean isStore = false;
    for (Statement statement : statements(choice.then())) {
      if (statement instanceof Variables declared) {
        if (!isCopy(declared, elements)
            || condition.stream()
                .anyMatch(
                    token -> token.is(declared.declaration().declarators().get(0).name().text()))) {
          return false;
        }
      } else if (statement instanceof Plain plain) {
        if (!isStore(plain.tokens(), elements)) {
          return false;
        }
        isStore = true;
      } else {
        return false;
      }
    }
    return isStore;
  }

  /** The element that a store replaces, and by what. */
  static List<List<Token>> parts(List<Token> store) {
    int at = Tokens.find(store, 0, "=");
    return List.of(store.subList(0, at), store.subList(at + 1, store.size()));
  }

  /** The statements of a branch. */
  static List<Statement> statements(Statement statement) {
    return statement instanceof Statement.Block block
        ? block.statements().stream().flatMap(each -> statements(each).stream()).toList()
        : List.of(statement);
  }

  private boolean isCopy(Variables declared, List<String> elements) {
    List<Declarator> declarators = declared.declaration().declarators();
    if (declarators.size() != 1 || !Tokens.is(declarators.get(0).initial(), 0, "=")) {
      return false;
    }
    Known variable = variables.get(declarators.get(0).name().text());
    return variable != null
        && !variable.isArray()
        && isValue(Privatization.initial(declarators.get(0)), variable.type, elements);
  }

  private boolean isStore(List<Token> store, List<String> elements) {
    if (Tokens.find(store, 0, "=") >= store.size()) {
      return false;
    }
    List<Token> element = parts(store).get(0);
    Known array = variables.get(Tokens.get(element, 0).text());
    return array != null
        && array.isArray()
        && isElement(element, elements)
        && isValue(parts(store).get(1), array.type, elements);
  }

  /** Whether a value has a type, and there is nothing to compute. */
  private boolean isValue(List<Token> value, String type, List<String> elements) {
    if (value.size() == 1 && isLiteral(value.get(0))) {
      return true;
    }
    Known known = value.isEmpty() ? null : variables.get(value.get(0).text());
    return known != null
        && known.type.equals(type)
        && (known.isArray() ? isElement(value, elements) : value.size() == 1);
  }

  /** Whether an element of a shared array surely exists if some others do. */
  private boolean isElement(List<Token> element, List<String> others) {
    List<String> found = new ArrayList<>();
    return elementEnd(element, 0) == element.size()
        && isPlain(element, found)
        && found.size() == 1 // no other element is a subscript, which may change
        && others.contains(found.get(0));
  }

  private static int elementEnd(List<Token> tokens, int name) {
    int end = name + 1;
    while (Tokens.is(tokens, end, "[")) {
      end = Tokens.close(tokens, end) + 1;
    }
    return end;
  }

  private static int brackets(List<Token> tokens, int from) {
    int count = 0;
    for (int at = from; Tokens.is(tokens, at, "["); at = Tokens.close(tokens, at) + 1) {
      count++;
    }
    return count;
  }

  /** Whether a token is a number of the language: a suffix of a source begins with a line. */
  private static boolean isLiteral(Token token) {
    return token.kind() == Token.Kind.NUMBER && !token.text().contains("_");
  }

  /** Whether an expression has numbers, variables and elements alone, which are added to a list. */
  private boolean isPlain(List<Token> tokens, List<String> elements) {
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (CallGraph.isIndex(token.text()) && Tokens.is(tokens, i + 1, ".")) {
        i += 2;
        continue;
      }
      Known known = variables.get(token.text());
      if (!token.isWord()) {
        String mark = token.text();
        if (!isLiteral(token) && !MARKS.contains(mark) && !COMPARISONS.contains(mark)) {
          return false;
        }
      } else if (known == null
          || known.isArray() != Tokens.is(tokens, i + 1, "[")
          || brackets(tokens, i + 1) != brackets(known.dimensions, 0)) {
        return false;
      } else if (known.isArray()) {
        String subscripts = Tokens.text(tokens.subList(i + 1, elementEnd(tokens, i)));
        elements.add(Tokens.text(known.dimensions) + " " + subscripts);
      }
    }
    return true;
  }
}
