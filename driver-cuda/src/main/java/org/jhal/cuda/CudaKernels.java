// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.jhal.Parameter.Kind.BUFFER;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.gpu.compile.CompilerFiles;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.compile.RuntimeCompiler;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.kernels.bundle.KernelArgument;
import org.jhal.kernels.bundle.KernelSpec;
import org.jspecify.annotations.Nullable;

/** Loads kernels, and compares them, as the driver sees them, with the manifest. */
final class CudaKernels extends KernelLoader {
  // From cuda.h: enum CUjit_option and enum CUfunction_attribute.
  private static final int ERROR_LOG_BUFFER = 5;
  private static final int ERROR_LOG_BYTES = 6;
  private static final int MAX_DYNAMIC_SHARED_BYTES = 8;

  private static final int LOG_BYTES = 16 << 10;

  /** The target of PTX code: {@code .target sm_90a}. */
  private static final Pattern TARGET =
      Pattern.compile("^[ \\t]*\\.target[ \\t]+sm_(\\d{1,6})([a-z]?)", Pattern.MULTILINE);

  /** The shared memory that a kernel may use without a request. */
  private static final int DEFAULT_SHARED_BYTES = 48 << 10;

  CudaKernels(CudaRuntime runtime, GpuProperties device) {
    super(
        runtime,
        device,
        Set.of("cuda-ptx", "cuda-cubin", "cuda-fatbin"),
        Nvrtc.NAME,
        Nvrtc.UNFUSED);
  }

  @Override
  protected RuntimeCompiler compiler() {
    return Nvrtc.load(device().architecture());
  }

  @Override
  protected @Nullable CompilerFiles compilerFiles() {
    return Nvrtc.files(CudaDriver.text(calls().library().number()));
  }

  @Override
  protected NativeModule link(byte[] code, String what) {
    Memory log = new Memory(LOG_BYTES);
    log.setByte(0, (byte) 0);
    Memory values = new Memory(2L * Long.BYTES); // an array of void*
    values.setPointer(0, log);
    values.setLong(Long.BYTES, LOG_BYTES);
    long[] out = new long[1];
    int result =
        JCudaApi.API
            .setup()
            .moduleLoadDataEx(
                out, image(code), 2, new int[] {ERROR_LOG_BUFFER, ERROR_LOG_BYTES}, values);
    if (result != ResultCodes.SUCCESS) {
      String text = log.getString(0).strip();
      String target = result == CudaResult.INVALID_PTX ? otherTarget(code) : "";
      HalException failure =
          calls().failure("moduleLoadDataEx", result, "cannot load " + what + target);
      throw new HalException(
          target.isEmpty() ? failure.status() : Status.UNIMPLEMENTED,
          failure.getMessage() + (text.isEmpty() ? "" : ":\n" + text),
          null,
          failure.nativeCode());
    }
    return new NativeModule(out[0], this::checkArguments);
  }

  /**
   * The end of a message that names the target of incompatible PTX, which the driver reports as
   * malformed; empty for compatible PTX.
   */
  private String otherTarget(byte[] ptx) {
    Matcher target = TARGET.matcher(new String(ptx, StandardCharsets.ISO_8859_1));
    if (!target.find()) {
      return "";
    }
    int wanted = Integer.parseInt(target.group(1));
    int own = CudaAttributes.capability(device().architecture());
    boolean isFit =
        switch (target.group(2)) {
          case "" -> wanted <= own;
          case "f" -> wanted <= own && wanted / 10 == own / 10; // same family
          default -> wanted == own; // for this architecture only
        };
    return isFit ? "" : ", as it is for sm_" + target.group(1) + target.group(2);
  }

  /** Compares a kernel's parameters with the manifest's if the driver reports them (CUDA 12.4). */
  private void checkArguments(long kernel, String entry, KernelSpec spec, String name) {
    Function query = calls().library().library().optional("cuFuncGetParamInfo");
    if (query == null) {
      return;
    }
    List<Parameter> parameters = spec.parameters();
    List<KernelArgument> taken = new ArrayList<>();
    long[] offset = new long[1];
    long[] size = new long[1];
    for (int i = 0; i <= parameters.size(); i++) {
      int code = query.invokeInt(new Object[] {kernel, (long) i, offset, size});
      if (code == CudaResult.INVALID_VALUE) {
        break;
      } else if (code != ResultCodes.SUCCESS) {
        throw calls().failure("funcGetParamInfo", code, "cannot read the parameters of " + name);
      }
      // The driver does not distinguish a pointer from a number of its size.
      boolean isPointer =
          i < parameters.size() && parameters.get(i).kind() == BUFFER && size[0] == Long.BYTES;
      taken.add(new KernelArgument((int) offset[0], (int) size[0], isPointer));
    }
    KernelArgument.check(taken, spec, name);
  }

  @Override
  protected void allowSharedMemory(long kernel, int staticBytes, int dynamicBytes) {
    if (staticBytes + dynamicBytes > DEFAULT_SHARED_BYTES) {
      calls()
          .check(
              "funcSetAttribute",
              JCudaApi.API
                  .setup()
                  .funcSetAttribute(kernel, MAX_DYNAMIC_SHARED_BYTES, dynamicBytes));
    }
  }
}
