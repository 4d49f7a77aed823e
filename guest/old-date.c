/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: a whole C program with the time stubs of an old static C library (old-stubs.S) prints the
 * date under every policy that lets the page be called, and dies under the others.
 */
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

int main(void)
{
	struct timeval tv = { 0, -1 };
	struct timezone tz = { -1, -1 };
	time_t now = time(NULL), stored = 0;
	struct tm *tm = gmtime(&now);
	char text[64] = "";

	if (gettimeofday(&tv, &tz)) {
		puts("gettimeofday failed");
		return 1;
	}
	if (time(&stored) != stored || tv.tv_sec - now > 1 || tv.tv_usec < 0 || tv.tv_usec > 999999) {
		puts("the clocks disagree");
		return 1;
	}
	if (tm)
		strftime(text, sizeof(text), "%a %b %e %H:%M:%S UTC %Y", tm);
	puts(text);
	return 0;
}
