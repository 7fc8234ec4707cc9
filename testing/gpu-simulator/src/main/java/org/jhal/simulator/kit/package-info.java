// SPDX-License-Identifier: Apache-2.0
/**
 * What drivers need besides the simulator: the backend of a GPU's driver for the conformance suite,
 * sources for the compilers of vendors, and processes of their own for tests.
 */
@NullMarked
package org.jhal.simulator.kit;

import org.jspecify.annotations.NullMarked;
