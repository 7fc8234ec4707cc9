package org.jhal.engine;

/**
 * The owner's reference to a {@link Recording}. The device keeps it reachable until the recording
 * ends.
 */
final class RecordingOwner extends Owner {
  private final String device;
  private final Recording recording;

  /** Owns {@code recording} on behalf of {@code handle}. */
  RecordingOwner(Object handle, Recording recording) {
    super(handle, recording, recording.device().tracesLeaks(), "command buffer");
    this.device = recording.device().name();
    this.recording = recording;
    recording.setOwner(this);
  }

  @Override
  void endWithDevice() {
    recording.endPrepared();
  }

  @Override
  String describe() {
    return "a command buffer of " + device;
  }
}
