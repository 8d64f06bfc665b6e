#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: tools/speed.py OUT LOG...

Puts together what the boots of tools/speed have printed, a log each: writes OUT,
tab separated with a header line, and prints a table. For each map and operation:

  stock_ns, branch_ns  medians over the boots
  ratio                median over the boots of stock / branch: over 1, the branch
                       is faster
  quartiles            of that ratio
  chance               the same median of stock / stock: the same code a second time
"""

import collections
import math
import statistics
import sys

BRANCH, STOCK, AGAIN = '0', '1', '2'
OPS = ['lookup_hit', 'lookup_miss', 'lookup_batch', 'iterate', 'overwrite', 'insert+delete']


def read(path):
    """Returns {(type, flags, key, value, entries, op): {side: ns}}."""
    rows = collections.defaultdict(dict)
    with open(path, encoding='utf-8', errors='replace') as log:
        for line in log:
            if 'htab-side:\t' in line:
                side, *key, ns = line.strip().split('htab-side:\t')[1].split('\t')
                rows[tuple(key)][side] = float(ns)
    return {key: ns for key, ns in rows.items() if len(ns) == 3}


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method='inclusive')
    return low, high


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def main():
    if len(sys.argv) < 3 or sys.argv[1] in ('-h', '--help'):
        print(__doc__.strip())
        return 0 if sys.argv[1:2] in (['-h'], ['--help']) else 2
    boots = [read(path) for path in sys.argv[2:]]
    keys = sorted(set().union(*boots), key=lambda k: (
        k[0], k[1], int(k[2]), int(k[3]), int(k[4]), OPS.index(k[5])))
    if not keys:
        print('speed: the logs have no line of htab-side', file=sys.stderr)
        return 1
    rows = {}
    for key in keys:
        runs = [boot[key] for boot in boots if key in boot]
        ratios = [ns[STOCK] / ns[BRANCH] for ns in runs]
        rows[key] = (statistics.median(ns[STOCK] for ns in runs),
                     statistics.median(ns[BRANCH] for ns in runs),
                     statistics.median(ratios), *quartiles(ratios),
                     statistics.median(ns[STOCK] / ns[AGAIN] for ns in runs))
    with open(sys.argv[1], 'w', encoding='utf-8') as out:
        print('map_type', 'flags', 'key_size', 'value_size', 'entries', 'op', 'stock_ns',
              'branch_ns', 'ratio', 'quartiles', 'chance', sep='\t', file=out)
        for key, (stock, branch, ratio, low, high, chance) in rows.items():
            print(*key, f'{stock:.2f}', f'{branch:.2f}', f'{ratio:.3f}',
                  f'{low:.3f}-{high:.3f}', f'{chance:.3f}', sep='\t', file=out)
    print(f'Stock time / branch time in one kernel (over 1: the branch is faster), and\n'
          f'stock / stock in brackets: medians of {len(boots)} boots')
    print(f'  {"map":30} {"k/v":>6} {"entries":>8} ', *(f'{op:>14}' for op in OPS))
    for key in keys:
        if key[5] == OPS[0]:
            cells = (rows.get((*key[:5], op)) for op in OPS)
            name = f'{key[0]} {key[1].replace("BPF_F_", "")}'.removesuffix(' -')
            print(f'  {name:30} {key[2] + "/" + key[3]:>6} {key[4]:>8} ', *(
                f'{c[2]:7.2f} ({c[5]:.2f})' if c else f'{"":14}' for c in cells))
    for entries in sorted({key[4] for key in keys}, key=int):
        some = [row for key, row in rows.items() if key[4] == entries]
        print(f'  {entries} entries, {len(some)} figures: geometric mean '
              f'{mean([r[2] for r in some]):.3f} ({mean([r[5] for r in some]):.3f}), under 0.98: '
              f'{sum(r[2] < 0.98 for r in some)} ({sum(r[5] < 0.98 for r in some)}), '
              f'upper quartile too: {sum(r[4] < 0.98 for r in some)}')
    print(f'Table: {sys.argv[1]}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
