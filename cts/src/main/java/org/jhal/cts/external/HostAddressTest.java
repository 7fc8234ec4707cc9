// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.external;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.Allocator;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Devices whose buffers are memory of the process. */
@CtsSuite
class HostAddressTest {
  /** Where a buffer lies, as external work learns it. */
  private static long address(Cts cts, DeviceBuffer buffer) {
    TimelineSemaphore done = cts.semaphore();
    AtomicLong address = new AtomicLong();
    cts.queue()
        .external(
            Fence.NONE,
            done.at(1),
            List.of(buffer),
            context -> address.set(context.address(buffer)));
    awaitReached(done, 1);
    return address.get();
  }

  @Test
  @Rule("Q11")
  @Needs(capabilities = Capability.HOST_ADDRESSES)
  void externalWorkGetsTheAddressOfASlice(Cts cts) {
    DeviceBuffer buffer = cts.buffer(4096);
    DeviceBuffer slice = cts.closing(buffer.slice(256, 1024));
    assertEquals(address(cts, buffer) + 256, address(cts, slice));
  }

  /** What is written through the bytes is read through the address, by a kernel. */
  @Test
  @Rule({"M7", "Q11"})
  @Needs(capabilities = Capability.HOST_ADDRESSES)
  void memoryAtAnAddressIsABuffer(Cts cts) {
    DeviceBuffer owner = cts.buffer(4096);
    AtomicInteger releases = new AtomicInteger();
    DeviceBuffer imported =
        cts.device()
            .allocator()
            .importDevice(
                address(cts, owner) + 256, 256, BufferParams.DEVICE, releases::incrementAndGet);
    cts.closing(imported);
    assertEquals(256, imported.size());
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .external(
            Fence.NONE,
            done.at(1),
            List.of(owner),
            context -> context.bytes(owner).position(256).put(ints(64, i -> i)));
    DeviceBuffer twice = cts.buffer(256);
    cts.queue()
        .dispatch(
            done.at(1),
            done.at(2),
            cts.kernel("twice"),
            Workgroups.of(64),
            Args.of(imported, twice));
    awaitReached(done, 2);
    assertBytes(ints(64, i -> 2 * i), cts.read(twice), "what a kernel made of imported memory");
    TimelineSemaphore go = cts.semaphore();
    cts.queue().fill(go.at(1), done.at(3), imported, 0, 256, FillPattern.of8(1));
    imported.close();
    assertEquals(0, releases.get(), "releases while an operation needs the memory");
    go.signal(1);
    awaitReached(done, 3);
    awaitTrue("the memory to be released", () -> releases.get() == 1);
    assertBytes(filled(256, 1), cts.read(owner, 256, 256), "filled through the imported buffer");
  }

  @Test
  @Rule({"M5", "M7"})
  @Needs(capabilities = Capability.HOST_ADDRESSES)
  void invalidRangesAreRejected(Cts cts) {
    Allocator allocator = cts.device().allocator();
    long address = address(cts, cts.buffer(4096));
    AtomicInteger releases = new AtomicInteger();
    BufferParams params = BufferParams.DEVICE;
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> allocator.importDevice(0, 16, params, releases::incrementAndGet),
        "address 0");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> allocator.importDevice(-4096, 1 << 20, params, releases::incrementAndGet),
        "ends after");
    assertHal(
        Status.OUT_OF_RANGE, () -> allocator.importDevice(address, 0, params, null), "at least 1");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> allocator.importDevice(address, 16, BufferParams.HOST, null),
        "HOST");
    assertEquals(0, releases.get(), "releases of refused memory");
  }

  @Test
  @Rule({"M5", "Q11"})
  @Needs(capabilities = Capability.HOST_ADDRESSES)
  void thereIsNoStreamToLend(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    AtomicReference<@Nullable HalException> refused = new AtomicReference<>();
    cts.queue()
        .external(
            Fence.NONE,
            done.at(1),
            List.of(),
            context -> {
              try {
                var unused = context.stream();
              } catch (HalException e) {
                refused.set(e);
              }
            });
    awaitReached(done, 1);
    assertHal(Status.UNIMPLEMENTED, Waits.awaitSet("a refusal", refused));
  }
}
