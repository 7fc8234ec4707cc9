// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jhal.HalException;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanConstants;

/**
 * Makes the pipelines of one SPIR-V module, while it is open. Those that were made outlive it.
 *
 * <p>Used by one thread.
 */
final class Pipelines implements AutoCloseable {
  /** The number of the specialization constant for the address of variables. */
  private static final int VARIABLES = 7;

  /** That of the one which is 1 on devices that lose values behind loops. */
  static final int LOSES_VALUES = 8;

  private final LogicalDevice device;
  private final String what;
  private final long shaders; // the VkShaderModule

  /**
   * Hands a module to the runtime.
   *
   * @param what the module, for messages
   */
  Pipelines(LogicalDevice device, byte[] code, String what) {
    this.device = device;
    this.what = what;
    NativeBlock copy = new NativeBlock(code.length);
    copy.bytes().put(code);
    try (Structs structs = new Structs()) {
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, 0, 40)
              .int32(0)
              .int64(code.length)
              .int64(copy.address(0));
      long[] made = new long[1];
      int result =
          LogicalDevice.setup().createShaderModule(device.handle(), info.address(), 0, made);
      Reference.reachabilityFence(copy);
      if (result != VulkanConstants.VK_SUCCESS) {
        throw device.failure("createShaderModule", result, what);
      }
      shaders = made[0];
    }
  }

  /**
   * Makes the VkPipeline of a kernel of the driver's own, which {@code src/main/glsl} has.
   *
   * @param file the module, whose entry point is {@code main}
   * @param constants the values of its specialization constants, from 0 on
   * @throws HalException if the runtime cannot make it
   */
  static long own(LogicalDevice device, String file, int... constants) {
    byte[] code;
    try (InputStream module = Pipelines.class.getResourceAsStream(file)) {
      code = Objects.requireNonNull(module, file).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file + " of the driver's jar", e);
    }
    try (Pipelines maker = new Pipelines(device, code, "the driver")) {
      return maker.make("main", numbered(constants), 0, file);
    }
  }

  /** Values of specialization constants with the numbers from 0 on. */
  static Map<Integer, Integer> numbered(int... constants) {
    Map<Integer, Integer> all = new TreeMap<>();
    for (int i = 0; i < constants.length; i++) {
      all.put(i, constants[i]);
    }
    return all;
  }

  /**
   * Makes the VkPipeline of a kernel.
   *
   * @param entry the name of its entry point
   * @param constants the values of the specialization constants of 32 bits, by their numbers
   * @param variables the address of the module's variables outside functions, which becomes its
   *     specialization constant; 0 if it has none
   * @param name of the kernel, for messages
   * @throws HalException if the runtime cannot make it
   */
  long make(String entry, Map<Integer, Integer> constants, long variables, String name) {
    try (Structs structs = new Structs()) {
      Structs.Struct values = structs.zeros(Long.BYTES + constants.size() * Integer.BYTES);
      Structs.Struct entries = structs.zeros((constants.size() + 1) * 16);
      values.int64(variables);
      int at = Long.BYTES;
      for (Map.Entry<Integer, Integer> constant : constants.entrySet()) {
        values.int32(constant.getValue());
        entries.int32(constant.getKey()).int32(at).int64(Integer.BYTES);
        at += Integer.BYTES;
      }
      if (variables != 0) { // a module of others may have this number for something else
        entries.int32(VARIABLES).int32(0).int64(Long.BYTES);
      }
      Structs.Struct specialization =
          structs
              .zeros(32)
              .int32(constants.size() + (variables == 0 ? 0 : 1))
              .int64(entries.address())
              .int64(at)
              .int64(values.address());
      long entryName = structs.text(entry);
      Structs.Struct stage =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, 0, 48)
              .int32(0)
              .int32(VulkanConstants.VK_SHADER_STAGE_COMPUTE_BIT)
              .int64(shaders)
              .int64(entryName)
              .int64(specialization.address());
      Structs.Struct info =
          structs.typed(VulkanConstants.VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, 0, 96);
      ByteBuffer nested = stage.bytes();
      info.bytes().put(24, nested, 0, 48).putLong(72, device.pipelineLayout()).putInt(88, -1);
      long[] pipeline = new long[1];
      int code =
          LogicalDevice.setup()
              .createComputePipelines(device.handle(), 0, 1, info.address(), 0, pipeline);
      if (code != VulkanConstants.VK_SUCCESS) {
        throw device.failure("createComputePipelines", code, "kernel '" + name + "' of " + what);
      }
      return pipeline[0];
    }
  }

  @Override
  public void close() {
    LogicalDevice.setup().destroyShaderModule(device.handle(), shaders, 0);
  }
}
