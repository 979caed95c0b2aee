/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SSH_SSH_CASES_H
#define TESTS_INTEGRATION_SSH_SSH_CASES_H

/*
 * Configurations that are read by railtop and by `ssh -G`, for test_ssh_config.c. <DIR> is the
 * scratch directory. One without config is that of the user: home/.ssh/config, etc/ssh_config.
 */
struct ssh_case {
	const char *title;
	const char *name;        /* as it is asked for */
	const char *config;      /* for -F; NULL: the usual files */
	const char *more[8];     /* file, text, file, text, ... */
	const char *user, *host; /* of the inventory: -l USER, -o HostName=HOST */
	unsigned port;           /* of the inventory: -p PORT */
};

#define ASKED(title_, name_, ...)                                                                  \
	{                                                                                          \
		.title = (title_), .name = (name_), .config = __VA_ARGS__                          \
	}

static const struct ssh_case ssh_cases[] = {
	/* ---- which blocks ---- */
	ASKED("the issue: a pattern after a HostName", "leaf1",
		"Host leaf1\n  HostName 198.18.0.21\n"
		"Host leaf*\n  UserKnownHostsFile <DIR>/known\n  IdentityFile <DIR>/key\n"),
	ASKED("all", "leaf1", "Host *\n Port 2201\n User noc\n"),
	ASKED("no block at all", "leaf1", "Port 2201\nUser noc\n"),
	ASKED("question mark", "leaf1", "Host leaf??\n Port 1\nHost leaf?\n Port 2\n"),
	ASKED("several patterns", "b", "Host a b c\n Port 3\nHost x y\n Port 4\n"),
	ASKED("negation after", "leaf9", "Host leaf* !leaf9\n Port 3\nHost *\n Port 4\n"),
	ASKED("negation before", "leaf9", "Host !leaf9 leaf*\n Port 3\nHost *\n Port 4\n"),
	ASKED("negation of another", "leaf8", "Host !leaf9 leaf*\n Port 3\n"),
	ASKED("only a negation", "leaf8", "Host !leaf9\n Port 3\n"),
	ASKED("a comma is no separator of Host", "a", "Host a,b\n Port 3\n"),
	ASKED("stars in a row", "leaf-r3-00", "Host l**f*-*0\n Port 3\nHost *-r4-*\n Port 4\n"),
	ASKED("case of names", "LEAF1", "Host leaf1\n Port 3\nHost LEAF*\n Port 4\n"),
	ASKED("case of HostName", "leaf1", "HostName Leaf1.EXAMPLE.com\n"),
	ASKED("first value wins", "leaf1",
		"Host leaf1\n Port 1\n User a\nHost leaf*\n Port 2\n User b\n HostName x\n"
		"Host *\n User c\n HostName y\n"),
	ASKED("an address by its name", "198.18.0.1",
		"Host 198.18.*\n User noc\nHost 198.19.*\n User x\n"),
	ASKED("IPv6 address", "2001:db8::1", "Host 2001:db8::*\n User noc\n"),

	/* ---- Match ---- */
	ASKED("Match host sees HostName", "leaf1",
		"Match host leaf1\n User early\nHost leaf1\n HostName 198.18.0.9\n"
		"Match host 198.18.*\n Port 9\nMatch host leaf1\n Port 10\n"),
	ASKED("Match originalhost", "leaf1",
		"HostName 198.18.0.9\nMatch originalhost leaf*\n Port 9\n"
		"Match originalhost 198.*\n User x\n"),
	ASKED("Match host, case of the name", "LEAF1",
		"Match host leaf1\n Port 3\nMatch host LEAF*\n User noc\n"
		"Match !host Leaf1\n HostName x\n"),
	ASKED("Match originalhost, case of the name", "Leaf1",
		"HostName x\nMatch originalhost leaf1\n Port 3\nMatch originalhost LEAF*\n User "
		"noc\n"),
	ASKED("Match host, case of HostName", "leaf1",
		"HostName Leaf1.EXAMPLE\nMatch host *.example\n Port 3\nMatch host *.EXAMPLE,!x\n "
		"User noc\n"),
	ASKED("Match user, case of the name", "leaf1",
		"User Noc\nMatch user noc\n Port 3\nMatch user Noc\n Port 4\n"),
	ASKED("Match list and negation", "ac", "Match host \"a*,!ab\" # why\n Port 7\n"),
	ASKED("Match negated criterion", "leaf1",
		"Match !host spine*\n Port 7\nMatch !host leaf*\n Port 8\n"),
	ASKED("Match user", "leaf1",
		"Match user noc\n Port 1\nUser noc\nMatch user noc\n Port 2\n"),
	ASKED("Match user of the inventory", "leaf1",
		"Match user noc\n Port 1\nMatch user *\n Port 2\n", .user = "noc"),
	ASKED("Match host of the inventory", "leaf1",
		"HostName x\nMatch host 198.18.0.7\n Port 3\n", .host = "198.18.0.7"),
	ASKED("Match localuser", "leaf1",
		"Match localuser nobody-here\n Port 1\nMatch localuser *\n Port 2\n"),
	ASKED("Match all", "leaf1", "Host other\n Port 1\nMatch all\n Port 2\n"),
	ASKED("Match host and user", "leaf1",
		"User a\nMatch host leaf* user b\n Port 1\nMatch host leaf* user a\n Port 2\n"),
	ASKED("Match with an equals sign", "leaf1", "Match host=leaf* user=root,*\n Port 2\n"),
	ASKED("Match exec", "leaf1",
		"Match exec false\n Port 1\nMatch exec \"test %h-%n-%p-%r = leaf1-leaf1-22-noc\"\n"
		" Port 2\nMatch !exec true\n User x\n",
		.user = "noc"),
	ASKED("Match exec is not run in vain", "leaf1",
		"Match host other exec \"touch <DIR>/ran\"\n Port 1\n"
		"Match exec \"test -e <DIR>/ran\"\n Port 2\n"),
	ASKED("Match final", "leaf1",
		"Match final\n Port 5\nHost *\n User a\nMatch final host leaf*\n User b\n"),
	ASKED("Match final sees HostName as the name", "leaf1",
		"Host leaf1\n HostName 198.18.0.3\nHost 198.18.*\n Port 7\nMatch final all\n User "
		"x\n"),
	ASKED("Match canonical without it", "leaf1",
		"Match canonical\n Port 5\nMatch !canonical\n Port 6\n"),
	ASKED("Match canonical with final", "leaf1",
		"Match canonical all\n Port 5\nMatch final\n User x\n"),
	ASKED("IdentityFile in a final pass", "leaf1",
		"IdentityFile <DIR>/a\nMatch final\n IdentityFile <DIR>/b\n"),

	/* ---- canonicalisation that needs no lookup ---- */
	ASKED("CanonicalizeHostname without domains", "leaf1",
		"CanonicalizeHostname yes\nMatch canonical\n Port 5\n"),
	ASKED("CanonicalizeHostname of enough dots", "leaf1.a.example",
		"CanonicalizeHostname yes\nCanonicalDomains example.invalid\nMatch canonical\n "
		"Port 5\n"),
	ASKED("CanonicalizeHostname of an address", "198.18.0.1",
		"CanonicalizeHostname yes\nCanonicalDomains example.invalid\nMatch canonical\n "
		"Port 5\n"),
	ASKED("CanonicalizeHostname through a bastion", "leaf1",
		"CanonicalizeHostname yes\nCanonicalDomains example.invalid\nProxyJump gate\n"
		"Match final\n Port 5\n"),

	/* ---- Include ---- */
	ASKED("Include", "leaf1", "Include <DIR>/one\nPort 2\n",
		.more = {"one", "User noc\nPort 1\n"}),
	ASKED("Include by a pattern, in order", "leaf1", "Include <DIR>/inc.d/*.conf\n",
		.more = {"inc.d/b.conf", "Port 2\nUser b\n", "inc.d/a.conf", "Port 1\n",
			"inc.d/c.other", "HostName x\n"}),
	ASKED("Include nested", "leaf1", "Include <DIR>/one\nUser last\n",
		.more = {"one", "Include <DIR>/two\nPort 1\n", "two", "Port 2\nUser two\n"}),
	ASKED("Include in a block that applies", "leaf1",
		"Host leaf*\n Include <DIR>/one\n User noc\n",
		.more = {"one", "Port 1\nHost spine*\n User x\nHost leaf1\n HostName y\n"}),
	ASKED("Include in a block that does not", "leaf1",
		"Host spine*\n Include <DIR>/one\nUser noc\n",
		.more = {"one", "Port 1\nHost leaf1\n Port 2\nMatch all\n Port 3\n"}),
	ASKED("Include does not end the block", "leaf1",
		"Host leaf1\n Include <DIR>/one\n Port 4\n",
		.more = {"one", "Host spine\n Port 3\n"}),
	ASKED("Include of nothing", "leaf1", "Include <DIR>/not_there /nowhere/*.conf\nPort 1\n"),
	ASKED("Include of several", "leaf1", "Include <DIR>/one <DIR>/two\n",
		.more = {"one", "Port 1\n", "two", "Port 2\nUser two\n"}),
	ASKED("Include of a directory", "leaf1", "Include <DIR>/inc.d <DIR>/inc.d/*\nPort 2\n",
		.more = {"inc.d/a", "User noc\n", "inc.d/sub/b", "User other\n", "inc.d/z",
			"HostName x\n"}),
	ASKED("Include, relative", "leaf1", "Include rel.d/*\n",
		.more = {"home/.ssh/rel.d/a", "Host leaf1\n Port 12\n"}),
	ASKED("Include, of the home directory", "leaf1", "Include ~/rel\n",
		.more = {"home/rel", "Host leaf1\n Port 12\n"}),

	/* ---- the usual files ---- */
	ASKED("the user's before the system's", "leaf1", NULL,
		.more = {"home/.ssh/config", "Host leaf1\n Port 1\n", "etc/ssh_config",
			"Port 2\nUser sys\nInclude part\n", "etc/part", "HostName part\n"}),
	ASKED("only the system's", "leaf1", NULL,
		.more = {"etc/ssh_config", "Host leaf1\n User sys\n"}),
	ASKED("no file at all", "leaf1", NULL, .more = {"home/none", ""}),

	/* ---- how it is written ---- */
	ASKED("case of keywords", "leaf1", "hOSt leaf1\nPORT 2\nuser noc\nHostname X\n"),
	ASKED("equals signs", "leaf1",
		"Host=leaf1\n Port=2\n User = noc\n HostName =x\n IdentityFile= <DIR>/k\n"),
	ASKED("quotes", "leaf1",
		"Host \"leaf1\" 'other'\n User \"a b\"\n IdentityFile=\"<DIR>/a b\"\n"
		" UserKnownHostsFile \"<DIR>/c d\" '<DIR>/e' <DIR>/f\\ g\n"),
	ASKED("quotes within a word", "leaf1", "User a\"b c\"d\nIdentityFile <DIR>/\\\"x\\\"\n"),
	ASKED("comments", "leaf1", "# Host x\n   # y\nHost leaf1 # z\n Port 2 # one\n User a#b\n"),
	ASKED("blanks at the end, tabs, CRLF", "leaf1",
		"Host leaf1  \t\r\n\tPort 2 \t \r\n\tUser\tnoc\r\n\r\n"),
	ASKED("no end of the last line", "leaf1", "Host leaf1\n Port 2"),
	ASKED("empty", "leaf1", ""),

	/* ---- values ---- */
	ASKED("tokens of HostName", "leaf1", "HostName %h.example%%\n"),
	ASKED("tokens of files", "leaf1",
		"HostName x%h\nPort 2\nUser noc\n"
		"UserKnownHostsFile <DIR>/%h-%n-%p-%r-%u-%i-%L-%l-%% %d/k <DIR>/%C-%k ~/k2\n"
		"GlobalKnownHostsFile /g/%h ~/g\n"),
	ASKED("tokens and an alias", "leaf1",
		"HostKeyAlias Fab.Example\nUserKnownHostsFile <DIR>/%k\n"),
	ASKED("the environment in files", "leaf1",
		"UserKnownHostsFile ${RAILTOP_TEST_DIR}/known\n"),
	ASKED("no known hosts", "leaf1", "UserKnownHostsFile none\nGlobalKnownHostsFile none\n"),
	ASKED("keys", "leaf1",
		"Host leaf1\n IdentityFile <DIR>/a\n IdentityFile <DIR>/b\nHost *\n IdentityFile "
		"<DIR>/a\n"
		" IdentityFile <DIR>/c\n CertificateFile <DIR>/x\n CertificateFile <DIR>/y\n"
		" IdentitiesOnly yes\n"),
	ASKED("no keys", "leaf1", "IdentityFile none\n"),
	ASKED("no agent", "leaf1", "IdentityAgent none\n"),
	ASKED("an agent of its own", "leaf1", "IdentityAgent $RAILTOP_TEST_DIR\nIdentityAgent x\n"),
	ASKED("a service as the port", "leaf1", "Port ssh\n"),
	ASKED("times", "leaf1", "ConnectTimeout 1m30\n"),
	ASKED("no time", "leaf1", "Host leaf1\n ConnectTimeout none\nHost *\n ConnectTimeout 5\n"),
	ASKED("AddressFamily", "leaf1", "AddressFamily inet6\nAddressFamily inet\n"),
	ASKED("StrictHostKeyChecking", "leaf1", "StrictHostKeyChecking accept-new\n"),
	ASKED("BindAddress", "leaf1", "BindAddress 127.0.0.9\nBindInterface lo\n"),
	ASKED("RekeyLimit", "leaf1", "RekeyLimit 2M 1h\n"),
	ASKED("algorithms", "leaf1",
		"Ciphers aes256-ctr,aes128-ctr\nMACs hmac-sha2-256\nKexAlgorithms "
		"curve25519-sha256\n"
		"HostKeyAlgorithms ssh-ed25519\nPubkeyAcceptedKeyTypes ssh-ed25519\nCompression "
		"yes\n"
		"RequiredRSASize 2048\nPubkeyAuthentication no\n"),
	ASKED("others are passed by", "leaf1",
		"Host *\n ControlMaster auto\n ControlPath ~/.ssh/%C\n ForwardAgent yes\n SendEnv "
		"LANG LC_*\n"
		" ServerAliveInterval 30\n LocalForward 1234 localhost:1\n LogLevel ERROR\n"
		" SetEnv A=b\n RequestTTY no\n GSSAPIAuthentication no\n Port 7\n"),
	ASKED("Debian's own are passed by", "leaf1",
		"ProtocolKeepAlives 30\nSetupTimeOut 30\nUseBlacklistedKeys no\nPort 7\n"),
	ASKED("IgnoreUnknown", "leaf1",
		"IgnoreUnknown Bog*,UseKeychain\nBogus x y\nUseKeychain yes\nPort 3\n"),

	/* ---- the way ---- */
	ASKED("ProxyJump", "leaf1", "Host gate\n User g\nHost leaf*\n ProxyJump gate\n"),
	ASKED("ProxyJump, a chain", "leaf1", "ProxyJump a@one:2201,two,ssh://c@three:2203\n"),
	ASKED("ProxyJump with user and port # and a comment", "leaf1",
		"ProxyJump ops@gate:2222 # bastion\n"),
	ASKED("ProxyJump to IPv6", "leaf1", "ProxyJump ops@[2001:db8::1]:2222\n"),
	ASKED("ProxyJump that is none of ours, for others", "leaf1",
		"Host x\n ProxyJump a;b,us:er@gate\n ProxyJump a,b,c,d,e,f,g,h,i,j\nHost leaf1\n"
		" Port 2\n ProxyJump gate\nHost *\n ProxyJump -x@gate\n"),
	ASKED("ProxyJump none", "gate", "Host gate\n ProxyJump none\nHost *\n ProxyJump gate\n"),
	ASKED("ProxyJump before ProxyCommand", "leaf1", "ProxyJump gate\nProxyCommand nc %h %p\n"),
	ASKED("ProxyCommand before ProxyJump", "leaf1",
		"ProxyCommand nc \"a\" %h %p # c\nProxyJump gate\n"),
	ASKED("ProxyCommand none", "leaf1",
		"Host leaf1\n ProxyCommand none\nHost *\n ProxyCommand nc %h %p\n"
		" ProxyJump gate\n"),
	ASKED("ProxyJump none before ProxyCommand", "leaf1",
		"ProxyJump none\nProxyCommand nc %h %p\n"),
	ASKED("ProxyCommand of ssh", "leaf1", "ProxyCommand=ssh -W %h:%p gate\n"),

	/* ---- settings of the inventory ---- */
	ASKED("the inventory wins", "leaf1", "HostName x\nPort 2\nUser noc\n", .user = "me",
		.host = "198.18.0.2", .port = 2200),

	/* ---- refused by both ---- */
	ASKED("an unknown keyword", "leaf1", "Host x\n HostNmae y\n"),
	ASKED("a bad port in another block", "leaf1", "Host x\n Port y\n"),
	ASKED("port 0", "leaf1", "Port 0\n"),
	ASKED("a word too many", "leaf1", "HostName a b\n"),
	ASKED("nothing behind it", "leaf1", "User\n"),
	ASKED("an empty word", "leaf1", "IdentityFile \"\"\n"),
	ASKED("an open quote", "leaf1", "User \"a\n"),
	ASKED("Host of nobody", "leaf1", "Host\n Port 2\n"),
	ASKED("Match of nothing", "leaf1", "Match\n Port 2\n"),
	ASKED("Match of a host without one", "leaf1", "Match host\n Port 2\n"),
	ASKED("Match of something unheard of", "leaf1", "Match weather fine\n Port 2\n"),
	ASKED("a token that HostName has not", "leaf1", "HostName %n.x\n"),
	ASKED("no such flag", "leaf1", "IdentitiesOnly perhaps\n"),
	ASKED("no such family", "leaf1", "AddressFamily inet7\n"),
	ASKED("no such time", "leaf1", "ConnectTimeout soon\n"),
	ASKED("no way", "leaf1", "ProxyJump a,,b\n"),
	ASKED("no bastion behind the comma", "leaf1", "Host x\n ProxyJump a, # b\n"),
	ASKED("no bastion before the comma", "leaf1", "Host x\n ProxyJump ,a\n"),
	ASKED("no bastion at all", "leaf1", "Host x\n ProxyJump # b\n"),
	ASKED("Include in circles", "leaf1", "Include <DIR>/config\n"),
	ASKED("others may write an included file", "leaf1", "Include <DIR>/open\n",
		.more = {"open", "Port 1\n"}),
	ASKED("others may write into an included directory", "leaf1", "Include <DIR>/open\n",
		.more = {"open/x", "Port 1\n"}),
	ASKED("a variable that is not set", "leaf1",
		"UserKnownHostsFile ${RAILTOP_TEST_NOT_SET}/x\n"),
};

#endif
