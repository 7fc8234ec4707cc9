// SPDX-License-Identifier: Apache-2.0
/**
 * Cases of many bytes between a device and a file, or ordinary memory of the JVM. What counts is
 * throughput.
 *
 * <p>Transfers of memory that a device can use are in {@code vendor}, with the program in C that
 * they are compared with; those between devices in {@code peer}.
 */
@NullMarked
package org.jhal.bench.cases.bulk;

import org.jspecify.annotations.NullMarked;
