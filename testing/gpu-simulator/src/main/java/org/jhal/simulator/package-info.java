/**
 * GPUs that are not there, for the tests of drivers: native libraries with the functions of a
 * vendor's driver, which compute on the CPU.
 *
 * <p>The library is one core in C, the same for all vendors, and a face: C files in the tests of a
 * driver that export the vendor's functions and map them to those of the core ({@code gpusim.h}).
 * {@link org.jhal.simulator.SimulatedLibrary} builds it with the machine's compiler; {@link
 * org.jhal.simulator.Simulator} lets a test make things go wrong, and tells what a driver did
 * wrong.
 *
 * <p>Streams are threads that take operations in order, device memory is host memory, kernels are
 * compiled for the CPU from the sources that real devices get. What cannot be seen this way: that
 * code runs on a real device, its timing, its memory model between host and device and between
 * threads of a kernel (a grid runs on one thread), and whatever a vendor's library does that its
 * documentation does not say.
 *
 * <p>For tests only. Nothing finds these libraries by itself; they are used by path.
 */
@NullMarked
package org.jhal.simulator;

import org.jspecify.annotations.NullMarked;
