# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What every script in tools/ shares: where things are, how a step is shown,
# how ccache is set up.  Sourced, never run.  No work is done here.

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$ROOT/build			# everything made; ignored by git
TREE=$BUILD/linux			# git tree: base commit + the series
STOCK=$BUILD/stock			# worktree of $TREE: base + first entry
BASE=$BUILD/base			# worktree of $TREE without the series
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/bpf-htab	# survives a clone
JOBS=${JOBS:-$(nproc)}
CLANG=${CLANG_SUFFIX:--19}		# suffix of the clang to use, for LLVM=

# Build output must not depend on who builds, when, or where: ccache then
# serves one clone's objects to the next.
export CCACHE_DIR=${CCACHE_DIR:-$CACHE/ccache} CCACHE_NOHASHDIR=1
export CCACHE_BASEDIR=$BUILD CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-8G}
# Headers that are generated right before they are included count as well.
export CCACHE_SLOPPINESS=include_file_mtime,include_file_ctime
export KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 1970'
export KBUILD_BUILD_USER=kunit KBUILD_BUILD_HOST=htab KBUILD_BUILD_VERSION=1
export LC_ALL=C
if [ -d /usr/lib/ccache ] && [ -z "${NO_CCACHE:-}" ]; then
	case $PATH in
	/usr/lib/ccache:*) ;;
	*) PATH=/usr/lib/ccache:$PATH ;;
	esac
fi

say() { printf '%s\n' "$*" >&2; }
warn() { say "$(basename "$0"): warning: $*"; }
# die MESSAGE...: says what is wrong and what to do about it, ends the script.
die() {
	say "$(basename "$0"): $*"
	exit 1
}

# usage: prints the comment block at the head of the running script.
usage() {
	sed -n '2,/^$/{/^# SPDX/d;s/^# \{0,1\}//p}' "$0"
}

# step NAME COMMAND...: runs COMMAND with its output in build/log/NAME.log and
# shows how long it took.  If it fails, shows errors in the log, its end and $ADVICE,
# and ends the script.  COMMAND may be a function: call step as a plain command,
# not behind || or if, where the shell would ignore errors inside it.
step() {
	local name=$1 start=$SECONDS log rc
	shift
	mkdir -p "$BUILD/log"
	log=$BUILD/log/$name.log
	printf '  %-28s ' "$name" >&2
	set +e
	(set -e; "$@") >"$log" 2>&1 </dev/null
	rc=$?
	set -e
	if [ "$rc" -eq 0 ]; then
		say "ok    $((SECONDS - start)) s"
		return
	fi
	say "FAILED after $((SECONDS - start)) s (exit $rc); errors in and the end of $log:"
	grep -m 8 -wE 'error:' "$log" | sed 's/^/  | /' >&2 || :
	tail -n "${STEP_TAIL:-25}" "$log" | sed 's/^/  | /' >&2
	[ -z "${ADVICE:-}" ] || say "$(basename "$0"): $ADVICE"
	exit "$rc"
}

# need PROGRAM...: fails with advice when one is missing.
need() {
	local p
	for p; do
		command -v "$p" >/dev/null ||
			die "$p is not installed; run tools/setup to see what else is missing"
	done
}

# kvm_works: a /dev/kvm on a CPU without virtualization, as containers and nested
# hosts have, lets QEMU start and then does nothing.
kvm_works() {
	[ -w /dev/kvm ] && grep -qwE 'vmx|svm' /proc/cpuinfo
}

# huge_pages SCRIPT ARGUMENT...: starts the script that calls it anew, with the memory
# of UML, a file in $TMPDIR, in huge pages, if root may have them, as the memory of
# other kernels is. In small ones each boot has its own luck with where they lie, and
# speed differs by a factor of two.
huge_pages() {
	[ -z "${HTAB_HUGE:-}" ] && [ "$(id -u)" -eq 0 ] || return 0
	mkdir -p "$BUILD/huge"
	export HTAB_HUGE=1
	# shellcheck disable=SC2016 # for the inner shell
	if unshare --mount mount -t tmpfs -o huge=always tmpfs "$BUILD/huge" 2>/dev/null; then
		exec unshare --mount --propagation private -- sh -eu -c '
			mount -t tmpfs -o huge=always,size=6g tmpfs "$1"
			export TMPDIR="$1"
			shift
			exec "$@"' sh "$BUILD/huge" "$@"
	fi
	warn "no huge pages for UML here: speed will vary more"
}
