/** The rules that a machine checks across all modules: who may see whom, and who may name whom. */
@NullMarked
package org.jhal.rules;

import org.jspecify.annotations.NullMarked;
