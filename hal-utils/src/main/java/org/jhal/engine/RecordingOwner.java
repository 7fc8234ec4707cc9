package org.jhal.engine;

/** The owner's reference to a {@link Recording}, kept by its device until the recording ends. */
final class RecordingOwner extends Owner {
  private final String device;

  /** Owns {@code recording} for {@code handle}. */
  RecordingOwner(EngineCommandBuffer handle, Recording recording) {
    super(handle, recording, recording.device(), "command buffer");
    this.device = recording.device().name();
    recording.setOwner(this);
  }

  @Override
  String describe() {
    return "a command buffer of " + device;
  }
}
