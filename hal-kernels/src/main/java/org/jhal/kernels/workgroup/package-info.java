// SPDX-License-Identifier: Apache-2.0
/**
 * Runs kernels in Java on threads of the host: a workgroup as a kernel sees it, views of memory
 * that check each access, and grids that several threads work through. For drivers whose memory the
 * process can reach.
 */
@NullMarked
package org.jhal.kernels.workgroup;

import org.jspecify.annotations.NullMarked;
