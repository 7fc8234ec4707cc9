// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jhal.kernel.JavaKernel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A null argument is a NullPointerException that names the parameter: for every public constructor
 * and method of the API's own classes.
 */
class NullArgumentsTest {
  private static final TimelineSemaphore SEMAPHORE = new FakeTimelineSemaphore("s");
  private static final HostMemory MEMORY = HostMemory.of(new byte[8]);
  private static final ExecutableSource SOURCE =
      ExecutableSource.ofResources(NullArgumentsTest.class, "resources");

  private static final DeviceInfo INFO =
      DeviceInfo.builder("mock", 0)
          .name("d")
          .uuid("u")
          .memoryBytes(1)
          .maxWorkgroupCount(Workgroups.of(1))
          .maxWorkgroupItems(1)
          .build();
  private static final DeviceStatistics STATISTICS =
      new DeviceStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, GraphStatistics.NONE);

  /** A legal value of each type that occurs. */
  private static final Map<Class<?>, Object> SAMPLES =
      Map.ofEntries(
          Map.entry(String.class, "text"),
          Map.entry(Class.class, NullArgumentsTest.class),
          Map.entry(ClassLoader.class, NullArgumentsTest.class.getClassLoader()),
          Map.entry(Path.class, Path.of(".")),
          Map.entry(JavaKernel.class, (JavaKernel) group -> {}),
          Map.entry(Duration.class, Duration.ZERO),
          Map.entry(Map.class, Map.of()),
          Map.entry(Set.class, Set.of()),
          Map.entry(List.class, List.of()),
          Map.entry(Collection.class, List.of()),
          Map.entry(Throwable.class, new IllegalStateException()),
          Map.entry(ByteBuffer.class, ByteBuffer.allocate(8)),
          Map.entry(DeviceBuffer.class, Fakes.buffer("b")),
          Map.entry(TimelineSemaphore.class, SEMAPHORE),
          Map.entry(Timepoint.class, SEMAPHORE.at(1)),
          Map.entry(Fence.class, SEMAPHORE.at(1)),
          Map.entry(Status.class, Status.ABORTED),
          Map.entry(HalException.class, new HalException(Status.ABORTED, "message")),
          Map.entry(DeviceInfo.class, INFO),
          Map.entry(DeviceStatistics.class, STATISTICS),
          Map.entry(ElementType.class, ElementType.F32),
          Map.entry(MemoryType.class, MemoryType.HOST),
          Map.entry(BufferUsage.class, BufferUsage.MAP_READ),
          Map.entry(Workgroups.class, Workgroups.of(1)),
          Map.entry(org.jhal.Parameter.Kind.class, org.jhal.Parameter.Kind.BUFFER),
          Map.entry(org.jhal.Parameter.Direction.class, org.jhal.Parameter.Direction.IN),
          Map.entry(StructType.class, StructType.FLOAT2),
          Map.entry(NativeCode.class, new NativeCode(1, "one")),
          Map.entry(FailedOperation.class, new FailedOperation("q", 1, "fill")),
          Map.entry(int.class, 1),
          Map.entry(long.class, 1L),
          Map.entry(float.class, 1f),
          Map.entry(boolean.class, true));

  /** The classes, and an object of each that has methods to be called. */
  private static final Map<Class<?>, Object> SUBJECTS =
      Map.ofEntries(
          Map.entry(Args.class, Args.NONE),
          Map.entry(BindingTable.class, new BindingTable(2)),
          Map.entry(BufferParams.class, BufferParams.HOST),
          Map.entry(BundleBuilder.class, ExecutableSource.builder("b")),
          Map.entry(CollectiveGroup.Form.class, NullArgumentsTest.class),
          Map.entry(CollectiveGroup.Options.class, CollectiveGroup.Options.DEFAULT),
          Map.entry(CollectiveGroup.Rank.class, NullArgumentsTest.class),
          Map.entry(DeviceInfo.class, INFO),
          Map.entry(DeviceHealth.class, new DeviceHealth(List.of())),
          Map.entry(
              DeviceState.class, new DeviceState("d", INFO, null, STATISTICS, "", Duration.ZERO)),
          Map.entry(DeviceUri.class, DeviceUri.parse("mock")),
          Map.entry(Driver.Availability.class, Driver.Availability.available("1.0")),
          Map.entry(
              DriverRegistry.class, DriverRegistry.load(NullArgumentsTest.class.getClassLoader())),
          Map.entry(ExecutableSource.class, SOURCE),
          Map.entry(Fence.class, Fence.of(SEMAPHORE.at(1), new FakeTimelineSemaphore("t").at(1))),
          Map.entry(FillPattern.class, FillPattern.ZERO),
          Map.entry(Hal.class, NullArgumentsTest.class),
          Map.entry(HalException.class, new HalException(Status.ABORTED, "message")),
          Map.entry(HostMemory.class, MEMORY),
          Map.entry(org.jhal.Parameter.class, NullArgumentsTest.class),
          Map.entry(Setting.class, NullArgumentsTest.class),
          Map.entry(Slot.class, Slot.of(1)),
          Map.entry(StructBuilder.class, StructType.builder()),
          Map.entry(StructType.class, StructType.FLOAT2),
          Map.entry(StructType.Field.class, StructType.FLOAT2.fields().get(0)),
          Map.entry(StructValue.class, StructType.FLOAT2.value(1f, 2f)),
          Map.entry(Timepoint.class, SEMAPHORE.at(1)),
          Map.entry(Workgroups.class, Workgroups.of(1)));

  @TestFactory
  Stream<DynamicTest> everyParameterIsChecked() {
    List<DynamicTest> tests =
        SUBJECTS.keySet().stream()
            .flatMap(
                type ->
                    Stream.<Executable>concat(
                        Arrays.stream(type.getConstructors()),
                        Arrays.stream(type.getDeclaredMethods())))
            .filter(NullArgumentsTest::isToBeChecked)
            .flatMap(
                member ->
                    Arrays.stream(member.getParameters())
                        .filter(NullArgumentsTest::mayNotBeNull)
                        .map(
                            parameter ->
                                DynamicTest.dynamicTest(
                                    member + " " + parameter.getName(),
                                    () -> check(member, parameter))))
            .toList();
    assertTrue(tests.size() > 40, "only " + tests.size() + " parameters were found");
    return tests.stream();
  }

  private static boolean isToBeChecked(Executable member) {
    return Modifier.isPublic(member.getModifiers())
        && !member.isSynthetic()
        && !member.getName().equals("equals");
  }

  private static boolean mayNotBeNull(Parameter parameter) {
    return !parameter.getType().isPrimitive()
        && !parameter.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }

  private static void check(Executable member, Parameter tested) throws Exception {
    Object[] arguments =
        Arrays.stream(member.getParameters())
            .map(parameter -> parameter.equals(tested) ? null : sample(parameter.getType()))
            .toArray();
    Throwable thrown;
    try {
      if (member instanceof Constructor<?> constructor) {
        constructor.newInstance(arguments);
      } else {
        ((Method) member).invoke(SUBJECTS.get(member.getDeclaringClass()), arguments);
      }
      throw new AssertionError("null was accepted");
    } catch (InvocationTargetException e) {
      thrown = e.getCause();
    }
    assertEquals(NullPointerException.class, Objects.requireNonNull(thrown).getClass());
    assertTrue(
        String.valueOf(thrown.getMessage()).startsWith(tested.getName()),
        () -> "the message does not name '" + tested.getName() + "': " + thrown.getMessage());
  }

  private static Object sample(Class<?> type) {
    if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 0);
    }
    Object sample = SAMPLES.get(type);
    if (sample == null) {
      throw new AssertionError("this test has no sample of " + type);
    }
    return sample;
  }
}
