// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.gpu.natives.GpuLibrary;
import org.jhal.gpu.natives.SharedLibrary;

/** A separate process that prints facts about the HIP runtime that it finds. */
public final class ProbeMain {
  private ProbeMain() {}

  /**
   * {@code locate}: the file of the runtime. {@code load}: the verdict on it. {@code errors
   * CODE...}: the descriptions of codes. {@code compile ARCHITECTURE FILE [OPTION...]}: the result
   * of compiling a source with HIPRTC. {@code save ARCHITECTURE FILE RESULT}: the same, into a
   * file. Commands are separated by {@code --}.
   */
  public static void main(String[] args) throws IOException {
    int begin = 0;
    for (int i = 0; i <= args.length; i++) {
      if (i == args.length || args[i].equals("--")) {
        run(List.of(args).subList(begin, i));
        begin = i + 1;
      }
    }
    System.out.println("end");
  }

  private static void run(List<String> words) throws IOException {
    switch (words.get(0)) {
      case "locate" -> System.out.println(HipDriver.WANTED.locate(HipDriver.candidates()));
      case "load" -> load();
      case "errors" ->
          words.stream()
              .skip(1)
              .forEach(code -> print("error", HipResult.CODES.describe(Integer.parseInt(code))));
      case "compile" ->
          compile(words.get(1), Path.of(words.get(2)), words.subList(3, words.size()));
      case "save" ->
          Files.write(Path.of(words.get(3)), code(words.get(1), Path.of(words.get(2)), List.of()));
      default -> throw new IllegalArgumentException("no command " + words);
    }
  }

  private static void load() {
    String first = verdict();
    print("load", first);
    print("again", first.equals(verdict()) ? "the same" : "other");
    if (first.startsWith("HIP")) {
      print("graphs", HipDriver.library().graphs());
    }
  }

  private static String verdict() {
    try {
      GpuLibrary library = HipDriver.library();
      return library.title()
          + ", devices "
          + library.countDevices()
          + ", architecture "
          + HipAttributes.architecture(library.library(), 0);
    } catch (HalException e) {
      NativeCode code = e.nativeCode();
      return e.status() + ": " + e.getMessage() + (code == null ? "" : " [code " + code + "]");
    }
  }

  private static void compile(String architecture, Path file, List<String> options)
      throws IOException {
    try {
      byte[] code = code(architecture, file, options);
      int machine = Byte.toUnsignedInt(code[18]) | Byte.toUnsignedInt(code[19]) << 8;
      print(
          "compiled", file.getFileName() + " for " + architecture + ": ELF for machine " + machine);
    } catch (HalException e) {
      print("compiled", e.status() + ": " + e.getMessage());
    }
  }

  private static byte[] code(String architecture, Path file, List<String> options)
      throws IOException {
    return compiler()
        .compile(
            Files.readString(file, StandardCharsets.UTF_8),
            file.getFileName().toString(),
            options,
            architecture,
            file.getFileName() + " for " + architecture);
  }

  /** Needs no device, and so no {@link HipDriver}. */
  private static Hiprtc compiler() {
    for (String name : HipDriver.candidates()) {
      try {
        return Hiprtc.load(SharedLibrary.open(name), 5);
      } catch (UnsatisfiedLinkError e) {
        continue; // the next one
      }
    }
    throw new HalException(org.jhal.Status.UNAVAILABLE, "no HIP runtime");
  }

  private static void print(String what, String value) {
    System.out.println(what + ": " + value);
  }
}
