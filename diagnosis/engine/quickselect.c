/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/engine/quickselect.h"

double quickselect(double *at, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		double pivot = at[lo + (hi - lo) / 2];
		size_t i = lo, j = hi;

		for (;;) {
			double swap;

			while (at[i] < pivot)
				i++;
			while (at[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap = at[i];
			at[i++] = at[j];
			at[j--] = swap;
		}
		/* Equal values may leave i and j one apart on either side. */
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return at[k];
}
