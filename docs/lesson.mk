# SPDX-License-Identifier: GPL-2.0-or-later
# The lesson: its excerpts and figures are what the program prints now.  It is kept in the tree.
lesson: all
	V=./vsysemu B=$(B) tools/lesson.sh <docs/trap-path.md.in >$(B)/trap-path.md
	mv $(B)/trap-path.md docs/trap-path.md
.PHONY: lesson
