# SPDX-License-Identifier: GPL-2.0
#
# Names for the scripts in tools/; no logic here.  Each script runs by hand
# too and has --help.

help:
	@echo 'make report             what BPF hash maps cost: stock and this branch'
	@echo "make speed              stock's hash map and the branch's in one kernel"
	@echo 'make test               everything that CI runs'
	@echo 'make check              the static gates alone'
	@echo 'make kunit CONFIG=NAME  one KUnit configuration [ARGS="kunit.py arguments"]'
	@echo "make vm [STOCK=1]       the kernel's own selftests, JIT, bpftool and bpftrace in a VM"
	@echo "make bench              the kernel's own bench in the VM: stock and this branch"
	@echo 'make coverage           lines of the hash map that the suites reach'
	@echo 'make bisect             build and test every prefix of the series'
	@echo 'make tree               make or update build/linux from linux/ and patches/'
	@echo 'make export             bring work in build/linux back to linux/ and patches/'
	@echo 'make setup              install the packages that are missing'
	@echo 'make clean              remove build/ (work in build/linux must be exported)'
	@echo
	@echo 'LINUX_SRC=PATH takes a tarball or tree of Linux 7.3.y instead of the download.'

setup:
	@tools/setup

report speed test coverage bisect bench: setup
	@tools/$@ $(ARGS)

check: setup
	@tools/check

tree:
	@tools/setup build
	@tools/tree

export:
	@tools/export

kunit:
	@tools/setup build
	@tools/kunit $(or $(CONFIG),default) $(ARGS)

vm:
	@tools/setup build vm
	@tools/vm $(if $(STOCK),--stock) $(ARGS)

clean:
	@tools/clean

.PHONY: help setup report speed test coverage bisect bench check tree export kunit vm clean
