// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.driver;

import static org.jhal.cts.support.TestData.assertNullRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jhal.Allocator;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.BufferRef;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.ExternalWork;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.MemoryPool;
import org.jhal.PoolRequest;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.TimepointCallback;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestFolder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * In every method that a driver implements, a null argument throws a NullPointerException that
 * names the parameter (rule M5).
 */
@CtsSuite
class NullArgumentTest {
  private static final List<Class<?>> TYPES =
      List.of(
          Device.class,
          Allocator.class,
          DeviceQueue.class,
          CommandBuffer.class,
          DeviceBuffer.class,
          Executable.class,
          TimelineSemaphore.class);

  /** Parameters that may be null. */
  private static final Set<String> NULLABLE =
      Set.of(
          "Allocator.importHost(onRelease)",
          "Allocator.importDevice(onRelease)",
          "DeviceQueue.importEvent(onRelease)");

  /** A parameter that may not be null. */
  record Place(Method method, int index) {
    @Override
    public String toString() {
      String parameter = method.getParameters()[index].getName();
      return method.getDeclaringClass().getSimpleName()
          + "."
          + method.getName()
          + "("
          + parameter
          + ")";
    }
  }

  static Stream<Place> places() {
    List<Place> places = new ArrayList<>();
    for (Class<?> type : TYPES) {
      for (Method method : type.getDeclaredMethods()) {
        for (int i = 0; i < method.getParameterCount(); i++) {
          Place place = new Place(method, i);
          if (!Modifier.isStatic(method.getModifiers())
              && !method.isSynthetic()
              && !method.getParameterTypes()[i].isPrimitive()
              && !NULLABLE.contains(place.toString())) {
            places.add(place);
          }
        }
      }
    }
    places.sort(Comparator.comparing(place -> place.toString() + place.method()));
    return places.stream();
  }

  /** An object of each type that occurs as a parameter or has methods. */
  private static Map<Class<?>, Object> samples(Cts cts) {
    Map<Class<?>, Object> samples = new HashMap<>();
    Device device = cts.device();
    DeviceBuffer buffer = cts.buffer(cts.device(), 64, BufferParams.HOST);
    TimelineSemaphore semaphore = cts.semaphore();
    TestFolder folder = new TestFolder(cts);
    FileChannel scratch = folder.channel(folder.file("sample", new byte[8]));
    CommandBuffer commands = cts.closing(device.createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    samples.put(Device.class, device);
    samples.put(Allocator.class, device.allocator());
    samples.put(DeviceQueue.class, cts.queue());
    samples.put(CommandBuffer.class, commands);
    samples.put(DeviceBuffer.class, buffer);
    samples.put(BufferRef.class, buffer);
    samples.put(TimelineSemaphore.class, semaphore);
    samples.put(Executable.class, cts.kernels());
    samples.put(Kernel.class, cts.kernel("append"));
    samples.put(Fence.class, semaphore.at(1));
    samples.put(BindingTable.class, BindingTable.EMPTY);
    samples.put(Workgroups.class, Workgroups.of(1));
    samples.put(IndirectWorkgroups.class, IndirectWorkgroups.of(buffer));
    samples.put(Args.class, Args.of(buffer, 1));
    samples.put(FillPattern.class, FillPattern.ZERO);
    samples.put(ByteBuffer.class, ByteBuffer.allocateDirect(8));
    samples.put(HostMemory.class, HostMemory.of(new byte[8]));
    samples.put(BufferParams.class, BufferParams.HOST);
    samples.put(MemoryPool.class, cts.closing(device.createPool(PoolRequest.of(64))));
    samples.put(HostCall.Mode.class, HostCall.Mode.BLOCKING);
    samples.put(HostCall.class, (HostCall) context -> {});
    samples.put(ExternalWork.class, (ExternalWork) context -> {});
    samples.put(List.class, List.of(buffer));
    samples.put(Class.class, Object.class);
    samples.put(CommandBuffer.Mode.class, CommandBuffer.Mode.ONE_SHOT);
    samples.put(DeviceBuffer.MapMode.class, DeviceBuffer.MapMode.READ);
    samples.put(Path.class, Path.of("no-file-of-this-name"));
    samples.put(OpenOption[].class, new OpenOption[0]);
    samples.put(FileChannel.class, scratch);
    samples.put(DeviceFile.class, cts.closing(device.wrapFile(scratch)));
    samples.put(ExecutableSource.class, cts.backend().kernels().get(0));
    samples.put(String.class, "append");
    samples.put(Duration.class, Duration.ZERO);
    samples.put(HalException.class, new HalException(Status.ABORTED, "a sample"));
    samples.put(TimepointCallback.class, (TimepointCallback) failure -> {});
    samples.put(Runnable.class, (Runnable) () -> {});
    samples.put(ElementType.class, ElementType.F32);
    samples.put(Function.class, Function.identity());
    samples.put(long.class, 1L);
    samples.put(int.class, 0);
    return samples;
  }

  @ParameterizedTest
  @MethodSource("places")
  @Rule("M5")
  void nullIsRejectedWithTheParameterName(Place place, Cts cts) {
    Map<Class<?>, Object> samples = samples(cts);
    Method method = place.method();
    Object[] arguments = new Object[method.getParameterCount()];
    for (int i = 0; i < arguments.length; i++) {
      Class<?> type = method.getParameterTypes()[i];
      arguments[i] =
          i == place.index()
              ? null
              : Objects.requireNonNull(samples.get(type), () -> "no sample of " + type);
    }
    Object target = Objects.requireNonNull(samples.get(method.getDeclaringClass()));
    DeviceStatistics before = cts.device().statistics();
    assertNullRefused(
        method.getParameters()[place.index()].getName(),
        () -> {
          try {
            method.invoke(target, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
    DeviceStatistics after = cts.device().statistics();
    assertEquals(before.enqueued(), after.enqueued(), "operations enqueued");
    assertEquals(before.liveResources(), after.liveResources(), "live resources");
  }
}
