// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

/**
 * Operations of which each follows the one before it, numbered from 1. With all operations in a few
 * chains, one number for each chain says what an operation follows. Guarded by the record's lock.
 */
final class Chain {
  final long id; // in the order of their making
  long length;
  long observed; // the host has seen the end of the operations up to this one
  long observedFailed; // and the failure of those up to this one that have failed

  Chain(long id) {
    this.id = id;
  }
}
