#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print a C header with the bytes of each vdso-NAME.so given, and a table of them.
printf '/* SPDX-License-%s */\n' 'Identifier: GPL-2.0-or-later'
echo '/* Made by guest/vdso/embed.sh from the images; do not edit. */'
for f; do
	name=$(basename "$f" .so | tr -c 'a-zA-Z0-9\n' _)
	echo "static const uint8_t image_$name[] = {"
	od -An -v -tu1 "$f" | sed 's/\([0-9][0-9]*\)/\1,/g'
	echo '};'
done
echo 'static const struct vdso_image images[] = {'
for f; do
	name=$(basename "$f" .so)
	echo "	{ \"${name#vdso-}\", image_$(echo "$name" | tr -c 'a-zA-Z0-9\n' _), sizeof(image_$(echo "$name" | tr -c 'a-zA-Z0-9\n' _)) },"
done
echo '};'
