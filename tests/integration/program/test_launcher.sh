#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The launcher of the archive (packaging/tarball/launcher.c), in folders with names that mean something to
# the loader: there libraries below the working directory would run.
set -u
cd "$(dirname "$0")/../../.."
top=$(mktemp -d /tmp/railtop-launcher-XXXXXX)
trap 'rm -rf "$top"' EXIT
n=0
failed=0

report() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$top/out"
		failed=1
	fi
}

# In the place of the loader a script that prints its arguments.
unpack() {
	mkdir -p "$1/bin" "$1/lib" "$1/libexec"
	cp "$top/launcher" "$1/bin/railtop"
	printf '#!/bin/sh\necho "started $4"\n' >"$1/lib/loader"
	chmod +x "$1/lib/loader"
}

"${CC:-cc}" -D_GNU_SOURCE -DLOADER='"loader"' -o "$top/launcher" packaging/tarball/launcher.c >"$top/out" 2>&1
report $? "it compiles"
for name in 'a:b' 'a;b' 'a$ORIGIN' ':' 'one/$LIB/two'; do
	unpack "$top/$name"
	"$top/$name/bin/railtop" --version >"$top/out" 2>&1
	[ $? = 5 ] && grep -q 'cure: move the archive' "$top/out" && ! grep -q started "$top/out"
	report $? "refused below $name"
done
for name in plain 'with blank' "qu'ote" 'per%cent'; do
	unpack "$top/$name"
	"$top/$name/bin/railtop" --version >"$top/out" 2>&1
	grep -qx "started $top/$name/lib" "$top/out"
	report $? "starts below $name"
done
echo "1..$n"
exit $failed
