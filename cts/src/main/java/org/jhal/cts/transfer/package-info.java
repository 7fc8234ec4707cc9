/**
 * Tests of fills, updates, copies, uploads and readbacks, by queues and between devices (rule M2).
 */
@NullMarked
package org.jhal.cts.transfer;

import org.jspecify.annotations.NullMarked;
