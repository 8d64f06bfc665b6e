#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: tools/ci/vm/results.py LOGS STOCK OUT [--junit FILE] SUITE...

Reads what the VM's suites left in the folder LOGS and writes OUT, a line each test:

    suite  test  stock  branch

pass, fail, skip with its reason, or "-" where there is no such test. STOCK is such
a file of stock's results ("-": this is stock's run, OUT becomes one). Fails if a
test fails, unless it fails on stock too, if one that passes on stock is missing,
or if a suite did not end.

Of KUnit, a line stands for all parameters of a test.
"""

import argparse
import os
import re
import sys
import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
# What checks of the kernel print first: also fails a suite that passes.
COMPLAINT = re.compile(r'(^|\W)(BUG:|WARNING:|Oops|UBSAN:|INFO: (possible|rcu|trying|task))'
                       r'|suspicious RCU usage|lockdep is turned off')


def read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as f:
            return f.read().replace('\r', '')
    except FileNotFoundError:
        return ''


def denied():
    """Returns {test: reason} of the file deny."""
    rows = {}
    for line in read(os.path.join(HERE, 'deny')).splitlines():
        name, _, reason = line.partition('#')
        if name.strip():
            rows[name.strip()] = reason.strip()
    return rows


def kunit(logs):
    """One result a test function, from the JUnit file that kunit.py made."""
    rows = {}
    try:
        root = ET.parse(os.path.join(logs, 'kunit.xml')).getroot()
    except (OSError, ET.ParseError) as err:
        return {'kunit': f'fail: {err}'}
    for suite in root.iter('testsuite'):
        for case in suite.findall('testcase'):
            name = '.'.join(filter(None, (case.get('classname') or suite.get('name'),)))
            if case.find('failure') is not None or case.find('error') is not None:
                rows[name] = 'fail'
            elif case.find('skipped') is None:
                if rows.get(name, 'skip').startswith('skip'):
                    rows[name] = 'pass'
            else:
                rows.setdefault(name, 'skip: no parameter of it can run here')
    return rows


def test_maps(logs):
    rows = {}
    text = read(os.path.join(logs, 'test_maps.out'))
    for line in text.splitlines():
        found = re.match(r'(?:test_)?(\w+?): ?PASS(.*)', line)
        if found:
            rows[(found[1] + found[2]).replace(' ', '_')] = 'pass'
    ended = re.search(r'^test_maps: OK', text, re.M)
    rows['test_maps'] = 'pass' if ended else 'fail'
    return rows


def test_progs(logs):
    """Tests and subtests: "#12/3   name/subtest:OK". The last try counts."""
    rows = {}
    for line in read(os.path.join(logs, 'test_progs.out')).splitlines():
        found = re.match(r'#\d+(?:/\d+)?\s+(\S.*):(OK|FAIL|SKIP)', line)
        if found:
            rows[found[1].strip()] = {'OK': 'pass', 'FAIL': 'fail',
                                      'SKIP': 'skip: not possible here, says the test'}[found[2]]
    # A test with subtests is told by them, if they tell all.
    for name in list(rows):
        subs = [rows[n] for n in rows if n.startswith(name + '/')]
        if subs and (rows[name] != 'fail' or 'fail' in subs):
            del rows[name]
    for name, reason in denied().items():
        rows.setdefault(name, f'skip: {reason}')
    return rows


def clients(logs):
    rows = {}
    for line in read(os.path.join(logs, 'clients.out')).splitlines():
        found = re.match(r'(\S+):(PASS|FAIL)$', line)
        if found:
            rows[found[1]] = found[2].lower()
    return rows


SUITES = {'kunit': kunit, 'test_maps': test_maps, 'test_progs': test_progs, 'clients': clients}


def results(logs, suites):
    """Returns {(suite, test): result}."""
    rows = {}
    for suite in suites:
        ran = SUITES[suite](logs)
        code = read(os.path.join(logs, suite + '.rc')).strip()
        if suite == 'test_progs' and code == '1':
            code = read(os.path.join(logs, 'again.rc')).strip() or code
        if code in ('', 'timeout', 'died'):
            ran['(ends)'] = f'fail: {code}'
        elif len(ran) == 0 or (code != '0' and 'fail' not in ran.values()):
            ran['(ends)'] = f'fail: exit {code} after {len(ran)} tests'
        else:
            ran['(ends)'] = 'pass'
        said = [l for l in read(os.path.join(logs, suite + '.console')).splitlines()
                if COMPLAINT.search(l)]
        ran['(kernel does not complain)'] = f'fail: {said[0][:120]}' if said else 'pass'
        rows.update({(suite, test): result for test, result in ran.items()})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('logs')
    parser.add_argument('stock')
    parser.add_argument('out')
    parser.add_argument('--junit')
    parser.add_argument('suites', nargs='+', choices=SUITES)
    args = parser.parse_args()

    mine = results(args.logs, args.suites)
    suites = set(args.suites)
    stock = {}
    if args.stock != '-':
        for line in read(args.stock).splitlines():
            if not line.startswith('#'):
                suite, test, result = line.split('\t')[:3]
                if suite in suites:
                    stock[suite, test] = result

    lines, cases, red = [], [], []
    count = {suite: [0, 0, 0] for suite in sorted(suites)}
    for suite, test in sorted(set(mine) | set(stock)):
        was = stock.get((suite, test), '-')
        now = mine.get((suite, test), '-')
        bad = (now.startswith('fail') and not was.startswith('fail')) or \
              (now == '-' and was == 'pass') or (now.startswith('skip') and was == 'pass')
        if args.stock == '-':
            lines.append(f'{suite}\t{test}\t{now}')
            bad = False
        else:
            lines.append(f'{suite}\t{test}\t{was}\t{now}')
        body = ''
        if bad:
            red.append(f'{suite} {test}: {was} on stock, {now} on the branch')
            body = f'<failure>{escape(red[-1])}</failure>'
        elif now != 'pass':
            body = f'<skipped message="{escape(now, {chr(34): "&quot;"})}"/>'
        count[suite][1 if bad else 0 if now == 'pass' else 2] += 1
        cases.append(f'<testcase classname="{suite}" name="{escape(test, {chr(34): "&quot;"})}">{body}</testcase>')

    with open(args.out, 'w', encoding='utf-8') as f:
        if args.stock == '-':
            f.write('# What the tests of tools/vm give on stock. Made by "make vm STOCK=1";\n'
                    '# not edited by hand.\n# suite\ttest\tstock\n')
        else:
            f.write('suite\ttest\tstock\tbranch\n')
        f.write('\n'.join(lines) + '\n')
    if args.junit:
        with open(args.junit, 'w', encoding='utf-8') as f:
            f.write(f'<testsuite name="vm" tests="{len(cases)}">' + '\n'.join(cases) + '</testsuite>\n')
    for suite, (passed, failed, skipped) in count.items():
        print(f'  {suite:<12} {passed:5} passed {failed:4} red {skipped:4} skipped or failing on stock too')
    for line in red:
        print('  RED:', line)
    return 1 if red else 0


sys.exit(main())
