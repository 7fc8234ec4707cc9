// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The folder of a compiler. */
@Timeout(60)
class CompilerRunTest {
  /** So many that their deletion takes longer than it takes to see that another one is deleted. */
  private static final int FILES = 300;

  private static final int LATE = 3;

  /** A process that a killed compiler has started, which makes files while they are deleted. */
  private static void makeFiles(Path folder) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    try {
      for (int i = 0; i < LATE; i++) {
        Path last = folder.resolve("late-" + i); // behind the others, so it is deleted first
        while (Files.exists(last)) {
          if (System.nanoTime() - end > 0) {
            fail("the test waits for " + last + " to be deleted");
          }
        }
        Files.createFile(folder.resolve("late-" + (i + 1)));
      }
    } catch (NoSuchFileException e) {
      return; // the folder is gone
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void leavesNoFolderBehindAProcessThatStillMakesFiles() throws Exception {
    CompletableFuture<Void> late = new CompletableFuture<>();
    Path made =
        CompilerRun.run(
            run -> {
              for (int i = 0; i < FILES; i++) {
                run.write("file-" + i, "");
              }
              run.write("late-0", "");
              late.completeAsync(
                  () -> {
                    makeFiles(run.folder());
                    return null;
                  });
              return run.folder();
            });
    assertNull(late.get(30, TimeUnit.SECONDS));
    assertFalse(Files.exists(made), made::toString);
  }
}
