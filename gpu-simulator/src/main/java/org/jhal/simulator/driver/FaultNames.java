package org.jhal.simulator.driver;

import java.util.Set;

/**
 * What a driver's native functions are to a {@link GpuFaultTest}; names without a version.
 *
 * @param module of Maven, whose test class repeats a case
 * @param test that class
 * @param bind makes a device current: fails on a thread that may have none yet
 * @param losing those whose failure may mean a lost device, sticky or not (rule Q7a)
 * @param givingBack those that something is given back with, which stays where they fail
 * @param polled those of which more positions are more of the same
 * @param needed those that the workload must use
 * @param endContext gives a device's context back, with all that is left; empty if there is none
 * @param endPool destroys a pool
 * @param freeInOrder frees memory in the order of a stream
 */
public record FaultNames(
    String module,
    String test,
    String bind,
    Set<String> losing,
    Set<String> givingBack,
    Set<String> polled,
    Set<String> needed,
    String endContext,
    String endPool,
    String freeInOrder) {}
