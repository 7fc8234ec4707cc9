// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.jna;

import static org.jhal.hip.jna.HipConstants.hipDeviceAttributeMaxBlockDimX;
import static org.jhal.hip.jna.HipConstants.hipDeviceAttributeMaxGridDimX;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jhal.gpu.compile.CompilerApi;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.GpuSetup;
import org.jhal.gpu.natives.GraphSetup;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.runtime.GraphLayout;
import org.jhal.hip.CCompiler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The mapping of each function, constant and structure agrees with the headers, as a C compiler
 * sees them.
 */
class HeaderTest {
  private static final String INCLUDES =
      "#define __HIP_PLATFORM_AMD__ 1\n"
          + "#include <stddef.h>\n"
          + "#include <hip/hip_version.h>\n"
          + "#include <hip/hip_runtime_api.h>\n"
          + "#include <hip/hiprtc.h>\n";

  /** Constants of the headers that hal-gpu has for all vendors; attributes of axes are adjacent. */
  private static final Map<String, Integer> SHARED =
      Map.ofEntries(
          Map.entry("hipSuccess", ResultCodes.SUCCESS),
          Map.entry("hipErrorNoDevice", GpuApi.NO_DEVICE),
          Map.entry("hipErrorInvalidDevice", GpuApi.INVALID_DEVICE),
          Map.entry("hipDeviceAttributeMaxBlockDimY", hipDeviceAttributeMaxBlockDimX + 1),
          Map.entry("hipDeviceAttributeMaxBlockDimZ", hipDeviceAttributeMaxBlockDimX + 2),
          Map.entry("hipDeviceAttributeMaxGridDimY", hipDeviceAttributeMaxGridDimX + 1),
          Map.entry("hipDeviceAttributeMaxGridDimZ", hipDeviceAttributeMaxGridDimX + 2),
          Map.entry("hipErrorNotReady", GpuApi.NOT_READY),
          Map.entry("hipErrorPeerAccessAlreadyEnabled", GpuApi.PEER_ACCESS_ALREADY_ENABLED),
          Map.entry("hipStreamNonBlocking", GpuApi.STREAM_NON_BLOCKING),
          Map.entry("hipEventDefault", GpuApi.EVENT_DEFAULT),
          Map.entry("hipEventBlockingSync", GpuApi.EVENT_BLOCKING_SYNC),
          Map.entry("hipEventDisableTiming", GpuApi.EVENT_DISABLE_TIMING),
          Map.entry("hipHostMallocPortable", GpuApi.HOST_ALLOC_PORTABLE),
          Map.entry("hipHostMallocMapped", GpuApi.HOST_ALLOC_MAPPED),
          Map.entry("hipHostMallocWriteCombined", GpuApi.HOST_ALLOC_WRITE_COMBINED),
          Map.entry("hipHostRegisterPortable", GpuApi.HOST_REGISTER_PORTABLE),
          Map.entry("hipHostRegisterMapped", GpuApi.HOST_REGISTER_MAPPED),
          Map.entry("hipMemcpyDefault", GpuApi.MEMCPY_DEFAULT),
          Map.entry("hipMemPoolAttrReleaseThreshold", GpuSetup.POOL_RELEASE_THRESHOLD),
          Map.entry("HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK", KernelLoader.MAX_THREADS),
          Map.entry("HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES", KernelLoader.STATIC_SHARED_BYTES));

  @TempDir private Path folder;
  private final List<String> options = new ArrayList<>();
  private Optional<CCompiler> compiler = Optional.empty();

  @BeforeEach
  void findHeaders() {
    compiler = CCompiler.find();
    assumeTrue(compiler.isPresent(), CCompiler.absent());
    Optional<Path> headers =
        Stream.of(System.getenv("ROCM_PATH"), "/opt/rocm", "/usr")
            .filter(root -> root != null && !root.isEmpty())
            .map(root -> Path.of(root, "include"))
            .filter(root -> Files.exists(root.resolve("hip/hip_runtime_api.h")))
            .findFirst();
    assumeTrue(
        headers.isPresent(),
        "there are no headers of HIP on this machine; Debian and Ubuntu have them in the package"
            + " libamdhip64-dev");
    options.addAll(List.of("-I", headers.get().toString()));
  }

  private CCompiler.Result compile(String source, String... more) throws Exception {
    Files.writeString(folder.resolve("check.c"), INCLUDES + source);
    List<String> arguments = new ArrayList<>(options);
    arguments.addAll(List.of(more));
    arguments.add("check.c");
    return compiler.orElseThrow().run(folder, arguments.toArray(new String[0]));
  }

  /** The errors, one per line; empty if there are none. */
  private List<String> failures(List<String> assertions) throws Exception {
    assertTrue(assertions.size() > 1, "there is something to check");
    CCompiler.Result result = compile(String.join("\n", assertions) + "\n", "-c", "-o", "check.o");
    List<String> wrong = result.output().lines().filter(line -> line.contains("error:")).toList();
    assertEquals(result.code() == 0, wrong.isEmpty(), result.output());
    return wrong;
  }

  private CHeader header() throws Exception {
    CCompiler.Result expanded = compile("", "-E", "-P");
    assertEquals(0, expanded.code(), expanded.output());
    return new CHeader(expanded.output());
  }

  private static List<Method> functions(Class<?> mapping) {
    return Arrays.stream(mapping.getDeclaredMethods())
        .filter(
            method ->
                Modifier.isNative(method.getModifiers())
                    || Modifier.isAbstract(method.getModifiers()))
        .toList();
  }

  @Test
  void functionsTakeAndReturnWhatTheHeadersSay() throws Exception {
    CHeader header = header();
    List<String> assertions = new ArrayList<>();
    for (Class<?> mapping : List.of(HipApi.class, GpuSetup.class, HipSetup.class)) {
      for (Method function : functions(mapping)) {
        assertions.addAll(header.assertions(HipApi.API.functionName(function.getName()), function));
      }
    }
    for (Class<?> mapping : List.of(CompilerApi.class, HiprtcApi.class)) {
      for (Method function : functions(mapping)) {
        String name = SharedLibrary.function(HiprtcApi.PREFIX, function.getName());
        assertions.addAll(header.assertions(name, function));
      }
    }
    assertEquals(List.of(), failures(assertions));
  }

  @Test
  @Tag("long")
  void oneOptionalFunctionExistsAndIsRight() throws Exception {
    CHeader header = header();
    List<String> assertions = new ArrayList<>();
    for (Method function : functions(HipOptional.class)) {
      if (header.declares(function.getName())) {
        assertions.addAll(header.assertions(function));
      }
    }
    for (Class<?> mapping : List.of(HipGraphApi.class, GraphSetup.class, HipGraphApi.Setup.class)) {
      for (Method function : functions(mapping)) {
        String name = HipApi.API.functionName(function.getName());
        if (header.declares(name)) {
          assertions.addAll(header.assertions(name, function));
        }
      }
    }
    assertEquals(List.of(), failures(assertions));
  }

  @Test
  void constantsHaveTheirValues() throws Exception {
    List<String> assertions = new ArrayList<>();
    for (Field constant : HipConstants.class.getDeclaredFields()) {
      String name = constant.getName();
      assertions.add(CHeader.equal("(long)" + name, constant.getInt(null), name));
    }
    SHARED.forEach((name, value) -> assertions.add(CHeader.equal("(long)" + name, value, name)));
    assertEquals(List.of(), failures(assertions));
  }

  @Test
  void structuresHaveTheirLayout() throws Exception {
    List<String> assertions = new ArrayList<>();
    assertions.add(CHeader.equal("sizeof(hipMemPoolProps)", GpuSetup.POOL_BYTES, "size"));
    offset(assertions, "hipMemPoolProps", "allocType", GpuSetup.POOL_ALLOCATION_TYPE);
    offset(assertions, "hipMemPoolProps", "location.type", GpuSetup.POOL_LOCATION_TYPE);
    offset(assertions, "hipMemPoolProps", "location.id", GpuSetup.POOL_LOCATION_ID);
    assertions.add(
        CHeader.equal("hipMemAllocationTypePinned", GpuSetup.POOL_TYPE_PINNED, "pinned"));
    assertions.add(
        CHeader.equal("hipMemLocationTypeDevice", GpuSetup.POOL_LOCATION_DEVICE, "device"));
    String access = "hipMemAccessDesc";
    assertions.add(CHeader.equal("sizeof(" + access + ")", GpuSetup.ACCESS_BYTES, "size"));
    offset(assertions, access, "location.type", GpuSetup.ACCESS_LOCATION_TYPE);
    offset(assertions, access, "location.id", GpuSetup.ACCESS_LOCATION_ID);
    offset(assertions, access, "flags", GpuSetup.ACCESS_FLAGS);
    assertions.add(
        CHeader.equal("hipMemAccessFlagsProtReadWrite", GpuSetup.ACCESS_READ_WRITE, "access"));
    String kernel = "hipKernelNodeParams";
    assertions.add(CHeader.equal("sizeof(" + kernel + ")", HipGraphApi.KERNEL.bytes(), "size"));
    offset(assertions, kernel, "blockDim", HipGraphApi.KERNEL.block());
    offset(assertions, kernel, "extra", HipGraphApi.KERNEL.extra());
    offset(assertions, kernel, "func", HipGraphApi.KERNEL.function());
    offset(assertions, kernel, "gridDim", HipGraphApi.KERNEL.grid());
    offset(assertions, kernel, "sharedMemBytes", HipGraphApi.KERNEL.sharedBytes());
    assertions.add("#if HIP_VERSION_MAJOR >= 7");
    String fill = "hipMemsetParams";
    offset(assertions, fill, "dst", GraphLayout.FILL_TARGET);
    offset(assertions, fill, "pitch", GraphLayout.FILL_PITCH);
    offset(assertions, fill, "value", GraphLayout.FILL_VALUE);
    offset(assertions, fill, "elementSize", GraphLayout.FILL_ELEMENT_BYTES);
    offset(assertions, fill, "width", GraphLayout.FILL_WIDTH);
    offset(assertions, fill, "height", GraphLayout.FILL_HEIGHT);
    assertions.add("#endif");
    assertions.add("#if HIP_VERSION_MAJOR >= 6");
    layout(assertions, HipDeviceProp.R0600);
    assertions.add("#else");
    layout(assertions, HipDeviceProp.R0000);
    assertions.add("#endif");
    assertEquals(List.of(), failures(assertions));
  }

  private static void layout(List<String> assertions, HipDeviceProp layout) {
    String fits = "sizeof(hipDeviceProp_t) <= " + HipDeviceProp.MAX_BYTES;
    assertions.add(CHeader.equal(fits, 1, layout + " size"));
    offset(assertions, "hipDeviceProp_t", "gcnArchName", layout.gcnArchName());
  }

  private static void offset(List<String> assertions, String type, String member, int expected) {
    assertions.add(
        CHeader.equal("offsetof(" + type + ", " + member + ")", expected, type + "." + member));
  }

  /** Declarations that are wrong, each in its own way. */
  private static final class Wrong {
    static native int hipStreamSynchronize(int stream);

    static native int hipMalloc(int[] ptr, long size);

    static native int hipMemsetD8Async(long dest, short value, long count, long stream);

    static native int hipFree();

    static native int hipNoSuchFunction();
  }

  @Test
  void controlWrongDeclarationsAreFound() throws Exception {
    CHeader header = header();
    List<String> assertions = new ArrayList<>();
    for (Method function : functions(Wrong.class)) {
      assertions.addAll(header.assertions(function));
    }
    String found = String.join("\n", failures(assertions));
    for (String part :
        List.of(
            "hipStreamSynchronize: argument 0",
            "hipMalloc: argument 0",
            "hipMemsetD8Async: argument 1",
            "hipFree: takes 1 arguments, not 0",
            "hipNoSuchFunction: is not declared")) {
      assertTrue(found.contains(part), () -> part + " is not in\n" + found);
    }
  }
}
