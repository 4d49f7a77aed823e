# SPDX-License-Identifier: GPL-2.0-or-later
# Regression tests of python3 and perl themselves, natively and in vsysemu.
programs: vsysemu
	@tests/programs/run.sh
.PHONY: programs
