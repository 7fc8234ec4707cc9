// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A recording that cannot be made into a trace. */
public final class BadRecordingException extends IOException {
  private static final long serialVersionUID = 1;

  BadRecordingException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
