/**
 * Reads bundles of kernels: their manifest, and kernels written in Java. docs/bundles.md describes
 * bundles.
 */
@NullMarked
package org.jhal.driver.bundle;

import org.jspecify.annotations.NullMarked;
