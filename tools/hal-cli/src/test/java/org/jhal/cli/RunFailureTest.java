// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jhal.ElementType;
import org.jhal.cli.data.Shape;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code hal run} with bad input, and work that fails: the exit code, and one line. */
@Timeout(120)
class RunFailureTest extends RunFixture {
  @BeforeEach
  void resetKernels() {
    TestKernels.begun = new CountDownLatch(1);
    TestKernels.release = new CountDownLatch(1);
  }

  @Test
  void runsNothingIfAnArgumentIsInvalid() throws IOException {
    String parameters =
        String.join(
            ", ", constant("n", "i32"), buffer("x", "f32", "in"), buffer("y", "f32", "out"));
    Path bundle = bundle(kernel("count", parameters, "'groups': [1], 'shapes': {'y': [4]}"));
    Path x = array("x.npy", ElementType.F32, Shape.of(4), new byte[16]);
    Path broken = Files.write(folder.resolve("broken.npy"), new byte[50]);
    Path brokenPicture = Files.write(folder.resolve("broken.png"), new byte[50]);
    String y = "y=" + folder.resolve("y.npy");
    int before = TestKernels.COUNT.get();
    run(bundle).failed(2, "INVALID_ARGUMENT", "--arg n=I32 --arg x=FILE");
    run(bundle, "--arg", "n").failed(2, "INVALID_ARGUMENT", "'n' is not of the form NAME=VALUE");
    run(bundle, "--arg", "n=1", "--arg", "x=" + x, "--arg", "q=1").failed(2, "NOT_FOUND", "'q'");
    run(bundle, "--arg", "n=1", "--arg", "n=2").failed(2, "INVALID_ARGUMENT", "'n' is given twice");
    run(bundle, "--arg", "n=1.5", "--arg", "x=" + x).failed(2, "INVALID_ARGUMENT", "'1.5'");
    run(bundle, "--arg", "n=3000000000", "--arg", "x=" + x).failed(2, "OUT_OF_RANGE", "3000000000");
    run(bundle, "--arg", "n=1", "--arg", "x=" + folder).failed(2, "not a regular file");
    run(bundle, "--arg", "n=1", "--arg", "x=no.npy").failed(2, "NOT_FOUND", "'no.npy'");
    run(bundle, "--arg", "n=1", "--arg", "x=3")
        .failed(2, "'x' is a buffer of f32", "no such file: '3'");
    run(bundle, "--arg", "n=1", "--arg", "x=a.jpg").failed(2, "no such file: 'a.jpg'");
    run(bundle, "--arg", "n=1", "--arg", "x=" + x, "--out", "y=a.JPG")
        .failed(2, "INVALID_ARGUMENT", "output 'a.JPG': the only picture format is .png");
    run(bundle, "--arg", "n=1", "--arg", "x=" + broken).failed(2, "malformed .npy file");
    run(bundle, "--arg", "n=1", "--arg", "x=" + brokenPicture).failed(2, "malformed PNG file");
    run(bundle, "--arg", "n=1", "--arg", "x=" + x, "--out", "y=" + folder).failed(2, "is a folder");
    run(bundle, "--arg", "n=1", "--arg", "x=" + x, "--out", "y=no/y.npy").failed(2, "NOT_FOUND");
    run(bundle, "--arg", "n=1", "--arg", "x=" + x, "--out", y, "--out", y).failed(2, "twice");
    run(bundle, "--arg", "n=1", "--arg", "x=" + x, "--shape", "y=-1").failed(2, "OUT_OF_RANGE");
    run(bundle, "--arg", "n=1", "--arg", "x=" + x, "--shape", "y=x").failed(2, "shape 'x'");
    run(bundle, "--arg", "n=1", "--arg", "x=" + x, "--repeat", "0").failed(2, "--repeat 0");
    run(bundle, "--variants", "")
        .failed(2, "INVALID_ARGUMENT", "'--variants': '' names no file or folder");
    run(bundle, "--arg", "n=1", "--arg", "x=" + x, "--timeout", "0").failed(2, "--timeout 0");
    assertEquals(before, TestKernels.COUNT.get());
    assertFalse(Files.exists(folder.resolve("y.npy")));
    run(bundle, "--arg", "n=1", "--arg", "x=" + x, "--out", y).succeeded();
    assertEquals(before + 1, TestKernels.COUNT.get());
  }

  /** Whichever name the file is given by, and for each of the inputs. */
  @Test
  void replacesAnInputOnlyWithForce() throws IOException {
    String parameters = String.join(", ", buffer("x", "u8", "in"), buffer("y", "u8", "inout"));
    Path bundle = bundle(kernel("count", parameters, "'groups': [1]"));
    Path x = Files.write(folder.resolve("x.bin"), new byte[] {1, 2});
    Path y = Files.write(folder.resolve("y.bin"), new byte[] {3, 4});
    Path link = Files.createSymbolicLink(folder.resolve("link.bin"), x);
    Path same = Files.createLink(folder.resolve("same.bin"), x);
    Path dotted = folder.resolve("none/../x.bin");
    Files.createDirectory(folder.resolve("none"));
    int before = TestKernels.COUNT.get();
    for (Path output : List.of(x, link, same, dotted, y)) {
      run(bundle, "--arg", "x=" + x, "--arg", "y=" + y, "--out", "y=" + output)
          .failed(2, "INVALID_ARGUMENT", "'" + output + "' is the input", "--force");
    }
    run(bundle, "--arg", "x=" + link, "--arg", "y=" + y, "--out", "y=" + same)
        .failed(2, "is the input 'x'");
    assertEquals(before, TestKernels.COUNT.get());
    run(bundle, "--arg", "x=" + x, "--arg", "y=" + y, "--out", "y=" + link, "--force").succeeded();
    assertArrayEquals(new byte[] {3, 4}, Files.readAllBytes(x), "the target of the link");
    run(bundle, "--arg", "x=/dev/null", "--shape", "x=0", "--arg", "y=" + y, "--out", "y=/dev/null")
        .failed(2, "not a regular file");
  }

  @Test
  void refusesTwoOutputsToOneFile() throws IOException {
    String parameters = String.join(", ", buffer("x", "u8", "out"), buffer("y", "u8", "out"));
    Path bundle =
        bundle(kernel("count", parameters, "'groups': [1], 'shapes': {'x': [1], 'y': [1]}"));
    Path there = Files.write(folder.resolve("there"), new byte[1]);
    Path link = Files.createSymbolicLink(folder.resolve("link"), there);
    Path here = Files.createSymbolicLink(folder.resolve("here"), folder);
    run(bundle, "--out", "x=" + there, "--out", "y=" + link).failed(2, "two outputs");
    run(
            bundle,
            "--out",
            "x=" + folder.resolve("new"),
            "--out",
            "y=" + here.resolve("new"),
            "--force")
        .failed(2, "two outputs");
    assertFalse(Files.exists(folder.resolve("new")));
  }

  @Test
  void refusesABundleOfSeveralKernelsWithoutAName() throws IOException {
    Path bundle = bundle(kernel("count", "", ""), kernel("fail", "", ""));
    run(bundle).failed(2, "several kernels", "count, fail", bundle + ":KERNEL");
    hal("run", bundle + ":nosuch", "--device", "mock").failed(2, "NOT_FOUND", "'nosuch'", "count");
    hal("run", bundle + ":count", "--device", "mock", "--groups", "1").succeeded();
  }

  @Test
  void aBadBundleIsBadInput() throws IOException {
    hal("run", "no/such/bundle", "--device", "mock").failed(2, "NOT_FOUND", "no bundle");
    Path empty = Files.createDirectory(folder.resolve("empty"));
    run(empty).failed(2, "NOT_FOUND", "manifest.json");
    Path malformed = Files.createDirectory(folder.resolve("malformed"));
    Files.writeString(malformed.resolve("manifest.json"), "{\"version\": 1,");
    run(malformed).failed(2, "INVALID_ARGUMENT", "manifest.json");
    hal("run", malformed + "/manifest.json", "--device", "mock")
        .failed(2, "INVALID_ARGUMENT", "name its folder, '" + malformed + "'");
    Path noArchive = Files.writeString(folder.resolve("no.zip"), "hello");
    run(noArchive).failed(2, "no.zip");
    Path climbing = folder.resolve("climbing.zip");
    zip(climbing, "../outside", "x");
    run(climbing).failed(2, "INVALID_ARGUMENT", "points outside");
    Path badHint = bundle(kernel("count", "", "'groups': ['q.length']"));
    run(badHint).failed(2, "INVALID_ARGUMENT", "names the buffer 'q'");
  }

  @Test
  void explainsAMissingDevice() throws IOException {
    Path bundle = bundle(kernel("count", "", ""));
    hal("run", bundle.toString(), "--device", "nosuch").failed(3, "NOT_FOUND", "'nosuch'", "mock");
    hal("run", bundle.toString(), "--device", "unplugged").failed(3, "UNAVAILABLE");
    hal("run", bundle.toString(), "--device", "mock://999").failed(3, "NOT_FOUND", "999");
    hal("run", bundle.toString(), "--device", "a b").failed(2, "malformed device URI");
    hal("run", bundle.toString(), "--device", "mock://?nosuch=1").failed(2, "nosuch");
  }

  // Failures of the work

  @Test
  void aKernelThatThrowsFailsTheRunAndWritesNothing() throws IOException {
    Path bundle =
        bundle(
            kernel("fail", buffer("data", "u8", "out"), "'groups': [1], 'shapes': {'data': [3]}"));
    Path out = folder.resolve("out.bin");
    run(bundle, "--out", "data=" + out).failed(1, "ABORTED", "the kernel gave up");
    assertEquals(List.of(bundle), files());
  }

  @Test
  void tooLittleMemoryFailsTheRun() throws IOException {
    Path bundle =
        bundle(
            kernel(
                "count",
                buffer("data", "u8", "out"),
                "'groups': [1], 'shapes': {'data': [100000]}"));
    hal("run", bundle.toString(), "--device", "mock://?memory=1000")
        .failed(1, "RESOURCE_EXHAUSTED");
  }

  @Test
  void reportsABundleThatTheDeviceCannotLoad() throws IOException {
    Path bundle = bundle(kernel("count", "", ""));
    Path manifest = bundle.resolve("manifest.json");
    Files.writeString(
        manifest,
        Files.readString(manifest)
            .replaceAll("\\{\"format\".*\\}\\]", "{\"format\": \"other\", \"file\": \"x\"}]"));
    run(bundle, "--groups", "1").failed(3, "UNIMPLEMENTED", "other");
  }

  /** Closing the device would wait for an hour. */
  @Test
  void endsAndPrintsWhatIsStuckAtTheTimeout() throws Exception {
    Path bundle = bundle(kernel("block", "", "'groups': [1]"));
    String device = "mock://?close-timeout=3600s";
    CompletableFuture<Outcome> outcome =
        CompletableFuture.supplyAsync(
            () -> hal("run", bundle.toString(), "--device", device, "--timeout", "1"));
    try {
      Outcome late = outcome.get(60, TimeUnit.SECONDS);
      assertEquals(1, late.exitCode(), late::toString);
      List<String> lines = late.err().lines().toList();
      String last = lines.get(lines.size() - 1);
      assertTrue(last.startsWith("hal: DEADLINE_EXCEEDED: waited 1 s"), late::toString);
      assertTrue(lines.get(0).startsWith("JHAL at "), late::toString);
      assertTrue(lines.contains("Device mock-0:"), late::toString);
      assertTrue(late.err().contains("(dispatch of test:block, ISSUED, for "), late::toString);
    } finally {
      TestKernels.release.countDown();
    }
  }

  @Test
  void anInterruptedRunLeavesNothingBehind() throws Exception {
    Path bundle =
        bundle(
            kernel("block", buffer("data", "u8", "out"), "'groups': [1], 'shapes': {'data': [3]}"));
    Path out = folder.resolve("out.bin");
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    Thread user =
        new Thread(
            () -> {
              try {
                outcome.complete(run(bundle, "--out", "data=" + out));
              } catch (Throwable e) {
                outcome.completeExceptionally(e);
              }
            },
            "user");
    user.start();
    try {
      assertTrue(
          TestKernels.begun.await(60, TimeUnit.SECONDS), "waited 60 s for the kernel to begin");
      user.interrupt();
      // Java clears the flag when it throws the InterruptedException.
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (user.isInterrupted()) {
        assertTrue(
            System.nanoTime() < deadline, "waited 60 s for hal run to notice the interruption");
        Thread.onSpinWait();
      }
    } finally {
      TestKernels.release.countDown();
    }
    outcome.get(60, TimeUnit.SECONDS).failed(130, "CANCELLED", "interrupted");
    assertEquals(List.of(bundle), files());
  }

  @Test
  void aFullDiskLeavesNoUnfinishedFile() throws Exception {
    Path bundle =
        bundle(
            kernel("count", buffer("data", "u8", "out"), "'groups': [1], 'shapes': {'data': [3]}"));
    for (String name : List.of("out.bin", "out.npy", "out.png")) {
      String shape = name.endsWith(".png") ? "data=1,3" : "data=3";
      // With this limit no file of more than 0 bytes can be written; the output goes through a
      // pipe.
      String script = "(ulimit -f 0; exec \"$@\") 2>&1 | cat";
      Outcome outcome =
          Outcome.of(
              new ProcessBuilder(
                      "sh",
                      "-c",
                      script,
                      "sh",
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-XX:TieredStopAtLevel=1",
                      "-XX:+UseSerialGC",
                      "-XX:-UsePerfData",
                      "-cp",
                      System.getProperty("java.class.path"),
                      Main.class.getName(),
                      "run",
                      bundle.toString(),
                      "--device",
                      "mock",
                      "--shape",
                      shape,
                      "--out",
                      "data=" + name)
                  .directory(folder.toFile()));
      assertTrue(
          outcome.out().startsWith("hal: DATA_LOSS: cannot write '" + name + "'"),
          outcome::toString);
      assertEquals(List.of(bundle), files(), name);
    }
  }

  /** A valid picture of 80 kB that takes 256 MB. */
  @Test
  void reportsAPictureThatDoesNotFitIntoMemory() throws Exception {
    Path bundle = bundle(kernel("count", buffer("data", "u8", "in"), "'groups': [1]"));
    Path picture =
        array("large.png", ElementType.U8, Shape.of(8000, 8000, 4), new byte[256_000_000]);
    Outcome outcome =
        Outcome.java(
            folder,
            "-Xmx64m",
            Main.class.getName(),
            "run",
            bundle.toString(),
            "--device",
            "mock",
            "--arg",
            "data=" + picture);
    outcome.failed(2, "RESOURCE_EXHAUSTED", "large.png", "does not fit into memory");
  }

  @Test
  void reportsAJavaWithoutSupportForPictures() throws Exception {
    Path root = Path.of("../..").toAbsolutePath().normalize();
    Outcome.java(
            root,
            "--limit-modules",
            "java.base,java.logging,jdk.unsupported",
            Main.class.getName(),
            "run",
            "examples/edges",
            "--device",
            "mock",
            "--arg",
            "image=examples/edges/input.png")
        .failed(2, "UNIMPLEMENTED", "java.desktop", System.getProperty("java.home"));
  }
}
