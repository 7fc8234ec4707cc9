package org.jhal.gpu.natives;

import java.util.List;

/**
 * Which library carries out collectives between the devices of a driver.
 *
 * @param name of the library, for people
 * @param wanted says where it is looked for
 * @param candidates absolute paths, or names for the system to find
 */
public record WantedCollectives(String name, WantedLibrary wanted, List<String> candidates) {}
