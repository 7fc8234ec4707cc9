package org.jhal.bench.measure;

/**
 * Why one side of a row has no numbers.
 *
 * @param why for people
 * @param isFailure whether it went wrong; otherwise this machine does not have what it takes
 */
public record Absence(String why, boolean isFailure) {}
