// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.util.List;
import java.util.concurrent.Exchanger;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jhal.Device;
import org.jhal.TimelineSemaphore;
import org.jhal.bench.baselines.Baselines;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/** Two host threads that wake each other in turn. */
abstract class PingPong implements Subject {
  private static final int STEPS = 10_000;

  private final String name;
  private final int steps;

  PingPong(String name, int steps) {
    this.name = name;
    this.steps = steps;
  }

  /** One side of a sample, run by its own thread. */
  interface Side {
    /** Does step {@code step}, from 1. */
    void step(int step) throws Exception;
  }

  static Series series(Bench bench) {
    int steps = bench.steps(STEPS);
    return new Series(
        "1",
        new Semaphores(bench.device(), steps),
        List.of(new ParkUnpark(steps), new Rendezvous(steps), new Exchange(steps)));
  }

  @Override
  public String name() {
    return name;
  }

  /** Measures: the calling thread is {@code here}, the other one {@code there}. */
  double[] time(Side here, Side there) throws Exception {
    Exception[] failure = new Exception[1];
    Thread partner =
        Baselines.daemon(
            "bench-partner",
            () -> {
              try {
                for (int i = 1; i <= steps; i++) {
                  there.step(i);
                }
              } catch (Exception e) {
                failure[0] = e;
              }
            });
    partner.start();
    long start = System.nanoTime();
    try {
      for (int i = 1; i <= steps; i++) {
        here.step(i);
      }
    } catch (Exception e) {
      partner.interrupt();
      throw e;
    }
    long end = System.nanoTime();
    partner.join(Bench.DEADLINE.toMillis());
    if (failure[0] != null) {
      throw failure[0];
    }
    return new double[] {(end - start) / (double) steps};
  }

  private static final class Semaphores extends PingPong {
    private final Device device;

    Semaphores(Device device, int steps) {
      super(JHAL, steps);
      this.device = device;
    }

    @Override
    public double[] sample() throws Exception {
      try (TimelineSemaphore ping = device.createSemaphore(0);
          TimelineSemaphore pong = device.createSemaphore(0)) {
        return time(
            step -> {
              ping.signal(step);
              pong.await(step, Bench.DEADLINE);
            },
            step -> {
              ping.await(step, Bench.DEADLINE);
              pong.signal(step);
            });
      }
    }
  }

  private static final class ParkUnpark extends PingPong {
    ParkUnpark(int steps) {
      super("park, unpark", steps);
    }

    @Override
    public double[] sample() throws Exception {
      Baselines.Counter ping = new Baselines.Counter(0);
      Baselines.Counter pong = new Baselines.Counter(0);
      return time(
          step -> {
            ping.advance();
            pong.await(step);
          },
          step -> {
            ping.await(step);
            pong.advance();
          });
    }
  }

  private static final class Rendezvous extends PingPong {
    Rendezvous(int steps) {
      super("SynchronousQueue", steps);
    }

    @Override
    public double[] sample() throws Exception {
      SynchronousQueue<Integer> ping = new SynchronousQueue<>();
      SynchronousQueue<Integer> pong = new SynchronousQueue<>();
      return time(
          step -> {
            put(ping);
            take(pong);
          },
          step -> {
            take(ping);
            put(pong);
          });
    }

    private static void put(SynchronousQueue<Integer> queue) throws Exception {
      if (!queue.offer(1, Bench.DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
        throw new TimeoutException("no thread took from the queue within " + Bench.DEADLINE);
      }
    }

    private static void take(SynchronousQueue<Integer> queue) throws Exception {
      if (queue.poll(Bench.DEADLINE.toSeconds(), TimeUnit.SECONDS) == null) {
        throw new TimeoutException("no thread put into the queue within " + Bench.DEADLINE);
      }
    }
  }

  private static final class Exchange extends PingPong {
    Exchange(int steps) {
      super("Exchanger", steps);
    }

    @Override
    public double[] sample() throws Exception {
      // Two exchanges are a ping and a pong.
      Exchanger<@Nullable Integer> exchanger = new Exchanger<>();
      Side side =
          step -> {
            exchanger.exchange(step, Bench.DEADLINE.toSeconds(), TimeUnit.SECONDS);
            exchanger.exchange(step, Bench.DEADLINE.toSeconds(), TimeUnit.SECONDS);
          };
      return time(side, side);
    }
  }
}
