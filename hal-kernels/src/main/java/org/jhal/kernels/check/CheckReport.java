// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.check;

import java.util.List;
import org.jhal.KernelFinding;
import org.jspecify.annotations.Nullable;

/**
 * Something that a kernel does and must not do, with what a page shows beside it.
 *
 * @param source the lines of the file that its place is in; empty if that is not known
 * @param strip the elements around the one that is accessed; null if it is none of a buffer
 */
public record CheckReport(KernelFinding finding, List<String> source, @Nullable Strip strip) {
  /** Copies the list. */
  public CheckReport {
    source = List.copyOf(source);
  }

  /**
   * Elements of a buffer that lie beside each other, with the work items that have accessed them.
   *
   * @param parameter the name of the buffer
   * @param type that of its elements
   * @param first the number of the first one, which may be outside the buffer, as others
   * @param marked the number of the one that the finding is about
   */
  public record Strip(
      String parameter, String type, long first, long marked, List<Element> elements) {
    /** Copies the list. */
    public Strip {
      elements = List.copyOf(elements);
    }
  }

  /**
   * An element.
   *
   * @param isInside whether it is one of the buffer
   * @param writer the work item that has written it last; empty if none has, or it is not known
   * @param writerNumber its number in the grid, or -1
   * @param reader one that has read it; empty if none has, or it is not known
   * @param readerNumber its number in the grid, or -1
   */
  public record Element(
      boolean isInside, String writer, long writerNumber, String reader, long readerNumber) {}
}
