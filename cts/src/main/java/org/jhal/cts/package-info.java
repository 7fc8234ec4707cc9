/**
 * The conformance suite: the tests that every driver must pass, and their framework. The author of
 * a driver implements {@link org.jhal.cts.CtsBackend}; an author of tests starts at {@link
 * org.jhal.cts.support.Cts}. The tests cite the rules of docs/contract.md.
 */
@NullMarked
package org.jhal.cts;

import org.jspecify.annotations.NullMarked;
