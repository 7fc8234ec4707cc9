// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.journal;

import org.jhal.driver.CommandList;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/**
 * An operation that is about to be issued, to be recorded.
 *
 * @param queue the name of its queue
 * @param number its number on that queue
 * @param kind in one or two words
 * @param waits the number of a timeline and its value, by turns
 * @param signals likewise
 * @param commands what it does on the device; null for nothing
 * @param submission resolves the operands of the commands, during the call; throws what then fails
 *     the operation, if there is no memory
 * @param areWaitsOver whether nothing that it waits for runs any more, so that nothing but the
 *     program writes the host memory that it reads
 * @param isPart whether it is a part of another operation, such as a chunk of a file
 * @param isUnseen whether it changes memory by other means than its commands
 */
public record IssuedOperation(
    String queue,
    long number,
    String kind,
    long[] waits,
    long[] signals,
    @Nullable CommandList commands,
    Submission submission,
    boolean areWaitsOver,
    boolean isPart,
    boolean isUnseen) {}
