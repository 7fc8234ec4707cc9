// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.options.Option;
import org.jhal.driver.options.Settings;
import org.jhal.driver.support.Lazy;
import org.jspecify.annotations.Nullable;

/**
 * The option for the binding of the functions that operations call.
 *
 * <p>{@code auto} takes the {@link NativeBinding} of newer versions of Java where its jar is
 * present and has no obstacle, and the driver's own binding otherwise.
 *
 * <p>Thread-safe.
 */
public final class BindingOption {
  /** The value for the {@link NativeBinding}. */
  public static final String FFM = "ffm";

  private static final String AUTO = "auto";
  private static final String JAR = "hal-gpu-ffm";

  /** The first version of Java that can load the jar. */
  private static final int JAVA = 22;

  /** What was found: a binding or null, and the reason for which {@code auto} does not take one. */
  private record Found(@Nullable NativeBinding binding, @Nullable String obstacle) {}

  private static final Lazy<Found> FOUND = new Lazy<>();

  private final String own;
  private final Option<String> option;

  /** With the name of the driver's own binding. */
  public BindingOption(String own) {
    this.own = own;
    this.option =
        Option.choice(
            "binding",
            AUTO,
            List.of(AUTO, own, FFM),
            "how Java calls the functions that operations call");
  }

  /** The option, for the driver's list. */
  public Option<String> option() {
    return option;
  }

  /**
   * The binding for a device; null for the driver's own.
   *
   * @throws HalException UNAVAILABLE if another one is asked for and there is none
   */
  public @Nullable NativeBinding choose(Settings settings) {
    String value = settings.get(option);
    if (value.equals(AUTO)) {
      return auto();
    }
    return value.equals(FFM) ? require() : null;
  }

  /** The chosen binding, for people; if {@code auto} chose the driver's own, also why. */
  public String describe(Settings settings) {
    String value = settings.get(option);
    if (!value.equals(AUTO)) {
      return value;
    }
    String obstacle = found().obstacle();
    return obstacle == null ? FFM : own + " (not " + FFM + ": " + obstacle + ")";
  }

  /** What {@code auto} means here; null for the driver's own. */
  public static @Nullable NativeBinding auto() {
    Found found = found();
    return found.obstacle() == null ? found.binding() : null;
  }

  /**
   * The binding that is none of the driver's.
   *
   * @throws HalException UNAVAILABLE with the reason if there is none
   */
  public static NativeBinding require() {
    Found found = found();
    if (found.binding() == null) {
      throw new HalException(
          Status.UNAVAILABLE, "binding=" + FFM + " cannot be used: " + found.obstacle());
    }
    return found.binding();
  }

  private static Found found() {
    return FOUND.get(BindingOption::find);
  }

  private static Found find() {
    int java = Runtime.version().feature();
    if (java < JAVA) {
      return new Found(null, "Java " + JAVA + " or newer is needed, this is Java " + java);
    }
    try {
      return ServiceLoader.load(NativeBinding.class, BindingOption.class.getClassLoader())
          .findFirst()
          .map(binding -> new Found(binding, binding.obstacle()))
          .orElseGet(() -> new Found(null, absence()));
    } catch (ServiceConfigurationError | LinkageError e) {
      return new Found(null, "the jar " + JAR + " cannot be loaded: " + e);
    }
  }

  /** Only a build with a JDK that has the API makes the jar. */
  static String absence() {
    return "the jar "
        + JAR
        + " is missing; in a build of JHAL, ./hal --rebuild with JDK "
        + JAVA
        + " or newer makes it";
  }
}
