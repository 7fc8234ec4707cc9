// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.cache.KernelCache;
import org.jspecify.annotations.Nullable;

/** The option {@code cache}, for drivers that keep compiled kernels. */
public final class CacheOption {
  /** The folder, or none; a driver adds it to the options of its devices. */
  public static final Option<Optional<Path>> FOLDER =
      Option.folder("cache", KernelCache.defaultFolder(), "where compiled kernels are kept");

  private CacheOption() {}

  /**
   * The cache that the settings of a device name; null for none. A folder that cannot be used is no
   * error.
   *
   * @param settings have {@link #FOLDER}
   * @throws HalException INVALID_ARGUMENT if a file is named
   */
  public static @Nullable KernelCache cache(Settings settings) {
    Optional<Path> folder = settings.get(FOLDER);
    if (folder.isEmpty()) {
      return null;
    }
    Path path = folder.get();
    if (!folder.equals(FOLDER.defaultValue()) && Files.exists(path) && !Files.isDirectory(path)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "option '%s' is '%s' (from %s), which is no folder"
              .formatted(FOLDER, path, settings.origin(FOLDER)));
    }
    return KernelCache.in(path);
  }
}
