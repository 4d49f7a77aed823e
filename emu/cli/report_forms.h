/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms of a report: each appends to @out. */
#ifndef VSYSEMU_CLI_REPORT_FORMS_H
#define VSYSEMU_CLI_REPORT_FORMS_H

#include "base/buf.h"
#include "cli/json.h"
#include "cli/report_facts.h"

void report_json(const struct report *r, struct buf *out);
void report_text(const struct report *r, struct buf *out);
void report_csv(const struct report *r, struct buf *out);
void report_html(const struct report *r, struct buf *out);
void report_folded(const struct report *r, struct buf *out);
void report_chrome(const struct report *r, struct buf *out); /* --report=trace */

/* Members "calls" and "policies" of @root. */
void report_put_calls(const struct account *a, struct json *root);
void report_put_policies(const struct report_policy *p, unsigned n, struct json *root);

/* Members "calls_over_time" and "call_stages"; the former as a drawing. */
void report_put_time(const struct report *r, struct json *root);
/* Member "charges": what the run charged, by event; instructions are not among them. */
void report_put_charges(const struct report *r, struct json *root);
void report_put_stages(const struct report *r, struct json *root);
void report_time_html(const struct report *r, struct buf *out);

/* What a death means; a stack in one line, innermost first; frames of a stack. */
void report_death_text(const struct report *r, struct buf *out);
void report_death_html(const struct report *r, struct buf *out);
void report_stack_text(const struct report_frame *f, unsigned n, struct buf *out);
void report_put_frames(const struct report_frame *f, unsigned n, struct json *list);

/* The table of policies as text. */
void report_policies_text(const struct report_policy *p, unsigned n, struct buf *out);

void report_policies_csv(const struct report_policy *p, unsigned n, struct buf *out);
void report_policies_html(const struct report_policy *p, unsigned n, struct buf *out);
/* The table of time calls. */
void report_calls_html(const struct account *a, struct buf *out);

#endif
