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
  // From cuda.h: enum CUpointer_attribute, and of the memory types CU_MEMORYTYPE_HOST.
  private static final int MEMORY_TYPE = 2;
  private static final int BUFFER_ID = 7;
  private static final int HOST = 1;

  private final CudaAttributes attributes;
  private final CudaContext context;
  private final MemoryPool pool;
  private final TransferLanes lanes;
  private final FreeThread frees;

  /** Opens a device. */
  CudaDevice(CudaAttributes attributes) {
    this.attributes = attributes;
    this.context = CudaContext.retain(attributes.ordinal());
    MemoryPool made = null;
    try {
      context.push();
      try {
        made =
            new MemoryPool(
                context, attributes.ordinal(), new MemoryBudget(name(), info().memoryBytes()));
      } finally {
        context.pop();
      }
      this.pool = made;
      this.lanes = new TransferLanes(context);
      this.frees = new FreeThread(context, name());
    } catch (Throwable t) {
      MemoryPool left = made;
      if (left != null) {
        context.giveBack(left::close);
      }
      context.release();
      throw t;
    }
  }

  private String name() {
    return info().driver() + "-" + info().index();
  }

  CudaContext context() {
    return context;
  }

  MemoryPool pool() {
    return pool;
  }

  FreeThread frees() {
    return frees;
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
    return new CudaStream(this);
  }

  @Override
  public boolean supports(BufferParams params) {
    return params.type() != MemoryType.SHARED;
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return switch (params.type()) {
      case DEVICE -> pool.allocate(bytes);
      case HOST -> new PinnedMemory(context, frees, bytes);
      case HOST_UPLOAD -> new UploadMemory(context, frees, bytes);
      default -> throw new HalException(Status.UNIMPLEMENTED, "no memory of type " + params.type());
    };
  }

  @Override
  public DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    return new ImportedMemory(context, frees, memory);
  }

  /** The address of host memory that the device reaches, all of it; 0 if it does not. */
  long pinnedAddress(HostMemory memory) {
    ByteBuffer direct = memory.direct();
    if (direct == null) {
      return 0;
    }
    long address = Pointer.nativeValue(Native.getDirectBufferPointer(direct));
    long[] value = new long[1];
    if (!isKnown(value, MEMORY_TYPE, address) || value[0] != HOST) {
      return 0;
    }
    // A copy that leaves one allocation or registration for another is refused.
    if (!isKnown(value, BUFFER_ID, address)) {
      return 0;
    }
    long id = value[0];
    return isKnown(value, BUFFER_ID, address + memory.size() - 1) && value[0] == id ? address : 0;
  }

  private static boolean isKnown(long[] value, int attribute, long address) {
    value[0] = 0; // some attributes are shorter
    return CudaExtras.cuPointerGetAttribute(value, attribute, address) == CudaResult.SUCCESS;
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<FunctionSpec> functions) {
    return new CudaModules(context, frees, attributes).load(source, variant, functions);
  }

  @Override
  public void close() {
    frees.close(this::closeLast);
  }

  private void closeLast() {
    context.giveBack(lanes::close);
    context.giveBack(pool::close);
    context.release();
  }
}
