#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Servers inside vsysemu, clients outside (and inside): a file over loopback, a database, both ended cleanly.
. tests/tap.sh
echo "a file" >"$T/file"
wait_port() { for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$@" >/dev/null 2>&1 && return 0; sleep 0.2; done; return 1; }
if command -v lighttpd >/dev/null && command -v curl >/dev/null; then
	port=$((20000 + $$ % 20000))
	printf 'server.document-root = "%s"\nserver.port = %d\nserver.bind = "127.0.0.1"\n' "$T" $port >"$T/conf"
	timeout 40 "$V" -q -- "$(command -v lighttpd)" -D -f "$T/conf" >"$T/log" 2>&1 &
	pid=$!
	wait_port curl -s -m 2 http://127.0.0.1:$port/file
	is "server inside" "$(curl -s -m 5 http://127.0.0.1:$port/file)" "a file"
	is "both inside" "$(timeout 20 "$V" -q -- curl -s -m 10 http://127.0.0.1:$port/file)" "a file"
	kill -TERM $pid
	wait $pid
	is "ended cleanly" $? 0
else
	skip "a file over loopback" "no lighttpd or curl here"
fi
if command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; then
	port=$((20000 + ($$ + 1) % 20000))
	timeout 40 "$V" -q -- redis-server --port $port --save "" --appendonly no >"$T/log" 2>&1 &
	pid=$!
	wait_port redis-cli -p $port ping
	is "ping" "$(timeout 5 redis-cli -p $port ping)" PONG
	timeout 20 redis-benchmark -p $port -q -n 500 -c 5 -t set,get >"$T/bench" 2>&1
	is "benchmark" "$(tr '\r' '\n' <"$T/bench" | grep -c 'per second')" 2
	timeout 5 redis-cli -p $port shutdown nosave >/dev/null 2>&1
	wait $pid
	is "shut down cleanly" $? 0
else
	skip "a database over loopback" "no redis here"
fi
done_testing
