#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016,SC1003  # awk programs and tr sets stand in single quotes
# lint.sh ROOT [RULE]
#
# The rules of HACKING that a machine can check, over the sources below ROOT. Prints one line
# "file:line: rule: what is wrong" for each fault and fails if there is one. With a RULE, that
# rule alone. "lint.sh ROOT --potfiles" prints what po/POTFILES.in has to list.

LC_ALL=C
export LC_ALL

root=${1:?usage: lint.sh ROOT [RULE]}
only=${2:-all}
cd "$root" || exit 99
faults=$(mktemp) || exit 99
trap 'rm -f "$faults"' EXIT

# Sources of the tree; never what a build left in it, and not this folder, which spells out all
# that is forbidden.
sources ()
{
  for folder in lib codegen gpu tools tests data; do
    [ -d "$folder" ] || continue
    find "$folder" -type f "$@" ! -path 'tests/lint/*' ! -path 'tests/tmp/*' ! -path '*/.libs/*' -print
  done | sort
}

c_sources ()
{
  sources '(' -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.def' ')'
}

library_sources ()
{
  c_sources | grep -E '^(lib|codegen|gpu)/'
}

# Reads file names on standard input, hands their text to an awk program with comments and string
# contents blanked out (variable: code) beside the line itself ($0).
over_code ()
{
  tr '\n' '\0' | xargs -0 -r awk '
    FNR == 1 { in_comment = 0; previous = "" }
    {
      code = $0
      if (in_comment) {
        if (match (code, /\*\//)) { code = substr (code, RSTART + 2); in_comment = 0 }
        else code = ""
      }
      gsub (/\\\\/, "", code)
      gsub (/\\"/, "", code)
      gsub (/\047"\047/, "0", code)
      gsub (/"[^"]*"/, "\"\"", code)
      gsub (/\/\*([^*]|\*+[^*\/])*\*+\//, " ", code)
      if (match (code, /\/\*/)) { code = substr (code, 1, RSTART - 1); in_comment = 1 }
      sub (/\/\/.*/, "", code)
    }
    function fault (rule, text) { print FILENAME ":" FNR ": " rule ": " text }
    '"$1"
}

# --- rules ---------------------------------------------------------------------------------------

rule_spdx ()
{
  {
    sources '(' -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.def' -o -name '*.gk' \
      -o -name '*.sh' -o -name '*.am' -o -name '*.map' -o -name '*.comp' -o -name '*.js' -o -name '*.vala' \
      -o -name '*.py' ')'
    for file in Makefile.am Makefile-decls.am configure.ac bootstrap .ci/run m4/gabbro.m4 \
        build-aux/run-test.in build-aux/build-packages build-aux/check-driver build-aux/count-tests \
        build-aux/mend-reference build-aux/update-symbols build-aux/write-language build-aux/write-map data/demo debian/rules debian/tests/* data/doc/*.md data/doc/*.in \
        po/Makevars tests/lint/lint.sh tests/lint/test-lint.sh; do
      if [ -f "$file" ]; then echo "$file"; fi
    done
  } | while read -r file; do
    head -n 3 "$file" | grep -q 'SPDX-License-Identifier: LGPL-2.1-or-later' ||
      echo "$file:1: spdx: no line 'SPDX-License-Identifier: LGPL-2.1-or-later' at the top"
  done
}

# The lines of a file of any language, and those of a function of C or of Python.
rule_length ()
{
  {
    c_sources
    sources '(' -name '*.gk' -o -name '*.comp' -o -name '*.sh' -o -name '*.js' -o -name '*.vala' -o -name '*.py' ')'
  } | tr '\n' '\0' | xargs -0 -r awk '
    function check_file (name, lines) {
      if (lines > 1000)
        print name ":" lines ": length: the file has " lines " lines, 1000 are allowed"
    }
    FNR == 1 { check_file(file, last); file = FILENAME }
    { last = FNR }
    END { check_file(file, last) }'
  sources -name '*.py' | tr '\n' '\0' | xargs -0 -r awk '
    # A function ends before the next line that is indented no more than its "def" is.
    function close_down (depth) {
      while (open > 0 && depths[open] >= depth) {
        lines = last - starts[open] + 1
        if (lines > 80)
          print file ":" last ": length: a function of " lines " lines ends here, 80 are allowed"
        open--
      }
    }
    FNR == 1 { close_down(0); file = FILENAME }
    /^[ \t]*$/ { next }
    {
      match ($0, /^ */)
      close_down(RLENGTH)
      last = FNR
    }
    /^ *(async )?def / { open++; depths[open] = RLENGTH; starts[open] = FNR }
    END { close_down(0) }'
  c_sources | over_code '
    FNR == 1 { start = 0 }
    # A body is what stands between braces in the first column; "};" ends a table or a type.
    /^\{[ \t]*$/ { start = FNR }
    /^\}/ {
      if (start && $0 ~ /^\}[ \t]*$/ && FNR - start + 1 > 80)
        fault("length", "a function of " FNR - start + 1 " lines ends here, 80 are allowed")
      start = 0
    }'
}

rule_words ()
{
  {
    c_sources
    sources '(' -name '*.gk' -o -name '*.sh' -o -name '*.am' -o -name '*.js' -o -name '*.vala' -o -name '*.py' \
      -o -name README -o -name demo ')'
    for file in Makefile.am Makefile-decls.am configure.ac bootstrap m4/gabbro.m4 README HACKING; do
      if [ -f "$file" ]; then echo "$file"; fi
    done
  } | tr '\n' '\0' | xargs -0 -r awk '
    BEGIN {
      count = split ("TODO FIXME XXX HACK", upper, " ")
      phrases = split ("stub|stubs|stubbed|for now|not implemented yet|not yet implemented", lower, "|")
    }
    function whole_word (text, word,    at, position, before, after) {
      position = 0
      while ((at = index (substr (text, position + 1), word)) > 0) {
        position += at
        before = position == 1 ? " " : substr (text, position - 1, 1)
        after = substr (text " ", position + length (word), 1)
        if (before !~ /[A-Za-z0-9_]/ && after !~ /[A-Za-z0-9_]/) return position
      }
      return 0
    }
    {
      for (i = 1; i <= count; i++)
        if (whole_word($0, upper[i])) print FILENAME ":" FNR ": words: \"" upper[i] "\""
      text = tolower ($0)
      for (i = 1; i <= phrases; i++)
        if (whole_word(text, lower[i])) print FILENAME ":" FNR ": words: \"" lower[i] "\""
    }'
}

rule_calls ()
{
  c_sources | grep -v '^tests/' | over_code '
    function called (name) { return (" " code) ~ ("[^A-Za-z0-9_.>]" name "[ \t]*\\(") }
    {
      if (code ~ /getenv/ && code !~ /secure_getenv/)
        fault("calls", "the environment is read with secure_getenv alone")
      count = split ("sprintf vsprintf strcpy strcat gets strtok", unsafe, " ")
      for (i = 1; i <= count; i++)
        if (called(unsafe[i])) fault("calls", unsafe[i] " () has no bound")
      count = split ("g_error abort", fatal, " ")
      for (i = 1; i <= count; i++)
        if (called(fatal[i])) fault("calls", fatal[i] " () ends the process")
    }'
  # One file waits for threads at the end of the process, and says why.
  library_sources | grep -v '^lib/exit\.c$' | over_code '
    {
      count = split ("exit _exit _Exit quick_exit atexit", ending, " ")
      for (i = 1; i <= count; i++)
        if ((" " code) ~ ("[^A-Za-z0-9_.>]" ending[i] "[ \t]*\\("))
          fault("calls", "a library does not call " ending[i] " ()")
    }'
  # The compiler opens no file.
  c_sources | grep '^codegen/' | over_code '
    (" " code) ~ /[^A-Za-z0-9_.>](open|fopen|g_fopen|g_file_get_contents|g_file_set_contents)[ \t]*\(/ {
      fault("calls", "the compiler opens no file")
    }'
}

# Which part may include which; HACKING explains the arrows.
rule_arrows ()
{
  c_sources | over_code '
    function part (path) {
      if (path ~ /^gpu\/driver-api\//) return "driver-api"
      if (path ~ /^gpu\/drivers\//) {
        sub (/^gpu\/drivers\//, "", path)
        sub (/\/.*/, "", path)
        return "driver:" path
      }
      sub (/\/.*/, "", path)
      return path
    }
    BEGIN {
      allowed["lib"] = " lib "
      allowed["codegen"] = " codegen lib "
      allowed["driver-api"] = " driver-api lib "
      allowed["gpu"] = " gpu driver-api codegen lib "
      allowed["tools"] = " tools "
      allowed["data"] = " "
    }
    FNR == 1 { from = part(FILENAME) }
    from == "tests" { next }
    /^[ \t]*#[ \t]*include[ \t]*</ {
      match ($0, /<[^>]*>/)
      name = substr ($0, RSTART + 1, RLENGTH - 2)
      if (name ~ /^(vulkan\/|gabbro\/gabbro-vulkan\.h)/ && from != "driver:vulkan" && FILENAME !~ /^gpu\/gabbro-vulkan\.[ch]$/)
        fault("arrows", "<" name ">: Vulkan is known to gpu/drivers/vulkan and gpu/gabbro-vulkan.[ch] alone")
      if (name ~ /^(glib-object|gio\/|gmodule)/ && (from == "lib" || from == "codegen"))
        fault("arrows", "<" name ">: " from " is plain C over GLib, without GObject")
      if (name ~ /^gabbro\// && from != "tools" && from != "data" && from != "gpu")
        fault("arrows", "<" name ">: " from " lies below the public library")
      next
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
      match ($0, /"[^"]*"/)
      name = substr ($0, RSTART + 1, RLENGTH - 2)
      if (name == "config.h") next
      if (name !~ /\//) {
        fault("arrows", "\"" name "\": a path from the top of the tree is wanted")
        next
      }
      to = part(name)
      if (from ~ /^driver:/)
        good = to == from || to == "driver-api" || to == "lib" || (from == "driver:reference" && to == "codegen") \
               || (to == "driver:host" && (from == "driver:null" || from == "driver:reference"))
      else
        good = index (allowed[from], " " to " ") > 0
      # The static registry names the drivers that are built in.
      if (FILENAME == "gpu/context-core.c" && (to == "driver:null" || to == "driver:reference")) good = 1
      if (!good) fault("arrows", "\"" name "\": " from " must not include " to)
    }'
  c_sources | grep -E '^gpu/(command|bundle)/' | over_code '
    code ~ /(^|[^A-Za-z0-9_])(vk[A-Z]|Vk[A-Z]|VK_)|[vV]ulkan/ {
      fault("arrows", "no Vulkan word here: commands and bundles serve every driver")
    }'
}

# The first include of a source is config.h: without it large files and secure_getenv are luck.
rule_config ()
{
  c_sources | grep -E '^(lib|codegen|gpu|tools)/.*\.(c|cc)$' | while read -r file; do
    first=$(sed -n 's/^[ \t]*#[ \t]*include[ \t]*//p' "$file" | head -n 1)
    [ "$first" = '"config.h"' ] || echo "$file:1: config: the first include is not \"config.h\""
  done
}

# Files with text for the user.
translated ()
{
  c_sources | grep -E '^(lib|codegen|gpu|tools)/' | over_code '
    (" " code) ~ /[^A-Za-z0-9_](_|N_|C_|NC_|g_dgettext|g_dngettext|ngettext)[ \t]*\([ \t]*("|$)/ &&
    !(FILENAME in seen) { seen[FILENAME] = 1; print FILENAME }' | sort
}

rule_potfiles ()
{
  [ -f po/POTFILES.in ] || return 0
  listed=$(grep -v -e '^#' -e '^$' po/POTFILES.in | sort)
  translated | while read -r file; do
    printf '%s\n' "$listed" | grep -qxF "$file" ||
      echo "po/POTFILES.in:1: potfiles: $file has text for the user and is not listed"
  done
  printf '%s\n' "$listed" | while read -r file; do
    [ -z "$file" ] || [ -f "$file" ] ||
      echo "po/POTFILES.in:1: potfiles: $file is listed and is not there"
  done
}

# xgettext cuts a text off at GLib's format macros, so that it can never be translated; it knows
# those of <inttypes.h>.
rule_formats ()
{
  c_sources | grep -E '^(lib|codegen|gpu|tools)/' | over_code '
    code ~ /G_(GSIZE|GSSIZE|GU?INT(16|32|64)|GOFFSET|GINTPTR|GUINTPTR)_FORMAT/ {
      fault("formats", "xgettext cannot read this macro: %zu, PRIu64 and PRId64 it can")
    }'
}

# Sources are listed by name in the fragments, and what is not listed is not shipped.
rule_fragments ()
{
  # Automake wants real names; a backslash or a blank ends one.
  fragments=$(find . -name 'Makefile*.am' -not -path './_build/*' -exec cat {} + |
    tr -s ' \t\\' '\n' | sort -u)
  {
    c_sources
    sources '(' -name '*.gk' -o -name '*.map' -o -name '*.js' -o -name '*.vala' -o -name '*.py' ')'
  } | while read -r file; do
    printf '%s\n' "$fragments" | grep -qxF -e "$file" -e "\$(srcdir)/$file" -e "\$(top_srcdir)/$file" ||
      echo "$file:1: fragments: no Makefile fragment names this file"
  done
}

# Names of installed headers are a promise: classical guards there, #pragma once elsewhere.
rule_guards ()
{
  c_sources | grep -E '^(lib|codegen|gpu|tools)/.*\.h$' | while read -r file; do
    case $file in
      *-private.h)
        grep -q '^#pragma once' "$file" || echo "$file:1: guards: a private header says #pragma once"
        ;;
      gpu/gabbro*.h)
        if ! grep -q '^#ifndef' "$file" || grep -q '^#pragma once' "$file"; then
          echo "$file:1: guards: an installed header has a classical include guard"
        fi
        ;;
      *)
        grep -q '^#pragma once' "$file" || echo "$file:1: guards: a private header says #pragma once"
        ;;
    esac
  done
}

if [ "$only" = --potfiles ]; then
  translated
  exit
fi

for rule in spdx length words calls arrows config potfiles formats fragments guards; do
  if [ "$only" = all ] || [ "$only" = "$rule" ]; then
    "rule_$rule" >> "$faults" 2>&1
  fi
done
sort -u "$faults"
[ ! -s "$faults" ]
