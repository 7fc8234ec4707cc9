// SPDX-License-Identifier: Apache-2.0
/**
 * Simulated GPUs, for the tests of drivers: native libraries with the functions of a vendor's
 * driver, which compute on the CPU.
 *
 * <p>The library is one core in C, the same for all vendors, and a face: C files in the tests of a
 * driver that export the vendor's functions and map them to those of the core ({@code gpusim.h}).
 * {@link org.jhal.simulator.SimulatedLibrary} builds it with the machine's compiler; {@link
 * org.jhal.simulator.Simulator} lets a test inject faults, and reports misuses by a driver.
 *
 * <p>Streams are threads that take operations in order, device memory is host memory, kernels are
 * compiled for the CPU from the sources that real devices get. The simulator cannot show that code
 * runs on a real device, nor a device's timing, its memory model between host and device and
 * between threads of a kernel (a grid runs on one thread), nor undocumented behaviour of a vendor's
 * library.
 *
 * <p>For tests only. These libraries are used by their path and are never found automatically.
 */
@NullMarked
package org.jhal.simulator;

import org.jspecify.annotations.NullMarked;
