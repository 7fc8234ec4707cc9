package org.jhal.utils;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.utils.bundle.FunctionSpec;
import org.jhal.utils.bundle.Variant;

/**
 * All that the engine asks of one open device, beside its streams. A driver implements it and hands
 * it to an {@link EngineDevice}.
 *
 * <p>Failures are {@link org.jhal.HalException}s; one with status UNAVAILABLE means that the device
 * is lost. Called from any thread, with the device bound, no lock held, and not after {@link
 * #close()}.
 *
 * @param <E> the driver's native event
 */
public interface DeviceBackend<E> extends ThreadBinding {
  /** What is known of the device. */
  DeviceInfo info();

  /** What it offers beyond what all devices do. */
  Set<Capability> capabilities();

  /** The formats of kernels that {@link #load} takes. */
  Set<String> executableFormats();

  /** The stream of queue {@code index}; called once for each. */
  NativeStream<E> createStream(int index);

  /** Whether {@link #allocate} can serve {@code params} at all. */
  boolean supports(BufferParams params);

  /**
   * New memory; its bytes are not defined.
   *
   * @throws org.jhal.HalException RESOURCE_EXHAUSTED if there is not enough
   */
  DeviceMemory allocate(long bytes, BufferParams params);

  /**
   * Memory over a direct byte buffer, from position 0 to its capacity; called only with {@link
   * Capability#HOST_IMPORT}.
   */
  DeviceMemory importHost(ByteBuffer memory, BufferParams params);

  /**
   * Loads kernels.
   *
   * @param variant of one of the {@link #executableFormats()}
   * @param functions what the manifest says; all of them must be there
   * @throws org.jhal.HalException UNIMPLEMENTED if this device cannot load this variant, and why;
   *     then the next one is tried. Anything else ends the search.
   */
  KernelModule load(ExecutableSource source, Variant variant, List<FunctionSpec> functions);

  /** Frees the device; everything made from it is freed or leaked on purpose. */
  void close();
}
