// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.transformer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Sequence;
import org.jhal.Workgroups;

/**
 * A device that continues a text. The forward pass of a token is recorded once, and executed for
 * each token: the position is in a buffer, the last command raises it, and the chosen token is
 * where the next pass looks for it. So the host submits all passes at once, and waits only for the
 * last one.
 *
 * <p>For one thread.
 */
public final class TransformerRun implements AutoCloseable {
  /** The bundle {@code examples/transformer}, which the jar has too. */
  public static final ExecutableSource KERNELS =
      ExecutableSource.ofResources(TransformerRun.class, "/org/jhal/examples/transformer");

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /**
   * What a device has written.
   *
   * @param tokens the prompt, and what follows it
   * @param chances the probability of the best token after each token but the last
   * @param logits of all tokens after the last but one
   * @param nanos how long all passes took, from the submission of the first until the host saw the
   *     end of the last
   */
  public record Text(int[] tokens, float[] chances, float[] logits, long nanos) {}

  private final DeviceQueue queue;
  private final Device device;
  private final Weights model;
  private final int[] prompt;
  private final int passes;
  private final List<DeviceBuffer> buffers = new ArrayList<>();
  private final Executable executable;
  private final DeviceBuffer weights;
  private final DeviceBuffer position;
  private final DeviceBuffer tokens;
  private final DeviceBuffer chances;
  private final DeviceBuffer logits;
  private final CommandBuffer pass;

  /**
   * Loads the kernels, uploads the weights, and records a pass. The device stays open when this is
   * closed.
   *
   * @param kernels a bundle with the kernels, such as {@link #KERNELS}
   * @param prompt the first tokens, at least one
   * @param count how many tokens follow it, at least one; with the prompt at most one more than the
   *     model's context
   * @throws IllegalArgumentException if the prompt or the count is out of range
   * @throws org.jhal.HalException as {@link Device#loadExecutable} and {@link Device#allocate} do
   */
  public TransformerRun(
      Device device, ExecutableSource kernels, Weights model, int[] prompt, int count)
      throws InterruptedException {
    Shape shape = model.shape();
    passes = prompt.length + count - 1;
    if (prompt.length == 0 || count < 1 || passes > shape.context()) {
      throw new IllegalArgumentException(
          prompt.length
              + " tokens of prompt and "
              + count
              + " more; at least one of each, and at"
              + " most "
              + (shape.context() + 1)
              + " together, are needed");
    }
    this.device = device;
    this.model = model;
    this.prompt = prompt.clone();
    queue = device.queue(0);
    executable = device.loadExecutable(kernels);
    try {
      weights = allocate(model.values().length);
      position = allocate(1);
      tokens = allocate(passes + 1);
      chances = allocate(passes);
      logits = allocate(shape.vocabulary());
      pass = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
      recordPass();
      prepareMemory();
    } catch (Throwable t) {
      release();
      throw t;
    }
  }

  /**
   * Uploads the weights, and clears all other memory. The kernels read only what they have written,
   * but not all of a buffer: {@code hal replay} compares no result that comes from memory which may
   * be anything.
   */
  private void prepareMemory() throws InterruptedException {
    try (Sequence steps = device.createSequence()) {
      for (DeviceBuffer buffer : buffers) {
        steps.step(
            (waits, signals) ->
                queue.fill(waits, signals, buffer, 0, buffer.size(), FillPattern.ZERO));
      }
      write(steps, HostMemory.of(model.values()), weights);
      steps.await(PATIENCE);
    }
  }

  private DeviceBuffer allocate(int elements) {
    DeviceBuffer buffer = device.allocate(4L * elements, BufferParams.DEVICE);
    buffers.add(buffer);
    return buffer;
  }

  // The recording.

  private void recordPass() {
    Shape shape = model.shape();
    int width = shape.width();
    DeviceBuffer x = allocate(width);
    DeviceBuffer y = allocate(width);
    DeviceBuffer queryKeyValue = allocate(3 * width);
    DeviceBuffer mixed = allocate(width);
    DeviceBuffer hidden = allocate(shape.hidden());
    record("embed", width, width, position, tokens, at(model.tokens()), at(model.positions()), x);
    for (Weights.Layer layer : model.layers()) {
      DeviceBuffer keys = allocate(passes * width);
      DeviceBuffer values = allocate(passes * width);
      norm(layer.before(), x, y);
      project(layer.attend(), y, false, queryKeyValue);
      record("attention", width, width, position, queryKeyValue, keys, values, mixed);
      project(layer.merge(), mixed, true, x);
      norm(layer.between(), x, y);
      project(layer.widen(), y, false, hidden);
      record("gelu", shape.hidden(), hidden);
      project(layer.narrow(), hidden, true, x);
    }
    norm(model.last(), x, y);
    project(model.head(), y, false, logits);
    record("choose", 1, shape.vocabulary(), prompt.length, logits, position, tokens, chances);
    pass.end();
  }

  private void norm(Weights.Norm norm, DeviceBuffer from, DeviceBuffer to) {
    record("layernorm", 1, model.shape().width(), from, at(norm.gain()), at(norm.bias()), to);
  }

  private void project(Weights.Linear linear, DeviceBuffer from, boolean adds, DeviceBuffer to) {
    record(
        "project",
        linear.columns(),
        linear.inner(),
        linear.columns(),
        adds ? 1 : 0,
        from,
        at(linear.weights()),
        at(linear.bias()),
        to);
  }

  private DeviceBuffer at(Weights.Part part) {
    return weights.slice(4L * part.offset(), 4L * part.length());
  }

  /** A kernel with a work item for each of the elements, which follows the command before it. */
  private void record(String kernel, int elements, Object... args) {
    Workgroups groups = executable.kernel(kernel).covering(elements);
    pass.dispatch(executable.kernel(kernel), groups, Args.of(args));
    pass.barrier();
  }

  // The run.

  /** Continues the prompt, as often as this is called. */
  public Text write() throws InterruptedException {
    int[] written = Arrays.copyOf(prompt, passes + 1);
    float[] chosen = new float[passes];
    float[] last = new float[model.shape().vocabulary()];
    long nanos;
    try (Sequence steps = device.createSequence()) {
      write(steps, HostMemory.of(written), tokens);
      write(steps, HostMemory.of(new int[] {0}), position);
      steps.await(PATIENCE);
      long begin = System.nanoTime();
      for (int i = 0; i < passes; i++) {
        steps.step((waits, signals) -> queue.execute(waits, signals, pass));
      }
      steps.await(PATIENCE);
      nanos = System.nanoTime() - begin;
      read(steps, tokens, HostMemory.of(written));
      read(steps, chances, HostMemory.of(chosen));
      read(steps, logits, HostMemory.of(last));
      steps.await(PATIENCE);
    }
    return new Text(written, chosen, last, nanos);
  }

  private void write(Sequence steps, HostMemory source, DeviceBuffer target) {
    steps.step((waits, signals) -> queue.upload(waits, signals, source, target, 0));
  }

  private void read(Sequence steps, DeviceBuffer source, HostMemory target) {
    steps.step((waits, signals) -> queue.readback(waits, signals, source, 0, target));
  }

  /** How many passes a text takes. */
  public int passes() {
    return passes;
  }

  @Override
  public void close() {
    pass.close();
    release();
  }

  private void release() {
    buffers.forEach(DeviceBuffer::close);
    executable.close();
  }
}
