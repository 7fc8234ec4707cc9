// SPDX-License-Identifier: Apache-2.0
/**
 * Bytes on their way through host memory: the memory that they are staged in, what moves them in
 * chunks, and copies between devices. Files and collectives move theirs in the same way.
 */
@NullMarked
package org.jhal.engine.transfer;

import org.jspecify.annotations.NullMarked;
