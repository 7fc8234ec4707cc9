// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A command of an operation, with its ranges resolved. */
public sealed interface Action {
  /** The number of a payload that the end of the operation names. */
  int LATE = -1;

  /** Fills a range with a pattern of 1, 2 or 4 bytes. */
  record Fill(Range target, int pattern, int bytes) implements Action {}

  /**
   * Writes bytes of the host: an update or an upload.
   *
   * @param payload its number, or {@link #LATE}
   */
  record Write(Range target, int payload) implements Action {}

  /** Reads a range back to the host. */
  record Readback(Range source) implements Action {}

  /** Copies a range to one of the same length. */
  record Copy(Range source, Range target) implements Action {}

  /**
   * Runs a kernel.
   *
   * @param bundle the number of its bundle
   * @param kernel its place in the manifest
   * @param x the grid, with {@code y} and {@code z}, unless there are {@code counts}
   * @param counts where the device reads the grid; null if it is known
   * @param constants the packed arguments
   * @param buffers by parameter; null for constants
   */
  record Dispatch(
      int bundle,
      int kernel,
      int x,
      int y,
      int z,
      @Nullable Range counts,
      byte[] constants,
      List<@Nullable Range> buffers)
      implements Action {
    /** The same with a grid that is known: three numbers in native byte order. */
    public Dispatch withGrid(byte[] grid) {
      ByteBuffer numbers = ByteBuffer.wrap(grid).order(ByteOrder.nativeOrder());
      return new Dispatch(
          bundle,
          kernel,
          numbers.getInt(0),
          numbers.getInt(4),
          numbers.getInt(8),
          null,
          constants,
          buffers);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Dispatch that
          && bundle == that.bundle
          && kernel == that.kernel
          && x == that.x
          && y == that.y
          && z == that.z
          && Objects.equals(counts, that.counts)
          && Arrays.equals(constants, that.constants)
          && buffers.equals(that.buffers);
    }

    @Override
    public int hashCode() {
      return 31 * (31 * bundle + kernel) + buffers.hashCode();
    }

    @Override
    public String toString() {
      return "dispatch of kernel " + kernel + " of bundle " + bundle + " on " + buffers;
    }
  }

  /** Orders what is before it in the list. */
  record Barrier() implements Action {}

  /** Labels what follows in the list, up to the next one; empty for nothing. */
  record Label(String text) implements Action {}

  /** Work of the program or of a native runtime that may have written these ranges. */
  record Foreign(List<Range> ranges) implements Action {}

  /** What it reads and writes; null for parameters that are no buffers. */
  default List<@Nullable Range> ranges() {
    if (this instanceof Fill fill) {
      return List.of(fill.target);
    } else if (this instanceof Write write) {
      return List.of(write.target);
    } else if (this instanceof Readback readback) {
      return List.of(readback.source);
    } else if (this instanceof Copy copy) {
      return List.of(copy.source, copy.target);
    } else if (this instanceof Dispatch dispatch) {
      return dispatch.buffers;
    } else if (this instanceof Foreign foreign) {
      return List.copyOf(foreign.ranges);
    }
    return List.of();
  }

  /** Adds an action to {@code to}. */
  static void write(Action action, ByteWriter to) {
    if (action instanceof Fill fill) {
      to.octet(1).range(fill.target).number(Integer.toUnsignedLong(fill.pattern)).octet(fill.bytes);
    } else if (action instanceof Write write) {
      to.octet(2).range(write.target).number(write.payload + 1L);
    } else if (action instanceof Readback readback) {
      to.octet(3).range(readback.source);
    } else if (action instanceof Copy copy) {
      to.octet(4).range(copy.source).range(copy.target);
    } else if (action instanceof Dispatch dispatch) {
      to.octet(dispatch.counts == null ? 5 : 8).number(dispatch.bundle).number(dispatch.kernel);
      if (dispatch.counts == null) {
        to.number(dispatch.x).number(dispatch.y).number(dispatch.z);
      } else {
        to.range(dispatch.counts);
      }
      to.array(dispatch.constants);
      to.number(dispatch.buffers.size());
      for (Range range : dispatch.buffers) {
        to.octet(range == null ? 0 : 1);
        if (range != null) {
          to.range(range);
        }
      }
    } else if (action instanceof Barrier) {
      to.octet(6);
    } else if (action instanceof Foreign foreign) {
      to.octet(7).number(foreign.ranges.size());
      foreign.ranges.forEach(to::range);
    } else if (action instanceof Label label) {
      to.octet(9).text(label.text);
    }
  }

  /** Reads an action. */
  static Action read(ByteReader from) {
    int kind = from.octet();
    return switch (kind) {
      case 1 -> new Fill(from.range(), (int) from.number(), from.octet());
      case 2 -> new Write(from.range(), from.index() - 1);
      case 3 -> new Readback(from.range());
      case 4 -> new Copy(from.range(), from.range());
      case 5 -> readDispatch(from, false);
      case 6 -> new Barrier();
      case 7 -> {
        List<Range> ranges = new ArrayList<>();
        for (int left = from.index(); left > 0; left--) {
          ranges.add(from.range());
        }
        yield new Foreign(ranges);
      }
      case 8 -> readDispatch(from, true);
      case 9 -> new Label(from.text());
      default -> throw new MalformedException("there is no action " + kind);
    };
  }

  private static Dispatch readDispatch(ByteReader from, boolean isIndirect) {
    int bundle = from.index();
    int kernel = from.index();
    Range counts = isIndirect ? from.range() : null;
    int x = isIndirect ? 0 : from.index();
    int y = isIndirect ? 0 : from.index();
    int z = isIndirect ? 0 : from.index();
    byte[] constants = from.array();
    List<@Nullable Range> buffers = new ArrayList<>();
    for (int left = from.index(); left > 0; left--) {
      buffers.add(from.octet() == 0 ? null : from.range());
    }
    return new Dispatch(bundle, kernel, x, y, z, counts, constants, buffers);
  }
}
