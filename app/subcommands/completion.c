/* SPDX-License-Identifier: Apache-2.0 */
#include "app/options/options.h"
#include "base/str.h"

/*
 * The scripts only pass the words of the line to `railtop complete`, see complete.c, so they need
 * no new version with a new option.
 */

/* In bash ':' and '=' end a word, so the text before the last of them must not be repeated. */
static const char bash[] =
	"# source <(railtop completion bash)\n"
	"_railtop()\n"
	"{\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} word kept\n"
	"\tlocal -a words\n"
	"\tread -ra words <<<\"$line\"\n"
	"\t[[ $line == *[[:space:]] ]] && words+=('')\n"
	"\tword=${words[-1]}\n"
	"\tkept=\n"
	"\t[[ $word == *[:=]* ]] && kept=${word%\"${word##*[:=]}\"}\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tif [[ $line == :files ]]; then\n"
	"\t\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\t\twhile IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen -f -- "
	"\"${word#\"$kept\"}\")\n"
	"\t\telse\n"
	"\t\t\tline=${line%%$'\\t'*}\n"
	"\t\t\tCOMPREPLY+=(\"${line#\"$kept\"}\")\n"
	"\t\tfi\n"
	"\tdone < <(printf '%s\\n' \"${words[@]:1}\" | \"${words[0]}\" complete 2>/dev/null)\n"
	"}\n"
	"complete -F _railtop railtop\n";

static const char zsh[] =
	"#compdef railtop\n"
	"# railtop completion zsh >\"${fpath[1]}/_railtop\"\n"
	"_railtop()\n"
	"{\n"
	"\tlocal line\n"
	"\tlocal -a found\n"
	"\tlocal files=0\n"
	"\tfor line in \"${(@f)$(printf '%s\\n' \"${(@)words[2,CURRENT]}\" | $words[1] complete "
	"2>/dev/null)}\"; do\n"
	"\t\tcase $line in\n"
	"\t\t('') ;;\n"
	"\t\t(:files) files=1 ;;\n"
	"\t\t(*$'\\t'*) found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
	"\t\t(*) found+=(\"${line//:/\\\\:}\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\t(( ${#found} )) && _describe railtop found\n"
	"\t(( files )) && _files\n"
	"\treturn 0\n"
	"}\n"
	"if [[ ${funcstack[1]:-} == _railtop ]]; then\n"
	"\t_railtop \"$@\"\n"
	"elif (( ${+functions[compdef]} )); then\n"
	"\tcompdef _railtop railtop\n"
	"fi\n";

static const char fish[] = "# railtop completion fish >~/.config/fish/completions/railtop.fish\n"
			   "function __railtop_complete\n"
			   "\tset -l words (commandline -opc)\n"
			   "\tset -l found (printf '%s\\n' $words[2..-1] (commandline -ct) | "
			   "$words[1] complete 2>/dev/null)\n"
			   "\tfor line in $found\n"
			   "\t\tif test \"$line\" = :files\n"
			   "\t\t\t__fish_complete_path (commandline -ct)\n"
			   "\t\telse\n"
			   "\t\t\tprintf '%s\\n' $line\n"
			   "\t\tend\n"
			   "\tend\n"
			   "end\n"
			   "complete -c railtop -f -a '(__railtop_complete)'\n";

int sub_completion(const struct options *o)
{
	const char *shell = o->words.n ? o->words.at[0] : "";
	const char *script = str_eq(shell, "bash")   ? bash
			     : str_eq(shell, "zsh")  ? zsh
			     : str_eq(shell, "fish") ? fish
						     : NULL;
	struct err err = {0};

	if (script) {
		(void)fputs(script, stdout);
		return EXIT_FINE;
	}
	if (*shell)
		err_set(&err, ERR_USAGE, "", "there is no completion for \"%s\"", shell);
	else
		err_set(&err, ERR_USAGE, "", "the name of a shell is missing");
	(void)err_cure(&err, "railtop completion bash, zsh or fish");
	err_print(&err);
	return EXIT_USAGE;
}
