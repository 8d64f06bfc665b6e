# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the gates in tools/ci/ share.  Sourced after lib.sh, never run.  A gate
# reports with finding() as often as it likes and ends with gate_end.

CHECK=$BUILD/check		# kernels that gates build, and their scratch
gate=$(basename "$0")
findings=0

finding() {
	say "$gate: $*"
	findings=$((findings + 1))
}

gate_end() {	# WHAT: says that WHAT is fine, or fails
	[ "$findings" -eq 0 ] || die "$findings finding(s)"
	say "$gate: $*: nothing to report"
}

gate_args() {	# ARGUMENT...: for gates that have none but --help
	case ${1:-} in
	'') ;;
	-h | --help) usage; exit 0 ;;
	*) die "unknown argument '$1'; see --help" ;;
	esac
}

# gate_tree: build/linux and build/base as linux/ and patches/ want them.
gate_tree() {
	need git
	"$ROOT/tools/tree" --base
}

# What the branch adds and what it changes, as build/linux has it now, work
# that is not committed yet included.
our_files() { git -C "$TREE" diff --name-only --no-renames --diff-filter=A base; }
touched_files() { git -C "$TREE" diff --name-only --no-renames --diff-filter=MT base; }

# fresh LINES BASE: prints the lines of file LINES that file BASE has not, or
# has less often.  Where something stands in a file does not count.
fresh() {
	awk 'function key(s) {
			gsub(/:[0-9]+(:[0-9]+)?:/, ":", s)
			gsub(/:[0-9]+(-[0-9]+)?/, ":", s)
			gsub(/[Ll]ines? [0-9]+/, "line", s)
			return s
		}
		FILENAME == ARGV[1] { seen[key($0)]++; next }
		seen[key($0)]-- > 0 { next }
		{ print }' "$2" "$1"
}

# C files that one kernel build compiles on their own.  Programs in user space,
# samples and other architectures are not the kernel's own build under UML.
kernel_c() {
	grep '\.c$' | grep -Ev '^(tools|samples|scripts|Documentation)/'
}

# units: the C files of ours and touched ones that have an object of their own.
# A file that another one includes has none.
units() {
	local path
	{ our_files; touched_files; } | kernel_c | sort | while read -r path; do
		! grep -qsw "$(basename "${path%.c}")\.o" "$TREE/$(dirname "$path")/Makefile" ||
			printf '%s\n' "$path"
	done
}

# kernel_make SOURCE FLAVOUR ARGUMENT...: make for a UML kernel in build/check.
# FLAVOUR is gcc or clang, with -base if SOURCE is the base.
kernel_make() {
	local src=$1 flavour=$2
	shift 2
	case $flavour in
	clang*) set -- LLVM="$CLANG" "$@" ;;
	esac
	make -C "$src" -j"$JOBS" ARCH=um O="$CHECK/$flavour" "$@"
}

suite_symbols() { sed -n 's/^config //p' "$TREE/kernel/bpf/tests/Kconfig"; }

# kernel_prepare SOURCE FLAVOUR: configures a kernel with every suite, and
# builds what objects need.
kernel_prepare() {
	local out=$CHECK/$2 sym
	mkdir -p "$out"
	{
		# An SMP kernel, where most of the code under #ifdef is.
		cat "$ROOT/kunit-configs/small.config" "$ROOT/kunit-configs/smp/.kunitconfig"
		# Suites have parts that want these.
		printf 'CONFIG_%s=y\n' KUNIT BPF_SYSCALL DEBUG_FS FAULT_INJECTION \
			FAULT_INJECTION_DEBUG_FS FAILSLAB
		suite_symbols | sed 's/.*/CONFIG_&=y/'
	} >"$out/.config"
	kernel_make "$1" "$2" olddefconfig
	if [ "$1" = "$TREE" ]; then
		for sym in $(suite_symbols); do
			grep -qx "CONFIG_$sym=y" "$out/.config" ||
				die "CONFIG_$sym cannot be switched on: its suite would not be checked"
		done
	fi
	kernel_make "$1" "$2" prepare
}

# kernel_objects SOURCE FLAVOUR LOG ARGUMENT...: compiles every unit anew, as
# far as SOURCE has it; what make says goes to file LOG.
kernel_objects() {
	local src=$1 flavour=$2 log=$3 path objects=()
	shift 3
	while read -r path; do
		[ -f "$src/$path" ] || continue
		objects+=("${path%.c}.o")
		rm -f "$CHECK/$flavour/${path%.c}.o"
	done < <(units)
	[ ${#objects[@]} -eq 0 ] ||
		kernel_make "$src" "$flavour" -k "$@" "${objects[@]}" >"$log" 2>&1 ||
		{ cat "$log"; return 1; }
}

# all_compiled FLAVOUR: a finding for each C file or header of ours, and each
# touched C file, that no unit's compilation has read.
all_compiled() {
	local path unit deps
	deps=$(mktemp)
	for unit in $(units); do
		cat "$CHECK/$1/$(dirname "$unit")/.$(basename "${unit%.c}").o.cmd"
	done >"$deps"
	while read -r path; do
		grep -qE "(^| |/)$path( |\$)" "$deps" ||
			finding "$path is compiled by no object that this gate builds"
	done < <({ our_files; touched_files | grep '\.c$'; } |
		 grep '\.[ch]$' | grep -Ev '^(tools|samples|scripts|Documentation)/')
	rm -f "$deps"
}

# warnings_of LOG: the warnings and errors in what make said, with paths from
# the top of the kernel.
warnings_of() {
	grep -E '^[^ ].*[: ](warning|error|Warning|Error):? ' "$1" |
		sed "s,$TREE/,,g;s,$BASE/,,g" || :
}

# compare_warnings FLAVOUR LOG ARGUMENT...: a finding for each warning in LOG
# that is in a file of ours, or that the base does not have.  The base is only
# built, with ARGUMENTs for make, if there is anything to compare.
compare_warnings() {
	local flavour=$1 log=$2 line
	shift 2
	warnings_of "$log" | sort >"$log.tree"
	: >"$log.base"
	if [ -s "$log.tree" ]; then
		step "$gate-$flavour-base-prepare" kernel_prepare "$BASE" "$flavour-base"
		step "$gate-$flavour-base" kernel_objects "$BASE" "$flavour-base" "$log.baselog" "$@"
		warnings_of "$log.baselog" | sort >"$log.base"
	fi
	while read -r line; do
		finding "$line"
	done < <(fresh "$log.tree" "$log.base")
}
