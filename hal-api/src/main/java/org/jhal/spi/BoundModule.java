// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

/**
 * A service that a module provides to be found on the module path. A driver that is an automatic
 * module cannot declare which modules it needs; the JVM adds the modules that provide a service
 * which a module in use asks for, and {@code org.jhal} asks for this one. Nothing loads the
 * providers.
 */
public interface BoundModule {}
