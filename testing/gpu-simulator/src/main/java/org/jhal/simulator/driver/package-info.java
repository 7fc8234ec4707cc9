/**
 * What the tests of drivers share that are made of {@link org.jhal.gpu.runtime.GpuRuntime}:
 * controls for the conformance suite, and native calls that fail one after the other.
 */
@NullMarked
package org.jhal.simulator.driver;

import org.jspecify.annotations.NullMarked;
