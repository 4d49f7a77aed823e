# SPDX-License-Identifier: GPL-2.0-or-later
# Blocks of real programs priced by every core's profile, beside llvm-mca's cycles for them.
BLOCKS := $(B)/tests/blocks/price
$(BLOCKS): tests/blocks/price.c $(CORE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(PKG_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(CORE) $(PKG_LIBS)

blocks: $(BLOCKS)
	@$(BLOCKS) tests/blocks/table.tsv | tee docs/parts/blocks.md
check: $(BLOCKS)
.PHONY: blocks
