/**
 * Reads bundles of kernels: their manifest, and kernels written in Java. For authors of drivers;
 * docs/bundles.md describes what a bundle is.
 */
@NullMarked
package org.jhal.driver.bundle;

import org.jspecify.annotations.NullMarked;
