// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jhal.cpu.translate.Statement.Plain;

/**
 * What a function declares that is no variable: types, enumerators, and other names for what is
 * outside. In a loop over the items such a declaration comes first, so that none may change the
 * meaning of what stands before it, as in {@code int a = K; enum { K };}.
 */
final class LocalTypes {
  private final Set<String> namespaces; // of the source
  private final Set<String> outer = new HashSet<>(); // words that mean what is outside

  private LocalTypes(Set<String> namespaces) {
    this.namespaces = namespaces;
  }

  /**
   * The names that are declared among some tokens.
   *
   * @param namespaces of the source: other names for those of the dialect are left out
   */
  static Set<String> names(List<Token> tokens, Set<String> namespaces) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      int end = Math.min(tokens.size(), Tokens.find(tokens, i, ";"));
      if (token.is("using") && !Tokens.is(tokens, i + 1, "namespace")) {
        if (Tokens.is(tokens, i + 2, "=")) {
          names.add(tokens.get(i + 1).text());
        } else {
          Tokens.split(tokens.subList(i + 1, end)).forEach(each -> names.add(declared(each)));
        }
      } else if (token.is("namespace") && Tokens.is(tokens, i + 2, "=")) {
        if (namespaces.contains(tokens.get(end - 1).text())) {
          names.add(tokens.get(i + 1).text());
        }
      } else if (token.is("struct") || token.is("class") || token.is("union")) {
        names.add(Tokens.get(tokens, i + 1).text());
      } else if (token.is("typedef")) {
        Tokens.split(tokens.subList(i + 1, end)).forEach(each -> names.add(declared(each)));
      } else if (token.is("enum")) {
        tokens.subList(i + 1, end).forEach(word -> names.add(word.text()));
      }
    }
    return names;
  }

  /** The name in {@code T A[3]}, {@code T (*A)(U)}, {@code T A(U)} and {@code a::A}. */
  private static String declared(List<Token> declarator) {
    int open = Tokens.find(declarator, 0, "(", "[");
    int inside = open + 1;
    while (Tokens.is(declarator, open, "(")
        && (Tokens.is(declarator, inside, "*") || Tokens.is(declarator, inside, "&"))) {
      inside++;
    }
    boolean isInside = inside > open + 1 && Tokens.get(declarator, inside).isWord();
    return Tokens.get(declarator, isInside ? inside : open - 1).text();
  }

  /** Whether some tokens make all names of a namespace of the source, or of a type, known. */
  static boolean hasDirective(List<Token> tokens, Set<String> namespaces) {
    for (int i = 0; i < tokens.size(); i++) {
      int end = Math.min(tokens.size(), Tokens.find(tokens, i, ";"));
      boolean isNamespace =
          Tokens.is(tokens, i + 1, "namespace")
              && namespaces.contains(Tokens.get(tokens, end - 1).text());
      if (tokens.get(i).is("using") && (isNamespace || Tokens.is(tokens, i + 1, "enum"))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Checks that no name means something else before it is declared.
   *
   * @throws UnfitException if one may
   */
  static void check(List<Statement> kernel, Set<String> namespaces) throws UnfitException {
    new LocalTypes(namespaces).list(kernel, new HashSet<>());
  }

  private void list(List<Statement> statements, Set<String> visible) throws UnfitException {
    for (Statement statement : statements) {
      if (statement.isTypeDeclaration()) {
        declared(statement, visible);
        continue;
      }
      List<Token> own = new ArrayList<>();
      statement.own(own);
      for (int i = 0; i < own.size(); i++) {
        if (own.get(i).isWord()
            && !Tokens.isMember(own, i)
            && !visible.contains(own.get(i).text())) {
          outer.add(own.get(i).text());
        }
      }
      list(statement.inner(), new HashSet<>(visible));
    }
  }

  private void declared(Statement statement, Set<String> visible) throws UnfitException {
    List<Token> tokens = new ArrayList<>();
    statement.own(tokens);
    if (statement instanceof Plain && hasDirective(tokens, namespaces) && !outer.isEmpty()) {
      throw new UnfitException("a using directive behind other statements", tokens.get(0));
    }
    for (String name : names(tokens, namespaces)) {
      if (outer.contains(name)) {
        throw new UnfitException("a declaration that hides " + name, tokens.get(0));
      }
      visible.add(name);
    }
  }
}
