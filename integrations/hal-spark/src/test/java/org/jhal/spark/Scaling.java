// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.resource.ResourceInformation;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.TimelineSemaphore;
import org.jhal.kernel.Floats;

/**
 * Multiplies the arrays of a partition on the task's device, and returns the device with the
 * result. Subclasses do something unusual before.
 */
class Scaling implements FlatMapFunction<Iterator<float[]>, Scaling.Result> {
  private static final long serialVersionUID = 1L;

  static final float FACTOR = 3;

  /** The same data through a kernel of a bundle. */
  static final HalPartitions<float[], double[]> HALVES =
      HalPartitions.arrays(MappedPartition.KERNELS, "scale", float[].class, double[].class)
          .withConstant("factor", 0.5);

  /** How many arrays a partition has. */
  static final int ARRAYS = 5;

  /** A value for which the kernel throws. */
  static final float BAD = -1;

  /**
   * The result of a task.
   *
   * @param address of the resource that Spark gave to it
   * @param uuid of the device that it had
   */
  record Result(
      int partition,
      int attempt,
      String executor,
      long process,
      String address,
      String uuid,
      int queue,
      List<float[]> arrays)
      implements Serializable {}

  private static ExecutableSource source() {
    return ExecutableSource.builder("scaling")
        .kernel(
            "scale",
            64,
            Parameter.constant("factor", ElementType.F32),
            Parameter.inout("x", ElementType.F32))
        .java(
            "scale",
            group -> {
              Floats x = group.memory(1).floats();
              for (long i = group.firstX(); i < group.endX(x.length()); i++) {
                if (x.get(i) == BAD) {
                  throw new IllegalStateException("a bad value");
                }
                x.set(i, group.f32(0) * x.get(i));
              }
            })
        .build();
  }

  /** An array of the input. */
  static float[] array(int number) {
    float[] array = new float[100 + number];
    for (int i = 0; i < array.length; i++) {
      array[i] = 1000 * number + i;
    }
    return array;
  }

  /** The input. */
  static JavaRDD<float[]> data(JavaSparkContext context, int partitions) {
    List<float[]> all = new ArrayList<>();
    for (int i = 0; i < partitions * ARRAYS; i++) {
      all.add(array(i));
    }
    return context.parallelize(all, partitions);
  }

  /** Checks the results against plain Java, and that each task had its own address. */
  static void check(List<Result> results, int partitions) {
    assertEquals(partitions, results.size());
    int number = 0;
    for (Result result : results) {
      assertEquals(ARRAYS, result.arrays().size());
      for (float[] scaled : result.arrays()) {
        float[] expected = array(number++);
        for (int i = 0; i < expected.length; i++) {
          expected[i] *= FACTOR;
        }
        assertArrayEquals(expected, scaled);
      }
      assertEquals(
          "mock://" + result.uuid() + "?devices=2", result.address(), "address and device");
    }
  }

  /** The results of {@link #HALVES} over the input. */
  static void checkHalves(List<double[]> results, int partitions) {
    assertEquals(partitions * ARRAYS, results.size());
    for (int number = 0; number < results.size(); number++) {
      float[] values = array(number);
      assertEquals(values.length, results.get(number).length, "array " + number);
      for (int i = 0; i < values.length; i++) {
        assertEquals(0.5 * values[i], results.get(number)[i], "array " + number);
      }
    }
  }

  /** Runs before the work; does nothing by default. */
  void before(TaskContext context, TaskDevice task) {}

  /** Changes the arrays before the work; returns them unchanged by default. */
  float[] prepare(TaskContext context, float[] array) {
    return array;
  }

  @Override
  public Iterator<Result> call(Iterator<float[]> arrays) {
    TaskContext context = TaskContext.get();
    TaskDevice task = HalTask.device();
    before(context, task);
    List<float[]> results = new ArrayList<>();
    try (Executable loaded = task.device().loadExecutable(source())) {
      while (arrays.hasNext()) {
        float[] array = prepare(context, arrays.next()).clone();
        scale(task, loaded.kernel("scale"), array);
        results.add(array);
      }
    }
    Map<String, ResourceInformation> resources = context.resourcesJMap();
    ResourceInformation mine = resources.get(Tasks.RESOURCE);
    return List.of(
            new Result(
                context.partitionId(),
                context.attemptNumber(),
                SparkEnv.get().executorId(),
                ProcessHandle.current().pid(),
                String.join(",", mine == null ? new String[0] : mine.addresses()),
                task.device().info().uuid(),
                task.queue().index(),
                results))
        .iterator();
  }

  private static void scale(TaskDevice task, Kernel kernel, float[] array) {
    try (TimelineSemaphore timeline = task.createTimeline();
        DeviceBuffer buffer = task.device().allocate(4L * array.length, BufferParams.DEVICE)) {
      HostMemory memory = HostMemory.of(array);
      task.queue().upload(Fence.NONE, timeline.at(1), memory, buffer, 0);
      task.queue()
          .dispatch(
              timeline.at(1),
              timeline.at(2),
              kernel,
              kernel.covering(array.length),
              Args.of(FACTOR, buffer));
      task.queue().readback(timeline.at(2), timeline.at(3), buffer, 0, memory);
      task.await(timeline.at(3));
    }
  }

  /** Leaves a file for another process, which sees all of it or nothing. */
  static void leave(Path folder, String name, String text) {
    try {
      Path made = Files.writeString(folder.resolve(name + ".tmp"), text);
      Path unused = Files.move(made, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
