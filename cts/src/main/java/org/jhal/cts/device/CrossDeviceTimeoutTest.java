// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.device.DeviceChain.assertUsable;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitRetired;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.jhal.Fence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;

/**
 * Work of one device that is issued behind work of another one, which is closed past its deadline:
 * how long it waits (rule S9a).
 */
@CtsSuite
@Needs({Need.SHARED_EVENTS, Need.CONTROLS, Need.THREE_QUEUES})
class CrossDeviceTimeoutTest {
  @Test
  @Rule({"S9a", "Q8"})
  void aTimedOutCloseOfTheProducersDeviceFailsIssuedConsumers(Cts cts) {
    DeviceChain chain = DeviceChain.open(cts, "100ms", "60s", "60s");
    cts.allowWarnings();
    chain.first.close();
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(chain.produced, 1));
    assertStaysPending(chain.consumed.at(1).and(chain.last.at(1)));
    chain.assertDependantsFail(Status.DEADLINE_EXCEEDED, "");
    awaitRetired(chain.second);
    awaitRetired(chain.third);
    assertUsable(cts, chain.second);
    assertUsable(cts, chain.third);
  }

  @Test
  @Rule({"S9a", "Q7", "Q8"})
  void aStreamThatDoesNotPassAnEventInTimeLosesItsDevice(Cts cts) {
    DeviceChain chain = DeviceChain.open(cts, "100ms", "100ms", "60s");
    cts.allowWarnings();
    cts.allowLeftovers();
    chain.first.close();
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.consumed, 1), "did not end within");
    awaitTrue("the device that is stuck to be lost", () -> chain.second.lostCause() != null);
    TimelineSemaphore refused = cts.semaphore();
    assertHal(Status.UNAVAILABLE, () -> chain.second.queue(0).barrier(Fence.NONE, refused.at(1)));
    assertNull(chain.third.lostCause(), "why a device with more patience is lost");
    assertPending(chain.last, 1);
    chain.held.release();
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.last, 1), "did not end within");
    awaitRetired(chain.third);
    assertUsable(cts, chain.third);
  }

  /** The time counts once, from the end of the first one's close-timeout. */
  @Test
  @Rule({"S9a", "Q8"})
  void aChainOfDevicesEndsWithinOneTimeout(Cts cts) throws Exception {
    Duration patience = Duration.ofSeconds(8); // much longer than a slow machine stands still
    String timeout = patience.toSeconds() + "s";
    DeviceChain chain = DeviceChain.open(cts, "100ms", timeout, timeout);
    cts.allowWarnings();
    cts.allowLeftovers();
    long begin = System.nanoTime();
    Task<?> closing = Task.run("close", chain.first::close);
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.consumed, 1), "did not end within");
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.last, 1), "did not end within");
    Duration waited = Duration.ofNanos(System.nanoTime() - begin);
    assertTrue(waited.compareTo(patience) >= 0, () -> "it has taken only " + waited);
    assertTrue(waited.compareTo(patience.multipliedBy(2)) < 0, () -> "it has taken " + waited);
    closing.join();
    chain.held.release();
  }

  @Test
  @Rule({"S9a", "S4"})
  void aHostWaitBehindADeviceThatIsGoneEndsAtItsDeadline(Cts cts) {
    DeviceChain chain = DeviceChain.open(cts, "100ms", "60s", "60s");
    cts.allowWarnings();
    chain.first.close();
    assertHal(
        Status.DEADLINE_EXCEEDED, () -> chain.last.await(1, Duration.ofMillis(100)), "waited");
    chain.assertDependantsFail(Status.DEADLINE_EXCEEDED, "did not end within");
  }

  @Test
  @Rule({"S9a", "Q8"})
  void aTimedOutCloseOfTheConsumersDeviceDoesNotAffectTheProducer(Cts cts) {
    DeviceChain chain = DeviceChain.open(cts, "60s", "100ms", "60s");
    cts.allowWarnings();
    cts.allowLeftovers();
    chain.elsewhere.release();
    awaitReached(chain.unrelated, 1);
    chain.second.close();
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(chain.consumed, 1));
    assertPending(chain.produced, 1);
    chain.held.release();
    awaitReached(chain.produced, 1);
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(chain.last, 1));
    awaitRetired(chain.first);
    awaitRetired(chain.third);
    assertUsable(cts, chain.first);
    assertUsable(cts, chain.third);
  }
}
