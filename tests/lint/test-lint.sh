#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016  # samples are evaluated later
#
# Runs the lint over the tree, after having seen on samples that each rule lets good code through
# and refuses bad code. A lint that finds nothing is otherwise not to be told from a broken one.

top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
lint=$top/tests/lint/lint.sh
work=$(mktemp -d "${TEST_TMPDIR:-/tmp}/lint.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
spdx='SPDX-License-Identifier: LGPL-2.1-or-later'

verdict ()
{
  if [ "$1" -eq 0 ]; then
    echo "PASS: $2"
  else
    echo "FAIL: $2"
    failed=1
  fi
}

# A tree in which every rule is kept; each bad sample then breaks one thing in a copy of it.
make_good_tree ()
{
  rm -rf "$work/tree"
  mkdir -p "$work/tree/lib" "$work/tree/codegen/xir" "$work/tree/gpu/command" \
    "$work/tree/gpu/driver-api" "$work/tree/gpu/drivers/vulkan" "$work/tree/gpu/drivers/null" \
    "$work/tree/tools" "$work/tree/tests/lib" "$work/tree/data" "$work/tree/po"
  cd "$work/tree" || exit 99
  cat > lib/thing.c <<END
/* $spdx */
#include "config.h"

#include "lib/thing.h"

#include <stdlib.h>

/* Words in comments may name a stubborn thing, HACKING, a HACKER; "abort (" in text is no call. */
static const char *const name = "gabbro-XXXXXX";
static const char *const text = "abort (); exit (1); getenv (\"X\") // sprintf (";

int
gb_thing (void)
{
  /* several lines
   * with exit (1) in them */
  return secure_getenv ("GABBRO_THING") != NULL && text != NULL;
}

static const int table[] =
{
$(awk 'BEGIN { for (i = 0; i < 200; i++) print "  " i "," }')
};

int
gb_thing_long (void)
{
$(awk 'BEGIN { for (i = 0; i < 77; i++) print "  gb_thing ();" }')
  return table[0];
}
END
  printf '/* %s */\n#pragma once\nint gb_thing (void);\nint gb_thing_long (void);\n' "$spdx" > lib/thing.h
  printf '/* %s */\n#include "config.h"\n#include "codegen/xir/xir.h"\n#include "lib/thing.h"\n' "$spdx" > codegen/xir/xir.c
  printf '/* %s */\n#pragma once\n' "$spdx" > codegen/xir/xir.h
  printf '/* %s */\n#ifndef GABBRO_X_H\n#define GABBRO_X_H\n#endif\n' "$spdx" > gpu/gabbro-x.h
  printf '/* %s */\n#include "config.h"\n#include "gpu/gabbro-x.h"\n#include "codegen/xir/xir.h"\n#include "gpu/driver-api/driver.h"\nconst char *t = N_("words");\n' "$spdx" > gpu/gabbro-x.c
  printf '/* %s */\n#pragma once\n#include "lib/thing.h"\n' "$spdx" > gpu/driver-api/driver.h
  printf '/* %s */\n#include "config.h"\n#include "gpu/driver-api/driver.h"\n#include <vulkan/vulkan.h>\n' "$spdx" > gpu/drivers/vulkan/device.c
  printf '/* %s */\n#include "config.h"\n#include "lib/thing.h"\n' "$spdx" > gpu/drivers/null/null.c
  printf '/* %s */\n#include "config.h"\n#include "lib/thing.h"\n' "$spdx" > gpu/command/list.c
  printf '/* %s */\n#include "config.h"\n#include <gabbro/gabbro.h>\n#include <stdlib.h>\nvoid quit (void) { exit (1); }\n' "$spdx" > tools/main.c
  printf '/* %s */\n#include "lib/thing.h"\nint main (void) { exit (0); }\n' "$spdx" > tests/lib/test-thing.c
  cat > data/thing.py <<END
# $spdx

class Thing:
    def method(self):
        def inner():
$(awk 'BEGIN { for (i = 0; i < 76; i++) print "            thing()" }')

        inner()


def behind():
    pass
END
  printf '# %s\nx_SOURCES = lib/thing.c lib/thing.h codegen/xir/xir.c codegen/xir/xir.h\\\n gpu/gabbro-x.c gpu/gabbro-x.h gpu/driver-api/driver.h\ny_SOURCES += gpu/drivers/vulkan/device.c gpu/drivers/null/null.c gpu/command/list.c tools/main.c tests/lib/test-thing.c data/thing.py\n' "$spdx" > Makefile.am
  printf '# files\ngpu/gabbro-x.c\n' > po/POTFILES.in
  cd "$top" || exit 99
}

# bad NAME RULE COMMAND: after COMMAND in the tree, the lint must name RULE and nothing else.
bad ()
{
  make_good_tree
  (cd "$work/tree" && eval "$3") || exit 99
  sh "$lint" "$work/tree" > "$work/out"
  status=$?
  ok=1
  if [ "$status" -eq 1 ] && grep -q ": $2: " "$work/out" && ! grep -vq ": $2: " "$work/out"; then
    ok=0
  else
    sed 's/^/  /' "$work/out"
  fi
  verdict "$ok" "lint refuses $1"
}

make_good_tree
sh "$lint" "$work/tree" > "$work/out"
status=$?
cat "$work/out"
verdict "$status" "lint accepts a good tree"

bad "a file without a licence line" spdx 'sed -i 1d gpu/drivers/null/null.c'
bad "a script without a licence line" spdx 'echo true > tests/lib/x.sh'
bad "a function of 81 lines" length 'sed -i "s/^  return table.0.;/  gb_thing ();\n&/" lib/thing.c'
bad "a file of 1001 lines" length 'awk "BEGIN { for (i = 0; i < 1000; i++) print \"int a\" i \";\" }" >> lib/thing.h'
bad "a method of 81 lines" length 'sed -i "s/^        inner()$/&\n&/" data/thing.py'
bad "a function of 81 lines at the end of a script" length 'awk "BEGIN { for (i = 0; i < 79; i++) print \"    thing()\" }" >> data/thing.py'
bad "a script of 1001 lines" length 'awk "BEGIN { for (i = 0; i < 1000; i++) print \"thing()\" }" >> data/thing.py'
bad "an upper-case marker" words 'echo "/* TODO: more */" >> lib/thing.c'
bad "a marker behind a name of its letters" words 'echo "/* XXXX: XXX */" >> lib/thing.c'
bad "a marker in a string" words 'echo "const char *x = \"FIXME\";" >> lib/thing.c'
bad "a placeholder" words 'echo "/* a Stub */" >> codegen/xir/xir.c'
bad "a promise" words 'echo "/* good enough for now */" >> tests/lib/test-thing.c'
bad "abort" calls 'echo "void a (void) { abort (); }" >> lib/thing.c'
bad "abort in the tool" calls 'echo "void a (void) { abort (); }" >> tools/main.c'
bad "exit in the library" calls 'echo "void a (void) { exit(1); }" >> lib/thing.c'
bad "g_error" calls 'echo "void a (void) { g_error (\"x\"); }" >> gpu/gabbro-x.c'
bad "getenv" calls 'echo "void a (void) { getenv (\"x\"); }" >> gpu/gabbro-x.c'
bad "g_getenv" calls 'echo "void a (void) { g_getenv (\"x\"); }" >> tools/main.c'
bad "sprintf" calls 'echo "void a (char *b) { sprintf (b, \"x\"); }" >> lib/thing.c'
bad "strcpy" calls 'echo "void a (char *b) { (void) strcpy(b, \"x\"); }" >> lib/thing.c'
bad "a call after a comment on the same line" calls 'echo "/* x */ void a (char *b) { strcat (b, \"x\"); } /* y */" >> lib/thing.c'
bad "a compiler that opens a file" calls 'echo "void a (void) { fopen (\"x\", \"r\"); }" >> codegen/xir/xir.c'
bad "lib on codegen" arrows 'echo "#include \"codegen/xir/xir.h\"" >> lib/thing.c'
bad "codegen on gpu" arrows 'echo "#include \"gpu/gabbro-x.h\"" >> codegen/xir/xir.c'
bad "a driver on codegen" arrows 'echo "#include \"codegen/xir/xir.h\"" >> gpu/drivers/vulkan/device.c'
bad "a driver on another" arrows 'echo "#include \"gpu/drivers/null/null.h\"" >> gpu/drivers/vulkan/device.c'
bad "a driver of a device on the host's" arrows 'echo "#include \"gpu/drivers/host/host.h\"" >> gpu/drivers/vulkan/device.c'
bad "a driver on the library" arrows 'echo "#include \"gpu/gabbro-x.h\"" >> gpu/drivers/null/null.c'
bad "gpu on a driver" arrows 'echo "#include \"gpu/drivers/null/null.h\"" >> gpu/gabbro-x.c'
bad "a tool on private code" arrows 'echo "#include \"lib/thing.h\"" >> tools/main.c'
bad "Vulkan in the library" arrows 'echo "#include <vulkan/vulkan.h>" >> gpu/gabbro-x.c'
bad "Vulkan in the library, by our own header" arrows 'echo "#include <gabbro/gabbro-vulkan.h>" >> gpu/gabbro-x.c'
bad "a Vulkan word in commands" arrows 'echo "VkDevice device;" >> gpu/command/list.c'
bad "GObject in lib" arrows 'echo "#include <glib-object.h>" >> lib/thing.c'
bad "a bare include" arrows 'echo "#include \"thing.h\"" >> lib/thing.c'
bad "a source without config.h" config 'sed -i "/config.h/d" gpu/command/list.c'
bad "text that is not listed" potfiles 'echo "const char *t = _(\"x\");" >> tools/main.c'
bad "a listed file that is gone" potfiles 'echo lib/gone.c >> po/POTFILES.in'
bad "a text that xgettext cuts off" formats 'echo "const char *t = \"%\" G_GUINT64_FORMAT;" >> lib/thing.c'
bad "a source in no fragment" fragments 'printf "/* %s */\n#include \"config.h\"\n" "$spdx" > lib/lost.c'
bad "a header in no fragment" fragments 'printf "/* %s */\n#pragma once\n" "$spdx" > lib/lost.h'
bad "pragma once in an installed header" guards 'echo "#pragma once" >> gpu/gabbro-x.h'
bad "a private header without pragma once" guards 'sed -i "/pragma/d" lib/thing.h'

sh "$lint" "$top"
verdict $? "lint of the tree"

exit "$failed"
