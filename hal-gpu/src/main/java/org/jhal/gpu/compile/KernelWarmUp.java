// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.ExecutableSource;
import org.jhal.driver.support.Attempt;
import org.jhal.kernels.bundle.ArgumentLayout;
import org.jhal.kernels.bundle.Manifest;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.cache.KernelCache;
import org.jhal.kernels.cache.KernelKey;
import org.jhal.kernels.source.SourceCode;

/**
 * Loads the classes for loading a kept kernel, once in a process, on a thread of its own while
 * native code opens the first device.
 *
 * <p>Nothing waits for that daemon thread. It calls no native function, and initialises no class of
 * JNA that does: these depend on each other, so threads that begin with different ones could
 * deadlock.
 */
final class KernelWarmUp {
  private static final System.Logger LOG = System.getLogger(KernelWarmUp.class.getName());
  private static final AtomicBoolean STARTED = new AtomicBoolean();

  private KernelWarmUp() {}

  /**
   * Starts the thread unless it was started before. Never throws.
   *
   * @param compiler searches for the compiler's files
   */
  static void start(KernelCache cache, Runnable compiler) {
    if (STARTED.compareAndSet(false, true)) {
      Runnable warmUp = () -> warmUp(cache, compiler);
      Thread thread = new Thread(null, () -> attempt(warmUp), "jhal-warm-up", 0, false);
      thread.setDaemon(true);
      attempt(thread::start); // there may be too many threads
    }
  }

  private static void attempt(Runnable step) {
    Throwable thrown = Attempt.of(step);
    if (thrown != null) {
      LOG.log(Level.DEBUG, "the first kernels will take longer to load", thrown);
    }
  }

  static void warmUp(KernelCache cache, Runnable compiler) {
    ExecutableSource source = ExecutableSource.ofResources(KernelWarmUp.class, "warm-up");
    Manifest manifest = Manifest.read(source);
    Variant variant = manifest.variants().get(0);
    SourceCode code =
        SourceCode.read(source, String.valueOf(variant.file()), variant.readFile(source), "none");
    boolean unusedAnswer = code.isSelfContained(variant.options("none", ""));
    compiler.run();
    CompiledCode unusedCode = CompiledCode.of(new byte[0], List.of());
    KernelKey unusedKey = KernelKey.of(List.of(code.text()));
    cache.warmUp();
    ArgumentLayout unusedLayout = ArgumentLayout.of(manifest.kernels().get(0).parameters());
  }
}
