// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.InnerRanges.Range.Argument;
import org.jhal.cpu.translate.Statement.Block;
import org.jhal.cpu.translate.Statement.For;
import org.jhal.cpu.translate.Statement.If;
import org.jhal.cpu.translate.Statement.Plain;
import org.jhal.cpu.translate.Statement.Variables;
import org.jspecify.annotations.Nullable;

/**
 * Computes once what neighbouring items compute for each other: if each item calls {@code
 * gray(image, x - 1, y)}, {@code gray(image, x, y)} and {@code gray(image, x + 1, y)}, then the
 * results of a row are computed before its items run, into a table from which these read. Results
 * of rows that other rows of items have asked for are still there ({@code hal_rows.h}).
 *
 * <p>It is as if another item had come first, if all of the following holds. Then no item can tell
 * the difference, unless items have a data race.
 *
 * <ul>
 *   <li>The function has no effect, and its result depends on its arguments and on memory alone
 *       ({@link RowFunction}).
 *   <li>Items never meet, and neither the kernel nor a function has atomics, fences, {@code
 *       volatile} or assembly: so what an item reads is what was there before the kernel, or what
 *       it has written itself.
 *   <li>Up to the last of the calls, an item writes only its own variables.
 *   <li>Each item of the range makes all these calls: they are in no branch, no right operand of
 *       {@code &&}, and the like, and loops around them have numbers as limits and no jumps. So
 *       nothing is computed that no item asks for.
 *   <li>One argument rises by one for each next item, and all others are the same for all items of
 *       a row, but for counters of loops ({@link InnerRanges}).
 * </ul>
 *
 * If there is no room for all rows, or an argument would wrap around, the items call the function.
 */
final class SharedCalls {
  /** Calls that an item makes of one function, over all rounds of loops. */
  private static final int FEW = 3;

  private static final int MANY = 48;

  /** Where the tables are declared. */
  static final String TABLES = " /* tables */";

  private static final int MOST_PARAMETERS = 12;

  private final Function kernel;
  private final SourceFile file;
  private final Source source;
  private final Purity purity;
  private final boolean isOrdered;
  private final Map<String, Optional<RowFunction>> functions = new LinkedHashMap<>();
  private final Set<String> used = new TreeSet<>();
  private final List<String> tables = new ArrayList<>();
  private int numbers;

  /**
   * For a kernel.
   *
   * @param isOrdered whether items may meet, or count on what others have done, or do something
   *     before or behind a region
   */
  SharedCalls(Function kernel, SourceFile file, Source source, Purity purity, boolean isOrdered) {
    this.kernel = kernel;
    this.file = file;
    this.source = source;
    this.purity = purity;
    this.isOrdered = isOrdered || mayMeanOther(kernel.statements());
  }

  /** Whether names of functions may mean others than outside the kernel. */
  private static boolean mayMeanOther(List<Token> body) {
    return body.stream()
        .anyMatch(
            token ->
                Set.of("using", "namespace", "typedef", "struct", "class", "union", "enum")
                    .contains(token.text()));
  }

  /** A kernel with the tables, and with the functions before it. */
  String with(String text) {
    StringBuilder all = new StringBuilder();
    functions.values().stream()
        .flatMap(Optional::stream)
        .filter(function -> used.contains(function.name))
        .forEach(function -> all.append(function.text()));
    return all + text.replace(TABLES, String.join("", tables));
  }

  private record Call(Token name, RowFunction function, List<Argument> arguments, long rounds) {
    Set<String> counters() {
      Set<String> all = new TreeSet<>();
      arguments.forEach(argument -> all.addAll(argument.counters()));
      return all;
    }
  }

  /** The calls of a region that its items share. */
  final class Shared {
    private final InnerRanges.Range range;
    private final Map<Token, String> written = new IdentityHashMap<>();
    private final StringBuilder declared = new StringBuilder();
    private final StringBuilder wanted = new StringBuilder();
    private final StringBuilder got = new StringBuilder();
    private final String guard;
    private final String is;

    private Shared(InnerRanges.Range range, String guard, List<Call> calls) {
      this.range = range;
      this.guard = guard;
      Map<String, String> tableOf = new HashMap<>();
      StringBuilder begun = new StringBuilder();
      for (Call call : calls) {
        RowFunction function = call.function;
        String table =
            tableOf.computeIfAbsent(
                function.name,
                name -> {
                  String own = "hal_table" + ++numbers;
                  int same = function.parameters.size() - 1;
                  tables.add(" hal_row_table<" + function.result + ", " + same + "> " + own + ";");
                  begun.append(" " + own + ".begin();");
                  return own;
                });
        used.add(function.name);
        String rows = "hal_rows" + ++numbers;
        StringBuilder loops = new StringBuilder();
        String inside = "0"; // the subscript in the loops
        String outside = "0";
        for (String counter : call.counters()) {
          long[] ends = counter(counter);
          String name = InnerRanges.Range.placeholder(counter);
          loops.append(" for (int " + name + " = " + ends[0] + "; " + name + " <= " + ends[1]);
          loops.append("; " + name + "++)");
          String step = " * " + (ends[1] - ends[0] + 1) + " + (";
          String start = " - (" + ends[0] + "))";
          inside += step + name + start;
          outside += step + counter + start;
        }
        declared.append(" const " + function.result + "* " + rows + "[" + call.rounds + "];");
        declared.append(" decltype(" + table + ")::slot* " + rows + "_at[" + call.rounds + "];");
        StringBuilder arguments = new StringBuilder(argument(call, function.index));
        for (int i = 0; i < call.arguments.size(); i++) {
          arguments.append(i == function.index ? "" : ", " + argument(call, i));
        }
        String row = "[" + inside + "]";
        wanted.append(loops + " " + rows + "_at" + row + " = " + table);
        wanted.append(".want(hal_row_items, " + arguments + ");");
        got.append(loops + " " + rows + row + " = " + table + ".get(" + rows + "_at" + row);
        got.append(", &" + function.name + ", " + arguments + ");");
        written.put(call.name, "hal_row_value(" + rows + "[" + outside + "], hal_x - hal_from_x)");
      }
      this.wanted.insert(0, begun);
      StringBuilder is = new StringBuilder();
      tableOf.values().forEach(table -> is.append(" && " + table + ".is"));
      this.is = "hal_has_rows = true" + is + ";";
    }

    private long[] counter(String name) {
      long[] ends = range.counter(name);
      return ends == null ? new long[] {0, 0} : ends;
    }

    private static String argument(Call call, int index) {
      return "("
          + call.function.parameters.get(index)
          + ")("
          + call.arguments.get(index).text()
          + ")";
    }

    /** What computes the rows of a range, as C++. */
    String rows() {
      return declared
          + " HAL_FIRST_BEGIN if ("
          + guard
          + ") {"
          + wanted
          + " "
          + is
          + " if (hal_has_rows) {"
          + got
          + " } } }";
    }

    /** An expression that reads the rows. */
    List<Token> expression(List<Token> tokens) {
      List<Token> all = new ArrayList<>();
      for (int i = 0; i < tokens.size(); i++) {
        Token token = tokens.get(i);
        String row = written.get(token);
        all.add(row == null ? token : token.writtenAs(row));
        i = row == null ? i : Tokens.close(tokens, i + 1);
      }
      return all;
    }
  }

  /**
   * The calls that items of a region share; null if there are none.
   *
   * @param isPassed whether all items pass the guard of the region
   */
  @Nullable Shared of(Step.Region region, InnerRanges.Range range, boolean isPassed) {
    if (isOrdered || !region.masks.isEmpty() || source.hasOperators()) {
      return null;
    }
    List<Statement> statements = new ArrayList<>(region.statements);
    String guard = "true";
    if (region.isGuarded()) {
      If choice = (If) statements.remove(region.guard);
      guard = isPassed ? guard : range.sameInRow(choice);
      if (region.isGuardJump || choice.otherwise() != null || guard == null) {
        return null;
      }
      statements.add(choice.then()); // the guard was the last one
    }
    List<Call> calls = new ArrayList<>();
    Finder finder = new Finder(range, region, calls);
    for (Statement statement : statements) {
      finder.statement(statement, 1);
      if (finder.isOver) {
        break;
      }
    }
    Map<String, Long> counts = new HashMap<>();
    calls.forEach(call -> counts.merge(call.function.name, call.rounds, Long::sum));
    calls.removeIf(
        call ->
            !call.function.isLong()
                || counts.getOrDefault(call.function.name, 0L) < FEW
                || counts.getOrDefault(call.function.name, 0L) > MANY);
    return calls.isEmpty() ? null : new Shared(range, guard, calls);
  }

  /** Goes through what each item does, in this order. */
  private final class Finder {
    private final InnerRanges.Range range;
    private final List<Call> calls;
    private final Map<String, Boolean> own = new HashMap<>(); // variables of the item, and whether
    // they are scalars
    private boolean isOver; // what comes may write memory, or not be done by all

    Finder(InnerRanges.Range range, Step.Region region, List<Call> calls) {
      this.range = range;
      this.calls = calls;
      for (Variable use : region.uses) {
        declare(use.declaration, use.declarator);
      }
      region.statements.forEach(this::declare);
    }

    private void declare(Statement statement) {
      if (statement instanceof Variables variables) {
        variables
            .declaration()
            .declarators()
            .forEach(each -> declare(variables.declaration(), each));
      }
      statement.inner().forEach(this::declare);
    }

    private void declare(Declarations.Declaration declaration, Declarator declarator) {
      if (Declarations.isBuiltIn(declaration, declarator)
          && declarator.pointers().isEmpty()
          && !declaration.is("static")
          && !declaration.is("__shared__")
          && !purity.changes().isEscaping(declarator.name().text())) {
        own.put(declarator.name().text(), declarator.dimensions().isEmpty());
      }
    }

    private void statement(Statement statement, long rounds) {
      if (statement instanceof Block block) {
        block.statements().forEach(each -> statement(each, rounds));
      } else if (statement instanceof For loop) {
        loop(loop, rounds);
      } else if (statement instanceof Variables variables) {
        for (Declarator each : variables.declaration().declarators()) {
          boolean isBuiltIn = Declarations.isBuiltIn(variables.declaration(), each);
          List<Token> initial = each.initial();
          boolean isValue = initial.isEmpty() || Tokens.is(initial, 0, "=");
          if (!isBuiltIn || !isValue) {
            isOver = true;
          }
          expression(initial.isEmpty() ? initial : initial.subList(1, initial.size()), rounds);
        }
      } else if (statement instanceof Plain plain) {
        assignment(plain.tokens(), rounds);
      } else {
        isOver = true; // a branch, in which not all take part
      }
    }

    private void loop(For loop, long rounds) {
      List<Call> before = List.copyOf(calls);
      String counter =
          loop.start() instanceof Variables start
              ? start.declaration().declarators().get(0).name().text()
              : "";
      long[] ends = range.counter(counter);
      if (isOver || ends == null || loop.body().leaves() || loop.body().returns()) {
        isOver = true;
        return;
      }
      statement(loop.body(), rounds * (ends[1] - ends[0] + 1));
      if (isOver) { // and so is the first round, before the others
        calls.clear();
        calls.addAll(before);
      }
    }

    private void assignment(List<Token> tokens, long rounds) {
      int at = 0;
      while (at < tokens.size() && !Changes.isAssignment(tokens.get(at))) {
        at = Tokens.isOpen(tokens.get(at)) ? Tokens.close(tokens, at) + 1 : at + 1;
      }
      if (at >= tokens.size()) {
        expression(tokens, rounds);
        return;
      }
      List<Token> target = tokens.subList(0, at);
      List<Token> value = tokens.subList(at + 1, tokens.size());
      expression(value, rounds);
      if (!isOver) {
        expression(target, rounds);
      }
      if (!isOwn(target)) { // it is written when all else has been computed
        isOver = true;
      }
    }

    private boolean isOwn(List<Token> target) {
      Token name = Tokens.get(target, 0);
      Boolean isScalar = own.get(name.text());
      if (isScalar == null) {
        return false;
      }
      int end = 1;
      while (!isScalar && Tokens.is(target, end, "[")) {
        end = Tokens.close(target, end) + 1;
      }
      return end == target.size();
    }

    /** Looks at an expression without effects. */
    private void expression(List<Token> tokens, long rounds) {
      boolean isChoice =
          tokens.stream().anyMatch(token -> Set.of("?", "&&", "||").contains(token.text()));
      for (int i = 0; i < tokens.size(); i++) {
        isOver |= !isPure(tokens, i) || (isChoice && mayCall(tokens.get(i)));
      }
      for (int i = 0; i < tokens.size() && !isOver; i++) {
        if (mayCall(tokens.get(i))) {
          Call call = call(tokens, i, rounds);
          if (call != null) {
            calls.add(call);
            i = Tokens.close(tokens, i + 1);
          }
        }
      }
    }

    private boolean mayCall(Token token) {
      return token.isWord() && source.isFunction(token.text());
    }

    private boolean isPure(List<Token> tokens, int at) {
      Token token = tokens.get(at);
      return switch (token.kind()) {
        case TEXT -> false;
        case NUMBER -> !token.text().contains("_");
        case MARK ->
            !Changes.isAssignment(token)
                    && !Set.of("++", "--", "{", "}", ";", "::", "->", ",").contains(token.text())
                || (token.is(",") && isArgument(tokens, at));
        case WORD -> {
          boolean isCall = Tokens.is(tokens, at + 1, "(");
          boolean isFunction =
              isCall && (hasNoEffect(token.text()) || RowFunction.isPure(token.text(), source));
          yield isFunction || !isCall && !source.isFunction(token.text());
        }
      };
    }

    private boolean isArgument(List<Token> tokens, int comma) {
      int depth = 0;
      for (int i = comma; i >= 0; i--) {
        depth += tokens.get(i).is(")") ? 1 : tokens.get(i).is("(") ? -1 : 0;
        if (depth < 0) {
          return Tokens.get(tokens, i - 1).isWord();
        }
      }
      return false;
    }

    private @Nullable Call call(List<Token> tokens, int name, long rounds) {
      List<List<Token>> given =
          Tokens.split(tokens.subList(name + 2, Tokens.close(tokens, name + 1)));
      List<Argument> arguments = new ArrayList<>();
      int rising = -1;
      for (List<Token> each : given) {
        Argument argument = range.argument(each);
        if (argument == null || (argument.isRising() && rising >= 0)) {
          return null;
        }
        rising = argument.isRising() ? arguments.size() : rising;
        arguments.add(argument);
      }
      RowFunction function = rising < 0 ? null : row(tokens.get(name).text(), rising);
      if (function == null || function.parameters.size() != arguments.size()) {
        return null;
      }
      Set<String> counters = new TreeSet<>();
      arguments.forEach(argument -> counters.addAll(argument.counters()));
      long all = 1;
      for (String counter : counters) {
        long[] ends = range.counter(counter);
        all *= ends == null ? MANY + 1 : Math.min(ends[1] - ends[0] + 1, MANY + 1);
      }
      return all > MANY ? null : new Call(tokens.get(name), function, arguments, all);
    }
  }

  /** Whether the kernel does nothing with a name but call it: it may declare it in unusual ways. */
  private boolean isOnlyCalled(String name) {
    List<Token> template = kernel.templateParameters();
    if (template != null && template.stream().anyMatch(token -> token.is(name))) {
      return false;
    }
    List<Token> body = kernel.statements();
    for (int i = 0; i < body.size(); i++) {
      Token before = Tokens.get(body, i - 1);
      boolean isCall =
          Tokens.is(body, i + 1, "(")
              && !before.is("&")
              && !before.is("::")
              && (!before.isWord() || before.is("return") || before.is("else"));
      if (body.get(i).is(name) && !isCall) {
        return false;
      }
    }
    return true;
  }

  private boolean hasNoEffect(String name) {
    for (int i = 0; i < MOST_PARAMETERS && source.isFunction(name); i++) {
      if (row(name, i) != null) {
        return true;
      }
    }
    return false;
  }

  /** The function of a name for one that rises; null if it does not fit. */
  private @Nullable RowFunction row(String name, int index) {
    return functions
        .computeIfAbsent(
            name + " " + index,
            key -> {
              List<Function> all =
                  source.isFunction(name)
                      ? file.functions().stream().filter(each -> each.text().equals(name)).toList()
                      : Collections.emptyList();
              boolean isOne =
                  all.size() == 1
                      && all.get(0).hasBody()
                      && !all.get(0).isKernel()
                      && all.get(0).scope() == kernel.scope()
                      && all.get(0).parameters().size() > index
                      && !purity.isOwn(name)
                      && isOnlyCalled(name)
                      && !source.declaresOther(name);
              return isOne
                  ? RowFunction.of(all.get(0), index, kernel.text(), file.tokens(), source)
                  : Optional.empty();
            })
        .orElse(null);
  }
}
