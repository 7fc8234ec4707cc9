package org.jhal.cuda;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.utils.DeviceBackend;
import org.jhal.utils.DeviceMemory;
import org.jhal.utils.KernelModule;
import org.jhal.utils.MemoryBudget;
import org.jhal.utils.NativeStream;
import org.jhal.utils.bundle.FunctionSpec;
import org.jhal.utils.bundle.Variant;

/** An NVIDIA device, through its primary context. */
final class CudaDevice implements DeviceBackend<CudaEvent> {
  // From cuda.h: CU_POINTER_ATTRIBUTE_MEMORY_TYPE, and CU_MEMORYTYPE_HOST of its values.
  private static final int MEMORY_TYPE = 2;
  private static final int HOST = 1;

  private static final long PATIENCE_NANOS = 1_000_000_000;

  private final CudaAttributes attributes;
  private final long completionSpinNanos;
  private final CudaContext context;
  private final MemoryPool pool;
  private final TransferLanes lanes;

  /**
   * Opens a device. A context that a kernel has broken lasts until its last user lets go of it;
   * what may still hold it are views of write-combined memory that nobody uses any more.
   *
   * @param completionSpinNanos how long who waits for an event looks at it before sleeping
   */
  static CudaDevice open(CudaAttributes attributes, long completionSpinNanos) {
    try {
      return new CudaDevice(attributes, completionSpinNanos);
    } catch (HalException e) {
      if (e.status() != Status.UNAVAILABLE || !UploadMemory.dropUnusedViews(PATIENCE_NANOS)) {
        throw e;
      }
      return new CudaDevice(attributes, completionSpinNanos);
    }
  }

  private CudaDevice(CudaAttributes attributes, long completionSpinNanos) {
    this.attributes = attributes;
    this.completionSpinNanos = completionSpinNanos;
    this.context = CudaContext.retain(attributes.ordinal());
    MemoryPool made = null;
    try {
      context.push();
      try {
        made =
            new MemoryPool(
                context,
                attributes.ordinal(),
                new MemoryBudget(info().driver() + "-" + info().index(), info().memoryBytes()));
      } finally {
        context.pop();
      }
    } catch (HalException e) {
      try {
        if (made != null) {
          made.close();
        }
      } finally {
        context.release();
      }
      throw e;
    }
    this.pool = made;
    this.lanes = new TransferLanes(context);
  }

  CudaContext context() {
    return context;
  }

  MemoryPool pool() {
    return pool;
  }

  TransferLanes lanes() {
    return lanes;
  }

  @Override
  public long bindToThread() {
    context.push();
    return 0;
  }

  @Override
  public void unbindFromThread(long token) {
    context.pop();
  }

  @Override
  public DeviceInfo info() {
    return attributes.info();
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.HOST_IMPORT);
  }

  @Override
  public Set<String> executableFormats() {
    return CudaModules.FORMATS;
  }

  @Override
  public NativeStream<CudaEvent> createStream(int index) {
    return new CudaStream(this, completionSpinNanos);
  }

  @Override
  public boolean supports(BufferParams params) {
    return params.type() != MemoryType.SHARED;
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return switch (params.type()) {
      case DEVICE -> pool.allocate(bytes);
      case HOST -> new PinnedMemory(context, bytes);
      case HOST_UPLOAD -> new UploadMemory(context, attributes.ordinal(), bytes);
      default -> throw new HalException(Status.UNIMPLEMENTED, "no memory of type " + params.type());
    };
  }

  @Override
  public DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    return new ImportedMemory(context, memory);
  }

  /** The address of host memory that the device reaches, all of it; 0 if it does not. */
  long pinnedAddress(HostMemory memory) {
    ByteBuffer direct = memory.direct();
    if (direct == null) {
      return 0;
    }
    long address = Pointer.nativeValue(Native.getDirectBufferPointer(direct));
    return isPinned(address) && isPinned(address + memory.size() - 1) ? address : 0;
  }

  private static boolean isPinned(long address) {
    int[] type = new int[1];
    return CudaExtras.cuPointerGetAttribute(type, MEMORY_TYPE, address) == CudaResult.SUCCESS
        && type[0] == HOST;
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<FunctionSpec> functions) {
    return new CudaModules(context, attributes).load(source, variant, functions);
  }

  @Override
  public void close() {
    lanes.close();
    pool.close();
    context.release();
  }
}
