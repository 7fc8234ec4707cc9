// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import org.jhal.ExecutableSource;
import org.jspecify.annotations.Nullable;

/**
 * Defines the classes of a bundle from its class files, unless the class loader of the bundle's
 * source finds them. For an overlay it is the other way round: its classes replace those of the
 * bundle below, except the classes that kernels and drivers share (Java and {@code
 * org.jhal.kernel}). Class files are read on demand.
 *
 * <p>Thread-safe.
 */
final class BundleClassLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private final ExecutableSource source;
  private final String folder; // of the class files; empty, or with a trailing slash

  BundleClassLoader(ExecutableSource source, String path) {
    super(source.classLoader());
    this.source = source;
    this.folder = path.isEmpty() ? "" : path + "/";
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!source.isOverlay() || name.startsWith("java.") || name.startsWith("org.jhal.kernel.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> found = findLoadedClass(name);
      byte[] bytes = found == null ? read(name) : null;
      if (bytes != null) {
        found = defineClass(name, bytes, 0, bytes.length);
      }
      return found == null ? super.loadClass(name, resolve) : found;
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = read(name);
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  private byte @Nullable [] read(String name) {
    return source.read(folder + name.replace('.', '/') + ".class");
  }
}
