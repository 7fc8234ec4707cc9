package org.jhal.gpu.compile;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.ExecutableSource;
import org.jhal.driver.ArgumentLayout;
import org.jhal.driver.bundle.Manifest;
import org.jhal.driver.bundle.Variant;
import org.jhal.driver.cache.KernelCache;
import org.jhal.driver.cache.KernelKey;
import org.jhal.engine.EngineDevice;

/**
 * Does what loading a kept kernel does without the device, once in a process, while the first
 * device is opened. Most code takes much longer at its first use, since its classes are loaded
 * then; and opening a device waits for native code meanwhile.
 *
 * <p>It runs on a daemon thread that ends by itself, and nobody waits for it. It calls no native
 * function, and initialises no class of JNA that does so: those depend on each other, so two
 * threads that begin with different ones could wait for each other.
 */
final class Rehearsal {
  private static final System.Logger LOG = System.getLogger(Rehearsal.class.getName());
  private static final AtomicBoolean STARTED = new AtomicBoolean();

  private Rehearsal() {}

  /**
   * Begins, unless it was begun before. Never throws.
   *
   * @param compiler looks for the files of the compiler
   */
  static void start(KernelCache cache, Runnable compiler) {
    if (STARTED.compareAndSet(false, true)) {
      try {
        Thread thread = new Thread(null, () -> run(cache, compiler), "jhal-rehearsal", 0, false);
        thread.setDaemon(true);
        thread.start();
      } catch (OutOfMemoryError e) { // there are too many threads
        failed(e);
      }
    }
  }

  private static void run(KernelCache cache, Runnable compiler) {
    try {
      rehearse(cache, compiler);
    } catch (Throwable t) {
      failed(t);
    }
  }

  private static void failed(Throwable thrown) {
    LOG.log(Level.DEBUG, "the first kernels will take longer to load", thrown);
  }

  static void rehearse(KernelCache cache, Runnable compiler) throws IllegalAccessException {
    ExecutableSource source = ExecutableSource.ofResources(Rehearsal.class, "rehearsal");
    Manifest manifest = Manifest.read(source);
    Variant variant = manifest.variants().get(0);
    SourceCode code =
        SourceCode.read(source, String.valueOf(variant.file()), variant.readFile(source), "none");
    boolean unusedAnswer = code.isSelfContained(variant.options("none"));
    compiler.run();
    KernelKey unusedKey = KernelKey.of(List.of(code.text()));
    cache.rehearse();
    ArgumentLayout unusedLayout = ArgumentLayout.of(manifest.kernels().get(0).parameters());
    Class<?> unusedClass = MethodHandles.lookup().ensureInitialized(GpuModule.class);
    EngineDevice.rehearseLoading();
  }
}
