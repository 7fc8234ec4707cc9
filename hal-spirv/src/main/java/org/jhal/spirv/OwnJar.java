// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.CodeSource;
import org.jspecify.annotations.Nullable;

/** The jar of this library, which decides what a kernel is translated to. */
final class OwnJar {
  private OwnJar() {}

  /** Its path, size and time; null if the classes are not in a jar, or that cannot be read. */
  static @Nullable String state() {
    CodeSource source = OwnJar.class.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return null;
    }
    try {
      URI location = source.getLocation().toURI();
      return "file".equals(location.getScheme()) ? state(Path.of(location)) : null;
    } catch (URISyntaxException | IOException e) {
      return null;
    }
  }

  static @Nullable String state(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return null; // a folder of classes
    }
    Path real = file.toRealPath();
    BasicFileAttributes is = Files.readAttributes(real, BasicFileAttributes.class);
    return real + " " + is.size() + " " + is.lastModifiedTime();
  }
}
