/**
 * Groups of devices whose collectives NCCL or RCCL carries out: the library, communicators, which
 * are kept between groups, and launches on all ranks.
 *
 * <p>In it comes what involves several devices at once. Access to the memory of another device is
 * no more than a call, and in {@code org.jhal.gpu.runtime}. Drivers name their library ({@link
 * org.jhal.gpu.natives.WantedCollectives}) and see nothing else of it. JNA reads the structures in
 * this package by reflection, so the package is open to JNA.
 */
@NullMarked
package org.jhal.gpu.collective;

import org.jspecify.annotations.NullMarked;
