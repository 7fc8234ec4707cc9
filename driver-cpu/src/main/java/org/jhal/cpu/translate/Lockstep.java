// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jhal.cpu.translate.LockstepExpressions.Name;
import org.jhal.cpu.translate.LockstepExpressions.Type;
import org.jhal.cpu.translate.LockstepExpressions.Value;
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
 * Lets items go together through a loop that takes them different numbers of steps. Compilers do
 * not vectorize the loop over the items around one. {@code while (x < limit) x = x * x + c;}
 * becomes
 *
 * <pre>{@code
 * hal_truth inside = mask;
 * for (;;) {
 *   inside = hal_both(inside, hal_is(hal_v_less(x, limit)));
 *   if (!inside.any()) break;
 *   hal_give(x, inside, hal_v_sum(hal_v_product(x, x), c));
 * }
 * }</pre>
 *
 * where {@code x} and {@code c} are vectors; see {@code hal_lockstep.h}. An item that has left the
 * loop is computed on, without effect, until the last one of its vector leaves.
 *
 * <p>A loop fits if it only computes with numbers of 32 bits, whose operations are the same in a
 * vector, bit by bit. It pays if its items read no elements of their own, or each one at a place
 * that the loop has computed: more reads take longer together than one after the other.
 */
final class Lockstep {
  /** What the names of copies of variables begin with that otherwise have no array. */
  static final String COPY = "hal_copy_of_";

  /** The mask of the items that come to a loop, until it is known. */
  private static final Mask ANY = new Mask("hal_taking", "hal_taking");

  private final LockstepNames names;
  private final Purity purity;
  private final Source source;
  private final Map<Statement, Boolean> known = new IdentityHashMap<>();

  /** For a kernel. */
  Lockstep(LockstepNames names, Purity purity, Source source) {
    this.names = names;
    this.purity = purity;
    this.source = source;
  }

  /** Whether a statement is a loop that runs faster in lockstep. */
  boolean fits(Statement statement) {
    return statement.isLoop() && known.computeIfAbsent(statement, this::look);
  }

  private boolean look(Statement loop) {
    Written written = new Written(new Writer(), changed(loop), Set.of());
    try {
      written.statement(loop, ANY);
    } catch (UnfitException e) {
      return false;
    }
    return written.isDivergent && written.pays();
  }

  /** Whether a statement is such a loop, or a branch with one that may be divided. */
  boolean hasLoop(Statement statement) {
    boolean isBranch =
        statement instanceof Block || (statement instanceof If choice && !choice.isConstant());
    return fits(statement) || (isBranch && statement.inner().stream().anyMatch(this::hasLoop));
  }

  /**
   * Writes a loop that fits.
   *
   * @param items the name of the mask with the items that come to it
   * @param unread variables that no item reads when it has left the loop
   */
  void write(Statement loop, String items, Set<String> unread, Writer out) throws UnfitException {
    new Written(out, changed(loop), unread).statement(loop, new Mask(items, items));
  }

  /** The variables around a loop that each item has. */
  Set<String> variables(Statement loop) throws UnfitException {
    Written written = new Written(new Writer(), changed(loop), Set.of());
    written.statement(loop, ANY);
    return written.used;
  }

  /** Those of some variables that statements do not name. */
  static Set<String> unread(Set<String> variables, List<List<Statement>> behind) {
    List<Token> tokens = new ArrayList<>();
    behind.forEach(statements -> statements.forEach(each -> each.collect(tokens)));
    Set<String> unread = new LinkedHashSet<>(variables);
    tokens.forEach(token -> unread.remove(token.text()));
    return unread;
  }

  private Changes changed(Statement loop) {
    List<Token> tokens = new ArrayList<>();
    loop.collect(tokens);
    return purity.changes(tokens, source);
  }

  /** A loop around what is being written: which items are in it, and which have ended this step. */
  private record Around(String inside, String gone) {}

  /**
   * The items that a statement is for.
   *
   * @param items the name of the mask
   * @param loose the name of a mask that may also have items which have left the outermost loop;
   *     empty if it has all. It is for variables that nobody reads behind the loop: their next
   *     values do not depend on who is still in it, so the processor computes them earlier.
   */
  private record Mask(String items, String loose) {}

  /** One loop with all that is in it. */
  private final class Written {
    private final Writer out;
    private final Changes changes;
    private final Set<String> unread;
    private final LockstepExpressions expressions = new LockstepExpressions(this::name, source);
    private final Map<String, Name> own = new HashMap<>();
    private final Set<String> used = new LinkedHashSet<>();
    private final Deque<Around> loops = new ArrayDeque<>(); // innermost first
    private int numbers;
    private boolean isDivergent;
    private boolean isStored;

    Written(Writer out, Changes changes, Set<String> unread) {
      this.out = out;
      this.changes = changes;
      this.unread = unread;
    }

    /** See {@link Lockstep}. */
    boolean pays() {
      List<List<Token>> indexes = expressions.indexes();
      return indexes.isEmpty()
          || (indexes.size() == 1 && !isStored && indexes.get(0).stream().anyMatch(this::isMade));
    }

    /** Whether a word is a variable of each item to which the loop gives a value. */
    private boolean isMade(Token word) {
      Name name = word.isWord() ? name(word) : null;
      return name != null
          && name.isVector()
          && (own.containsKey(word.text()) || changes.isAssigned(word.text()));
    }

    private @Nullable Name name(Token word) {
      Name inside = own.get(word.text());
      Name name = inside == null ? names.of(word.text()) : inside;
      if (inside == null && name != null && name.isVector()) {
        used.add(word.text());
      }
      return name;
    }

    /** The buffer that an initial value names; null if it is anything else. */
    private @Nullable Name pointer(List<Token> initial) {
      Token value = LockstepNames.value(initial);
      Name name = value == null ? null : name(value);
      return name != null && name.isPointer() ? name : null;
    }

    private static UnfitException unfit(Token at) {
      return new UnfitException("not known in lockstep: " + at, at);
    }

    void statement(Statement statement, Mask mask) throws UnfitException {
      if (statement instanceof Plain plain) {
        effects(plain.tokens(), mask);
      } else if (statement instanceof Variables declared) {
        variables(declared, mask);
      } else if (statement instanceof Block block) {
        out.raw(" {");
        for (Statement inside : block.statements()) {
          statement(inside, mask);
        }
        out.raw(" }");
      } else if (statement instanceof If choice) {
        choice(choice, mask);
      } else if (statement instanceof For loop) {
        loop(loop, mask);
      } else if (statement instanceof Do loop) {
        repeat(loop, mask);
      } else if (statement instanceof Jump jump && !loops.isEmpty() && !jump.isReturn()) {
        Around loop = loops.getFirst();
        if (jump.word().is("break")) {
          isDivergent = true;
          out.raw(" " + loop.inside + " = hal_without(" + loop.inside + ", ");
          out.raw(mask.items + ");");
        }
        out.raw(" " + loop.gone + " = hal_either(" + loop.gone + ", " + mask.items + ");");
        out.raw(" " + mask.items + " = hal_truth();");
      } else if (statement instanceof Opaque check && check.isCheck()) {
        out.raw(" " + Tokens.text(check.tokens()).replace("hal_bare<", "hal_element_type<"));
      } else {
        List<Token> tokens = new ArrayList<>();
        statement.collect(tokens);
        throw unfit(tokens.get(0));
      }
    }

    // Effects.

    private void effects(List<Token> tokens, Mask mask) throws UnfitException {
      if (tokens.isEmpty()) {
        return;
      }
      out.goTo(tokens.get(0));
      for (List<Token> each : Tokens.split(tokens)) {
        effect(each, mask);
      }
    }

    private void effect(List<Token> tokens, Mask mask) throws UnfitException {
      Token first = tokens.get(0);
      boolean isPrefix = tokens.size() == 2 && Changes.isStep(first);
      boolean isSuffix = tokens.size() == 2 && Changes.isStep(tokens.get(1));
      if (isPrefix || isSuffix) {
        Token name = tokens.get(isPrefix ? 1 : 0);
        String sign = tokens.get(isPrefix ? 0 : 1).is("++") ? "+" : "-";
        List<Token> sum =
            List.of(name, Token.mark(sign, name), new Token(Token.Kind.NUMBER, "1", true, "", 0));
        give(name, expressions.of(sum, mask.items), mask);
        return;
      }
      boolean isElement = Tokens.is(tokens, 1, "[");
      int mark = isElement ? Tokens.close(tokens, 1) + 1 : 1;
      Token assignment = Tokens.get(tokens, mark);
      if (!first.isWord() || !Changes.isAssignment(assignment)) {
        throw unfit(first);
      }
      List<Token> right = tokens.subList(mark + 1, tokens.size());
      if (!assignment.is("=")) {
        String operator = assignment.text().substring(0, assignment.text().length() - 1);
        List<Token> both = new ArrayList<>(tokens.subList(0, mark));
        both.addAll(Generated.tokens(operator + " (", assignment));
        both.addAll(right);
        both.add(Token.mark(")", assignment));
        right = both;
      }
      Value value = expressions.of(right, mask.items);
      if (!isElement) {
        give(first, value, mask);
        return;
      }
      Name to = name(first);
      Value index = expressions.of(tokens.subList(2, mark - 1), mask.items);
      boolean isPlace = index.isVector() && index.isInteger() && !index.reads();
      if (to == null || !to.isPointer() || to.type() == Type.BOOL || !isPlace) {
        throw unfit(first);
      }
      isStored = true;
      out.raw(" hal_items_store(" + mask.items + ", " + to.text() + ", " + index.text());
      out.raw(", " + value.text() + ");");
    }

    private void give(Token name, Value value, Mask mask) throws UnfitException {
      Name to = name(name);
      boolean isConstant = purity.type(name.text()).stream().anyMatch(token -> token.is("const"));
      if (to == null || !to.isVector() || isConstant) {
        throw unfit(name);
      }
      String items = unread.contains(name.text()) ? mask.loose : mask.items;
      out.raw(
          items.isEmpty()
              ? " " + name.text() + " = " + value.vector(to.type()) + ";"
              : " hal_give(" + name.text() + ", " + items + ", " + value.text() + ");");
    }

    private void variables(Variables declared, Mask mask) throws UnfitException {
      List<Token> words = declared.declaration().plainType();
      Type type = LockstepExpressions.type(words, source);
      boolean isDeduced = words.stream().allMatch(token -> token.is("auto") || token.is("const"));
      for (Declarator each : declared.declaration().declarators()) {
        List<Token> initial = each.initial();
        Token name = each.name();
        boolean isSteady = !changes.isAssigned(name.text());
        Name pointer = isSteady ? pointer(initial) : null;
        if (pointer != null) {
          own.put(name.text(), pointer);
          continue;
        }
        boolean isPlain =
            (type != null || (isDeduced && isSteady && !initial.isEmpty()))
                && each.pointers().isEmpty()
                && each.dimensions().isEmpty()
                && !declared.declaration().is("static")
                && (initial.isEmpty() || Tokens.is(initial, 0, "="));
        if (!isPlain) {
          throw unfit(each.name());
        }
        Value value =
            initial.isEmpty()
                ? null
                : expressions.of(initial.subList(1, initial.size()), mask.items);
        Type of = type == null ? Objects.requireNonNull(value).type() : type;
        String vector = of == Type.BOOL ? "hal_truth" : "hal_vector<" + of.text + ">";
        own.put(name.text(), new Name(of, true, false, name.text()));
        out.goTo(name).raw(" " + vector + " " + name.text() + " = ");
        out.raw((value == null ? "{}" : value.vector(of)) + ";");
      }
    }

    // Branches and loops.

    private void choice(If choice, Mask mask) throws UnfitException {
      if (choice.isConstant()) {
        throw unfit(choice.at());
      }
      out.goTo(choice.at());
      Value condition = expressions.of(choice.condition(), mask.items);
      Statement otherwise = choice.otherwise();
      if (!condition.isVector()) {
        out.raw(" if (" + condition.text() + ") {");
        statement(choice.then(), mask);
        out.raw(" }");
        if (otherwise != null) {
          out.raw(" else {");
          statement(otherwise, mask);
          out.raw(" }");
        }
      } else {
        String is = "hal_is" + ++numbers;
        out.raw(" { const hal_truth " + is + " = hal_is(" + condition.text() + ");");
        branch(choice.then(), is, mask);
        if (otherwise != null) {
          out.raw(" const hal_truth " + is + "_not = hal_not_of(" + is + ");");
          branch(otherwise, is + "_not", mask);
        }
        out.raw(" }");
      }
      if (choice.leaves()) {
        String gone = loops.getFirst().gone;
        out.raw(" " + mask.items + " = hal_without(" + mask.items + ", " + gone + ");");
      }
    }

    /**
     * A branch that reads memory, or takes long, runs only if some item takes it.
     *
     * @param is the name of the mask of those for which its condition holds
     */
    private void branch(Statement branch, String is, Mask mask) throws UnfitException {
      String taking = "hal_taking" + ++numbers;
      List<Token> tokens = new ArrayList<>();
      branch.collect(tokens);
      boolean isLong = tokens.stream().anyMatch(token -> token.is("[")) || hasLoop(branch);
      out.raw(" { hal_truth " + taking + " = hal_both(" + mask.items + ", " + is + ");");
      out.raw(isLong ? " if (" + taking + ".any()) {" : " {");
      String loose = is;
      if (mask.loose.equals(mask.items)) {
        loose = taking;
      } else if (!mask.loose.isEmpty()) {
        loose = "hal_loose" + numbers;
        out.raw(" const hal_truth " + loose + " = hal_both(" + mask.loose + ", " + is + ");");
      }
      statement(branch, new Mask(taking, loose));
      out.raw(" } }");
    }

    private static boolean hasLoop(Statement statement) {
      return statement.isLoop() || statement.inner().stream().anyMatch(Written::hasLoop);
    }

    private void loop(For loop, Mask mask) throws UnfitException {
      out.goTo(loop.at()).raw(" {");
      boolean isCounted = isCounted(loop);
      Around around = enter(mask);
      if (isCounted) {
        counted(loop, around);
      } else {
        if (loop.start() != null) {
          statement(loop.start(), mask);
        }
        out.raw(" for (;;) {");
        test(loop.condition(), around);
        out.raw(" if (!" + around.inside + ".any()) break;");
        body(loop.body(), around);
        effects(loop.step(), new Mask(around.inside, loose(around, loop.body())));
        out.raw(" }");
      }
      loops.removeFirst();
      out.raw(" }");
    }

    private void repeat(Do loop, Mask mask) throws UnfitException {
      out.goTo(loop.at()).raw(" {");
      Around around = enter(mask);
      out.raw(" for (;;) {");
      body(loop.body(), around);
      test(loop.condition(), around);
      out.raw(" if (!" + around.inside + ".any()) break; } }");
      loops.removeFirst();
    }

    private Around enter(Mask mask) {
      int number = ++numbers;
      Around around = new Around("hal_inside" + number, "hal_gone" + number);
      loops.addFirst(around);
      out.raw(" hal_truth " + around.inside + " = " + mask.items + ";");
      return around;
    }

    private void test(List<Token> condition, Around around) throws UnfitException {
      if (condition.isEmpty()) {
        return;
      }
      Value value = expressions.of(condition, around.inside);
      isDivergent |= value.isVector();
      out.raw(" " + around.inside + " = hal_both(" + around.inside);
      out.raw(", " + value.vector(Type.BOOL) + ");");
    }

    private void body(Statement body, Around around) throws UnfitException {
      String step = "hal_step" + ++numbers;
      out.raw(" { hal_truth " + step + " = " + around.inside + ", " + around.gone + " = {};");
      out.raw(" (void)" + around.gone + ";");
      String loose = loose(around, body);
      statement(body, new Mask(step, loose.isEmpty() ? "" : step));
      out.raw(" }");
    }

    /** Whoever is not in a step of the outermost loop has left it, if nobody goes on before. */
    private String loose(Around around, Statement body) {
      return loops.size() == 1 && !goesOn(body) ? "" : around.inside;
    }

    private static boolean goesOn(Statement statement) {
      return (statement instanceof Jump jump && jump.word().is("continue"))
          || (!statement.isLoop() && statement.inner().stream().anyMatch(Written::goesOn));
    }

    /** A loop that counts as far for all items: they have one counter. */
    private void counted(For loop, Around around) throws UnfitException {
      Variables start = (Variables) Objects.requireNonNull(loop.start());
      Declarator counter = start.declaration().declarators().get(0);
      List<Token> initial = counter.initial();
      Type type = Objects.requireNonNull(type(start));
      // Its limit and step may be such that nobody who comes here would ever leave it.
      out.raw(" if (" + around.inside + ".any())");
      out.raw(" for (" + type.text + " " + counter.name().text() + " = ");
      out.raw(scalar(initial.subList(1, initial.size()), around));
      own.put(counter.name().text(), new Name(type, false, false, counter.name().text()));
      out.raw("; " + scalar(loop.condition(), around) + "; " + Tokens.text(loop.step()) + ") {");
      out.raw(loop.body().leaves() ? " if (!" + around.inside + ".any()) break;" : "");
      body(loop.body(), around);
      out.raw(" }");
    }

    private String scalar(List<Token> expression, Around around) throws UnfitException {
      Value value = expressions.of(expression, around.inside);
      if (value.isVector() || value.type() == Type.FLOAT) {
        throw unfit(expression.get(0));
      }
      return value.text();
    }

    private @Nullable Type type(Variables start) {
      return LockstepExpressions.type(start.declaration().plainType(), source);
    }

    private boolean isCounted(For loop) {
      if (!(loop.start() instanceof Variables start)
          || start.declaration().declarators().size() != 1
          || loop.condition().isEmpty()) {
        return false;
      }
      Declarator counter = start.declaration().declarators().get(0);
      List<Token> initial = counter.initial();
      Type type = type(start);
      boolean isInteger =
          (type == Type.INT || type == Type.UNSIGNED)
              && counter.pointers().isEmpty()
              && counter.dimensions().isEmpty()
              && !start.declaration().is("const")
              && Tokens.is(initial, 0, "=");
      return isInteger
          && isSame(initial.subList(1, initial.size()), "")
          && isSame(loop.condition(), counter.name().text())
          && isStep(loop.step(), counter.name())
          && !changed(loop.body()).isAssigned(counter.name().text());
    }

    /** Whether an expression consists of integers and of names that are the same for all items. */
    private boolean isSame(List<Token> expression, String counter) {
      for (Token token : expression) {
        Name name = token.isWord() && !token.is(counter) ? name(token) : null;
        boolean isOther = token.isWord() && !token.is(counter) && (name == null || name.isVector());
        if (isOther || token.is("[") || Changes.isStep(token) || Changes.isAssignment(token)) {
          return false;
        }
      }
      return true;
    }

    private boolean isStep(List<Token> step, Token counter) {
      boolean isOne =
          step.size() == 2
              && step.stream().anyMatch(Changes::isStep)
              && step.stream().anyMatch(token -> token.is(counter.text()));
      boolean isSum =
          step.size() > 2
              && step.get(0).is(counter.text())
              && (step.get(1).is("+=") || step.get(1).is("-="))
              && Tokens.split(step).size() == 1
              && isSame(step.subList(2, step.size()), "");
      return isOne || isSum;
    }
  }
}
