/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulator/shell/shell.h"
#include "tests/support/cases.h"

/* The mini shell must print the same as the real /bin/sh over the same files. */

static enum shell_kind real_stat(void *ctx, const char *path)
{
	struct stat st;

	(void)ctx;
	if (stat(path, &st))
		return SHELL_NONE;
	return S_ISDIR(st.st_mode) ? SHELL_DIR : SHELL_FILE;
}

static int real_read(void *ctx, const char *path, struct buf *out)
{
	FILE *f = fopen(path, "r");
	char piece[4096];
	size_t n;
	int code = 0;

	(void)ctx;
	if (!f)
		return errno;
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		(void)buf_add(out, piece, n);
	if (ferror(f))
		code = EISDIR;
	(void)fclose(f);
	return code;
}

static bool real_list(void *ctx, const char *path, shell_name_fn each, void *arg)
{
	DIR *d = opendir(path);
	struct dirent *e;

	(void)ctx;
	if (!d)
		return false;
	while ((e = readdir(d)))
		each(arg, e->d_name);
	(void)closedir(d);
	return true;
}

static bool real_link(void *ctx, const char *path, bool final, struct buf *out)
{
	char to[PATH_MAX];
	ssize_t n;

	(void)ctx;
	if (final)
		return realpath(path, to) && buf_adds(out, to);
	n = readlink(path, to, sizeof(to));
	return n > 0 && buf_add(out, to, (size_t)n);
}

static const struct shell_fs real_fs = {real_stat, real_read, real_list, real_link};

static int program(void *ctx, const struct shell_call *c)
{
	(void)ctx;
	if (!strcmp(c->argv[0], "lines")) {
		(void)buf_addf(c->out, "alpha: 1\nbeta: 22\n  gamma: 333\n");
		(void)buf_addf(c->err, "warned\n");
		return 3;
	}
	return -1;
}

struct fixture {
	char dir[64];
	struct shell_cache *cache;
};

static void put(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	char path[256];
	int i;

	assert_non_null(x);
	(void)snprintf(x->dir, sizeof(x->dir), "/tmp/test_shell.XXXXXX");
	assert_non_null(mkdtemp(x->dir));
	for (i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof(path), "%s/dev%d", x->dir, i);
		assert_int_equal(mkdir(path, 0755), 0);
		(void)snprintf(path, sizeof(path), "dev%d/state", i);
		put(x->dir, path, i == 1 ? "1: DOWN\n" : "4: ACTIVE\n");
		(void)snprintf(path, sizeof(path), "dev%d/count", i);
		put(x->dir, path, "0\n");
		(void)snprintf(path, sizeof(path), "%s/dev%d/net", x->dir, i);
		assert_int_equal(mkdir(path, 0755), 0);
		(void)snprintf(path, sizeof(path), "dev%d/net/eth%d", i, 2 - i);
		put(x->dir, path, "up\n");
	}
	put(x->dir, "text", "one two\nthree  four five\n\nsix\n");
	put(x->dir, "stats",
		"NIC statistics:\n     rx_prio3_pause: 5\n     tx_phy: 7\n     rx0_packets: 9\n"
		"     link_down_events_phy: 2\n");
	(void)snprintf(path, sizeof(path), "%s/link", x->dir);
	assert_int_equal(symlink("dev1", path), 0);
	x->cache = shell_cache_new();
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -r %s", x->dir);
	assert_int_equal(system(command), 0);
	shell_cache_free(x->cache);
	free(x);
	return 0;
}

static struct shell_machine machine_of(void)
{
	static const char *const commands[] = {"lines", NULL};
	struct shell_machine m = {.fs = &real_fs, .command = program, .commands = commands};

	m.hostname = "box";
	m.kernel = "6.1.0";
	m.kernel_version = "#1 SMP";
	m.machine = "x86_64";
	m.now_us = INT64_C(1795207065258759);
	return m;
}

static int run_mini(struct fixture *x, const char *script, const char *input,
	enum shell_style style, struct buf *out, struct buf *err)
{
	struct shell_machine m = machine_of();
	struct shell_job job = {.machine = &m, .cache = x->cache, .style = style};

	job.script = script;
	job.script_len = strlen(script);
	job.input = input;
	job.input_len = input ? strlen(input) : 0;
	buf_init(out, 1 << 20);
	buf_init(err, 1 << 20);
	return shell_run(&job, out, err);
}

/* The output of /bin/sh; its status is the last line. */
static char *run_real(struct fixture *x, const char *script)
{
	char name[128], command[256];
	struct buf out;
	char piece[4096];
	size_t n;
	FILE *f, *p;
	int code;

	(void)snprintf(name, sizeof(name), "%s.script", x->dir);
	f = fopen(name, "w");
	assert_non_null(f);
	assert_true(fputs(script, f) >= 0);
	assert_int_equal(fclose(f), 0);
	(void)snprintf(
		command, sizeof(command), "cd /; LC_ALL=C /bin/sh %s 2>/dev/null </dev/null", name);
	p = popen(command, "r");
	assert_non_null(p);
	buf_init(&out, 1 << 20);
	while ((n = fread(piece, 1, sizeof(piece), p)) > 0)
		(void)buf_add(&out, piece, n);
	code = pclose(p);
	(void)unlink(name);
	(void)buf_addf(&out, "status %d\n", WIFEXITED(code) ? WEXITSTATUS(code) : -1);
	return buf_take(&out, NULL);
}

static const char *const scripts[] = {
	"echo hello world; echo 'single  quoted' \"double  $((1+2))\"",
	"x=5; y=\"$x apples\"; echo $y ${y} \"${y}s\" ${#y}",
	"p=a/b/c.d.e; echo ${p##*/} ${p#*/} ${p%.*} ${p%%.*} ${p%/*}",
	"echo ${unset:-default} ${unset-other} ${x:=set} $x ${x:+alt} \"${unset:-two words}\"",
	"echo */state; echo dev*/net/*; echo nothing*here; echo dev[02]/count; echo 'dev*' "
	"\"dev*\"",
	"for p in dev*/net/*; do echo ${p##*/}; done | sort -u",
	"N=$(for p in dev*/net/*; do echo \"${p##*/}\"; done | sort -u); for n in $N; do echo "
	"\"@@S $n\"; done",
	"for a in 1 2; do for b in x y; do [ $b = y ] && continue; echo $a$b; done; done",
	"for i in 1 2 3 4; do [ $i -eq 3 ] && break; echo $i; done; echo after $?",
	"for a in 1 2; do for b in 1 2; do continue 2; echo no; done; done; echo done",
	"grep -sH '' dev*/state dev*/count missing/*",
	"grep -sH '' */state */nothing; echo $?",
	"cat stats | grep -E '_phy: |prio[0-7]_' | grep -vE '^ +(rx|tx|ch)[0-9]+_'",
	"grep -c phy stats; grep -h one text stats; grep -i ONE text; grep -n six text; grep -o "
	"'f[a-z]*' text",
	"grep -q nothing text; echo $?; grep -q one text && echo yes; grep -w four text; grep -x "
	"six text",
	"grep -e one -e six text; grep -F 'rx0_' stats; grep -l ACTIVE dev*/state; grep -v e text",
	"grep -E 'a|b' missing 2>/dev/null; echo $?; grep -s x missing dev0/state; echo $?",
	"cat missing 2>/dev/null || echo failed; cat dev0/state dev1/state; cat < dev0/count",
	"if [ -e dev0 ]; then echo e; fi; [ -f dev0 ] || echo notfile; [ -d dev0 -a -f text ] && "
	"echo both",
	"[ -n \"$nothing\" ] || echo empty; [ -z \"\" ] && echo z; test 3 -lt 10 && echo lt; [ ! "
	"-e x ] && echo no",
	"[ \"a\" = \"b\" ] || [ \"( \" = \"( \" ] && echo ok; [ 5 -ge 5 -a 5 -le 5 ] && echo range",
	"if false; then echo a; elif true; then echo b; else echo c; fi",
	"case eth3 in mlx*) echo m;; eth[0-9]|lo) echo e;; *) echo other;; esac; case a.b in "
	"\"*\") echo s;; *.*) echo dot;; esac",
	"f() { echo \"f got $# $1\"; return 7; }; f one two; echo $?; f",
	"while read a b; do echo \"[$a][$b]\"; done < text",
	"cat text | while read -r line; do echo \"<$line>\"; done",
	"i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i; done; until [ $i -eq 0 ]; do i=$((i-1)); "
	"done; echo $i",
	"(cd dev0 && cat state; x=inner); echo ${x:-outer}; pwd | sed 's/.*\\.//' | wc -l",
	"{ echo a; echo b; } | wc -l; { echo to; echo err >&2; } 2>/dev/null",
	"echo err 2>&1 >/dev/null; (echo x >&2) 2>&1; echo y 1>&2 2>/dev/null",
	"true && echo t || echo f; false && echo t || echo f; ! true; echo $?; ! false && echo nf",
	"echo one; # a comment\necho two # another\n\n\necho 'three # not'",
	"x='a  b'; echo $x; echo \"$x\"; set -- $x; echo $#; set -- \"$x\" c; echo $# \"$1\"; "
	"shift; echo $1",
	"set -- 'a b' c; for i in \"$@\"; do echo \"<$i>\"; done; for i in $*; do echo \"<$i>\"; "
	"done; echo \"$*\"",
	"set --; for i in \"$@\"; do echo never; done; echo \"[$*]\" $#",
	"IFS=:; x=a:b::c; for i in $x; do echo \"<$i>\"; done",
	"printf '%s-%s\\n' a b c d; printf '%d %x %5s|%-5s|\\n' 42 255 ab cd; printf '%s\\n' "
	"dev*/net/*",
	"printf 'tab\\there\\n'; printf '%b' 'x\\ny\\n'; printf '%%|%c\\n' hello; printf plain",
	"echo \"a\\\"b\" 'c\\d' e\\ f; echo \"\\$x \\`\" '$x'",
	"x=`echo back`; echo $x \"`echo 'in quotes'`\"; echo $(echo $(echo nested))",
	"echo $(( (2+3)*4 - 7/2 % 2 )) $((1<<4)) $((5>3)) $((!0)) $((0x10)) $((-3*-2))",
	"cat <<EOF\nhello $((1+1))\n$(echo sub) \\$x\nEOF\ncat <<'EOF'\nraw $x\nEOF\necho after",
	"head -n 1 text; tail -n 1 text; head -2 text | tail -1; tail -n +3 text; head -c 3 text; "
	"wc -l < text",
	"cut -d' ' -f2 text; cut -c1-3 text; echo a:b:c | cut -d: -f1,3; tr a-z A-Z < text; tr -d "
	"' \\n' < text",
	"sed -n '2p' text; sed 's/o/0/g' text; sed '/one/d' text; sed -n 's/^\\(.*\\) five/\\1/p' "
	"text; sed '$d' text",
	"sed -E 's/([a-z]+) ([a-z]+)/\\2 \\1/' text; printf 'b\\na\\nb\\n' | sort | uniq -c; "
	"printf '10\\n9\\n' | sort -n -r",
	"basename /a/b/c.txt .txt; dirname /a/b/c; basename x; seq 2 4; ls dev0; ls -d dev*",
	"cd dev0; ls ..  | head -2; cd ../dev1 && cat state; cd /nonexistent 2>/dev/null || echo "
	"stayed",
	"readlink link; [ -L link ] && echo islink; cat link/state",
	"export A=1 B='x y'; echo $A $B; unset A; echo ${A-gone}; A=temp true; echo ${A-gone}",
	"command -v nosuchthing || echo none; nosuchthing 2>/dev/null; echo $?; exit 9; echo never",
	"f() { return 3; }; e=$(f); s=$?; echo $s; false; s=$?; echo $s; x=1; echo $?",
	"exec 3>&1; e=$(echo err 2>&1 >&3 3>&-; ls /none/x 2>/dev/null; echo in); echo \"[$e]\"",
	"exec 3>&1; e=$(exec 3>&1; echo in >&3); cat /dev/null 3>&1 | cat; echo late >&3; echo $e",
	"sh -c 'echo $1 $2' name a b; echo 'echo from stdin; exit 4' | sh -s; echo $?",
	"eval 'x=3; echo $x'; eval echo '$x' done; y='$x'; eval \"echo $y\"",
	"echo a; if [ 1 = 1 ]\nthen\necho multi\nfi\nfor i in 1 \\\n 2\ndo echo $i\ndone",
	"f() { local v=in; echo $v; }; v=out; f; x=1; { x=2; }; echo $x; echo p | { read x; echo "
	"$x; }; echo $x",
	"echo 1 | cat; echo 2 | cat -; false | true; echo $?; true | false; echo $?; exit 300",
	"a=1; b=$a$a; c=\"$b\"'$b'; echo $c; echo \"${a}b\" ${a}b $a.b",
	"echo start; cat dev0/state; echo if true; then echo syntax; fi; echo never",
	"echo ok; ) ; echo never",
	"x=$(false); echo $?; x=$(exit 3) ; echo $?; echo $?",
	"for f in dev0/state dev9/state; do [ -r $f ] && { read v < $f; echo \"$f=$v\"; }; done; "
	"echo end",
	"echo -n no newline; echo; echo 'a\\nb'; echo \"tab\\tx\"; echo -e",
	"x=; echo \"[$x]\" [${x:-d}] [${x-d}]; echo \"$(printf 'a\\n\\n\\n')\"|wc -l; echo ~no "
	"\"\" '' end",
};

CASE(same_as_the_real_shell)
{
	struct fixture *x = *state;
	size_t i, wrong = 0;

	for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct buf script, out, err;
		char *want;
		int code;

		buf_init(&script, 65536);
		(void)buf_addf(&script, "cd %s\n%s\n", x->dir, scripts[i]);
		want = run_real(x, script.data);
		code = run_mini(x, script.data, NULL, SHELL_STYLE_SH, &out, &err);
		(void)buf_addf(&out, "status %d\n", code);
		if (strcmp(out.data, want) != 0) {
			print_message("script: %s\nreal:\n%s\nmini:\n%s\n%s\n", scripts[i], want,
				out.data, err.data ? err.data : "");
			wrong++;
		}
		free(want);
		buf_free(&script);
		buf_free(&out);
		buf_free(&err);
	}
	assert_int_equal(wrong, 0);
}

static void check(struct fixture *x, const char *script, const char *input, enum shell_style style,
	int code, const char *want_out, const char *want_err)
{
	struct buf out, err;

	assert_int_equal(run_mini(x, script, input, style, &out, &err), code);
	assert_string_equal(out.data ? out.data : "", want_out);
	assert_string_equal(err.data ? err.data : "", want_err);
	buf_free(&out);
	buf_free(&err);
}

/* Feeds more of the script; checks the output, and whether the shell goes on. */
static void feed(
	struct shell_session *s, struct buf *out, const char *text, bool goes_on, const char *want)
{
	struct shell_machine m = machine_of();
	int status = -1;

	buf_reset(out);
	assert_int_equal(shell_session_feed(s, &m, text, strlen(text), &status), goes_on);
	assert_string_equal(out->data ? out->data : "", want);
}

CASE(a_kept_shell_runs_what_is_complete)
{
	struct fixture *x = *state;
	struct shell_session *s;
	struct buf out, err;

	buf_init(&out, 1u << 20);
	buf_init(&err, 1u << 20);
	s = shell_session_new(x->cache, &out, &err);
	feed(s, &out, "N=word\nexec 3>&1\nf0() {\necho \"$N\"", true, "");
	feed(s, &out, "; cd /; N=other; echo oops >&2\n", true, "");
	feed(s, &out, "return 3\n}\n", true, "");
	feed(s, &out,
		"r() {\ne=$(\"f$1\" 2>&1 >&3 3>&- </dev/null)\ns=$?\n"
		"printf '%s %s %s\\n' \"$N\" \"$s\" \"$e\"\n}\n",
		true, "");
	/* As long as it is asked: nothing piles up in it. */
	for (int i = 0; i < 20000; i++)
		feed(s, &out, "r 0\n", true, "word\nword 3 oops\n");
	feed(s, &out, "echo half of ", true, "");
	feed(s, &out, "a line\n", true, "half of a line\n");
	feed(s, &out, "exit 4\necho never\n", false, "");
	shell_session_free(s);
	s = shell_session_new(x->cache, &out, &err);
	feed(s, &out, "if then )\n", false, "");
	assert_non_null(strstr(err.data, "Syntax error"));
	shell_session_free(s);
	buf_free(&out);
	buf_free(&err);
}

CASE(messages_name_the_line)
{
	check(*state, "true\n\nfoo bar\n", NULL, SHELL_STYLE_SH, 127, "",
		"sh: 3: foo: not found\n");
	check(*state, "foo bar", NULL, SHELL_STYLE_BASH, 127, "",
		"bash: line 1: foo: command not found\n");
	check(*state, "/bin/foo", NULL, SHELL_STYLE_BASH, 127, "",
		"bash: line 1: /bin/foo: No such file or directory\n");
	check(*state, "echo 'open", NULL, SHELL_STYLE_SH, 2, "",
		"sh: 1: Syntax error: Unterminated quoted string\n");
	check(*state, "sh -s", "echo one\nnope\n", SHELL_STYLE_BASH, 127, "one\n",
		"sh: 2: nope: not found\n");
	check(*state, "echo x > /tmp/file", NULL, SHELL_STYLE_SH, 2, "",
		"sh: 1: cannot create /tmp/file: Permission denied\n");
}

CASE(programs_have_status_and_two_outputs)
{
	check(*state, "lines 2>&1 | grep -v beta; lines >/dev/null 2>&1; echo $?", NULL,
		SHELL_STYLE_SH, 0, "alpha: 1\n  gamma: 333\nwarned\n3\n", "");
	check(*state, "sudo -n timeout 5 lines | head -1; command -v lines", NULL, SHELL_STYLE_SH,
		0, "alpha: 1\n/usr/bin/lines\n", "warned\n");
}

CASE(the_machine_is_virtual)
{
	check(*state, "uname -n; uname -sr; hostname; date +%s%N; date +%s.%3N", NULL,
		SHELL_STYLE_SH, 0, "box\nLinux 6.1.0\nbox\n1795207065258759000\n1795207065.258\n",
		"");
	check(*state, "sh -s <<'EOF'\necho $((6*7))\nEOF\nread a; echo $a", "left\n",
		SHELL_STYLE_BASH, 0, "42\nleft\n", "");
}

CASE(everything_is_bounded)
{
	static const char *const hostile[] = {
		"while true; do :; done",
		"f() { f; }; f",
		"f() { f | f; }; f",
		"x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done",
		"while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done",
		"eval 'f() { eval f; }'; f",
		"x='sh -c \"$x\"'; eval $x",
		"seq 1 99999999",
	};
	struct buf out, err;
	size_t i;

	for (i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		int code = run_mini(*state, hostile[i], NULL, SHELL_STYLE_SH, &out, &err);

		if (i != 6)
			assert_int_equal(code, 125);
		buf_free(&out);
		buf_free(&err);
	}
}

/* No input may crash the parser: every prefix and some mutations of the scripts are tried. */
CASE(broken_scripts_end)
{
	struct buf out, err;
	char text[512];
	size_t i, n;

	for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		size_t len = strlen(scripts[i]);

		assert_true(len < sizeof(text));
		for (n = 1; n < len; n += 3) {
			memcpy(text, scripts[i], n);
			text[n] = '\0';
			(void)run_mini(*state, text, NULL, SHELL_STYLE_SH, &out, &err);
			buf_free(&out);
			buf_free(&err);
			memcpy(text, scripts[i], len + 1);
			text[n] = "$`'\"({|&;<>)}\\"[n % 14];
			(void)run_mini(*state, text, NULL, SHELL_STYLE_BASH, &out, &err);
			buf_free(&out);
			buf_free(&err);
		}
	}
}

CASES_MAIN(setup, teardown)
