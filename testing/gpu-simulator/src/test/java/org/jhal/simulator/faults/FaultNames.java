// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.faults;

import java.util.Set;

/**
 * The roles of a driver's native functions in a {@link GpuFaultTest}; names without a version.
 *
 * @param module the Maven module whose test class repeats a case
 * @param test that class
 * @param binding functions that are called on threads that may have no current device, such as to
 *     make one current: a sticky failure then affects all devices
 * @param losing functions whose failure may lose the device, sticky or not (rule Q7a)
 * @param givingBack functions that release an object, which stays if they fail
 * @param polled functions that are called repeatedly, so that a few positions are enough
 * @param needed functions that the workload must use
 * @param endContext releases a device's context with all its objects; empty if there is none
 * @param endPool destroys a pool
 * @param freeing functions that free memory in stream order, or wait for that: if they fail, a pool
 *     ends before its memory, which native runtimes allow
 */
public record FaultNames(
    String module,
    String test,
    Set<String> binding,
    Set<String> losing,
    Set<String> givingBack,
    Set<String> polled,
    Set<String> needed,
    String endContext,
    String endPool,
    Set<String> freeing) {}
