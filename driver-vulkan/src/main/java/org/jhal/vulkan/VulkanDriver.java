// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayList;
import java.util.List;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.options.CacheOption;
import org.jhal.driver.options.ConfiguredDriver;
import org.jhal.driver.options.EngineConfig;
import org.jhal.driver.options.Option;
import org.jhal.driver.options.Settings;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.EngineDevice;
import org.jhal.gpu.GpuOptions;
import org.jhal.gpu.natives.BindingOption;
import org.jhal.gpu.natives.Profile;
import org.jhal.gpu.natives.Undo;
import org.jspecify.annotations.Nullable;

/**
 * Finds and opens devices with a Vulkan driver.
 *
 * <p>Thread-safe.
 */
class VulkanDriver extends ConfiguredDriver {
  private static final String ON = "on";
  private static final Option<String> VALIDATION =
      Option.choice(
          "validation",
          "off",
          List.of("off", ON),
          "whether Vulkan's validation layer checks all calls, and logs a warning for each error");
  private static final BindingOption BINDING = new BindingOption("jna");

  VulkanDriver() {
    super(
        VulkanDriverProvider.NAME,
        GpuOptions.ENGINE,
        List.of(
            GpuOptions.MEMORY,
            GpuOptions.STAGING,
            CopyKernels.OPTION,
            Profile.OPTION,
            VALIDATION,
            VulkanCompiler.OPTION,
            CacheOption.FOLDER,
            BINDING.option()));
  }

  @Override
  public final Availability probe() {
    try {
      DeviceSearch search = VulkanInstance.get(false).devices().require();
      int count = search.usable().size();
      String refused =
          search.refused().isEmpty() ? "" : "; not used: " + String.join("; ", search.refused());
      return Availability.available(
          "Vulkan with " + count + (count == 1 ? " device" : " devices") + refused);
    } catch (HalException e) {
      return Availability.unavailable(e.getMessage());
    }
  }

  private static List<PhysicalDevice> find(Settings settings) {
    boolean isValidated = settings.get(VALIDATION).equals(ON);
    return VulkanInstance.get(isValidated).devices().require().usable();
  }

  @Override
  protected final List<DeviceInfo> devices(Settings settings) {
    String binding = BINDING.describe(settings);
    List<DeviceInfo> infos = new ArrayList<>();
    for (PhysicalDevice device : find(settings)) {
      infos.add(device.info(infos.size(), settings.get(GpuOptions.MEMORY), binding));
    }
    return infos;
  }

  /** Why there is no compiler for kernels in C++; null if there is one. For tests. */
  final @Nullable String compilerAbsence() {
    return VulkanCompiler.of(settings(DeviceUri.parse(name()))).absence();
  }

  @Override
  public final Device open(DeviceUri uri) {
    return PlatformThreads.call(name() + "-open", () -> openHere(uri));
  }

  private Device openHere(DeviceUri uri) {
    Settings settings = settings(uri);
    EngineConfig engine = GpuOptions.ENGINE.configure(settings);
    DeviceInfo info = select(uri, settings);
    LogicalDevice logical =
        LogicalDevice.open(find(settings).get(info.index()), BINDING.choose(settings));
    VulkanDevice.Config config =
        new VulkanDevice.Config(
            settings.get(GpuOptions.STAGING),
            engine.copyThreads(),
            Profile.of(settings.get(Profile.OPTION)),
            VulkanCompiler.of(settings),
            CopyKernels.leastBytes(settings.get(CopyKernels.OPTION), logical.physical()));
    DeviceBackend<VulkanEvent> backend =
        Undo.onFailure(() -> backend(logical, info, config), logical::release);
    return new EngineDevice<>(backend, engine, settings.toList());
  }

  /** What the engine gets; tests have one whose calls fail on purpose. */
  DeviceBackend<VulkanEvent> backend(
      LogicalDevice logical, DeviceInfo info, VulkanDevice.Config config) {
    return new VulkanDevice(logical, info, config);
  }
}
