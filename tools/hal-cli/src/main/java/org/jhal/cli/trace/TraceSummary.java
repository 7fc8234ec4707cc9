// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.util.List;

/**
 * What a recording shows, in numbers. All times are nanoseconds; those of segments count from the
 * beginning of the first operation.
 *
 * @param operations the number of operations
 * @param failed the number of those that failed
 * @param unfinished the number of those that did not end within the recording
 * @param hostTimed the number of those whose time is known only as the host saw it
 * @param span the time from the beginning of the first operation to the end of the last one
 * @param work the operations by name, the largest total first
 * @param commands the commands of command buffers by label and kernel, the largest total first;
 *     empty unless they were recorded
 * @param places devices and their queues
 * @param waits the longest wait of each kernel on each queue and of each thread; of these, the
 *     longest ones, the longest first
 * @param path the critical path
 * @param loading loads of bundles, compilations and graphs by name, the largest total first
 * @param limits what is incomplete, and why; empty if nothing is
 */
public record TraceSummary(
    long operations,
    long failed,
    long unfinished,
    long hostTimed,
    long span,
    List<Work> work,
    List<Work> commands,
    List<Place> places,
    List<Wait> waits,
    Path path,
    List<Work> loading,
    List<String> limits) {

  /**
   * Operations of one name, or other work. Only finished operations count for the times.
   *
   * @param kind such as {@code dispatch} or {@code upload}
   * @param count all of them, also those that failed or did not finish
   * @param bytes that they moved, or -1 if that is unknown
   */
  public record Work(
      String name,
      String kind,
      long count,
      long failed,
      long unfinished,
      long total,
      long mean,
      long longest,
      long bytes) {}

  /**
   * A device, or one of its queues.
   *
   * @param queue the name of the queue, or empty for the device
   * @param busy the time in which at least one operation ran
   * @param idle the rest of the time from the first operation of the trace to the last one
   */
  public record Place(String device, String queue, long operations, long busy, long idle) {}

  /**
   * A wait of a thread, or of an operation between its submission and its beginning.
   *
   * @param who waited
   * @param where its queue; for a thread, {@code host}
   * @param took how long
   * @param forWhom the operation or thread that ended the wait, or what is known of it
   * @param outcome {@code reached}, {@code unfinished}, or how the wait of a thread ended
   */
  public record Wait(String who, String where, long took, String forWhom, String outcome) {}

  /**
   * The chain of predecessors that led to the end of the last operation.
   *
   * @param took from the beginning of the chain to its end
   * @param ran how much of that operations took
   * @param onHost how much of that threads of the host took
   * @param between how much of that passed between one and the next
   * @param segments in the order of time; neighbours of one kind are one segment
   * @param isWhole whether the chain was followed to its beginning
   */
  public record Path(
      long took, long ran, long onHost, long between, List<Segment> segments, boolean isWhole) {}

  /**
   * A part of the critical path.
   *
   * @param name of the operations, or of a thread
   * @param where the queue, or {@code host}
   * @param begin when the first of them began
   * @param count how many there are
   * @param ran how long they took on the path
   * @param before how long the path waited before each of them, in total
   */
  public record Segment(String name, String where, long begin, long count, long ran, long before) {}
}
