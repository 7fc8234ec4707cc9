package org.jhal;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * How a buffer is to be made.
 *
 * @param type where the bytes live
 * @param usage what may be done with them; an empty set stands for everything that {@code type}
 *     allows
 */
public record BufferParams(MemoryType type, Set<BufferUsage> usage) {
  /** Device memory for transfers and kernels. */
  public static final BufferParams DEVICE = new BufferParams(MemoryType.DEVICE, Set.of());

  /** Device memory for transfers and kernels that the host can map. */
  public static final BufferParams SHARED = new BufferParams(MemoryType.SHARED, Set.of());

  /** Cached host memory for transfers, kernels and mapping. */
  public static final BufferParams HOST = new BufferParams(MemoryType.HOST, Set.of());

  /** Host memory that the host writes and the device reads. */
  public static final BufferParams HOST_UPLOAD = new BufferParams(MemoryType.HOST_UPLOAD, Set.of());

  /**
   * Checks the combination.
   *
   * @throws HalException INVALID_ARGUMENT if {@code usage} asks for mapping of {@link
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

  /** These parameters with another usage. */
  public BufferParams withUsage(BufferUsage... usages) {
    Objects.requireNonNull(usages, "usages");
    return new BufferParams(type, new HashSet<>(Arrays.asList(usages)));
  }

  /** Whether all of {@code wanted} is allowed. */
  public boolean allows(Collection<BufferUsage> wanted) {
    return usage.containsAll(Objects.requireNonNull(wanted, "wanted"));
  }
}
