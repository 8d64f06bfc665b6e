# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# apt with lists and settings of the project's own, for packages of suites
# that the machine itself does not use.  Sourced after lib.sh.  Mirrors are
# the machine's own: none is named here.

apt_dir=$CACHE/apt

apt_get() {
	apt-get -q \
		-o Dir::State::Lists="$apt_dir/lists" \
		-o Dir::Cache="$apt_dir/cache" \
		-o Dir::Etc::sourcelist="$apt_dir/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::State::status="$apt_dir/status" \
		-o APT::Sandbox::User=root \
		"$@"
}

# apt_mirror: prints the mirror that this machine's apt uses.
apt_mirror() {
	local mirror
	command -v apt-get >/dev/null || return 1
	# shellcheck disable=SC2016 # apt expands these
	mirror=$(apt-get indextargets --no-release-info \
			--format '$(SITE) $(RELEASE) $(COMPONENT)' \
			'Created-By: Packages' 2>/dev/null |
		awk '!m && $2 !~ /security/ && $3 == "main" && $1 !~ /security/ { m = $1 }
		     END { print m }')
	[ -n "$mirror" ] || { say "apt on this machine has no Debian mirror"; return 1; }
	printf '%s\n' "$mirror"
}

# apt_lists "TYPE SUITE"...: makes the lists say what is in these suites.
apt_lists() {
	local mirror entry key=/usr/share/keyrings/debian-archive-keyring.gpg
	mirror=$(apt_mirror) || return 1
	mkdir -p "$apt_dir/lists/partial" "$apt_dir/cache/archives/partial"
	: >"$apt_dir/status"
	for entry; do
		printf '%s [signed-by=%s] %s %s main\n' \
			"${entry% *}" "$key" "$mirror" "${entry#* }"
	done >"$apt_dir/sources.list"
	apt_get update
}
