# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's own selftests: built when linux-source-6.1 is installed, run natively and under every
# mode, compared with tests/selftests/expected.tsv.
selftests: all
	@B=$(B) CC=$(CC) tests/selftests/build.sh
	@B=$(B) tests/run.sh tests/real/selftests.sh
.PHONY: selftests
