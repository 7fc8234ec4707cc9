package org.jhal.cpu.translate;

import java.util.List;

/**
 * A source for the host's compiler.
 *
 * @param text which includes {@code hal_cpu.h}
 * @param kernels by request
 */
public record Translation(String text, List<Form> kernels) {
  /** Whether it needs a compiler for C++20 rather than C++17. */
  public boolean hasCoroutines() {
    return kernels.stream().anyMatch(form -> form.level() == Level.COROUTINE);
  }

  /**
   * How a kernel is run.
   *
   * @param why why not by a faster level; empty if it is the fastest
   */
  public record Form(Level level, String why) {}
}
