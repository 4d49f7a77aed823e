/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the documentation that comes from the option table: gendoc mdoc|bash|zsh|fish.  For mdoc,
 * standard input is the page's frame, and its line @OPTIONS@ is replaced by the list. */
#include <stdio.h>
#include <string.h>

#include "cli/options.h"

int main(int argc, char **argv)
{
	char line[1024];

	if (argc != 2)
		return 2;
	if (strcmp(argv[1], "mdoc"))
		return options_completion(stdout, argv[1]) ? 0 : 2;
	while (fgets(line, sizeof(line), stdin))
		if (!strcmp(line, "@OPTIONS@\n"))
			options_mdoc(stdout);
		else
			fputs(line, stdout);
	return 0;
}
