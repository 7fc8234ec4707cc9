// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The hashes that identify the tested code. */
class CodeHashTests {
  @TempDir Path folder;

  private Path write(String name, String content) throws Exception {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  @Test
  void aJarIsHashedAsAFile() throws Exception {
    CodeHash hash = CodeHash.of(write("a.jar", "abc"));
    assertEquals("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", hash.sha256());
    assertEquals("the jar a.jar", hash.what());
  }

  @Test
  void aFolderIsHashedByItsFiles() throws Exception {
    write("one/x/A.class", "abc");
    write("one/B.class", "");
    write("two/B.class", "");
    write("two/x/A.class", "abc");
    CodeHash one = CodeHash.of(folder.resolve("one"));
    assertEquals("the 2 files of the folder one", one.what());
    assertEquals(one.sha256(), CodeHash.of(folder.resolve("two")).sha256());
    write("two/x/A.class", "abd");
    assertNotEquals(one.sha256(), CodeHash.of(folder.resolve("two")).sha256());
    write("three/x/A.classa", "bc"); // the same bytes in a row
    write("three/B.class", "");
    assertNotEquals(one.sha256(), CodeHash.of(folder.resolve("three")).sha256());
  }

  @Test
  void aClassWithoutAPlaceIsUnknown() {
    assertEquals(CodeHash.UNKNOWN, CodeHash.of(String.class).sha256());
    assertTrue(CodeHash.of(CtsReport.class).sha256().matches("[0-9a-f]{64}"));
  }
}
