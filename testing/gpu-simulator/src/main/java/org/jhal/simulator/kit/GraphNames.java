// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import java.util.List;

/**
 * The names of a driver's native functions around graphs.
 *
 * @param create creates a graph
 * @param destroy destroys one
 * @param addKernel adds a kernel to it
 * @param addFill adds a fill
 * @param addCopy adds a copy
 * @param instantiate creates an instance
 * @param destroyInstance destroys one
 * @param upload puts an instance on the device
 * @param launch launches an instance
 * @param setKernel changes the parameters of a kernel
 * @param setCopy changes the parameters of a copy
 * @param launchKernel launches a kernel without a graph
 * @param copy copies within device memory without a graph
 * @param allocate allocates device memory in stream order
 * @param mayBeSetInFlight whether the driver changes instances that are in a stream
 */
public record GraphNames(
    String create,
    String destroy,
    String addKernel,
    String addFill,
    String addCopy,
    String instantiate,
    String destroyInstance,
    String upload,
    String launch,
    String setKernel,
    String setCopy,
    String launchKernel,
    String copy,
    String allocate,
    boolean mayBeSetInFlight) {
  /** The functions that make a graph of all kinds of commands, in the order of their calls. */
  public List<String> making() {
    return List.of(create, addKernel, addFill, addCopy, instantiate, upload);
  }
}
