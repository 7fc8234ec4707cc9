package org.jhal.cpu.translate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement of a kernel. Tokens do not include semicolons and the brackets around them. */
sealed interface Statement {
  /** An expression, or anything that needs no closer look; {@code tokens} have all of it. */
  record Plain(List<Token> tokens) implements Statement {}

  /** A declaration of variables. */
  record Variables(Declarations.Declaration declaration, List<Token> tokens) implements Statement {}

  /** Statements in braces. */
  record Block(List<Statement> statements, Token at) implements Statement {}

  /** A choice. */
  record If(List<Token> condition, Statement then, @Nullable Statement otherwise, Token at)
      implements Statement {}

  /** A loop that begins with a statement; a {@code while} is one without a start and a step. */
  record For(
      @Nullable Statement start, List<Token> condition, List<Token> step, Statement body, Token at)
      implements Statement {}

  /** A loop that runs at least once. */
  record Do(Statement body, List<Token> condition, Token at) implements Statement {}

  /** All work items of the workgroup meet. */
  record Barrier(Token at) implements Statement {}

  /** {@code break}, {@code continue} or {@code return}. */
  record Jump(Token word, List<Token> value) implements Statement {}

  /** What cannot be divided, such as a {@code switch}. */
  record Whole(List<Token> tokens) implements Statement {}
}
