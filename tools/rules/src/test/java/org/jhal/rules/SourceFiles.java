// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The files of the repository that people write, wherever they lie. */
final class SourceFiles {
  /** Folders of what builds and tools make, wherever they are. */
  private static final Set<String> SKIPPED = Set.of("target", "build", "node_modules", ".git");

  /** What the site is made from, Javadoc with its scripts among it. */
  private static final List<Path> MADE =
      List.of(Path.of("website/pages"), Path.of("website/.vitepress/cache"));

  private SourceFiles() {}

  /** The regular files below a root that is, or is like, that of the repository. */
  static List<Path> below(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean isSkipped =
                SKIPPED.contains(folder.getFileName().toString())
                    || MADE.contains(root.relativize(folder));
            return isSkipped && !folder.equals(root)
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }
}
