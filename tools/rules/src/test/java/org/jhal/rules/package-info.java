// SPDX-License-Identifier: Apache-2.0
/** The rules that a machine checks across all modules, such as which module may see which. */
@NullMarked
package org.jhal.rules;

import org.jspecify.annotations.NullMarked;
