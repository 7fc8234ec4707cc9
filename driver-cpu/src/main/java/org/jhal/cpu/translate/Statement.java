// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A statement of a kernel. Tokens do not include semicolons and the brackets around them. */
sealed interface Statement {
  /** An expression, or anything that needs no closer look; {@code tokens} have all of it. */
  record Plain(List<Token> tokens) implements Statement {}

  /** A declaration of variables. */
  record Variables(Declarations.Declaration declaration, List<Token> tokens) implements Statement {}

  /** Statements in braces. */
  record Block(List<Statement> statements, Token at) implements Statement {}

  /**
   * A choice.
   *
   * @param isConstant whether it is made when the kernel is compiled
   */
  record If(
      boolean isConstant,
      List<Token> condition,
      Statement then,
      @Nullable Statement otherwise,
      Token at)
      implements Statement {}

  /** A loop that begins with a statement; a {@code while} is one without a start and a step. */
  record For(
      @Nullable Statement start, List<Token> condition, List<Token> step, Statement body, Token at)
      implements Statement {}

  /** A loop that runs at least once. */
  record Do(Statement body, List<Token> condition, Token at) implements Statement {}

  /** Which work items wait for each other, wherever each of them waits. */
  enum BarrierScope {
    /** Those that are here. */
    HERE,
    /** The lanes of a warp that a mask names. */
    LANES,
    /** All of the workgroup. */
    WORKGROUP
  }

  /**
   * Work items meet.
   *
   * @param mask of the lanes; empty for all
   */
  record Barrier(Token at, BarrierScope who, List<Token> mask) implements Statement {
    Barrier(Token at, BarrierScope who) {
      this(at, who, List.of());
    }
  }

  /** {@code break}, {@code continue} or {@code return}. */
  record Jump(Token word, List<Token> value) implements Statement {}

  /** What cannot be divided, such as a {@code switch}. */
  record Opaque(List<Token> tokens) implements Statement {}

  /** The statements that it has inside. */
  default List<Statement> inner() {
    List<Statement> inside = new ArrayList<>();
    if (this instanceof Block block) {
      inside.addAll(block.statements());
    } else if (this instanceof If choice) {
      inside.add(choice.then());
      if (choice.otherwise() != null) {
        inside.add(choice.otherwise());
      }
    } else if (this instanceof For loop) {
      if (loop.start() != null) {
        inside.add(loop.start());
      }
      inside.add(loop.body());
    } else if (this instanceof Do loop) {
      inside.add(loop.body());
    }
    return inside;
  }

  /**
   * What a statement becomes.
   *
   * @param <E> what is thrown if it cannot become anything
   */
  interface Change<E extends Exception> {
    Statement of(Statement statement) throws E;
  }

  /** The same statement with others inside. What a loop begins with stays. */
  default <E extends Exception> Statement withInner(Change<E> change) throws E {
    if (this instanceof Block block) {
      List<Statement> all = new ArrayList<>();
      for (Statement each : block.statements()) {
        all.add(change.of(each));
      }
      return new Block(all, block.at());
    }
    if (this instanceof If choice) {
      Statement otherwise = choice.otherwise();
      return new If(
          choice.isConstant(),
          choice.condition(),
          change.of(choice.then()),
          otherwise == null ? null : change.of(otherwise),
          choice.at());
    }
    if (this instanceof For loop) {
      return new For(
          loop.start(), loop.condition(), loop.step(), change.of(loop.body()), loop.at());
    }
    return this instanceof Do loop
        ? new Do(change.of(loop.body()), loop.condition(), loop.at())
        : this;
  }

  /** Whether it has a barrier, so that it must be divided. */
  default boolean hasBarrier() {
    return this instanceof Barrier || inner().stream().anyMatch(Statement::hasBarrier);
  }

  /** Adds all places where items meet. */
  default void barriers(List<Barrier> to) {
    if (this instanceof Barrier barrier) {
      to.add(barrier);
    }
    inner().forEach(inside -> inside.barriers(to));
  }

  /** Whether items may leave it other than at its end. */
  default boolean leaves() {
    return isLoop()
        ? returns()
        : this instanceof Jump || inner().stream().anyMatch(Statement::leaves);
  }

  /** Whether it is a loop whose parts are known. */
  default boolean isLoop() {
    return this instanceof For || this instanceof Do;
  }

  /** Whether it has a {@code return}. */
  default boolean returns() {
    return isReturn() || inner().stream().anyMatch(Statement::returns);
  }

  /** Whether it is a {@code return}. */
  default boolean isReturn() {
    return this instanceof Jump jump && jump.word().is("return");
  }

  /** Whether it declares what is no variable, such as a type. */
  default boolean isTypeDeclaration() {
    if (this instanceof Plain plain) {
      return Set.of("using", "typedef", "namespace", "static_assert")
          .contains(Tokens.get(plain.tokens(), 0).text());
    }
    return this instanceof Opaque whole
        && Set.of("struct", "class", "union", "enum").contains(whole.tokens().get(0).text());
  }

  /** Whether it only lets the compiler check something, which does nothing to variables. */
  default boolean isCheck() {
    return this instanceof Opaque whole
        && Tokens.is(whole.tokens(), 0, "{")
        && Tokens.is(whole.tokens(), 1, "static_assert");
  }

  /** The statement itself, or the only one in its braces; null if there are several. */
  default @Nullable Statement single() {
    return this instanceof Block block
        ? block.statements().size() == 1 ? block.statements().get(0).single() : null
        : this;
  }

  /** All its tokens, with a semicolon between those of two parts. */
  default void collect(List<Token> to) {
    own(to);
    to.add(Token.SEMICOLON);
    inner().forEach(inside -> inside.collect(to));
  }

  /** The tokens that are not those of statements inside. */
  default void own(List<Token> to) {
    if (this instanceof Plain plain) {
      to.addAll(plain.tokens());
    } else if (this instanceof Variables declared) {
      to.addAll(declared.tokens());
    } else if (this instanceof Opaque whole) {
      to.addAll(isCheck() ? List.of() : whole.tokens());
    } else if (this instanceof Jump jump) {
      to.addAll(jump.value());
    } else if (this instanceof If choice) {
      to.addAll(choice.condition());
    } else if (this instanceof For loop) {
      to.addAll(loop.condition());
      to.add(Token.SEMICOLON);
      to.addAll(loop.step());
    } else if (this instanceof Do loop) {
      to.addAll(loop.condition());
    }
  }
}
