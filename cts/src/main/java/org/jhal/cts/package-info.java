// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance suite: the tests that every driver must pass, and their framework. Authors of
 * drivers implement {@link org.jhal.cts.CtsBackend}; authors of tests start at {@link
 * org.jhal.cts.support.Cts}. The tests cite the rules of docs/contract.md.
 */
@NullMarked
package org.jhal.cts;

import org.jspecify.annotations.NullMarked;
