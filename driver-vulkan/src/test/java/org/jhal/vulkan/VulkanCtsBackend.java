// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.cts.Controls;
import org.jhal.cts.CtsBackend;
import org.jhal.driver.support.Lazy;

/** The Vulkan driver as the conformance suite sees it. */
public final class VulkanCtsBackend implements CtsBackend {
  private static final Lazy<Boolean> HAS_COMPILER = new Lazy<>();

  /** For the service loader. */
  public VulkanCtsBackend() {}

  @Override
  public String driver() {
    return VulkanDriverProvider.NAME;
  }

  /** Also the lack of what a setting asks for, such as the validation layer. */
  @Override
  public Optional<String> unavailable() {
    try {
      List<DeviceInfo> unused = new VulkanDriver().devices(DeviceUri.parse(driver()));
      return Optional.empty();
    } catch (HalException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** With a compiler, the suite's own kernels in C++, and then those in GLSL. */
  @Override
  public List<ExecutableSource> kernels() {
    List<ExecutableSource> kernels = new ArrayList<>();
    if (hasCompiler()) {
      kernels.addAll(CtsBackend.super.kernels());
    }
    kernels.add(ExecutableSource.ofResources(VulkanCtsBackend.class, "kernels"));
    return kernels;
  }

  /** Of the suite's kernels in C++, which only a compiler loads. */
  @Override
  public List<ExpectedFailure> expectedFailures() {
    return hasCompiler()
        ? List.of(
            new ExpectedFailure(
                "DialectNamesTest.itemsAllocateMemory",
                "its kernel allocates memory, which Vulkan has no functions for",
                "a heap for kernels"))
        : List.of();
  }

  private static boolean hasCompiler() {
    return HAS_COMPILER.get(() -> new VulkanDriver().compilerAbsence() == null);
  }

  /** The same device again: others do not wait for its events on the device. */
  @Override
  public Optional<Device> openSecond(String uri) {
    return Optional.of(open(uri));
  }

  @Override
  public boolean sharesEvents() {
    return true;
  }

  @Override
  public Device open(String uri) {
    return VulkanControls.open(uri);
  }

  @Override
  public Optional<Controls> controls(Device device) {
    return VulkanControls.of(device);
  }

  @Override
  public Optional<String> memoryLimit(long bytes) {
    return Optional.of("memory=" + bytes);
  }
}
