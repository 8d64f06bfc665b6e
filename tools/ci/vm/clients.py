# SPDX-License-Identifier: GPL-2.0
"""Debian's bpftool and bpftrace use hash maps as a person would.

Run in the VM by the script guest. Prints a line for each test, NAME:PASS or
NAME:FAIL, and after a FAIL what was seen.
"""

import json
import os
import subprocess
import sys
import tempfile

FS = '/sys/fs/bpf/'
CPUS = os.cpu_count()
KEYS = range(12)
bad = []


def result(name, check):
    """Runs check(), which raises if something is wrong."""
    try:
        check()
        print(f'{name}:PASS', flush=True)
    except Exception as err:  # whatever it is, it is the result
        print(f'{name}:FAIL\n\t{type(err).__name__}: {err}', flush=True)
        bad.append(name)


def run(*args):
    done = subprocess.run(args, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f'{" ".join(args)}: exit {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def bpftool(*args):
    out = run('bpftool', '-j', *args)
    return json.loads(out) if out.strip() else None


def same(got, want):
    if got != want:
        raise ValueError(f'{got!r} and not {want!r}')


def data(number, size):
    """A number as bpftool takes it"""
    return ['hex'] + [f'{b:02x}' for b in number.to_bytes(size, 'little')]


def number(data_):
    """A number as bpftool prints it"""
    return int.from_bytes(bytes(int(b, 16) for b in data_), 'little')


def value(element):
    """Of an element that was looked up or dumped; the one of all CPUs if there are many"""
    if 'values' not in element:
        return number(element['value'])
    same(len(element['values']), CPUS)
    seen = {number(v['value']) for v in element['values']}
    same(len(seen), 1)
    return seen.pop()


class Map:
    """A map of one flavour: key n has the value n + 256"""

    def __init__(self, kind, flags, size):
        self.path, self.kind, self.flags, self.size = FS + 'clients', kind, flags, size

    def create(self):
        bpftool('map', 'create', self.path, 'type', self.kind, 'key', str(self.size), 'value', '8',
                'entries', '64', 'name', 'clients', 'flags', str(self.flags))

    def update(self):
        with tempfile.NamedTemporaryFile('w') as f:
            for n in KEYS:
                print('map update pinned', self.path, 'key', *data(n, self.size),
                      'value', *data(n + 256, 8), file=f)
            f.flush()
            run('bpftool', 'batch', 'file', f.name)

    def lookup(self):
        for n in (0, 7):
            same(value(bpftool('map', 'lookup', 'pinned', self.path, 'key', *data(n, self.size))),
                 n + 256)

    def dump(self, keys=KEYS):
        got = {number(e['key']): value(e) for e in bpftool('map', 'dump', 'pinned', self.path)}
        same(got, {n: n + 256 for n in keys})

    def iterate(self):
        keys, args = [], []
        while len(keys) < len(KEYS):
            key = bpftool('map', 'getnext', 'pinned', self.path, *args)['next_key']
            keys.append(number(key))
            args = ['key'] + key
        same(sorted(keys), list(KEYS))

    def delete(self):
        bpftool('map', 'delete', 'pinned', self.path, 'key', *data(7, self.size))
        self.dump([n for n in KEYS if n != 7])

    def show(self):
        got = bpftool('map', 'show', 'pinned', self.path)
        same((got['type'], got['bytes_key'], got['bytes_value'], got['bytes_memlock'] > 0),
             (self.kind, self.size, 8, True))

    def test(self):
        for what in ('create', 'update', 'lookup', 'dump', 'iterate', 'delete', 'show'):
            result(f'bpftool.{what}.{self.kind}.flags{self.flags}.key{self.size}',
                   getattr(self, what))
        os.unlink(self.path)


def maps_of_maps():
    bpftool('map', 'create', FS + 'inner', 'type', 'hash', 'key', '4', 'value', '8',
            'entries', '8', 'name', 'inner')
    bpftool('map', 'create', FS + 'outer', 'type', 'hash_of_maps', 'key', '4', 'value', '4',
            'entries', '8', 'name', 'outer', 'inner_map', 'pinned', FS + 'inner')
    bpftool('map', 'update', 'pinned', FS + 'outer', 'key', *data(1, 4),
            'value', 'pinned', FS + 'inner')
    got = bpftool('map', 'dump', 'pinned', FS + 'outer')
    inner = bpftool('map', 'show', 'pinned', FS + 'inner')
    same([(number(e['key']), number(e['value'])) for e in got], [(1, inner['id'])])


def trace(program):
    """The maps that bpftrace prints at its end, over a command that reads 100 times a byte"""
    out = run('bpftrace', '-q', '-f', 'json', '-c',
              '/usr/bin/dd if=/dev/zero of=/dev/null bs=1 count=100 status=none', '-e', program)
    maps = {}
    for line in out.splitlines():
        if line.startswith('{'):
            event = json.loads(line)
            if event['type'] in ('map', 'hist'):
                maps.update(event['data'])
    return maps


def at_least(got, want):
    if got < want:
        raise ValueError(f'{got!r} is less than {want!r}')


READ = 'tracepoint:syscalls:sys_enter_read '


def count_by_comm():
    at_least(trace(READ + '{ @[comm] = count(); }')['@']['dd'], 100)


def histogram():
    buckets = trace(READ + '/comm == "dd"/ { @ = hist(args.count); }')['@']
    at_least([b['count'] for b in buckets if b.get('min') == 1][0], 100)


def start_end():
    maps = trace(READ + '/comm == "dd"/ { @start[tid] = nsecs; } '
                 'tracepoint:syscalls:sys_exit_read /@start[tid]/ '
                 '{ @n = count(); delete(@start, tid); }')
    at_least(maps['@n'], 100)
    same(maps.get('@start', {}), {})


def string_keys():
    at_least(trace(READ + '/comm == "dd"/ { @[comm, "read"] = count(); }')['@']['dd,read'], 100)


for kind_, flags_ in (('hash', 0), ('hash', 1), ('percpu_hash', 0), ('percpu_hash', 1),
                      ('lru_hash', 0), ('lru_hash', 2), ('lru_percpu_hash', 0),
                      ('lru_percpu_hash', 2)):
    for size_ in (4, 8, 13):
        Map(kind_, flags_, size_).test()
result('bpftool.maps_of_maps', maps_of_maps)
for test in (count_by_comm, histogram, start_end, string_keys):
    result(f'bpftrace.{test.__name__}', test)
sys.exit(1 if bad else 0)
