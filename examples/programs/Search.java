// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.jhal.*;

/** Breadth-first search, each level over a grid that the one before has computed: Search DEVICE. */
public class Search {
  static final int VERTICES = 200_000;
  static final int DEGREE = 3;
  static final int MOST_LEVELS = 64; // those behind the last one run nothing

  public static void main(String[] args) throws Exception {
    int[] starts = new int[VERTICES + 1];
    int[] edges = new Random(1).ints(VERTICES * DEGREE, 0, VERTICES).toArray();
    for (int i = 0; i <= VERTICES; i++) {
      starts[i] = i * DEGREE;
    }
    int[] visits = new int[VERTICES];
    int[] levels = new int[VERTICES];
    visits[0] = 1; // the search begins at vertex 0
    try (Device device = Hal.openDevice(args[0]);
        Executable kernels = device.loadExecutable(ExecutableSource.of(Path.of("examples/search")));
        CommandBuffer twoLevels = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
        Sequence sequence = device.createSequence()) {
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer first = steps.uploading(HostMemory.of(starts));
      DeviceBuffer targets = steps.uploading(HostMemory.of(edges));
      DeviceBuffer level = steps.uploading(HostMemory.of(new int[] {0}));
      DeviceBuffer groups = steps.uploading(HostMemory.of(new int[] {1, 1, 1}));
      DeviceBuffer visited = steps.uploading(HostMemory.of(visits));
      DeviceBuffer found = steps.uploading(HostMemory.of(levels));
      DeviceBuffer even = steps.allocate(ElementType.U32, 1 + VERTICES);
      DeviceBuffer odd = steps.allocate(ElementType.U32, 1 + VERTICES);
      steps.upload(HostMemory.of(new int[] {1, 0}), even); // one vertex, 0
      steps.upload(HostMemory.of(new int[] {0}), odd);
      for (DeviceBuffer from : new DeviceBuffer[] {even, odd}) {
        DeviceBuffer to = from == even ? odd : even;
        Args search = Args.of(first, targets, level, from, visited, found, to);
        twoLevels.dispatch(kernels.kernel("expand"), IndirectWorkgroups.of(groups), search);
        twoLevels.barrier();
        Args next = Args.of(from, to, level, groups);
        twoLevels.dispatch(kernels.kernel("advance"), Workgroups.of(1), next);
        twoLevels.barrier();
      }
      twoLevels.end();
      for (int i = 0; i < MOST_LEVELS; i += 2) {
        steps.execute(twoLevels); // the host never learns how large a level is
      }
      steps.readback(visited, HostMemory.of(visits));
      steps.readback(found, HostMemory.of(levels));
      sequence.await(Duration.ofSeconds(30));
    }
    long reached = Arrays.stream(visits).filter(each -> each > 0).count();
    int last = Arrays.stream(levels).max().orElseThrow();
    System.out.println(reached + " vertices in " + last + " levels");
  }
}
