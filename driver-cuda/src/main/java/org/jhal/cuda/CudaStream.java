package org.jhal.cuda;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jhal.BufferParams;
import org.jhal.HostMemory;
import org.jhal.MemoryType;
import org.jhal.Parameter;
import org.jhal.Workgroups;
import org.jhal.utils.ArgumentLayout;
import org.jhal.utils.Command;
import org.jhal.utils.CommandList;
import org.jhal.utils.DeviceMemory;
import org.jhal.utils.EngineFunction;
import org.jhal.utils.Naps;
import org.jhal.utils.NativeStream;
import org.jhal.utils.Operand;
import org.jhal.utils.Submission;
import org.jspecify.annotations.Nullable;

/**
 * A native stream.
 *
 * <p>Completion is seen through events. One for which a thread can sleep (BLOCKING_SYNC) is scarce:
 * a stream takes 56 that have not fired, and the next record blocks (measured on an H200 with
 * driver 580). So it is recorded while the stream is nearly empty. Behind many others a plain event
 * is, and who waits for that one looks from time to time.
 *
 * <p>A query is not free either: it takes a lock that whoever launches needs as well. Far behind
 * the end of the stream one query is spared for each event before one that has fired.
 *
 * <p>Thread-safe as {@link NativeStream} asks.
 */
final class CudaStream implements NativeStream<CudaEvent> {
  // From cuda.h: CU_STREAM_NON_BLOCKING, CU_EVENT_BLOCKING_SYNC and _DISABLE_TIMING.
  static final int NON_BLOCKING = 1;
  static final int PLAIN_EVENT = 2;
  static final int BLOCKING_EVENT = 1 | 2;

  /** Of 1021 commands that were measured (H200, driver 580), less what a command may expand to. */
  private static final int CAPACITY = 800;

  /** With more unfired events in front, an event is a plain one. */
  private static final int SHALLOW = 16;

  /**
   * When so many recordings in a row were seen to fire by who polls, they are plain ones until
   * somebody sleeps again: an event that wakes a thread costs an interrupt.
   */
  private static final int WAKEFUL = 64;

  /** With more events behind one that has fired, a later one is looked at. */
  private static final int FEW = 2;

  private static final int KEPT_EVENTS = 1024; // a power of two

  /** Uploads of pageable memory up to this size are copied while they are issued. */
  private static final int MAX_CAPTURED = 256 << 10;

  private final CudaDevice device;
  private final CudaContext context;
  private final CUstream handle = new CUstream();

  // Recordings are counted from 1. Written by the thread that issues, the first before the second.
  private final @Nullable CudaEvent[] events =
      new CudaEvent[KEPT_EVENTS]; // the latest, by their number
  private volatile long recordings;

  /**
   * All recordings up to this one have fired. Written by whoever has seen that, without a lock: a
   * smaller number that overtakes a larger one is true as well.
   */
  private volatile long fired;

  /** The latest recording when a thread last went to sleep. */
  private volatile long lastSleep;

  // Of the thread that issues.
  private final StagingBlocks staging;
  private final DeferredFrees hostFrees;
  private @Nullable StreamMark nextMark; // of what was issued since the last event
  private final LaunchBuffer launch = new LaunchBuffer();
  private final CUdeviceptr first = new CUdeviceptr(); // what a call takes, overwritten by each
  private final CUdeviceptr second = new CUdeviceptr();

  CudaStream(CudaDevice device) {
    this.device = device;
    this.context = device.context();
    this.staging = new StagingBlocks(context, device.frees());
    this.hostFrees = new DeferredFrees(context);
    context.check("cuStreamCreate", JCudaDriver.cuStreamCreate(handle, NON_BLOCKING));
  }

  CUstream handle() {
    return handle;
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
  public int capacity() {
    return CAPACITY;
  }

  // Events.

  @Override
  public CudaEvent createEvent() {
    CudaEvent event = new CudaEvent();
    context.check("cuEventCreate", JCudaDriver.cuEventCreate(event.plain, PLAIN_EVENT));
    int code = JCudaDriver.cuEventCreate(event.blocking, BLOCKING_EVENT);
    if (code != CudaResult.SUCCESS) {
      int ignored = JCudaDriver.cuEventDestroy(event.plain);
      throw context.failure("cuEventCreate", code, "");
    }
    return event;
  }

  @Override
  public void destroyEvent(CudaEvent event) {
    int code = JCudaDriver.cuEventDestroy(event.blocking);
    context.checkFreed("cuEventDestroy", JCudaDriver.cuEventDestroy(event.plain));
    context.checkFreed("cuEventDestroy", code);
  }

  @Override
  public void recordEvent(CudaEvent event) {
    long position = recordings + 1;
    boolean isAsleep = position - lastSleep <= WAKEFUL;
    event.setRecorded(isAsleep && position - fired <= SHALLOW, position);
    context.check("cuEventRecord", JCudaDriver.cuEventRecord(event.recorded(), handle));
    events[(int) position & (KEPT_EVENTS - 1)] = event;
    recordings = position;
    StreamMark mark = nextMark;
    if (mark != null) {
      mark.set(event);
      nextMark = null;
    }
    hostFrees.freePassed();
  }

  /** The place behind the next event. */
  private StreamMark nextMark() {
    StreamMark mark = nextMark;
    if (mark == null) {
      mark = new StreamMark();
      nextMark = mark;
    }
    return mark;
  }

  @Override
  public void waitEvent(CudaEvent event) {
    context.check("cuStreamWaitEvent", JCudaDriver.cuStreamWaitEvent(handle, event.recorded(), 0));
  }

  @Override
  public boolean queryEvent(CudaEvent event) {
    long position = event.position();
    if (position <= fired) {
      return true;
    }
    if (!query(event)) {
      return false;
    }
    fired = Math.max(fired, lastFired(position));
    return true;
  }

  private boolean query(CudaEvent event) {
    int code = JCudaDriver.cuEventQuery(event.recorded());
    if (code == CudaResult.NOT_READY) {
      return false;
    }
    context.check("cuEventQuery", code);
    return true;
  }

  @Override
  public void synchronizeEvent(CudaEvent event) {
    long position = event.position();
    if (position <= fired) {
      return;
    }
    lastSleep = recordings;
    if (event.isBlocking()) {
      context.check("cuEventSynchronize", JCudaDriver.cuEventSynchronize(event.recorded()));
    } else {
      boolean ignored = Naps.await(this, Naps.never(), () -> queryEvent(event));
    }
    fired = Math.max(fired, position);
  }

  /** A recording that has fired, {@code position} or a later one, with those before it. */
  private long lastFired(long position) {
    long last = position;
    for (long step = 1; recordings - last > Math.max(FEW, step); step *= 2) {
      CudaEvent next = events[(int) (last + step) & (KEPT_EVENTS - 1)];
      if (next == null || next.position() != last + step || !query(next)) {
        break;
      }
      last += step;
    }
    return last;
  }

  // Commands.

  @Override
  public void issue(CommandList commands, Submission submission) {
    for (int i = 0; i < commands.size(); i++) {
      Command command = commands.get(i);
      switch (command.kind()) {
        case FILL -> fill(command, submission);
        case UPDATE -> update(command, submission);
        case UPLOAD -> upload(command, submission);
        case READBACK -> readback(command, submission);
        case COPY -> copy(command, submission);
        case DISPATCH -> dispatch(command, submission);
        case BARRIER -> {} // the stream runs one command after the other
      }
    }
  }

  private static CudaMemory memory(Operand operand, Submission submission) {
    return (CudaMemory) submission.memory(operand);
  }

  private static long address(Operand operand, Submission submission) {
    return memory(operand, submission).address() + submission.offset(operand);
  }

  private void fill(Command command, Submission submission) {
    Handles.set(first, address(command.target(), submission));
    long bytes = submission.length(command.target());
    int pattern = command.pattern();
    switch (command.patternBytes()) {
      case 1 ->
          context.check(
              "cuMemsetD8Async", JCudaDriver.cuMemsetD8Async(first, (byte) pattern, bytes, handle));
      case 2 ->
          context.check(
              "cuMemsetD16Async",
              JCudaDriver.cuMemsetD16Async(first, (short) pattern, bytes / 2, handle));
      default ->
          context.check(
              "cuMemsetD32Async", JCudaDriver.cuMemsetD32Async(first, pattern, bytes / 4, handle));
    }
  }

  private void copy(Command command, Submission submission) {
    CudaMemory from = memory(command.source(), submission);
    CudaMemory to = memory(command.target(), submission);
    Handles.set(first, to.address() + submission.offset(command.target()));
    Handles.set(second, from.address() + submission.offset(command.source()));
    long bytes = submission.length(command.target());
    if (from.isOnHost() || to.isOnHost()) {
      context.check("cuMemcpyAsync", JCudaDriver.cuMemcpyAsync(first, second, bytes, handle));
    } else {
      context.check(
          "cuMemcpyDtoDAsync", JCudaDriver.cuMemcpyDtoDAsync(first, second, bytes, handle));
    }
  }

  private void update(Command command, Submission submission) {
    ByteBuffer bytes = command.bytes();
    capture(address(command.target(), submission), bytes.remaining(), space -> space.put(bytes));
  }

  /** Writes bytes that the host gives now to {@code target} when the stream gets there. */
  private void capture(long target, int size, Consumer<ByteBuffer> source) {
    long staged = staging.put(size, nextMark(), source);
    context.check(
        "cuMemcpyHtoDAsync",
        CudaExtras.cuMemcpyHtoDAsync_v2(target, staged, size, Handles.get(handle)));
  }

  /**
   * What the host has done for the source, it has done before this is issued: its waits are met by
   * then, except for those that the device meets, and the device writes no pageable memory. So the
   * source may be read now.
   */
  private void upload(Command command, Submission submission) {
    HostMemory source = command.host();
    long target = address(command.target(), submission);
    long pinned = device.pinnedAddress(source);
    if (pinned != 0) {
      context.check(
          "cuMemcpyHtoDAsync",
          CudaExtras.cuMemcpyHtoDAsync_v2(target, pinned, source.size(), Handles.get(handle)));
    } else if (source.size() <= MAX_CAPTURED) {
      capture(target, (int) source.size(), space -> source.read(0, space));
    } else {
      submission.afterwards(PageableTransfer.upload(device, source, target));
    }
  }

  private void readback(Command command, Submission submission) {
    HostMemory target = command.host();
    long source = address(command.source(), submission);
    long pinned = device.pinnedAddress(target);
    if (pinned != 0) {
      context.check(
          "cuMemcpyDtoHAsync",
          CudaExtras.cuMemcpyDtoHAsync_v2(pinned, source, target.size(), Handles.get(handle)));
    } else {
      submission.afterwards(PageableTransfer.readback(device, source, target));
    }
  }

  private void dispatch(Command command, Submission submission) {
    EngineFunction function = command.function();
    ArgumentLayout layout = function.layout();
    launch.set(command.array(), layout.size());
    for (int i = 0; i < function.parameterCount(); i++) {
      if (function.parameter(i).kind() == Parameter.Kind.BUFFER) {
        launch.setAddress(layout.offset(i), address(command.argument(i), submission));
      }
    }
    Workgroups size = function.workgroupSize();
    CudaModule module = (CudaModule) function.executable().module();
    context.check(
        "cuLaunchKernel",
        JCudaDriver.cuLaunchKernel(
            module.function(function.index()),
            command.groupsX(),
            command.groupsY(),
            command.groupsZ(),
            size.x(),
            size.y(),
            size.z(),
            function.dynamicSharedMemory(),
            handle,
            null,
            launch.extra()));
  }

  @Override
  public DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    return params.type() == MemoryType.DEVICE
        ? device.pool().allocate(bytes, handle, first)
        : device.allocate(bytes, params); // host memory has no stream order
  }

  @Override
  public void freeAsync(DeviceMemory memory) {
    if (memory instanceof PoolMemory pooled) {
      device.pool().free(pooled, handle, first);
    } else {
      hostFrees.add(memory, nextMark());
    }
  }

  @Override
  public boolean isIdle() {
    int code = JCudaDriver.cuStreamQuery(handle);
    if (code == CudaResult.NOT_READY) {
      return false;
    }
    context.check("cuStreamQuery", code);
    return true;
  }

  /** cuStreamDestroy does not wait, so nothing may run any more. */
  @Override
  public void close() {
    staging.close();
    hostFrees.close();
    context.checkFreed("cuStreamDestroy", JCudaDriver.cuStreamDestroy(handle));
  }
}
