// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.io.Serializable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Something that a kernel does and must not do, found by a device that looks at what its kernels
 * do, such as {@code cpu} with the option {@code check}. The failure of the operation has it:
 * {@link HalException#findings}.
 *
 * @param check which one has found it, such as {@code memory}
 * @param kernel its name
 * @param message what is wrong, in one sentence
 * @param place where in the source; null if it is not known
 * @param item which work item it was
 * @param otherPlace where the other work item is that takes part; null if there is none, or it is
 *     not known
 * @param otherItem which work item the other one is; empty if there is none
 * @param isBenign whether the result does not depend on it: both work items write the same value.
 *     It fails no operation
 * @param count how often the same was found
 */
public record KernelFinding(
    String check,
    String kernel,
    String message,
    @Nullable Place place,
    String item,
    @Nullable Place otherPlace,
    String otherItem,
    boolean isBenign,
    long count)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * A part of a line.
   *
   * @param file as the bundle names it
   * @param line from 1
   * @param text the line; of a kernel in Java, the class and the method
   * @param column where what is meant begins in the text, from 0
   * @param length how long it is; 0 if it is not known
   */
  public record Place(String file, int line, String text, int column, int length)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Rejects null. */
    public Place {
      Objects.requireNonNull(file, "file");
      Objects.requireNonNull(text, "text");
    }

    /** The line, and in another one a marker under what is meant, if that is known. */
    @Override
    public String toString() {
      String before = "  " + file + ":" + line + ": ";
      if (length == 0) {
        return before + text;
      }
      StringBuilder marker = new StringBuilder(" ".repeat(before.length()));
      for (int i = 0; i < column; i++) {
        marker.append(text.charAt(i) == '\t' ? '\t' : ' ');
      }
      return before + text + "\n" + marker + "^" + "~".repeat(Math.max(0, length - 1));
    }
  }

  /** Rejects null. */
  public KernelFinding {
    Objects.requireNonNull(check, "check");
    Objects.requireNonNull(kernel, "kernel");
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(item, "item");
    Objects.requireNonNull(otherItem, "otherItem");
  }

  /** The text for people, in several lines. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(check + ": " + message);
    text.append(place == null ? "" : "\n" + place).append("\n  by ").append(item);
    if (!otherItem.isEmpty()) {
      text.append(otherPlace == null ? "" : "\n" + otherPlace).append("\n  by ").append(otherItem);
    }
    return text.append(count == 1 ? "" : ", and " + (count - 1) + " times more").toString();
  }
}
