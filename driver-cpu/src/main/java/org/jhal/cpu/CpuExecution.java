package org.jhal.cpu;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.cpu.runtime.Failure;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.driver.Command;
import org.jhal.driver.ExternalCall;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.NativeAccess;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.workgroup.JavaGrid;
import org.jhal.driver.workgroup.JavaModule;
import org.jhal.driver.workgroup.KernelView;

/** Carries out the commands of one stream. Commands are prepared by the issuing thread. */
class CpuExecution {
  private final CpuDevice device;
  private static final CpuMemory[] NONE = {};

  private final JavaGrid javaGrid;
  private final List<CpuMemory> used = new ArrayList<>(); // by the command that is being prepared
  private long began; // of what is measured
  private Memory arguments = new Memory(1024); // pointers to the values behind them

  CpuExecution(CpuDevice device) {
    this.device = device;
    this.javaGrid = new JavaGrid(device.javaThreadCount(), device.javaThreads());
  }

  void begin() {
    began = System.nanoTime();
  }

  void end(Submission submission) {
    submission.ranOnDevice(began, System.nanoTime(), 0);
  }

  /**
   * What a command does, with its memory: that is kept until it has run, even if another stream
   * frees it before.
   */
  CpuTask prepare(Command command, Submission submission) {
    used.clear();
    CpuTask body = body(command, submission);
    CpuMemory[] memory = used.toArray(NONE);
    for (CpuMemory each : memory) {
      each.retain();
    }
    return () -> {
      body.run();
      for (CpuMemory each : memory) {
        each.release();
      }
    };
  }

  /** What a command does. Its memory is noted. */
  CpuTask body(Command command, Submission submission) {
    return switch (command.kind()) {
      case FILL -> {
        long to = address(submission, command.target());
        long length = submission.length(command.target());
        int pattern = command.pattern();
        int bytes = command.patternBytes();
        yield () -> HalRuntime.hal_memory_fill(to, length, pattern, bytes);
      }
      case UPDATE -> {
        CpuMemory target = memory(submission, command.target());
        long offset = submission.offset(command.target());
        ByteBuffer bytes = command.bytes();
        yield () -> target.bytes(offset, bytes.remaining()).put(bytes.duplicate());
      }
      case UPLOAD -> {
        CpuMemory target = memory(submission, command.target());
        long offset = submission.offset(command.target());
        long length = submission.length(command.target());
        HostMemory source = command.host();
        yield CpuTask.failing(submission, () -> target.write(offset, source, length));
      }
      case READBACK -> {
        CpuMemory source = memory(submission, command.source());
        long offset = submission.offset(command.source());
        long length = submission.length(command.source());
        HostMemory target = command.host();
        yield CpuTask.failing(submission, () -> source.read(offset, target, length));
      }
      case COPY -> {
        long from = address(submission, command.source());
        long to = address(submission, command.target());
        long length = submission.length(command.target());
        yield () -> HalRuntime.hal_memory_copy(to, from, length);
      }
      case DISPATCH -> dispatch(command, submission);
      case EXTERNAL -> external(command, submission);
      case BARRIER -> () -> {}; // one command runs after the other
      case EVENT -> throw new IllegalArgumentException("there are no native events");
    };
  }

  private CpuMemory memory(Submission submission, Operand operand) {
    CpuMemory memory = (CpuMemory) submission.memory(operand);
    used.add(memory);
    return memory;
  }

  private long address(Submission submission, Operand operand) {
    return memory(submission, operand).address() + submission.offset(operand);
  }

  // Kernels.

  private CpuTask dispatch(Command command, Submission submission) {
    LoadedKernel kernel = command.kernel();
    if (kernel.module() instanceof JavaModule) {
      return javaDispatch(command, submission);
    }
    long[] addresses = new long[kernel.parameterCount()];
    for (int i = 0; i < addresses.length; i++) {
      if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
        addresses[i] = address(submission, command.argument(i));
      }
    }
    long function = ((CpuModule) kernel.module()).function(kernel.index());
    byte[] constants = command.array();
    int x = command.groupsX();
    int y = command.groupsY();
    int z = command.groupsZ();
    return CpuTask.failing(submission, () -> run(kernel, function, addresses, constants, x, y, z));
  }

  private void run(
      LoadedKernel kernel, long function, long[] addresses, byte[] constants, int x, int y, int z) {
    int count = addresses.length;
    long values = (8L * count + 63) / 64 * 64; // aligned like the block of constants
    long needed = values + constants.length + 8L * count;
    if (arguments.size() < needed) {
      arguments = new Memory(2 * needed);
    }
    long base = Pointer.nativeValue(arguments);
    arguments.write(values, constants, 0, constants.length);
    for (int i = 0; i < count; i++) {
      long at = values + kernel.layout().offset(i);
      arguments.setLong(8L * i, base + at);
      if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
        arguments.setLong(at, addresses[i]);
      }
    }
    int failure =
        HalRuntime.hal_pool_run(
            device.pool(), function, base, x, y, z, kernel.dynamicSharedMemory());
    if (failure != 0) {
      throw Failure.of(failure, kernel.name());
    }
  }

  private CpuTask javaDispatch(Command command, Submission submission) {
    LoadedKernel kernel = command.kernel();
    KernelView[] views = new KernelView[kernel.parameterCount()];
    for (int i = 0; i < views.length; i++) {
      views[i] = new KernelView();
      if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
        Operand operand = command.argument(i);
        views[i].set(
            memory(submission, operand),
            kernel.parameter(i).name(),
            submission.offset(operand),
            submission.length(operand));
      }
    }
    return () -> {
      try {
        javaGrid.run(command, views);
      } catch (Throwable t) { // a kernel's throwable fails its operation only
        submission.fail(CpuTask.failure("kernel " + kernel.name(), t));
      }
      for (KernelView view : views) {
        view.clear(); // a kernel may have kept it
      }
    };
  }

  // External work.

  private CpuTask external(Command command, Submission submission) {
    ExternalCall call = command.external();
    int count = call.bufferCount();
    CpuMemory[] memory = new CpuMemory[count];
    long[] offsets = new long[count];
    long[] lengths = new long[count];
    for (int i = 0; i < count; i++) {
      memory[i] = memory(submission, command.argument(i));
      offsets[i] = submission.offset(command.argument(i));
      lengths[i] = submission.length(command.argument(i));
    }
    NativeAccess access =
        new NativeAccess() {
          @Override
          public long address(int index) {
            return memory[index].address() + offsets[index];
          }

          @Override
          public ByteBuffer bytes(int index) {
            return memory[index].map(offsets[index], (int) lengths[index]).bytes();
          }
        };
    return CpuTask.failing(
        submission,
        () -> {
          HalException failure = call.run(access);
          if (failure != null) {
            throw failure;
          }
        });
  }

  void close() {
    arguments.close();
  }
}
