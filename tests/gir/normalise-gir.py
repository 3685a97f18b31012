#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""normalise-gir.py FILE: a GIR with nothing but its interface.

Names, types, transfers, nullability, directions, scopes and values stay. Documentation, places in
the source and what only some versions of the scanner write go, and names are sorted, so that two
such files can be compared line by line."""

import sys
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import quoteattr

CORE = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'
GLIB = '{http://www.gtk.org/introspection/glib/1.0}'
PREFIXES = {CORE: '', C: 'c:', GLIB: 'glib:'}

# An interface's words. An attribute that is not here is unknown to some scanner or says nothing
# that a program could depend on; an element that is not here is prose.
ATTRIBUTES = {
    'name', 'version', 'value', 'c:identifier', 'c:type', 'c:symbol-prefix', 'c:identifier-prefixes',
    'c:symbol-prefixes', 'shared-library', 'parent', 'abstract', 'introspectable', 'deprecated',
    'throws', 'moved-to', 'shadows', 'shadowed-by', 'foreign',
    'transfer-ownership', 'nullable', 'allow-none', 'optional', 'direction', 'caller-allocates',
    'scope', 'closure', 'destroy', 'length', 'zero-terminated', 'fixed-size',
    'readable', 'writable', 'construct', 'construct-only', 'when', 'no-recurse', 'detailed', 'action',
    'glib:nick', 'glib:type-name', 'glib:get-type', 'glib:type-struct', 'glib:is-gtype-struct-for',
    'glib:error-domain', 'glib:fundamental', 'glib:ref-func', 'glib:unref-func'}
ELEMENTS = {
    'repository', 'include', 'package', 'c:include', 'namespace', 'class', 'interface', 'record',
    'union', 'glib:boxed', 'enumeration', 'bitfield', 'member', 'callback', 'constant', 'alias',
    'function', 'function-macro', 'method', 'constructor', 'virtual-method', 'glib:signal', 'property',
    'field', 'implements', 'prerequisite', 'parameters', 'parameter', 'instance-parameter', 'varargs',
    'return-value', 'type', 'array'}
# Their children are a set; those of all others are a sequence.
UNORDERED = {'namespace', 'class', 'interface', 'repository'}


def short(name):
    for full, prefix in PREFIXES.items():
        if name.startswith(full):
            return prefix + name[len(full):]
    return name


def attributes_of(element, tag):
    kept = {short(key): value for key, value in element.attrib.items()}
    kept = {key: value for key, value in kept.items() if key in ATTRIBUTES}
    # "allow-none" is what old scanners say for "nullable" and "optional".
    if kept.pop('allow-none', None) and not {'nullable', 'optional'} & kept.keys():
        kept['nullable'] = '1'
    # Only some scanners say of the data what they all say of the function.
    if 'scope' not in kept:
        kept.pop('closure', None)
    # The version of the format itself, and "Since" of a symbol, which its file has.
    if tag != 'include' and tag != 'namespace':
        kept.pop('version', None)
    if kept.get('introspectable') == '1':
        del kept['introspectable']
    # "in" is what a parameter without a direction is.
    if kept.get('direction') == 'in':
        del kept['direction']
    return kept


def lines_of(element, depth):
    tag = short(element.tag)
    text = '  ' * depth + '<' + tag
    for key, value in sorted(attributes_of(element, tag).items(), key=lambda pair: (pair[0] != 'name', pair)):
        text += f' {key}={quoteattr(value)}'
    blocks = [lines_of(child, depth + 1) for child in element if short(child.tag) in ELEMENTS]
    if tag in UNORDERED:
        blocks.sort()
    if not blocks:
        return [text + '/>']
    return [text + '>'] + [line for block in blocks for line in block] + ['  ' * depth + f'</{tag}>']


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = ElementTree.parse(sys.argv[1]).getroot()
    lines = lines_of(root, 0)
    lines[0] = ('<repository version="1.2" xmlns="http://www.gtk.org/introspection/core/1.0"'
                ' xmlns:c="http://www.gtk.org/introspection/c/1.0"'
                ' xmlns:glib="http://www.gtk.org/introspection/glib/1.0">')
    print('<?xml version="1.0"?>')
    print('<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->')
    print('\n'.join(lines))


if __name__ == '__main__':
    main()
