package org.jhal.driver.bundle;

import org.jhal.ExecutableSource;

/**
 * Defines the classes of a bundle from its class files, unless the class loader of the bundle's
 * source finds them. Class files are read when the JVM first asks for a class.
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
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = source.read(folder + name.replace('.', '/') + ".class");
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }
}
