package org.jhal.engine;

import org.jspecify.annotations.Nullable;

/** The owner's reference to a {@link Recording}, kept by its device until the recording ends. */
final class RecordingOwner extends Owner {
  private final String device;

  /** Owns {@code recording} for {@code handle}. */
  RecordingOwner(EngineCommandBuffer handle, Recording recording) {
    super(handle, recording, trace(recording));
    this.device = recording.device().name();
    recording.setOwner(this);
  }

  private static @Nullable Throwable trace(Recording recording) {
    return recording.device().tracesLeaks()
        ? new Throwable("the command buffer was made here")
        : null;
  }

  @Override
  String describe() {
    return "a command buffer of " + device;
  }
}
