// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declaration;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;

/**
 * Writes loops that count with {@code while} as {@code for}, which {@link LoopInterchange} knows:
 * {@code int i = first; while (i < n) { sum += in[i]; i += step; }} becomes {@code for (int i =
 * first; i < n; i += step) { sum += in[i]; }}.
 *
 * <p>That is the same if all of the following holds. Each variable has a name of its own, so a name
 * shows all uses of a variable.
 *
 * <ul>
 *   <li>The counter is an integer, the only variable of its declaration, which stands before the
 *       loop in the same braces. Nothing else there names it, neither between the two nor behind
 *       the loop. If there is something between them, the counter begins with indexes and numbers
 *       alone, which have the same values behind it.
 *   <li>The body ends with the step, has no {@code continue}, and declares nothing but numbers with
 *       other names than those of the step: nothing happens between the step and the next look at
 *       the condition.
 * </ul>
 */
final class CountedLoops {
  /** Words of casts that cannot name a variable. */
  private static final Set<String> TYPES = Set.of("unsigned", "int", "long", "const");

  private CountedLoops() {}

  /** The statements of a kernel, whose variables have names of their own. */
  static List<Statement> asFor(List<Statement> kernel) {
    List<Statement> all = new ArrayList<>();
    kernel.forEach(statement -> all.add(inside(statement)));
    for (int i = 0; i < all.size(); i++) {
      int declared = all.get(i) instanceof For loop ? counter(all, i, loop) : -1;
      if (declared >= 0) {
        For loop = (For) all.get(i);
        List<Statement> body = new ArrayList<>(((Block) loop.body()).statements());
        List<Token> step = ((Plain) body.remove(body.size() - 1)).tokens();
        Block rest = new Block(body, loop.at());
        all.set(i, new For(all.get(declared), loop.condition(), step, rest, loop.at()));
        all.remove(declared);
        i--;
      }
    }
    return all;
  }

  private static Statement inside(Statement statement) {
    if (statement instanceof Block block) {
      return new Block(asFor(block.statements()), block.at());
    }
    return statement.withInner(CountedLoops::inside);
  }

  /** Where the counter of a loop is declared; -1 if the loop stays as it is. */
  private static int counter(List<Statement> all, int at, For loop) {
    if (loop.start() != null
        || !loop.step().isEmpty()
        || loop.hasBarrier()
        || !(loop.body() instanceof Block body)
        || body.statements().isEmpty()
        || !(body.statements().get(body.statements().size() - 1) instanceof Plain step)) {
      return -1;
    }
    String name = counted(step.tokens());
    for (int i = at - 1; i >= 0 && !name.isEmpty(); i--) {
      if (all.get(i) instanceof Variables declared
          && declared.declaration().declarators().stream().anyMatch(each -> each.name().is(name))) {
        boolean isSame =
            isCounter(declared.declaration())
                && (i == at - 1 || isSteady(declared.declaration()))
                && all.subList(i + 1, at).stream().noneMatch(each -> names(each).contains(name))
                && all.subList(at + 1, all.size()).stream()
                    .noneMatch(each -> names(each).contains(name))
                && mayEnd(body, names(step));
        return isSame ? i : -1;
      }
    }
    return -1;
  }

  /** What a step adds to; empty if it does something else. */
  private static String counted(List<Token> step) {
    if (step.size() == 2 && step.stream().anyMatch(Changes::isStep)) {
      return step.get(step.get(0).isWord() ? 0 : 1).text();
    }
    boolean isSum = Tokens.is(step, 1, "+=") && Tokens.find(step, 0, ",") == step.size();
    return isSum && step.get(0).isWord() ? step.get(0).text() : "";
  }

  private static boolean isCounter(Declaration declaration) {
    return declaration.declarators().size() == 1
        && !declaration.is("const")
        && Declarations.isInteger(declaration.type())
        && declaration.declarators().get(0).pointers().isEmpty()
        && declaration.declarators().get(0).dimensions().isEmpty()
        && Tokens.is(declaration.declarators().get(0).initial(), 0, "=");
  }

  /** Whether a counter begins with what no statement changes. */
  private static boolean isSteady(Declaration declaration) {
    List<Token> initial = declaration.declarators().get(0).initial();
    for (int i = 1; i < initial.size(); i++) {
      Token token = initial.get(i);
      boolean isIndex = CallGraph.isIndex(token.text()) && Tokens.is(initial, i + 1, ".");
      if (isIndex) {
        i += 2;
      } else if (token.isWord() ? !TYPES.contains(token.text()) : token.text().contains("_")) {
        return false; // a variable, or a number that may call an operator of the program
      }
    }
    return true;
  }

  private static Set<String> names(Statement statement) {
    List<Token> tokens = new ArrayList<>();
    statement.collect(tokens);
    Set<String> names = new HashSet<>();
    tokens.stream().filter(Token::isWord).forEach(token -> names.add(token.text()));
    return names;
  }

  /** Whether what is done at the end of a body may as well be done behind it. */
  private static boolean mayEnd(Statement body, Set<String> step) {
    for (Statement inside : body.inner()) {
      boolean isNumber =
          !(inside instanceof Variables declared)
              || (declared.declaration().type().stream()
                      .allMatch(
                          token ->
                              Declarations.NUMBERS.contains(token.text())
                                  || Declarations.INTEGERS.contains(token.text()))
                  && declared.declaration().declarators().stream()
                      .noneMatch(each -> step.contains(each.name().text())));
      boolean isOther =
          inside instanceof Statement.Opaque
              || inside.isTypeDeclaration()
              || (inside instanceof Statement.Jump jump && jump.word().is("continue"));
      if (!isNumber || isOther || !mayEnd(inside, step)) {
        return false;
      }
    }
    return true;
  }
}
