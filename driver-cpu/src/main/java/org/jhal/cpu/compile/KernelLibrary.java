// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.runtime.Resources;
import org.jhal.driver.support.ElfFile;
import org.jhal.kernels.bundle.KernelSpec;
import org.jspecify.annotations.Nullable;

/**
 * What a library of compiled kernels says about itself, read from its bytes before the system loads
 * it: loading code for another processor could execute it. The description is a text in the section
 * {@value #SECTION} of the ELF file, with a line for each fact.
 *
 * @param architecture what it was compiled for; {@value #NATIVE} for the machine that compiled it
 * @param abi the version of {@code hal_abi.h}
 * @param kernels by index
 * @param globals the names of the variables that the host may access, by index
 */
public record KernelLibrary(
    String architecture, int abi, List<Kernel> kernels, List<String> globals) {
  /**
   * A kernel of a library.
   *
   * @param size the work items of a workgroup, which the code is compiled for
   */
  public record Kernel(String name, Workgroups size) {}

  /** The version of the interface between a library and the runtime. */
  public static final int ABI = readAbi();

  static final String NATIVE = "native";
  private static final String SECTION = ".jhal";
  private static final String TITLE = "jhal kernels";

  /** Copies the lists. */
  public KernelLibrary {
    kernels = List.copyOf(kernels);
    globals = List.copyOf(globals);
  }

  private static int readAbi() {
    String header = Resources.header("hal_abi.h");
    Matcher version = Pattern.compile("#define HAL_ABI_VERSION ([0-9]+)").matcher(header);
    if (!version.find()) {
      throw new IllegalStateException("hal_abi.h has no version");
    }
    return Integer.parseInt(version.group(1));
  }

  /** The C++ that puts a description into a library, and the variables into its table. */
  static String source(
      @Nullable Architecture architecture, List<Kernel> kernels, List<Global> globals) {
    StringBuilder table = new StringBuilder();
    StringBuilder text = new StringBuilder(TITLE + "\\n");
    text.append("architecture ").append(architecture == null ? NATIVE : architecture).append("\\n");
    text.append("abi ").append(ABI).append("\\n");
    for (Kernel kernel : kernels) {
      Workgroups size = kernel.size();
      text.append("kernel " + kernel.name())
          .append(" " + size.x() + " " + size.y() + " " + size.z() + "\\n");
    }
    for (int i = 0; i < globals.size(); i++) {
      text.append("global " + globals.get(i).name() + "\\n");
      table.append("HAL_GLOBAL(" + i + ", " + globals.get(i).name() + ")\n");
    }
    return "extern \"C\" { __attribute__((section(\"%s\"), used)) extern const char hal_about[];\n"
            .formatted(SECTION)
        + "const char hal_about[] = \""
        + text
        + "\"; }\n"
        + table;
  }

  /**
   * Reads the description of a library.
   *
   * @param what is being loaded, for people
   * @throws HalException INVALID_ARGUMENT if it is not such a library, or is malformed or cut off
   */
  public static KernelLibrary read(byte[] file, String what) {
    ElfFile elf = ElfFile.of(ByteBuffer.wrap(file));
    if (elf == null) {
      throw malformed(what, "it is not a 64-bit ELF file", null);
    }
    try {
      ByteBuffer about = null;
      for (ElfFile.Section section : elf.sections()) { // all: none may be cut off
        if (section.name().equals(SECTION)) {
          about = section.content();
        }
      }
      if (about == null) {
        throw malformed(what, "it does not describe itself: it has no section " + SECTION, null);
      }
      byte[] text = new byte[about.remaining()];
      about.get(text);
      KernelLibrary library = parse(new String(text, StandardCharsets.UTF_8));
      Architecture known = Architecture.of(library.architecture);
      if (known != null && known.elfMachine() != elf.machine()) {
        throw new IllegalArgumentException(
            "the file is for the ELF machine " + elf.machine() + ", its description for " + known);
      }
      return library;
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw malformed(what, "its ELF file is malformed or cut off: " + e.getMessage(), e);
    }
  }

  private static HalException malformed(String what, String why, @Nullable Exception cause) {
    return new HalException(
        Status.INVALID_ARGUMENT,
        "cannot load " + what + ": " + why + "; `hal compile` makes such libraries",
        cause);
  }

  private static KernelLibrary parse(String text) {
    int end = text.indexOf('\0');
    List<String> lines = text.substring(0, end < 0 ? text.length() : end).lines().toList();
    if (lines.isEmpty() || !lines.get(0).equals(TITLE)) {
      throw new IllegalArgumentException("its description does not begin with '" + TITLE + "'");
    }
    String architecture = "";
    int abi = -1;
    List<Kernel> kernels = new ArrayList<>();
    List<String> globals = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] words = line.split(" ", -1);
      switch (words[0] + " " + words.length) {
        case "architecture 2" -> architecture = words[1];
        case "abi 2" -> abi = Integer.parseInt(words[1]);
        case "kernel 5" ->
            kernels.add(
                new Kernel(
                    words[1],
                    new Workgroups(
                        Integer.parseInt(words[2]),
                        Integer.parseInt(words[3]),
                        Integer.parseInt(words[4]))));
        case "global 2" -> globals.add(words[1]);
        default -> {} // a later version may say more
      }
    }
    return new KernelLibrary(architecture, abi, kernels, globals);
  }

  /**
   * Refuses a library that a processor cannot run.
   *
   * @param declared the architecture by the manifest, or null
   * @throws HalException UNIMPLEMENTED if it is for other processors or for another version of the
   *     interface; INVALID_ARGUMENT if the manifest declares another architecture
   */
  public void check(CpuFeatures cpu, @Nullable String declared, String what) {
    Architecture known = Architecture.of(architecture);
    if (declared != null && !declared.equals(architecture)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "cannot load %s: it was compiled for %s; by the manifest it is for %s"
              .formatted(what, architecture, declared));
    }
    if (abi != ABI) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          "%s was made for version %s of the interface to kernels; this driver has version %s"
              .formatted(what, abi, ABI));
    }
    if (known == null) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          "%s was compiled for '%s'; known are %s"
              .formatted(what, architecture, String.join(", ", Architecture.labels())));
    }
    List<String> missing = cpu.missing(known);
    if (!missing.isEmpty()) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          "%s was compiled for %s; this %s processor lacks %s"
              .formatted(what, known, cpu.kind(), String.join(", ", missing)));
    }
  }

  /**
   * Finds a variable.
   *
   * @return its index
   * @throws HalException NOT_FOUND if there is none
   */
  public int index(Global global, String what) {
    int index = globals.indexOf(global.name());
    if (index < 0) {
      throw new HalException(
          Status.NOT_FOUND,
          "%s has no global '%s'; it has %s".formatted(what, global.name(), globals));
    }
    return index;
  }

  /**
   * Finds a kernel.
   *
   * @param entry its name in the library
   * @return its index
   * @throws HalException NOT_FOUND if there is none; INVALID_ARGUMENT if it was compiled for other
   *     workgroups
   */
  public int index(String entry, KernelSpec spec, String what) {
    for (int i = 0; i < kernels.size(); i++) {
      if (kernels.get(i).name().equals(entry)) {
        Workgroups size = kernels.get(i).size();
        if (!size.equals(spec.workgroupSize())) {
          throw new HalException(
              Status.INVALID_ARGUMENT,
              "kernel %s of %s was compiled for workgroups of %s; by the manifest they have %s"
                  .formatted(entry, what, size, spec.workgroupSize()));
        }
        return i;
      }
    }
    throw new HalException(
        Status.NOT_FOUND,
        "%s has no kernel '%s'; it has %s"
            .formatted(what, entry, kernels.stream().map(Kernel::name).toList()));
  }
}
