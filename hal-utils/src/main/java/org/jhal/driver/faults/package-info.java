/**
 * Makes what a driver does fail or stop on purpose, for tests that must decide what happens when.
 */
@NullMarked
package org.jhal.driver.faults;

import org.jspecify.annotations.NullMarked;
