// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jhal.kernel.Bytes;
import org.jhal.kernel.Workgroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code hal record} and {@code hal replay}. */
class RecordCommandTest {
  @TempDir private Path folder;

  /** Records a kernel that doubles bytes. */
  private Path record() throws IOException {
    Path bundle = Files.createDirectory(folder.resolve("twice"));
    Files.writeString(
        bundle.resolve("manifest.json"),
        """
        {"version": 1, "name": "twice", "kernels": [{"name": "twice", "workgroupSize": [4],
          "parameters": [{"name": "data", "kind": "buffer", "type": "u8", "direction": "inout"}]}],
         "variants": [{"format": "gpu-c++", "file": "twice.cpp"},
          {"format": "java", "class": "org.jhal.cli.RecordCommandTest$Kernels"}]}
        """);
    Files.writeString(
        bundle.resolve("twice.cpp"),
        """
        extern "C" __global__ void twice(unsigned char* data) {
          unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
          data[i] = data[i] == 3 ? 7 : 2 * data[i];
        }
        """);
    Files.write(folder.resolve("in.bin"), new byte[] {1, 2, 3, 4});
    Path file = folder.resolve("run.jrec");
    hal(
            "record",
            file.toString(),
            "--",
            "run",
            bundle.toString(),
            "--device",
            "mock",
            "--groups",
            "1",
            "--arg",
            "data=" + folder.resolve("in.bin"),
            "--out",
            "data=" + folder.resolve("out.bin"))
        .succeeded();
    assertEquals(6, Files.readAllBytes(folder.resolve("out.bin"))[2]);
    assertNull(System.getProperty("jhal.record"), "it is for the command alone");
    return file;
  }

  /** The kernels of the test. */
  public static final class Kernels {
    private Kernels() {}

    /** Doubles bytes. */
    public static void twice(Workgroup group, Bytes data) {
      for (long i = group.firstX(); i < group.endX(data.length()); i++) {
        data.set(i, (byte) (2 * data.get(i)));
      }
    }
  }

  @Test
  void replaysWhatACommandDid() throws IOException {
    String file = record().toString();
    String out = hal("replay", file, "--device", "mock", "--repeat", "2").succeeded().out();
    assertTrue(out.contains("dispatches on mock: 1"), out);
    assertTrue(out.contains("readbacks: 1, all with the bytes that were recorded"), out);
  }

  @Test
  void namesTheDispatchAndACommandThatRunsItAlone() throws Exception {
    assumeTrue(
        hal("devices").out().contains("kernels are compiled by "),
        "there is no C++ compiler on the PATH, for the kernel that differs");
    String file = record().toString();
    String wrong = folder.resolve("wrong").toString();
    Outcome outcome = hal("replay", file, "--device", "mock", "--compare", "cpu", "--out", wrong);
    assertEquals(6, outcome.exitCode(), outcome::toString);
    String out = outcome.out();
    assertTrue(out.contains("data[2], a u8: 6 and 7, 1 apart"), out);
    assertTrue(out.contains("its inputs are equal"), out);
    String command = out.substring(out.indexOf("alone: hal ") + "alone: hal ".length()).strip();
    hal(command.split(" ")).succeeded();
    byte[] alone = Files.readAllBytes(folder.resolve("wrong/data-second-alone.npy"));
    assertEquals(7, alone[alone.length - 2]);
    runScript(Path.of(wrong));
  }

  /** The script runs from any folder, also when its own was moved. */
  private void runScript(Path wrong) throws Exception {
    Path moved = Files.move(wrong, folder.resolve("moved to"));
    Path hal = Outcome.script(folder.resolve("my hal"));
    for (String which : List.of("first", "second")) {
      Files.deleteIfExists(moved.resolve("data-" + which + "-alone.npy"));
    }
    ProcessBuilder builder = new ProcessBuilder(moved.resolve("run.sh").toString());
    builder.directory(Files.createDirectory(folder.resolve("elsewhere")).toFile());
    builder.environment().put("HAL", hal.toString());
    Outcome outcome = Outcome.of(builder);
    assertEquals(0, outcome.exitCode(), outcome::toString);
    assertEquals(
        -1, Files.mismatch(moved.resolve("data-first-alone.npy"), moved.resolve("data-first.npy")));
    assertEquals(
        -1,
        Files.mismatch(moved.resolve("data-second-alone.npy"), moved.resolve("data-second.npy")));
  }

  @Test
  void refusesWhatIsNoRecording() throws IOException {
    hal("replay", folder.resolve("nosuch").toString()).failed(2, "there is no recording");
    Path other = Files.writeString(folder.resolve("other"), "something else, and long enough");
    hal("replay", other.toString()).failed(2, "is no recording of JHAL");
    String file = record().toString();
    hal("replay", file, "--scope", "5").failed(2, "--scope: A..B");
    hal("replay", file, "--scope", "5..5").failed(2, "--scope");
    hal("replay", file, "--repeat", "0").failed(2, "--repeat");
    hal("replay", file, "--out", "x").failed(2, "--out", "--compare");
    hal("record", file, "--", "nosuchcommand").failed(1, "nosuchcommand");
  }
}
