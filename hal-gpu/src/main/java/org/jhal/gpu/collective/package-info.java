// SPDX-License-Identifier: Apache-2.0
/**
 * Groups of devices whose collectives NCCL or RCCL carries out: the library, communicators and
 * their cache, and launches on all ranks.
 *
 * <p>Code that involves several devices at once belongs here, except access to another device's
 * memory, which is a call in {@code org.jhal.gpu.runtime}. Drivers only name their library ({@link
 * org.jhal.gpu.natives.WantedCollectives}). The package is open to JNA, which reads its structures
 * by reflection.
 */
@NullMarked
package org.jhal.gpu.collective;

import org.jspecify.annotations.NullMarked;
