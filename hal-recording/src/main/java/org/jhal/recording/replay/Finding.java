// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import java.util.List;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Step;

/**
 * The first dispatch whose results part.
 *
 * @param number its number among the dispatches of the recording, from 0
 * @param parameter the place of the buffer among the parameters
 * @param element the first element of the buffer that differs
 * @param first its value on the first device, for people
 * @param second likewise on the second one
 * @param distance how many values lie between them
 * @param differing how many elements differ
 * @param compared how many were compared
 * @param inputs what it has read
 * @param firstOutput the bytes of the buffer on the first device, or the first part of them
 * @param secondOutput likewise on the second one
 */
record Finding(
    Step.Operation operation,
    int number,
    Action.Dispatch dispatch,
    int parameter,
    long element,
    String first,
    String second,
    long distance,
    long differing,
    long compared,
    List<Input> inputs,
    byte[] firstOutput,
    byte[] secondOutput) {
  /**
   * What it has read from a buffer.
   *
   * @param bytes on the first device
   * @param fresh how many elements nothing had written
   * @param different how many of the others differ between the two devices
   */
  record Input(int parameter, byte[] bytes, long fresh, long different) {}
}
