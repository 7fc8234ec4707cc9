package org.jhal.utils;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Commands in the order of recording. Those between two barriers may run in any order and at once;
 * a barrier orders all before it against all after it. Constant while it can be submitted.
 */
public final class CommandList {
  private Command[] commands;
  private int size;
  private volatile @Nullable Object attachment;

  CommandList() {
    this.commands = new Command[4];
  }

  CommandList(Command only) {
    this.commands = new Command[] {only};
    this.size = 1;
  }

  void add(Command command) {
    if (size == commands.length) {
      commands = Arrays.copyOf(commands, 2 * size);
    }
    commands[size++] = command;
  }

  /** How many commands there are. */
  public int size() {
    return size;
  }

  /** Command {@code index}. */
  public Command get(int index) {
    return commands[index];
  }

  /**
   * What the driver keeps with this list between submissions, such as packed arguments; null at
   * first.
   */
  public @Nullable Object attachment() {
    return attachment;
  }

  /** Keeps something with this list. */
  public void setAttachment(@Nullable Object newAttachment) {
    attachment = newAttachment;
  }
}
