// SPDX-License-Identifier: Apache-2.0
/** A binding of native functions for drivers of GPUs; for Java 22 and newer. */
module org.jhal.gpu.ffm {
  requires org.jhal.gpu;
  requires org.objectweb.asm;
  requires static org.jspecify;

  provides org.jhal.gpu.natives.NativeBinding with
      org.jhal.gpu.ffm.FfmBinding;
}
