// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import java.util.List;

/**
 * How a vendor's runtime differs from others in names and numbers.
 *
 * @param driver the name of the driver
 * @param runtime the name of the runtime, for people
 * @param codes the functions of the runtime, and the meaning of their result codes
 * @param graphs the functions for graphs
 * @param launchListEnd the word that ends a launch's list of packed arguments
 * @param collectives the library for collectives between devices
 * @param launchBlocking the environment variables that, unless 0, make the runtime wait for each
 *     kernel at its launch
 */
public record GpuVendor(
    String driver,
    String runtime,
    ResultCodes codes,
    NativeFunctions<?, ?> graphs,
    long launchListEnd,
    WantedCollectives collectives,
    List<String> launchBlocking) {}
