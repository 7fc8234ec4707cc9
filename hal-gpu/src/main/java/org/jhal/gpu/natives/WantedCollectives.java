// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import java.util.List;

/**
 * The library for collectives between the devices of a driver.
 *
 * @param name of the library, for messages
 * @param wanted where to search for it
 * @param candidates absolute paths, or names for the system to find
 */
public record WantedCollectives(String name, WantedLibrary wanted, List<String> candidates) {}
