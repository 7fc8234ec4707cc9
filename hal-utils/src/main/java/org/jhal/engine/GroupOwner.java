package org.jhal.engine;

/**
 * The owner's reference to a group. Rank 0's device keeps it reachable until the group is closed.
 */
final class GroupOwner extends Owner {
  private final GroupLife group;

  /** Owns {@code group} on behalf of {@code handle}. */
  GroupOwner(Object handle, GroupLife group) {
    super(handle, group, group.first().tracesLeaks(), "group");
    this.group = group;
    group.setOwner(this);
    group.first().resources().groups().add(this);
  }

  /** One that has ended has nothing left but itself. */
  @Override
  boolean isOver() {
    return group.failure() != null;
  }

  @Override
  String describe() {
    return "a " + group;
  }
}
