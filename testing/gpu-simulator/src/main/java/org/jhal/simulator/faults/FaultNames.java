package org.jhal.simulator.faults;

import java.util.Set;

/**
 * What a driver's native functions are to a {@link GpuFaultTest}; names without a version.
 *
 * @param module of Maven, whose test class repeats a case
 * @param test that class
 * @param binding those that are called on threads that may have no current device, such as to make
 *     one current: a failure for good is then one of all devices
 * @param losing those whose failure may mean a lost device, sticky or not (rule Q7a)
 * @param givingBack those that something is given back with, which stays where they fail
 * @param polled those of which more positions are more of the same
 * @param needed those that the workload must use
 * @param endContext gives a device's context back, with all that is left; empty if there is none
 * @param endPool destroys a pool
 * @param freeing those that free memory in the order of a stream, or wait for that: where they
 *     fail, a pool ends before its memory, which native runtimes allow
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
