// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import com.sun.jna.Pointer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.kernels.check.CheckReport;
import org.jspecify.annotations.Nullable;

/**
 * Where memory lies, and what has used it.
 *
 * <p>Around a block of the runtime lie bytes that nothing may write. {@link Overwritten} explains
 * what is reported if they have changed. Around memory of others there is nothing.
 *
 * <p>Thread-safe, except that nothing may use a block once it is freed.
 */
final class Block {
  private final long handle; // see HalRuntime.hal_memory_allocate; 0 if it is another's memory
  private final long address;
  private final long size;
  private final long shadow; // what is known of its bytes, if dispatches are checked; otherwise 0
  private final @Nullable CpuCheck check;
  private volatile String name = ""; // what the last checked kernel calls it

  /** How many outputs are known at most; those before them are forgotten. */
  private static final int OUTPUTS = 16;

  private final Deque<Output> outputs = new ArrayDeque<>(); // guarded by itself; the latest last

  // What has used it lately, the latest first. For messages: streams that race may lose one.
  private String use1 = "";
  private String use2 = "";
  private String use3 = "";

  private Block(long handle, long address, long size, long shadow, @Nullable CpuCheck check) {
    this.handle = handle;
    this.address = address;
    this.size = size;
    this.shadow = shadow;
    this.check = check;
  }

  /**
   * Allocates a block; null if there is not enough memory.
   *
   * @param check what checks the dispatches that use it, or null
   */
  static @Nullable Block allocate(long size, @Nullable CpuCheck check) {
    long handle = HalRuntime.hal_memory_allocate(size);
    if (handle == 0) {
      return null;
    }
    long address = new Pointer(handle).getLong(0);
    long shadow = check == null ? 0 : check.shadow(address, size, false);
    return known(new Block(handle, address, size, shadow, check));
  }

  /** Memory of others. */
  static Block at(long address, long size, @Nullable CpuCheck check) {
    long shadow = check == null ? 0 : check.shadow(address, size, true);
    return known(new Block(0, address, size, shadow, check));
  }

  private static Block known(Block block) {
    if (block.check != null) {
      block.check.allocated(block);
    }
    return block;
  }

  /** For {@link HalRuntime#hal_memory_check}; 0 if it is another's memory. */
  long handle() {
    return handle;
  }

  long address() {
    return address;
  }

  /** For {@link HalRuntime#hal_shadow_written}; 0 if dispatches are not checked. */
  long shadow() {
    return shadow;
  }

  /** Notes what a kernel calls it. */
  void calledBy(String parameter) {
    name = parameter;
  }

  /** What the last checked kernel that had it calls it; empty if none had. */
  String name() {
    return name;
  }

  /** Notes that something else than a kernel has written a part of it. */
  void written(long offset, long length) {
    if (shadow != 0) {
      HalRuntime.hal_shadow_written(shadow, offset, length);
    }
  }

  /** Notes that a kernel has written a part of it. */
  void written(Output output) {
    synchronized (outputs) {
      outputs.removeIf(
          other -> other.offset() == output.offset() && other.length() == output.length());
      outputs.add(output);
      if (outputs.size() > OUTPUTS) {
        outputs.remove();
      }
    }
  }

  /** What is wrong if a part of it is read back: outputs that no kernel has written completely. */
  List<CheckReport> unwritten(long offset, long length) {
    if (shadow == 0) {
      return List.of();
    }
    synchronized (outputs) {
      return outputs.stream()
          .map(output -> output.unwritten(shadow, offset, length))
          .filter(Objects::nonNull)
          .toList();
    }
  }

  long size() {
    return size;
  }

  /** Notes that an operation has used it; {@code what} tells the user which. */
  void usedBy(String what) {
    if (what.equals(use1)) {
      return;
    }
    if (!what.equals(use2)) {
      use3 = use2;
    }
    use2 = use1;
    use1 = what;
  }

  /** What has used it lately, the latest first. */
  List<String> uses() {
    return Stream.of(use1, use2, use3).filter(use -> !use.isEmpty()).toList();
  }

  /** Whether bytes around it have changed, as {@link HalRuntime#hal_memory_check} returns it. */
  long check() {
    return handle == 0 ? 0 : HalRuntime.hal_memory_check(new long[] {handle}, 1);
  }

  /** Frees it, unless it is another's memory, and returns what {@link #check} would. */
  long free() {
    if (check != null) {
      check.freed(this);
    }
    HalRuntime.hal_shadow_free(shadow); // 0 is allowed
    return HalRuntime.hal_memory_free(handle); // 0 is allowed
  }
}
