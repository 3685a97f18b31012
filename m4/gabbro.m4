dnl SPDX-License-Identifier: LGPL-2.1-or-later
dnl Our own macros: warnings, sanitizers, coverage, linker flags, what the tests use.

dnl GABBRO_ADD_FLAGS(VARIABLE, FLAGS): appends each flag the current language's compiler takes.
dnl The probe always carries -Werror: clang only warns of a flag that it does not know.
AC_DEFUN([GABBRO_ADD_FLAGS], [
  for gabbro_flag in m4_normalize([$2]); do
    AS_VAR_PUSHDEF([gabbro_cache], [gabbro_cv_[]_AC_LANG_ABBREV[]_flag_$gabbro_flag])
    AC_CACHE_CHECK([whether $_AC_CC takes $gabbro_flag], [gabbro_cache], [
      gabbro_saved_flags=$_AC_LANG_PREFIX[]FLAGS
      _AC_LANG_PREFIX[]FLAGS="$_AC_LANG_PREFIX[]FLAGS -Werror $gabbro_flag"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
        [AS_VAR_SET([gabbro_cache], [yes])], [AS_VAR_SET([gabbro_cache], [no])])
      _AC_LANG_PREFIX[]FLAGS=$gabbro_saved_flags])
    AS_VAR_IF([gabbro_cache], [yes], [$1="$$1 $gabbro_flag"])
    AS_VAR_POPDEF([gabbro_cache])
  done
])

AC_DEFUN([GABBRO_WARNINGS], [
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat warnings as errors])],
    [], [enable_werror=no])
  WARN_CFLAGS=
  GABBRO_ADD_FLAGS([WARN_CFLAGS],
    [-std=gnu11 -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow -Wpointer-arith
     -Wvla -Wno-unused-parameter -Wno-missing-field-initializers -Wwrite-strings -Wformat=2
     -Wno-format-nonliteral -Werror=implicit-function-declaration -Werror=return-type
     -Werror=incompatible-pointer-types -Werror=int-conversion -fvisibility=hidden
     -fno-strict-aliasing -fno-common])
  WARN_CXXFLAGS=
  AC_LANG_PUSH([C++])
  GABBRO_ADD_FLAGS([WARN_CXXFLAGS],
    [-std=gnu++17 -Wall -Wextra -Wno-unused-parameter -fvisibility=hidden -fno-strict-aliasing])
  AC_LANG_POP([C++])
  AS_IF([test "x$enable_werror" != xno],
    [WARN_CFLAGS="$WARN_CFLAGS -Werror"
     WARN_CXXFLAGS="$WARN_CXXFLAGS -Werror"])
  AC_SUBST([WARN_CFLAGS])
  AC_SUBST([WARN_CXXFLAGS])
])

AC_DEFUN([GABBRO_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers], [build with AddressSanitizer and UndefinedBehaviorSanitizer])],
    [], [enable_sanitizers=no])
  SANITIZER_CFLAGS=
  AS_IF([test "x$enable_sanitizers" != xno], [
    SANITIZER_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
    gabbro_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $SANITIZER_CFLAGS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [],
      [AC_MSG_ERROR([$CC cannot link with $SANITIZER_CFLAGS])])
    CFLAGS=$gabbro_saved_CFLAGS])
  AC_SUBST([SANITIZER_CFLAGS])
  AC_SUBST([enable_sanitizers])
  AM_CONDITIONAL([ENABLE_SANITIZERS], [test "x$enable_sanitizers" != xno])
])

AC_DEFUN([GABBRO_COVERAGE], [
  AC_ARG_ENABLE([coverage],
    [AS_HELP_STRING([--enable-coverage], [build for gcov and lcov])],
    [], [enable_coverage=no])
  COVERAGE_CFLAGS=
  AS_IF([test "x$enable_coverage" != xno], [COVERAGE_CFLAGS="--coverage -O0"])
  AC_SUBST([COVERAGE_CFLAGS])
])

dnl The API reference: needs gi-docgen and the GIR; where one is missing it is left out unless asked for.
AC_DEFUN([GABBRO_DOC], [
  AC_ARG_ENABLE([doc],
    [AS_HELP_STRING([--enable-doc], [make the API reference, by gi-docgen (default: if that is there)])],
    [], [enable_doc=auto])
  AC_PATH_PROG([GI_DOCGEN], [gi-docgen], [no])
  AS_IF([test "x$enable_doc" != xno],
    [AS_IF([test "x$GI_DOCGEN" = xno], [gabbro_lacking="gi-docgen is missing"],
           [test "x$found_introspection" != xyes], [gabbro_lacking="introspection is off"],
           [gabbro_lacking=])
     AS_IF([test "x$gabbro_lacking" = x], [enable_doc=yes],
           [test "x$enable_doc" = xauto], [enable_doc=no],
           [AC_MSG_ERROR([the API reference cannot be made: $gabbro_lacking (or give --disable-doc)])])])
  AM_CONDITIONAL([ENABLE_DOC], [test "x$enable_doc" = xyes])
])

dnl GABBRO_ADD_LDFLAGS(VARIABLE, FLAGS)
AC_DEFUN([GABBRO_ADD_LDFLAGS], [
  for gabbro_flag in m4_normalize([$2]); do
    AC_MSG_CHECKING([whether the linker takes $gabbro_flag])
    gabbro_saved_LDFLAGS=$LDFLAGS
    LDFLAGS="$LDFLAGS $gabbro_flag"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
      [AC_MSG_RESULT([yes]); $1="$$1 $gabbro_flag"], [AC_MSG_RESULT([no])])
    LDFLAGS=$gabbro_saved_LDFLAGS
  done
])

AC_DEFUN([GABBRO_LINKER_FLAGS], [
  dnl clang leaves the sanitizer runtime out of shared libraries, so they cannot be closed then.
  NO_UNDEFINED_LDFLAGS=
  AS_IF([test "x$enable_sanitizers" = xno], [
    GABBRO_ADD_LDFLAGS([NO_UNDEFINED_LDFLAGS], [-Wl,--no-undefined])])
  AC_SUBST([NO_UNDEFINED_LDFLAGS])
  HIDE_LDFLAGS=
  dnl By name, and not ALL: our own convenience libraries are archives too.
  GABBRO_ADD_LDFLAGS([HIDE_LDFLAGS],
    [-Wl,--exclude-libs,libSPIRV-Tools.a:libSPIRV-Tools-opt.a:libSPIRV-Tools-link.a
     -Wl,-Bsymbolic-functions])
  AC_SUBST([HIDE_LDFLAGS])
])

dnl The Vulkan device of the tests is always Mesa's llvmpipe, so that they mean the same everywhere.
AC_DEFUN([GABBRO_LAVAPIPE], [
  AC_ARG_WITH([lavapipe-icd],
    [AS_HELP_STRING([--with-lavapipe-icd=FILE], [ICD description of Mesa's llvmpipe, for the tests])],
    [], [with_lavapipe_icd=])
  AC_MSG_CHECKING([for the ICD of llvmpipe])
  LAVAPIPE_ICD=$with_lavapipe_icd
  AS_IF([test -z "$LAVAPIPE_ICD"], [
    for gabbro_dir in /usr/local/share /usr/share /usr/local/etc /etc; do
      for gabbro_name in lvp_icd.json lvp_icd.$host_cpu.json; do
        AS_IF([test -z "$LAVAPIPE_ICD" && test -r "$gabbro_dir/vulkan/icd.d/$gabbro_name"],
          [LAVAPIPE_ICD=$gabbro_dir/vulkan/icd.d/$gabbro_name])
      done
    done])
  AC_MSG_RESULT([${LAVAPIPE_ICD:-no}])
  AC_SUBST([LAVAPIPE_ICD])
  AM_CONDITIONAL([HAVE_LAVAPIPE], [test -n "$LAVAPIPE_ICD"])
])

dnl glslang's C interface, static in Debian: only the bench measures our front end against it.
AC_DEFUN([GABBRO_GLSLANG], [
  have_glslang=no
  GLSLANG_LIBS=
  AC_LANG_PUSH([C++])
  AC_CHECK_HEADER([glslang/Include/glslang_c_interface.h], [
    gabbro_saved_LIBS=$LIBS
    for gabbro_libs in \
      "-lglslang -lMachineIndependent -lGenericCodeGen -lOSDependent -lOGLCompiler -lSPIRV -lglslang-default-resource-limits" \
      "-lglslang -lMachineIndependent -lGenericCodeGen -lOSDependent -lSPIRV -lglslang-default-resource-limits" \
      "-lglslang -lglslang-default-resource-limits"; do
      AS_IF([test $have_glslang = no], [
        LIBS="$gabbro_libs $SPIRV_TOOLS_LIBS -lpthread $gabbro_saved_LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <glslang/Include/glslang_c_interface.h>]],
          [[glslang_initialize_process (); glslang_shader_t *s = glslang_shader_create (nullptr);
            glslang_shader_delete (s); glslang_program_SPIRV_generate (nullptr, GLSLANG_STAGE_COMPUTE);]])],
          [have_glslang=yes
           GLSLANG_LIBS="$gabbro_libs $SPIRV_TOOLS_LIBS -lpthread -lstdc++ -lm"])])
    done
    LIBS=$gabbro_saved_LIBS])
  AC_LANG_POP([C++])
  AC_MSG_CHECKING([for glslang's library])
  AC_MSG_RESULT([$have_glslang])
  AC_SUBST([GLSLANG_LIBS])
  AS_IF([test $have_glslang = yes],
    [AC_DEFINE([HAVE_GLSLANG], [1], [Define to 1 if glslang's C interface can be linked])])
  AM_CONDITIONAL([HAVE_GLSLANG], [test $have_glslang = yes])
])

dnl Vala's description of the library, made from the GIR.
AC_DEFUN([GABBRO_VALA], [
  AC_ARG_ENABLE([vala],
    [AS_HELP_STRING([--enable-vala=@<:@no/auto/yes@:>@], [make the VAPI file for Vala])],
    [], [enable_vala=auto])
  AC_PATH_PROG([VAPIGEN], [vapigen], [no])
  have_vala=no
  AS_IF([test "x$enable_vala" != xno && test "x$VAPIGEN" != xno && test "x$found_introspection" = xyes],
    [have_vala=yes])
  AS_IF([test "x$enable_vala" = xyes && test $have_vala = no],
    [AC_MSG_ERROR([--enable-vala needs vapigen and introspection])])
  AM_CONDITIONAL([HAVE_VALA], [test $have_vala = yes])
])

dnl Python with PyGObject, for tests and to know where its modules go. That a python3 comes first in PATH does not
dnl mean that it is the one which PyGObject was made for.
AC_DEFUN([GABBRO_PYTHON], [
  AC_ARG_VAR([PYTHON], [Python 3 with PyGObject])
  AC_ARG_WITH([pythondir],
    [AS_HELP_STRING([--with-pythondir=DIR], [folder of Python's modules, in whose gi/overrides ours goes])],
    [], [with_pythondir=])
  AC_CACHE_CHECK([for Python with PyGObject], [ac_cv_path_PYTHON], [
    gabbro_candidates=$PYTHON
    AS_IF([test -z "$PYTHON"], [gabbro_candidates="python3 /usr/bin/python3"])
    ac_cv_path_PYTHON=
    for gabbro_python in $gabbro_candidates; do
      AS_IF([test -z "$ac_cv_path_PYTHON" && $gabbro_python -c 'import gi.overrides' 2>/dev/null],
        [ac_cv_path_PYTHON=$gabbro_python])
    done
    for gabbro_python in $gabbro_candidates; do
      AS_IF([test -z "$ac_cv_path_PYTHON" && $gabbro_python -c '' 2>/dev/null],
        [ac_cv_path_PYTHON=$gabbro_python])
    done
    test -n "$ac_cv_path_PYTHON" || ac_cv_path_PYTHON=no])
  PYTHON=$ac_cv_path_PYTHON
  dnl The folder for this prefix, with the prefix left as a variable: make may be given another. Debian's Python
  dnl has a scheme for packages, and one whose base is /usr but which means /usr/local.
  gabbro_prefix=$prefix
  test "x$gabbro_prefix" != xNONE || gabbro_prefix=$ac_default_prefix
  pythondir=$with_pythondir
  AS_IF([test -z "$pythondir" && test "x$PYTHON" != xno], [
    pythondir=`$PYTHON - "$gabbro_prefix" 2>/dev/null <<'END'
import sys, sysconfig
prefix, schemes = sys.argv[[1]], sysconfig.get_scheme_names()
scheme = 'deb_system' if prefix == '/usr' else 'posix_local' if prefix == '/usr/local' else 'posix_prefix'
scheme = scheme if scheme in schemes else 'posix_prefix'
path = sysconfig.get_path('purelib', scheme, vars={'base': '@prefix@'})
print(path.replace('@prefix@/local' if scheme == 'posix_local' else '@prefix@', '${prefix}', 1))
END
`])
  test -n "$pythondir" || pythondir='${prefix}/lib/python3/dist-packages'
  AC_SUBST([pythondir])
])
