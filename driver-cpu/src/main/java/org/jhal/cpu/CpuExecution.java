// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.Workgroups;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.ExternalCall;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.NativeAccess;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jhal.driver.support.Attempt;
import org.jhal.kernels.workgroup.GridKernel;
import org.jhal.kernels.workgroup.JavaGrid;
import org.jhal.kernels.workgroup.KernelView;
import org.jspecify.annotations.Nullable;

/** Carries out the commands of one stream. Commands are prepared by the issuing thread. */
class CpuExecution {
  private static final String EXTERNAL = "external work";

  private final JavaGrid javaGrid;
  private final List<CpuMemory> used = new ArrayList<>(); // by the command that is being prepared
  private final CpuGrids grids;
  private final @Nullable CpuCheck checks;
  private long began; // when the measured operation began
  private long commandBegan; // likewise, the command

  CpuExecution(CpuDevice device, CpuThreads threads) {
    this.checks = device.check();
    this.grids = new CpuGrids(threads, checks);
    this.javaGrid =
        new JavaGrid(
            threads.java().count(),
            body -> threads.java().execute(threads.rank(), body),
            threads.java().groups(),
            checks == null ? null : checks.checks());
  }

  void begin() {
    began = System.nanoTime();
  }

  private void beginCommand() {
    commandBegan = System.nanoTime();
  }

  void end(Submission submission) {
    submission.ranOnDevice(began, System.nanoTime(), 0);
  }

  /**
   * Adds the tasks of commands to {@code tasks}. The memory that they use is kept until they have
   * run, even if another stream frees it earlier.
   */
  void prepare(CommandList commands, Submission submission, Collection<CpuTask> tasks) {
    Dispatches open = null; // the latest ones, if the next dispatch can join them
    for (int i = 0; i < commands.size(); i++) {
      Command command = commands.get(i);
      check("command");
      if (command.kind() == Command.Kind.BARRIER) {
        continue; // one command runs after the other
      }
      used.clear();
      if (submission.timesCommands()) {
        open = null; // its time is its own
        tasks.add(CpuTask.of(this::beginCommand));
      }
      if (isGrid(command)) {
        CpuGrid grid = grid(command, submission);
        if (open == null || open.isFull() || grid.isIndirect()) {
          open = new Dispatches(submission);
          tasks.add(open);
        }
        open.keepUsed();
        open.add(grid);
      } else {
        open = null;
        Single single = new Single(body(command, submission), label(command), submission);
        single.keepUsed();
        tasks.add(single);
      }
      if (submission.timesCommands()) {
        int index = i;
        tasks.add(
            CpuTask.of(() -> submission.commandRan(index, commandBegan, System.nanoTime(), 0)));
      }
    }
  }

  /**
   * A hook for tests, called with "command" when a command is prepared, and with "execute" when it
   * begins to run. What it throws fails the operation.
   */
  void check(String call) {}

  /** A task of an operation, with the memory that it keeps. */
  private abstract class Work implements CpuTask {
    final Submission submission;
    private final List<CpuMemory> memory = new ArrayList<>();

    Work(Submission submission) {
      this.submission = submission;
    }

    /** Keeps the memory that is {@link #used} until it has run or is dropped. */
    final void keepUsed() {
      for (CpuMemory each : used) {
        each.retain();
        memory.add(each);
      }
    }

    final void usedBy(String label) {
      for (CpuMemory each : memory) {
        each.block().usedBy(label);
      }
    }

    abstract void execute() throws Throwable;

    @Override
    public void run() {
      try {
        execute();
      } catch (Throwable t) { // fails only its operation
        submission.fail(Attempt.aborted("work threw ", t));
      } finally {
        drop();
      }
    }

    @Override
    public void drop() {
      for (CpuMemory each : memory) {
        each.release();
      }
    }
  }

  /** Any command but a dispatch of a kernel in C++. */
  private final class Single extends Work {
    private final CpuTask.Body body;
    private final String label;

    Single(CpuTask.Body body, String label, Submission submission) {
      super(submission);
      this.body = body;
      this.label = label;
    }

    @Override
    void execute() throws Throwable {
      check("execute");
      usedBy(label);
      body.run();
    }
  }

  /**
   * Consecutive dispatches of one operation, of kernels in C++. Only the first may be indirect, as
   * those before it may compute its numbers of workgroups.
   */
  private final class Dispatches extends Work {
    private final List<CpuGrid> all = new ArrayList<>();

    Dispatches(Submission submission) {
      super(submission);
    }

    boolean isFull() {
      return all.size() == CpuGrids.MOST;
    }

    void add(CpuGrid grid) {
      all.add(grid);
    }

    @Override
    void execute() {
      all.removeIf(grid -> !begins(grid));
      if (!all.isEmpty()) {
        grids.run(all, submission);
      }
    }

    private boolean begins(CpuGrid grid) {
      try {
        check("execute");
        return grid.begin();
      } catch (HalException e) {
        submission.fail(e);
        return false;
      }
    }
  }

  /** What such a command does. Adds the memory that it uses to {@link #used}. */
  private CpuTask.Body body(Command command, Submission submission) {
    return switch (command.kind()) {
      case FILL -> {
        Block block = memory(submission, command.target()).block();
        long offset = submission.offset(command.target());
        long length = submission.length(command.target());
        int pattern = command.pattern();
        int bytes = command.patternBytes();
        yield () -> {
          HalRuntime.hal_memory_fill(block.address() + offset, length, pattern, bytes);
          block.written(offset, length);
        };
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
        submission.moves(command, TransferPath.HOST);
        yield () -> target.write(offset, source, length);
      }
      case READBACK -> {
        CpuMemory source = memory(submission, command.source());
        long offset = submission.offset(command.source());
        long length = submission.length(command.source());
        HostMemory target = command.host();
        submission.moves(command, TransferPath.HOST);
        yield () -> {
          source.read(offset, target, length);
          if (checks != null) {
            checks.readBack(source.block(), offset, length, submission);
          }
        };
      }
      case COPY -> {
        Block source = memory(submission, command.source()).block();
        Block target = memory(submission, command.target()).block();
        long fromOffset = submission.offset(command.source());
        long toOffset = submission.offset(command.target());
        long length = submission.length(command.target());
        yield () -> {
          HalRuntime.hal_memory_copy(
              target.address() + toOffset, source.address() + fromOffset, length);
          if (target.shadow() != 0) {
            HalRuntime.hal_shadow_copied(
                target.shadow(), toOffset, source.shadow(), fromOffset, length);
          }
        };
      }
      case DISPATCH -> {
        Workgroups groups = new Workgroups(command.groupsX(), command.groupsY(), command.groupsZ());
        yield javaDispatch(command, submission, () -> groups);
      }
      case INDIRECT_DISPATCH -> {
        long counts = counts(command, submission);
        yield javaDispatch(command, submission, () -> CpuGrid.read(command.kernel(), counts));
      }
      case EXTERNAL -> external(command, submission);
      case BARRIER -> throw new IllegalArgumentException("a barrier does nothing");
      case EVENT -> throw new IllegalArgumentException("there are no native events");
    };
  }

  /** What a message calls a command. */
  private static String label(Command command) {
    return switch (command.kind()) {
      case FILL -> "a fill";
      case UPDATE -> "an update";
      case UPLOAD -> "an upload";
      case READBACK -> "a readback";
      case COPY -> "a copy";
      case DISPATCH, INDIRECT_DISPATCH -> "a kernel in Java";
      case EXTERNAL -> EXTERNAL;
      case BARRIER, EVENT -> throw new IllegalArgumentException(command.kind() + " uses no memory");
    };
  }

  private CpuMemory memory(Submission submission, Operand operand) {
    CpuMemory memory = (CpuMemory) submission.memory(operand);
    used.add(memory);
    return memory;
  }

  // Kernels.

  private static boolean isGrid(Command command) {
    return command.kind().runsKernel() && !(command.kernel().module() instanceof JavaModule);
  }

  private CpuGrid grid(Command command, Submission submission) {
    LoadedKernel kernel = command.kernel();
    Block[] blocks = new Block[kernel.parameterCount()];
    long[] addresses = new long[blocks.length];
    long[] lengths = new long[blocks.length];
    for (int i = 0; i < blocks.length; i++) {
      if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
        Operand operand = command.argument(i);
        blocks[i] = memory(submission, operand).block();
        addresses[i] = blocks[i].address() + submission.offset(operand);
        lengths[i] = submission.length(operand);
      }
    }
    boolean isIndirect = command.kind() == Command.Kind.INDIRECT_DISPATCH;
    return new CpuGrid(
        command, blocks, addresses, lengths, isIndirect ? counts(command, submission) : 0);
  }

  /** Where the numbers of workgroups of an indirect dispatch are. */
  private long counts(Command command, Submission submission) {
    return memory(submission, command.source()).address() + submission.offset(command.source());
  }

  private CpuTask.Body javaDispatch(
      Command command, Submission submission, Supplier<Workgroups> count) {
    LoadedKernel kernel = command.kernel();
    KernelView[] views = new KernelView[kernel.parameterCount()];
    List<Block> written = new ArrayList<>();
    for (int i = 0; i < views.length; i++) {
      views[i] = new KernelView();
      if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
        Operand operand = command.argument(i);
        CpuMemory memory = memory(submission, operand);
        views[i].set(
            memory,
            kernel.parameter(i).name(),
            submission.offset(operand),
            submission.length(operand));
        if (kernel.parameter(i).isWritten()) {
          written.add(memory.block());
        }
      }
    }
    GridKernel body = ((JavaModule) kernel.module()).kernels().get(kernel.index());
    return () -> {
      try {
        Workgroups groups = count.get();
        if (!groups.isEmpty()) {
          javaGrid.run(body, groups.x(), groups.y(), groups.z(), command.array(), views);
          written.forEach(block -> block.written(0, block.size())); // as far as is known
        }
      } catch (Throwable t) { // fails only its operation
        submission.fail(Attempt.aborted("kernel " + kernel.name() + " threw ", t));
      }
      for (KernelView view : views) {
        view.clear(); // a kernel may have kept it
      }
    };
  }

  // External work.

  private CpuTask.Body external(Command command, Submission submission) {
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
    return () -> {
      HalException failure = call.run(access);
      for (int i = 0; i < count; i++) {
        memory[i].block().written(offsets[i], lengths[i]);
      }
      if (failure != null) {
        throw failure;
      }
      checkExternal(memory);
    };
  }

  /** External work may have used the addresses of buffers. */
  private static void checkExternal(CpuMemory[] memory) {
    long[] blocks = Arrays.stream(memory).mapToLong(one -> one.block().handle()).toArray();
    long found = HalRuntime.hal_memory_check(blocks, blocks.length);
    if (found != 0) {
      int index = (int) (found >> Integer.SIZE);
      throw Overwritten.failure(List.of(EXTERNAL), "buffer " + index, memory[index].block(), found);
    }
  }

  void close() {
    grids.close();
  }
}
