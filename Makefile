# railtop: one file, not recursive, no configure step.
#
#   make            build/railtop and build/railtop-emulator (needs the packages of tools/packages)
#   make demo       installs what is missing, builds, starts the emulated fabric, opens the console
#   make test       installs what is missing, builds, runs every test
#   make check      layering, sizes, names, prose, format, docs in sync
#   make SAN=1 ...  the same with AddressSanitizer and UndefinedBehaviorSanitizer in build-san/
#   make TSAN=1 ... with ThreadSanitizer in build-tsan/, e.g. run-tests ONLY=test_collector
#   make CC=clang BUILD=build-clang WERROR=1
#   make bench      the figures of tests/bench; bench-diagnosis: against labelled faults (FULL=1: all);
#                   bench-quick: only whether each can measure, a second or so each;
#                   bench-recording: a recorded day (HOURS=1, PRESET=4k);
#                   bench-soak: does anything grow (MINUTES=48);
#                   bench-peers: against pdsh, clush, pssh, ansible, which it installs (N=500)
#   make thorough   all that is checked, at full length (.ci/run has what fits into 20 minutes)
#   make tarball    one archive with all libraries, for any Linux of this machine and without root
#   make fuzz       every tests/fuzz/fuzz_*.c under libFuzzer for FUZZ_SECONDS (needs clang)

ifdef SAN
BUILD  ?= build-san
# Lines are enough for the report of a sanitizer; types and variables cost a fifth of the build.
CFLAGS ?= -O1 -g1
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
ifdef TSAN
BUILD  ?= build-tsan
SANFLAGS := -fsanitize=thread -fno-omit-frame-pointer
export TSAN_OPTIONS ?= suppressions=$(CURDIR)/tests/tsan.supp report_thread_leaks=0
endif
BUILD  ?= build
CC     ?= gcc
ifeq ($(origin CC),default)
CC     := gcc
endif
V      ?= 0
Q      := $(if $(filter 1,$(V)),,@)
say     = $(if $(filter 1,$(V)),,@printf '  %-5s %s\n' '$(1)' '$(2)')

# A cross build names its own.
PKG_CONFIG    ?= pkg-config
PKGS_CONSOLE  := ncursesw libssh jansson libcurl libuv yaml-0.1 gnutls sqlite3 libzstd zlib libmicrohttpd
# The name of Lua 5.1 differs: Debian, Fedora, others.
LUA           := $(firstword $(foreach p,lua5.1 lua-5.1 lua51,$(shell $(PKG_CONFIG) --exists $(p) 2>/dev/null && echo $(p))) lua5.1)
PKGS_EMULATOR := libssh libmicrohttpd gnutls $(LUA) libuv jansson yaml-0.1
PKGS_TEST     := cmocka vterm
# Each by itself: of several, one that is missing (those of the tests, for make demo) takes all along.
pkg = $(foreach p,$(2),$(shell $(PKG_CONFIG) $(1) $(p) 2>/dev/null))

CPPFLAGS += -I. -I$(BUILD)/gen -D_GNU_SOURCE
WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
ifdef WERROR
WARN     += -Werror
endif
CFLAGS   ?= -O2 -g
# What makes an attack on a memory error hard; the sanitizers have better. HARDEN= LD_HARDEN= turn it off.
ifndef SANFLAGS
MACHINE  := $(shell $(CC) -dumpmachine)
HARDEN   ?= -fPIE -fstack-protector-strong -fstack-clash-protection \
	$(if $(filter x86_64-%,$(MACHINE)),-fcf-protection=full) \
	$(if $(filter aarch64-%,$(MACHINE)),-mbranch-protection=standard) \
	$(if $(filter-out -O0,$(filter -O%,$(CFLAGS))),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
LD_HARDEN ?= -pie -Wl,-z,relro,-z,now,-z,noexecstack
endif
ALL_CFLAGS := -std=c17 $(HARDEN) $(CFLAGS) $(WARN) $(SANFLAGS) \
	$(call pkg,--cflags,$(PKGS_CONSOLE) $(PKGS_EMULATOR) $(PKGS_TEST))
LDFLAGS  += $(LD_HARDEN) $(SANFLAGS)
LIBS_CONSOLE  := $(call pkg,--libs,$(PKGS_CONSOLE)) -lpthread -lm
LIBS_EMULATOR := $(call pkg,--libs,$(PKGS_EMULATOR)) -lpthread -lm -rdynamic
# What libssh has its cryptography from; its headers come with those of libssh.
LIBS_BENCH    := $(call pkg,--libs,libcrypto)
LIBS_TEST     := $(call pkg,--libs,$(PKGS_TEST)) -lutil

# ---- folders as libraries, in link order (a folder may use those after it: see docs/architecture.md) ----
FOLDERS := app views tui archive diagnosis actions backends fabric base emulator
obj      = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c))
MAINS   := app/main.c emulator/main.c
libobj   = $(filter-out $(MAINS:%.c=$(BUILD)/%.o),$(call obj,$(1)))
lib      = $(foreach f,$(1),$(BUILD)/lib/$(f).a)
GEN     := $(BUILD)/gen/embedded.h
TEXTS   := $(wildcard keymaps/*.keys runbooks/*.yaml mappings/*.map)

define folder_lib
$(BUILD)/lib/$(1).a: $(call libobj,$(1))
	$$(call say,AR,$$@)
	@mkdir -p $$(@D); rm -f $$@
	$$(Q)$$(AR) qcs $$@ $$^
endef

all: $(BUILD)/railtop $(BUILD)/railtop-emulator

$(foreach f,$(FOLDERS),$(eval $(call folder_lib,$(f))))

$(BUILD)/railtop: $(BUILD)/app/main.o $(call lib,app views tui archive diagnosis actions backends fabric base)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS_CONSOLE)

$(BUILD)/railtop-emulator: $(BUILD)/emulator/main.o $(call lib,emulator fabric base)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS_EMULATOR)

$(BUILD)/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Text files that the binary carries: the default file is documentation, fallback and fixture at once.
$(BUILD)/gen/embedded.h: tools/embed.awk $(TEXTS)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f tools/embed.awk $(TEXTS) > $@.tmp && mv $@.tmp $@
$(call obj,app): | $(GEN)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- tests: tests/<folder>/test_*.c, one program each, linked with the folders it may know ----
LINK_base        := base
LINK_fabric      := fabric base
LINK_tui         := tui base
LINK_backends    := backends fabric base
LINK_actions     := actions backends fabric base
LINK_captures    := backends fabric base
LINK_diagnosis   := diagnosis fabric base
LINK_archive     := archive diagnosis fabric base
LINK_views       := views tui diagnosis fabric base
LINK_app         := app views tui archive diagnosis actions backends fabric base
LINK_emulator    := emulator fabric base
LINK_scenarios   := app views tui archive diagnosis actions backends emulator fabric base
LINK_cases      := app views tui archive diagnosis actions backends fabric base
LINK_integration := actions backends fabric base
LINK_screens     := backends fabric base
LINK_bench       := app views tui archive diagnosis actions backends emulator fabric base
LINK_fuzz        := app views tui archive diagnosis actions backends emulator fabric base
TEST_FOLDERS := base fabric tui backends captures diagnosis cases actions archive views app fuzz emulator scenarios integration screens
TEST_TOOLS   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c tests/support/*/*.c))
# A folder's helpers are linked with all of its tests, wherever either is.
tests_of      = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/$(1)/test_*.c tests/$(1)/*/test_*.c))
helpers_of    = $(patsubst %.c,$(BUILD)/%.o,$(foreach f,$(wildcard tests/$(1)/*.c tests/$(1)/*/*.c),$(if $(filter test_% bench_% fuzz_%,$(notdir $(f))),,$(f))))

# What a folder's tests borrow from another's.
LENT_archive := $(BUILD)/tests/diagnosis/engine/stand.o $(BUILD)/tests/diagnosis/engine/ring.o $(BUILD)/tests/diagnosis/engine/incidents.o
LENT_app     := $(LENT_archive) $(BUILD)/tests/archive/support/restamp.o $(patsubst %,$(BUILD)/tests/integration/%.o,support/random_keys support/scratch attacks/hostile_server) $(BUILD)/tests/views/support/fixture.o $(BUILD)/tests/views/support/fake_diag.o
LENT_cases   := $(BUILD)/tests/diagnosis/engine/stand.o $(BUILD)/tests/diagnosis/engine/ring.o $(BUILD)/tests/fabric/model/feed.o $(BUILD)/tests/bench/diagnosis/bed.o $(BUILD)/tests/integration/support/scratch.o
LENT_scenarios := $(patsubst %,$(BUILD)/tests/bench/diagnosis/%.o,sim_run bed score score_place csv) $(BUILD)/tests/screens/fixture.o

$(BUILD)/lib/testtools.a: $(TEST_TOOLS)
	@mkdir -p $(@D); rm -f $@
	$(Q)$(AR) rcs $@ $^

# Loaded before a program (LD_PRELOAD), by the tests beside them.
preloaded := $(patsubst %.c,$(BUILD)/%.so,$(wildcard tests/integration/*/preload/*.c))
$(preloaded): $(BUILD)/%.so: %.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 -O2 -g $(WARN) -fPIC -shared -o $@ $<
$(call tests_of,integration): | $(preloaded)

define test_folder
$(call tests_of,$(1)): %: %.o $(call helpers_of,$(1)) $(LENT_$(1)) $(BUILD)/lib/testtools.a $(call lib,$(LINK_$(1)))
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) $(BUILD)/lib/testtools.a $(call lib,$(LINK_$(1))) \
		$$(LIBS_TEST) $$(if $$(filter emulator,$(1)),,$$(LIBS_CONSOLE)) $$(if $$(filter emulator scenarios integration,$(1)),$$(LIBS_EMULATOR))
test-$(1): all $(call tests_of,$(1))
	$$(Q)BUILD=$(BUILD) tests/run.sh $(1)
unit-$(1): $(call tests_of,$(1))
	$$(Q)BUILD=$(BUILD) tests/run.sh $(1)
.PHONY: test-$(1) unit-$(1)
endef
$(foreach f,$(TEST_FOLDERS),$(eval $(call test_folder,$(f))))

# A fuzz target with a main() that runs it over files: tests/fuzz/test_corpus.sh replays the corpus.
# Each dialect is one as well, without a file of its own.
DIALECTS      := $(shell sed -n 's/^BACKEND(\(.*\))$$/\1/p' backends/backends.def)
fuzz_decoders := $(DIALECTS:%=$(BUILD)/tests/fuzz/fuzz_%)
fuzz_programs := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c)) $(fuzz_decoders)
fuzz_link      = $(Q)$(CC) $(LDFLAGS) $(1) -o $@ $(filter %.o,$^) $(call lib,$(LINK_fuzz)) $(LIBS_CONSOLE) $(LIBS_EMULATOR)
$(fuzz_decoders:%=%.o): $(BUILD)/tests/fuzz/fuzz_%.o: tests/fuzz/decoder.c
	$(call say,CC,$< for $*)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -DDIALECT='"$*"' $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
fuzz_own      := $(BUILD)/tests/fuzz/main.o $(BUILD)/tests/support/asked.o
# Dialects need no console: they are built, and fuzzed, in a part of the time.
$(fuzz_decoders): %: %.o $(fuzz_own) $(call lib,backends fabric base)
	$(call say,LD,$@)
	$(call fuzz_link,$(FUZZ_LDFLAGS))
$(filter-out $(fuzz_decoders),$(fuzz_programs)): %: %.o $(fuzz_own) $(call lib,$(LINK_fuzz))
	$(call say,LD,$@)
	$(call fuzz_link,$(FUZZ_LDFLAGS))
$(fuzz_decoders): private LINK_fuzz := backends fabric base
# The emulator's devices have functions of the same names as the dialects that read them.
$(BUILD)/tests/fuzz/fuzz_devices: private LINK_fuzz := emulator backends fabric base
$(BUILD)/tests/fuzz/fuzz_scan: $(BUILD)/tests/support/incremental/scan_tree.o
$(fuzz_decoders): $(patsubst %,$(BUILD)/tests/support/incremental/%.o,cache_both cache_numbers answer_change delta_make)
$(BUILD)/tests/fuzz/fuzz_delta: $(BUILD)/tests/support/incremental/delta_make.o
test-fuzz unit-fuzz: $(fuzz_programs)

# The same programs with libFuzzer's main(); all code is built again, so that it sees every branch.
FUZZ_SECONDS ?= 20
FUZZ_SAN     := address,undefined
fuzz:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC=clang SAN= CFLAGS="-O1 -g -DRAILTOP_LIBFUZZER" \
		SANFLAGS="-fsanitize=fuzzer-no-link,$(FUZZ_SAN) -fno-sanitize-recover=undefined" \
		FUZZ_LDFLAGS=-fsanitize=fuzzer fuzz-programs
	$(Q)BUILD=$(BUILD)/fuzz FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run.sh
fuzz-programs: $(fuzz_programs)
.PHONY: fuzz fuzz-programs

test-programs: all $(foreach f,$(TEST_FOLDERS),$(call tests_of,$(f))) $(fuzz_programs)

test:
	$(Q)tools/deps.sh build test
	$(Q)$(MAKE) --no-print-directory run-tests
# The same where everything is installed already.
run-tests: test-programs
	$(Q)BUILD=$(BUILD) tests/run.sh $(TEST_FOLDERS)

demo:
	$(Q)tools/deps.sh build
	$(Q)$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc)) all
	$(Q)$(BUILD)/railtop demo

bench_programs := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/bench_*.c))
bench_helpers  := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/bench/bench_%,$(wildcard tests/bench/*.c tests/bench/diagnosis/*.c tests/bench/packets/*.c tests/bench/load/*.c)))
# It alone lives faster than the clock.
$(BUILD)/tests/bench/bench_soak: $(BUILD)/tests/bench/fast/fast_clock.o
# And hears of all that its model is told.
$(BUILD)/tests/bench/bench_soak: private LDFLAGS += -Wl,--wrap=model_apply,--wrap=model_age
$(bench_programs): %: %.o $(bench_helpers) $(BUILD)/lib/testtools.a $(call lib,$(LINK_bench))
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS_TEST) $(LIBS_CONSOLE) $(LIBS_EMULATOR) $(LIBS_BENCH)
# It answers as devices do, and so links with the emulator and with nothing of the dialects.
responder := $(BUILD)/tests/bench/responder/responder
$(responder): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/bench/responder/*.c) tests/support/incremental/delta_make.c) $(call lib,emulator fabric base)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS_EMULATOR)
metrics := $(BUILD)/tests/bench/metrics/metrics
$(metrics): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/bench/metrics/*.c)) $(call lib,fabric base)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS_BENCH)
bench: all $(bench_programs) $(responder) $(metrics)
	$(Q)BUILD=$(BUILD) tests/bench/run.sh
bench-quick: all $(bench_programs) $(responder) $(metrics)
	$(Q)QUICK=1 BUILD=$(BUILD) tests/bench/run.sh
bench-screen: all $(bench_programs)
	$(Q)BUILD=$(BUILD) tests/bench/run.sh screen
bench-range: all $(bench_programs)
	$(Q)BUILD=$(BUILD) tests/bench/run.sh range
bench-recording: $(BUILD)/tests/bench/bench_recording
	$(Q)BUILD=$(BUILD) tests/bench/run.sh recording
# N=500 for more devices; installs what this is compared with.
bench-peers: $(BUILD)/tests/bench/bench_peers $(responder)
	$(Q)tools/deps.sh peers
	$(Q)BUILD=$(BUILD) tests/bench/run.sh peers
# MINUTES=120; each is five of the session's.
bench-soak: all $(BUILD)/tests/bench/bench_soak
	$(Q)BUILD=$(BUILD) $(BUILD)/tests/bench/bench_soak $(or $(MINUTES),48)
bench-diagnosis: $(BUILD)/tests/bench/bench_diagnosis
	$(Q)BUILD=$(BUILD) tests/bench/run.sh diagnosis

# ---- checks ----
thorough:
	$(Q)tools/thorough.sh
check: topologies-check layering size-check names-check prose-check format-check docs-check
layering:
	$(Q)tools/layering.sh
prose-check:
	$(Q)tools/prose-check.sh
names-check:
	$(Q)tools/names-check.sh
size-check:
	$(Q)tools/size-check.sh
format-check:
	$(Q)git ls-files '*.c' '*.h' | xargs -P 2 -n 50 clang-format --dry-run --Werror
format:
	$(Q)clang-format -i $$(git ls-files '*.c' '*.h')
# A file is looked at again when its object was built again. tidy-quick: without the analyzer, which
# takes nearly all of the time. TIDY="a.c b.c": only these.
TIDY        ?= $(shell git ls-files '*.c' ':!tests' 2>/dev/null)
tidied       = $(patsubst %.c,$(BUILD)/$(1)/%.ok,$(TIDY))
tidy_flags   = -std=c17 $(CPPFLAGS) $(call pkg,--cflags,$(PKGS_CONSOLE) $(PKGS_EMULATOR))
tidy: $(call tidied,tidy)
tidy-quick: $(call tidied,tidy-quick)
$(BUILD)/tidy/%.ok: $(BUILD)/%.o
	$(call say,TIDY,$*.c)
	@mkdir -p $(@D)
	$(Q)clang-tidy --quiet $*.c -- $(tidy_flags) 2>/dev/null && touch $@
$(BUILD)/tidy-quick/%.ok: $(BUILD)/%.o
	$(call say,TIDY,$*.c without the analyzer)
	@mkdir -p $(@D)
	$(Q)clang-tidy --quiet --checks='-clang-analyzer-*' $*.c -- $(tidy_flags) 2>/dev/null && touch $@
# Warnings of another compiler, without code: make syntax CC=clang.
syntaxed := $(patsubst %.c,$(BUILD)/syntax/%.ok,$(shell git ls-files '*.c' 2>/dev/null))
syntax: $(syntaxed)
$(BUILD)/syntax/%.ok: %.c $(GEN)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(if $(filter tests/fuzz/decoder.c,$<),-DDIALECT='"sonic"') $(ALL_CFLAGS) -MMD -MP -MF $(@:.ok=.d) -MT $@ -fsyntax-only $< && touch $@
# The wiring tables of topologies/ are made: tools/topologies.sh write.
topologies-check:
	$(Q)tools/topologies.sh check
# The screens of README and the documents, from the cells of the tests' terminal.
pictures: all $(BUILD)/tests/screens/test_pictures
	$(Q)PICTURES=docs/pictures $(BUILD)/tests/screens/test_pictures
docs-check: all
	$(Q)tools/docs.sh check $(BUILD)
docs: all
	$(Q)tools/docs.sh write $(BUILD)

# One archive for any Linux of this machine: tools/tarball.sh. Its paths are those of no machine.
VERSION      := $(shell sed -n 's/^\#define RAILTOP_VERSION "\(.*\)"$$/\1/p' base/version.h)
TARBALL      ?= build-tarball
tarball:
	$(Q)$(MAKE) --no-print-directory BUILD=$(TARBALL) CFLAGS="-O2 -g -ffile-prefix-map=$(CURDIR)=." all
	$(Q)tools/tarball.sh $(TARBALL) $(VERSION)

# ---- installation: the directories of the GNU coding standards; DESTDIR for packages ----
PREFIX      ?= /usr/local
prefix      ?= $(PREFIX)
bindir      ?= $(prefix)/bin
datadir     ?= $(prefix)/share
mandir      ?= $(datadir)/man
docdir      ?= $(datadir)/doc/railtop
unitdir     ?= $(prefix)/lib/systemd/system
sysusersdir ?= $(prefix)/lib/sysusers.d
tmpfilesdir ?= $(prefix)/lib/tmpfiles.d
# Which file goes where, for install and uninstall alike.
INSTALLED = $(bindir)/railtop $(bindir)/railtop-emulator \
	$(patsubst %,$(datadir)/railtop/%,$(wildcard topologies/*.yaml topologies/*.csv)) \
	$(foreach f,$(wildcard man/*.[15]),$(mandir)/man$(subst .,,$(suffix $(f)))/$(notdir $(f))) \
	$(datadir)/bash-completion/completions/railtop $(datadir)/zsh/site-functions/_railtop \
	$(datadir)/fish/vendor_completions.d/railtop.fish \
	$(patsubst packaging/systemd/%,$(unitdir)/%,$(wildcard packaging/systemd/*.service)) \
	$(sysusersdir)/railtop.conf $(tmpfilesdir)/railtop.conf
put = install -D -m $(1) $(2) $(DESTDIR)$(3)
# Through no file of the build: two installations at once would read each other's half.
# The program writes them itself; CROSS_RUN is what runs it in a cross build.
put_completion = install -D -m 644 /dev/null $(DESTDIR)$(2) && $(CROSS_RUN) $(BUILD)/railtop completion $(1) >$(DESTDIR)$(2)
install: all
	$(Q)$(call put,755,$(BUILD)/railtop,$(bindir)/railtop)
	$(Q)$(call put,755,$(BUILD)/railtop-emulator,$(bindir)/railtop-emulator)
	$(Q)for f in topologies/*.yaml topologies/*.csv; do $(call put,644,$$f,$(datadir)/railtop/$$f) || exit; done
	$(Q)for f in man/*.[15]; do $(call put,644,$$f,$(mandir)/man$${f##*.}/$${f##*/}) || exit; done
	$(Q)$(call put_completion,bash,$(datadir)/bash-completion/completions/railtop)
	$(Q)$(call put_completion,zsh,$(datadir)/zsh/site-functions/_railtop)
	$(Q)$(call put_completion,fish,$(datadir)/fish/vendor_completions.d/railtop.fish)
	$(Q)for f in packaging/systemd/*.service; do $(call put,644,$$f,$(unitdir)/$${f##*/}) && \
		sed -i 's,/usr/bin/,$(bindir)/,' "$(DESTDIR)$(unitdir)/$${f##*/}" || exit; done
	$(Q)$(call put,644,packaging/systemd/railtop.sysusers,$(sysusersdir)/railtop.conf)
	$(Q)$(call put,644,packaging/systemd/railtop.tmpfiles,$(tmpfilesdir)/railtop.conf)
uninstall:
	$(Q)rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	$(Q)-rmdir -p --ignore-fail-on-non-empty $(DESTDIR)$(datadir)/railtop/topologies 2>/dev/null || :
clean:
	rm -rf build build-*

.PHONY: all test run-tests test-programs demo bench bench-quick bench-screen bench-range bench-recording bench-peers bench-soak bench-diagnosis check prose-check names-check layering size-check format-check format tidy tidy-quick syntax thorough \
	docs docs-check pictures tarball topologies-check install uninstall clean
.SECONDARY:
