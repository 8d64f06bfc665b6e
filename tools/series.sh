# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The two directions between the repository and a git tree of the kernel.
# Sourced after lib.sh by tools/tree and tools/export.
#
# patches/series names the patches in order.  A patch is a mail: subject,
# commit message, a line "---", then one line "new file: PATH" for each file
# of linux/ that this commit adds, then the diff of every other file.  linux/
# holds the files as they are after the whole series.  If a later patch edits
# a file of ours, its diff is in that patch, and the earlier versions are made
# by taking the diffs back, last first.
#
# Everything here works on git objects and private index files: no work tree
# is touched.

series_patches() {	# DIR: prints the names in DIR/patches/series
	sed 's/#.*//;/^[[:space:]]*$/d' "$1/patches/series"
}

new_files() {	# PATCH: prints the paths it claims
	sed -n '/^---$/,/^diff --git /s/^new file: //p' "$1"
}

diff_paths() {	# PATCH: prints the paths that its diff changes
	sed -n 's,^diff --git a/\(.*\) b/.*,\1,p' "$1"
}

# series_commit REPO BASE DIR: makes commits of DIR's series on top of commit
# BASE in the git repository REPO; prints them, one a line, first to last.
series_commit() {
	local repo=$1 base=$2 dir=$3 tmp patches=() p path mode blob i parent tree
	local -A claimed=() owner=()
	tmp=$(mktemp -d)
	export GIT_DIR=$repo
	mapfile -t patches < <(series_patches "$dir")
	[ ${#patches[@]} -gt 0 ] || die "$dir/patches/series is empty"

	for p in "${patches[@]}"; do
		[ -f "$dir/patches/$p" ] || die "patches/series names $p, which is not there"
		while read -r path; do
			[ -f "$dir/linux/$path" ] || die "$p claims linux/$path, which is not there"
			[ -z "${owner[$path]:-}" ] || die "both ${owner[$path]} and $p claim linux/$path"
			owner[$path]=$p
		done < <(new_files "$dir/patches/$p")
	done
	for p in "$dir"/patches/*.patch; do
		case " ${patches[*]} " in
		*" ${p##*/} "*) ;;
		*) die "patches/${p##*/} is not in patches/series" ;;
		esac
	done

	# The overlay as it is after the series.
	export GIT_INDEX_FILE=$tmp/ours
	git read-tree --empty
	while IFS= read -r -d '' path; do
		path=${path#./}
		[ -n "${owner[$path]:-}" ] ||
			die "no patch claims linux/$path; add 'new file: $path' to the first patch that needs it"
		! git cat-file -e "$base:$path" 2>/dev/null ||
			die "linux/$path exists in the base; an edit belongs in a patch"
		mode=100644
		[ ! -x "$dir/linux/$path" ] || mode=100755
		blob=$(git hash-object -w --no-filters "$dir/linux/$path")
		printf '%s %s\t%s\n' "$mode" "$blob" "$path"
	done < <(cd "$dir/linux" && find . -type f -print0) >"$tmp/final"
	git update-index --index-info <"$tmp/final"

	# Backwards: take each patch's edits of our files back, then set aside
	# the files that it adds.
	for ((i = ${#patches[@]} - 1; i >= 0; i--)); do
		p=$dir/patches/${patches[i]}
		local include=()
		while read -r path; do
			[ -z "${owner[$path]:-}" ] || include+=("--include=$path")
		done < <(diff_paths "$p")
		if [ ${#include[@]} -gt 0 ]; then
			git apply --cached -R --whitespace=nowarn "${include[@]}" "$p" ||
				die "linux/ is not what ${patches[i]} leaves behind"
		fi
		: >"$tmp/new.$i"
		while read -r path; do
			git ls-files -s -- "$path" | sed 's/ 0\t/\t/' >>"$tmp/new.$i"
			git update-index --force-remove "$path"
		done < <(new_files "$p")
	done

	# Forwards.
	export GIT_INDEX_FILE=$tmp/tree
	git read-tree "$base"
	parent=$base
	for ((i = 0; i < ${#patches[@]}; i++)); do
		p=$dir/patches/${patches[i]}
		git update-index --index-info <"$tmp/new.$i"
		if grep -q '^diff --git ' "$p"; then
			git apply --cached --whitespace=nowarn "$p" ||
				die "${patches[i]} does not apply to $(git log -1 --format=%s "$base")"
		fi
		tree=$(git write-tree)
		git mailinfo --no-scissors "$tmp/msg" "$tmp/diff" <"$p" >"$tmp/info"
		{ sed -n 's/^Subject: //p' "$tmp/info"; echo; cat "$tmp/msg"; } |
			git stripspace >"$tmp/full"
		GIT_AUTHOR_NAME=$(sed -n 's/^Author: //p' "$tmp/info")
		GIT_AUTHOR_EMAIL=$(sed -n 's/^Email: //p' "$tmp/info")
		GIT_AUTHOR_DATE=$(sed -n 's/^Date: //p' "$tmp/info")
		GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
		GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
		export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE
		export GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
		parent=$(git commit-tree "$tree" -p "$parent" -F "$tmp/full")
		printf '%s\n' "$parent"
	done
	rm -rf "$tmp"
}

# series_export REPO BASE HEAD DIR: writes the commits BASE..HEAD of REPO into
# DIR/linux and DIR/patches, replacing what is there.
series_export() {
	local repo=$1 base=$2 head=$3 dir=$4 commit n=0 name status path tmp
	local -A ours=()
	export GIT_DIR=$repo
	tmp=$(mktemp -d)
	mkdir -p "$tmp/patches" "$tmp/linux"
	printf '# The series, in the order in which it applies.  Made by tools/export.\n' \
		>"$tmp/patches/series"
	[ -z "$(git rev-list --merges "$base..$head")" ] ||
		die "the tree has merge commits; rebase it on the tag 'base' first"
	for commit in $(git rev-list --reverse "$base..$head"); do
		n=$((n + 1))
		name=$(printf '%04d-%s.patch' $n "$(git log -1 --format=%f "$commit" | cut -c1-52)")
		local edits=() new=()
		while IFS=$'\t' read -r status path; do
			case $status in
			A) new+=("$path"); ours[$path]=1 ;;
			D) [ -z "${ours[$path]:-}" ] ||
				die "commit $n removes $path, which an earlier one adds; squash them"
			   edits+=("$path") ;;
			*) edits+=("$path") ;;
			esac
		done < <(git diff-tree -r --no-renames --no-commit-id --name-status "$commit")
		{
			git log -1 --format='From: %an <%ae>%nDate: %aD%nSubject: [PATCH] %s%n%n%b' "$commit" |
				git stripspace
			printf -- '---\n'
			for path in "${new[@]}"; do
				printf 'new file: %s\n' "$path"
			done
			if [ ${#edits[@]} -gt 0 ]; then
				printf '\n'
				git diff-tree -p -r --no-renames --no-commit-id --no-color \
					--no-ext-diff --no-textconv --abbrev=12 -U3 \
					"$commit" -- "${edits[@]}"
			fi
		} >"$tmp/patches/$name"
		printf '%s\n' "$name" >>"$tmp/patches/series"
	done
	for path in "${!ours[@]}"; do
		mkdir -p "$tmp/linux/$(dirname "$path")"
		git cat-file blob "$head:$path" >"$tmp/linux/$path"
		case $(git ls-tree "$head" -- "$path") in
		100755*) chmod +x "$tmp/linux/$path" ;;
		esac
	done
	mkdir -p "$dir/patches" "$dir/linux"
	rsync -rc --perms --delete "$tmp/patches/" "$dir/patches/"
	rsync -rc --perms --delete "$tmp/linux/" "$dir/linux/"
	rm -rf "$tmp"
}

# series_input DIR REPO: prints a hash of everything that decides the tree.
series_input() {
	{
		git -C "$2" rev-parse base
		cd "$1" || exit
		find patches linux -type f -printf '%m %p\n' | sort
		find patches linux -type f -print0 | sort -z | xargs -0 sha256sum
	} | sha256sum | cut -d' ' -f1
}
