/** Tests of timelines: values, waits, callbacks, failures, closing (rules S1 to S8 and S10). */
@NullMarked
package org.jhal.cts.semaphore;

import org.jspecify.annotations.NullMarked;
