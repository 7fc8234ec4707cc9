// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * The parameters of a new buffer. Immutable.
 *
 * @param type where the bytes are located
 * @param usage the allowed uses; an empty set stands for every use that {@code type} allows
 */
public record BufferParams(MemoryType type, Set<BufferUsage> usage) {
  /** Device memory for transfers and kernels. */
  public static final BufferParams DEVICE = new BufferParams(MemoryType.DEVICE, Set.of());

  /** Device memory for transfers and kernels, which the host can map. */
  public static final BufferParams SHARED = new BufferParams(MemoryType.SHARED, Set.of());

  /** Cached host memory for transfers, kernels and mapping. */
  public static final BufferParams HOST = new BufferParams(MemoryType.HOST, Set.of());

  /** Host memory that the host writes and the device reads; {@link MemoryType#HOST_UPLOAD}. */
  public static final BufferParams HOST_UPLOAD = new BufferParams(MemoryType.HOST_UPLOAD, Set.of());

  /**
   * Checks the combination, and copies the set.
   *
   * @throws HalException INVALID_ARGUMENT if {@code usage} includes mapping for {@link
   *     MemoryType#DEVICE} memory
   */
  public BufferParams {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(usage, "usage");
    Set<BufferUsage> allowed = EnumSet.allOf(BufferUsage.class);
    if (type == MemoryType.DEVICE) {
      allowed.remove(BufferUsage.MAP_READ);
      allowed.remove(BufferUsage.MAP_WRITE);
    }
    if (!allowed.containsAll(usage)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "usage " + usage + " is not possible for " + type + " memory; it allows " + allowed);
    }
    usage = Set.copyOf(usage.isEmpty() ? allowed : usage);
  }

  /**
   * Returns these parameters with another usage; none stands for every use that the type allows.
   *
   * @throws HalException INVALID_ARGUMENT if the type does not allow the usage
   */
  public BufferParams withUsage(BufferUsage... usages) {
    Objects.requireNonNull(usages, "usages");
    return new BufferParams(type, new HashSet<>(Arrays.asList(usages)));
  }

  /** Returns whether all of {@code wanted} is allowed. */
  public boolean allows(Collection<BufferUsage> wanted) {
    return usage.containsAll(Objects.requireNonNull(wanted, "wanted"));
  }
}
