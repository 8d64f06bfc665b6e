#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: tools/count.py FILE.xml...

Counts the test cases in JUnit files, as kunit.py and tools/check write them.
Prints "PASSED FAILED SKIPPED". A file that is missing or broken counts as one
failure.
"""

import sys
import xml.etree.ElementTree as ET


def count(path):
    """Returns (passed, failed, skipped) of one file."""
    passed = failed = skipped = 0
    try:
        root = ET.parse(path).getroot()
    except (OSError, ET.ParseError) as err:
        print(f'{path}: {err}', file=sys.stderr)
        return 0, 1, 0
    for case in root.iter('testcase'):
        if case.find('failure') is not None or case.find('error') is not None:
            failed += 1
        elif case.find('skipped') is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


if len(sys.argv) < 2 or sys.argv[1] in ('-h', '--help'):
    print(__doc__)
    sys.exit(0)
print(*map(sum, zip(*map(count, sys.argv[1:]))))
