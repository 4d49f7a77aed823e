# SPDX-License-Identifier: GPL-2.0-or-later
# Guests: programs to run.  Sets GUESTS and the target guests.
guests:
.PHONY: guests
include guest/conformance/conformance.mk
