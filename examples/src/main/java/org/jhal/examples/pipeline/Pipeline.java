// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.pipeline;

import java.io.PrintWriter;
import java.util.List;
import org.jhal.Device;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.examples.Accuracy;

/**
 * {@code hal pipeline}: stages on several devices, of one driver or of several, ordered by one
 * timeline. {@link PipelineRun} is the program.
 */
public final class Pipeline {
  /** The kernels {@code generate}, {@code smooth} and {@code sum}. */
  public static final ExecutableSource KERNELS =
      ExecutableSource.ofResources(PipelineRun.class, "kernels");

  private Pipeline() {}

  /**
   * Runs the stages, and checks the result. The first device generates values, each one between
   * smooths them, and the last one adds them up. Where there are fewer than three, the first one
   * smooths as well.
   *
   * @param devices at least one; a device may be there more than once
   * @param kernels a bundle with the kernels of {@link #KERNELS}, in a format of each device
   * @param err gets a failure, as {@code hal: STATUS: message}
   * @return 0 if the result is correct, 1 if it is not, or if a stage failed
   */
  public static int run(
      List<Device> devices, ExecutableSource kernels, PrintWriter out, PrintWriter err)
      throws InterruptedException {
    try (PipelineRun pipeline = new PipelineRun(devices, kernels)) {
      return pipeline.run(out) ? 0 : 1;
    } catch (HalException e) {
      err.println("hal: " + e.status() + ": " + e.getMessage() + Accuracy.hint(e));
      return 1;
    }
  }
}
