// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;

/**
 * A source for the host's compiler.
 *
 * @param text which includes {@code hal_cpu.h}
 * @param entries of the kernels, by request
 * @param kernels by request
 * @param places where the kernels stand in the source, by request
 * @param hasMasks whether some kernel computes for rows of items under masks
 */
public record Translation(
    String text, List<String> entries, List<Form> kernels, List<Place> places, boolean hasMasks) {
  /**
   * That a form of a kernel does not compile, or that its code asks for what the form lacks.
   *
   * @param level which; only slower ones are left
   * @param asks whether code that is not given the item asks for it, or waits for others
   * @param why for people
   */
  public record Rejected(Level level, boolean asks, String why) {}

  /**
   * The second line of the note of a kernel that is neither {@code extern "C"} nor named by an
   * expression: in the code of a GPU, its name is mangled.
   */
  public static final String MANGLED = "mangled";

  /** Whether it needs a compiler for C++20 rather than C++17. */
  public boolean hasCoroutines() {
    return kernels.stream().anyMatch(form -> form.level() == Level.COROUTINE);
  }

  /**
   * Lines of a source.
   *
   * @param first from 1
   * @param last the last one, which is included
   */
  public record Place(String file, int first, int last) {
    /** Whether a line is one of these. */
    public boolean has(String inFile, int line) {
      return file.equals(inFile) && first <= line && line <= last;
    }
  }

  /**
   * How a kernel is run.
   *
   * @param meets whether its work items meet, at barriers or otherwise
   * @param why why not by a faster level; empty if it is the fastest
   */
  public record Form(Level level, boolean meets, String why) {
    /**
     * Whether the kernel's code is as in the source, so that what is wrong with it is wrong there.
     */
    public boolean isUnchanged() {
      return level == Level.ASKING || level == Level.FIBER;
    }

    /** All this in words for people. */
    public String text() {
      String how =
          switch (level) {
            case PLAIN, ASKING -> "items run one after the other";
            case LOCKSTEP ->
                (meets ? "divided at its barriers" : "items run one after the other")
                    + ", loops in lockstep";
            case FISSION -> meets ? "divided at its barriers" : "items run one after the other";
            case COROUTINE -> "items are coroutines";
            case FIBER -> "items have stacks of their own";
          };
      return why.isEmpty() ? how : how + ": " + why;
    }
  }
}
