/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option table as people read it: help, the man page's list, completions. */
#include <string.h>

#include "cli/options_table.h"

static void spelling(const struct option_row *r, char *out, size_t cap)
{
	const char *takes = r->takes ? r->takes : "";
	int n = 0;

	if (r->letter && r->kind != OPT_FLAG)
		n = snprintf(out, cap, "-%c %s, ", r->letter, takes);
	else if (r->letter)
		n = snprintf(out, cap, "-%c, ", r->letter);
	if (n < 0 || (size_t)n >= cap)
		return;
	snprintf(out + n, cap - (size_t)n, "--%s%s%s%s", r->name,
		 r->kind == OPT_MAYBE ? "[=" : r->kind == OPT_FLAG ? "" : "=", takes,
		 r->kind == OPT_MAYBE ? "]" : "");
}

static void help_rows(FILE *f, unsigned verbs)
{
	for (size_t i = 0; i < option_rows_n; i++) {
		char left[128];

		if (!(option_rows[i].verbs & verbs))
			continue;
		spelling(&option_rows[i], left, sizeof(left));
		if (strlen(left) <= 26)
			fprintf(f, "  %-26s  %s\n", left, option_rows[i].help);
		else
			fprintf(f, "  %s\n%30s%s\n", left, "", option_rows[i].help);
	}
}

void options_help(FILE *f, enum verb v)
{
	if (v != VERB_COUNT) {
		fprintf(f, "usage: vsysemu %s %s\n%s\n\n", verb_rows[v].name, verb_rows[v].args,
			verb_rows[v].help);
		help_rows(f, VERB_BIT(v));
		return;
	}
	fputs("usage: vsysemu [options] [--] PROGRAM [ARG...]\n"
	      "       vsysemu VERB ...\n\n"
	      "Runs a static or dynamic x86-64 Linux program and plays the kernel's legacy vsyscall\n"
	      "page and vDSO under a chosen policy, with modelled costs.\n\nVerbs:\n",
	      f);
	for (unsigned i = 0; i < VERB_COUNT; i++)
		fprintf(f, "  %-10s %s\n", verb_rows[i].name, verb_rows[i].help);
	fputs("\nOptions of a run (VERB --help shows those of a verb):\n", f);
	help_rows(f, VERB_BIT(VERB_RUN));
	fputs("\nEvery long option but --help and --version has an environment twin VSYSEMU_<OPTION>.\n"
	      "Exit status: the guest's own; 128+N signal N; 124 a limit; 125 wrong use or trouble;\n"
	      "126 the file cannot be run; 127 it was not found.\n",
	      f);
}

void options_mdoc(FILE *f)
{
	for (size_t i = 0; i < option_rows_n; i++) {
		const struct option_row *r = &option_rows[i];
		const char *sep = "";

		fputs(".It ", f);
		if (r->letter) {
			fprintf(f, "Fl %c", r->letter);
			if (r->kind != OPT_FLAG)
				fprintf(f, " Ar %s", r->takes);
			fputs(" , ", f);
		}
		fprintf(f, "Fl -%s", r->name);
		if (r->takes)
			fprintf(f, "%s Ns = Ns Ar %s%s", r->kind == OPT_MAYBE ? " Ns Oo" : "", r->takes,
				r->kind == OPT_MAYBE ? " Oc" : "");
		fprintf(f, "\n%c%s.\nVerbs:", r->help[0] - (r->help[0] >= 'a' ? 32 : 0), r->help + 1);
		for (unsigned v = 0; v < VERB_COUNT; v++)
			if (r->verbs & VERB_BIT(v)) {
				fprintf(f, "%s %s", sep, verb_rows[v].name);
				sep = ",";
			}
		fputs(".\n", f);
	}
}

static void words(FILE *f, const char *pre, const char *post)
{
	for (unsigned v = 0; v < VERB_COUNT; v++)
		fprintf(f, "%s%s%s", pre, verb_rows[v].name, post);
	for (size_t i = 0; i < option_rows_n; i++)
		fprintf(f, "%s--%s%s%s", pre, option_rows[i].name,
			option_rows[i].kind == OPT_VALUE || option_rows[i].kind == OPT_LIST ? "=" : "",
			post);
}

static void fish(FILE *f)
{
	fputs("# SPDX-License-Identifier: GPL-2.0-or-later\n", f);
	for (unsigned v = 0; v < VERB_COUNT; v++)
		fprintf(f, "complete -c vsysemu -n __fish_use_subcommand -a %s -d '%s'\n",
			verb_rows[v].name, verb_rows[v].help);
	for (size_t i = 0; i < option_rows_n; i++) {
		const struct option_row *r = &option_rows[i];

		fprintf(f, "complete -c vsysemu -l %s", r->name);
		if (r->letter)
			fprintf(f, " -s %c", r->letter);
		if (r->kind == OPT_VALUE || r->kind == OPT_LIST)
			fputs(" -r", f);
		if (r->choice) {
			fputs(" -fa '", f);
			for (const char *p = r->takes; *p; p++)
				fputc(*p == '|' ? ' ' : *p, f);
			fputs("'", f);
		}
		fputs(" -d \"", f);
		for (const char *p = r->help; *p; p++) {
			if (*p == '"' || *p == '$')
				fputc('\\', f);
			fputc(*p, f);
		}
		fputs("\"\n", f);
	}
}

bool options_completion(FILE *f, const char *shell)
{
	if (!strcmp(shell, "bash")) {
		fputs("# SPDX-License-Identifier: GPL-2.0-or-later\n"
		      "# bash completion for vsysemu\n"
		      "_vsysemu() {\n"
		      "\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
		      "\tCOMPREPLY=($(compgen -W \"",
		      f);
		words(f, "", " ");
		fputs("\" -- \"$cur\"))\n"
		      "\t[[ ${COMPREPLY-} == *= ]] && compopt -o nospace\n"
		      "\t[[ $cur == -* ]] || COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
		      "}\n"
		      "complete -F _vsysemu -o filenames vsysemu\n",
		      f);
	} else if (!strcmp(shell, "zsh")) {
		fputs("#compdef vsysemu\n# SPDX-License-Identifier: GPL-2.0-or-later\n_alternative 'words:word:(", f);
		words(f, "", " ");
		fputs(")' 'files:file:_files'\n", f);
	} else if (!strcmp(shell, "fish")) {
		fish(f);
	} else {
		return false;
	}
	return true;
}
