// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.jhal.HostMemory;
import org.jhal.kernels.bundle.ArgumentLayout;

/**
 * One command, as a driver sees it in {@link NativeStream#submit}. The engine has checked it. Which
 * of the values are meaningful depends on the {@link #kind()}.
 *
 * <p>It does not change while it can be submitted.
 */
public interface Command {
  /** What a command does. */
  enum Kind {
    /**
     * Repeats {@link #pattern()}, which has {@link #patternBytes()} bytes, over {@link #target()}.
     */
    FILL,
    /** Writes {@link #bytes()} to {@link #target()}. */
    UPDATE,
    /** Writes {@link #host()}, all of it, to {@link #target()}; only ever alone in its list. */
    UPLOAD,
    /** Reads {@link #source()} into {@link #host()}, all of it; only ever alone in its list. */
    READBACK,
    /** Copies {@link #source()} to {@link #target()}, of the same length; they do not overlap. */
    COPY,
    /** Runs {@link #kernel()} over a grid of at least one workgroup. */
    DISPATCH,
    /**
     * Runs {@link #kernel()} over the grid whose counts {@link #source()} has when the command
     * begins: three unsigned 32-bit numbers at a multiple of 4 bytes. A zero among them runs
     * nothing. If one exceeds {@link LoadedKernel#maxCount}, nothing runs, and the submission fails
     * as {@link LoadedKernel#grid} does.
     */
    INDIRECT_DISPATCH,
    /** Orders all commands before it against all after it. */
    BARRIER,
    /** Runs {@link #external()}; only ever alone in its list. */
    EXTERNAL,
    /**
     * Makes the stream wait for {@link #event()}; only ever alone in its list, and only with {@link
     * org.jhal.Capability#NATIVE_ACCESS}.
     */
    EVENT;

    private final String word = name().toLowerCase(Locale.ROOT).replace('_', ' ');

    /** The name in lower case, for people. */
    public String word() {
      return word;
    }

    /** Whether a command of this kind is a dispatch, over whichever grid. */
    public boolean runsKernel() {
      return this == DISPATCH || this == INDIRECT_DISPATCH;
    }
  }

  /** What this command does. */
  Kind kind();

  /** What the program calls a command of a recording, for people; empty for nothing. */
  default String label() {
    return "";
  }

  /** The range that is read; of an indirect dispatch, the three counts. */
  Operand source();

  /** The range that is written. */
  Operand target();

  /** The pattern of a fill, in the low bits; the lowest byte comes first in memory. */
  int pattern();

  /** The length in bytes of the pattern of a fill: 1, 2 or 4. */
  int patternBytes();

  /**
   * The bytes of an update, or the arguments of a dispatch in their {@link ArgumentLayout}, with
   * the addresses of buffers left zero. Each call returns a new view at position 0, in native byte
   * order.
   */
  ByteBuffer bytes();

  /**
   * The array behind {@link #bytes()}, which starts at index 0; must not be changed. For drivers
   * that avoid the allocation of a view.
   */
  byte[] array();

  /** The host memory of an upload or a readback. */
  HostMemory host();

  /** The kernel of a dispatch. */
  LoadedKernel kernel();

  /** Workgroups along the first axis. */
  int groupsX();

  /** Workgroups along the second axis. */
  int groupsY();

  /** Workgroups along the third axis. */
  int groupsZ();

  /** The work of the program that an external command runs. */
  ExternalCall external();

  /** The handle of a native event that the program has recorded. */
  long event();

  /**
   * The buffer of parameter {@code index} of a dispatch, only for parameters that are buffers; or
   * buffer {@code index} of an external command.
   */
  Operand argument(int index);
}
