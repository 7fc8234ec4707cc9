package org.jhal.cts;

/** What a test may need beyond a device. If it is absent, the test is unsupported. */
public enum Need {
  /** {@link CtsBackend#controls}. */
  CONTROLS("the backend gives no Controls for its devices"),
  /** A second queue. */
  TWO_QUEUES("the device has one queue"),
  /** {@link CtsBackend#openSecond}. */
  SECOND_DEVICE("the backend opens no second device"),
  /** {@link CtsBackend#openOther}. */
  OTHER_DRIVER("there is no device of another driver");

  private final String absence;

  Need(String absence) {
    this.absence = absence;
  }

  /** What the report says if it is absent. */
  public String absence() {
    return absence;
  }
}
