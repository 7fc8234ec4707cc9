// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.ElfFile;
import org.jhal.kernels.bundle.KernelArgument;
import org.jhal.kernels.bundle.KernelSpec;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a code object, read before the runtime loads it: its architecture, and the layout
 * of its kernels' arguments. The runtime reports neither. The metadata is in a note of the ELF
 * file, as LLVM's "User Guide for AMDGPU Backend" describes it for code objects of version 3 and
 * later; version 3 does not name the architecture there.
 *
 * <p>Any other file, such as a bundle of code objects, which the runtime unpacks, is {@link
 * #UNKNOWN}: its checks pass, and the runtime decides.
 *
 * @param architecture such as {@code gfx90a:xnack-}; empty if unknown
 * @param kernels the arguments of a launch, by kernel; without kernels whose arguments are unknown
 */
record CodeObject(String architecture, Map<String, List<KernelArgument>> kernels) {
  static final CodeObject UNKNOWN = new CodeObject("", Map.of());

  private static final int MACHINE_AMDGPU = 224; // in elf.h
  private static final int NOTE_METADATA = 32;
  private static final String NOTE_NAME = "AMDGPU";
  private static final String TARGET_PREFIX = "amdgcn-amd-amdhsa--";
  private static final String BY_VALUE = "by_value";
  private static final String HIDDEN = "hidden_";
  private static final String GENERIC = "-generic";

  /**
   * Reads a file.
   *
   * @param what is being loaded, for people
   * @throws HalException INVALID_ARGUMENT for an AMD code object that is malformed or truncated
   */
  static CodeObject read(byte[] file, String what) {
    ElfFile elf = ElfFile.of(ByteBuffer.wrap(file));
    if (elf == null || elf.machine() != MACHINE_AMDGPU) {
      return UNKNOWN;
    }
    try {
      elf.sections(); // their table is at the end: the file is not cut off
      byte[] metadata = findMetadata(elf);
      return metadata == null ? UNKNOWN : of(map(MessagePack.read(metadata)));
    } catch (IllegalArgumentException | BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "cannot load %s: this AMD code object of %s bytes is malformed or cut off%s"
              .formatted(
                  what, file.length, e.getMessage() == null ? "" : " (" + e.getMessage() + ")"),
          e);
    }
  }

  private static byte @Nullable [] findMetadata(ElfFile elf) {
    byte[] metadata = null;
    for (ElfFile.Segment segment : elf.segments()) {
      ByteBuffer content = elf.content(segment);
      if (metadata == null && segment.type() == ElfFile.SEGMENT_NOTE) {
        metadata = findMetadataNote(content);
      }
    }
    return metadata;
  }

  private static byte @Nullable [] findMetadataNote(ByteBuffer notes) {
    while (notes.hasRemaining()) {
      int nameBytes = notes.getInt();
      int contentBytes = notes.getInt();
      int type = notes.getInt();
      String name = new String(take(notes, nameBytes), StandardCharsets.US_ASCII);
      byte[] content = take(notes, contentBytes);
      if (type == NOTE_METADATA && name.equals(NOTE_NAME + "\0")) {
        return content;
      }
    }
    return null;
  }

  /** Takes bytes and their padding to a multiple of four, optional at the end. */
  private static byte[] take(ByteBuffer from, int count) {
    if (count < 0 || count > from.remaining()) {
      throw new IllegalArgumentException("a note has " + count + " bytes");
    }
    byte[] taken = new byte[count];
    from.get(taken);
    from.position(Math.min(from.limit(), from.position() + (-count & 3)));
    return taken;
  }

  private static CodeObject of(Map<?, ?> metadata) {
    String target = metadata.get("amdhsa.target") instanceof String text ? text : "";
    Map<String, List<KernelArgument>> kernels = new LinkedHashMap<>();
    for (Object item : list(metadata.get("amdhsa.kernels"))) {
      Map<?, ?> kernel = map(item);
      List<KernelArgument> arguments = arguments(kernel);
      if (arguments != null && kernel.get(".name") instanceof String name) {
        kernels.put(name, arguments);
      }
    }
    boolean isKnown = target.startsWith(TARGET_PREFIX);
    return new CodeObject(isKnown ? target.substring(TARGET_PREFIX.length()) : "", kernels);
  }

  /** The arguments of a kernel; null if the metadata has only their total size. */
  private static @Nullable List<KernelArgument> arguments(Map<?, ?> kernel) {
    Object described = kernel.get(".args");
    if (described == null) {
      return Long.valueOf(0).equals(kernel.get(".kernarg_segment_size")) ? List.of() : null;
    }
    List<KernelArgument> arguments = new ArrayList<>();
    for (Object item : list(described)) {
      Map<?, ?> argument = map(item);
      String kind = argument.get(".value_kind") instanceof String text ? text : BY_VALUE;
      if (!kind.startsWith(HIDDEN)) {
        arguments.add(
            new KernelArgument(
                number(argument.get(".offset")),
                number(argument.get(".size")),
                !kind.equals(BY_VALUE)));
      }
    }
    return List.copyOf(arguments);
  }

  private static Map<?, ?> map(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalArgumentException("a map is missing in its metadata");
  }

  private static List<?> list(@Nullable Object value) {
    if (value == null) {
      return List.of();
    } else if (value instanceof List<?> list) {
      return list;
    }
    throw new IllegalArgumentException("a list is missing in its metadata");
  }

  private static int number(@Nullable Object value) {
    if (value instanceof Long number && number >= 0 && number <= Integer.MAX_VALUE) {
      return number.intValue();
    }
    throw new IllegalArgumentException("an argument has the offset or size " + value);
  }

  /**
   * Refuses code for another architecture. The runtime checks generic code, which is for a family.
   *
   * @param device the device's architecture, such as {@code gfx90a:sramecc+:xnack-}
   * @param what is being loaded, for people
   * @throws HalException UNIMPLEMENTED if the processors differ, or a feature is on in one and off
   *     in the other
   */
  void checkArchitecture(String device, String what) {
    if (architecture.isEmpty()) {
      return;
    }
    List<String> own = List.of(architecture.split(":", -1));
    List<String> theirs = List.of(device.split(":", -1));
    boolean isFit = own.get(0).endsWith(GENERIC) || own.get(0).equals(theirs.get(0));
    for (String feature : own.subList(1, own.size())) {
      String opposite =
          feature.endsWith("+")
              ? feature.replaceFirst("[+]$", "-")
              : feature.replaceFirst("-$", "+");
      isFit &= !theirs.contains(opposite);
    }
    if (!isFit) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          "cannot load " + what + ": it is for " + architecture + ", the device is " + device);
    }
  }

  /**
   * Compares a kernel's arguments with those of a launch. Unknown arguments pass.
   *
   * @param entry the name of the kernel's entry point
   * @param name the kernel with its origin, for people
   * @throws HalException INVALID_ARGUMENT if they differ; the message has both
   */
  void checkArguments(String entry, KernelSpec function, String name) {
    List<KernelArgument> taken = kernels.get(entry);
    if (taken != null) {
      KernelArgument.check(taken, function, name);
    }
  }
}
