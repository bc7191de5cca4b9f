# Tollgate. `make bench` is the main command, `make test` runs the tests; both first install their
# tools. `make help` lists the rest.

CC      := gcc
BUILD   := build$(if $(filter-out gcc,$(CC)),-$(notdir $(CC)))$(if $(filter 1,$(SANITIZE)),-sanitize)
ARCHS   := i386 amd64
Q       := $(if $(filter-out 0,$(V)),,@)# make V=1 shows the commands
JOBS    := $(shell nproc)

# A variable that the help below does not name is refused, not ignored.
NAMED   := $(sort $(shell sed -n '/^#[:-]/p' Makefile | grep -o '\<[A-Z][A-Z]*=' | tr -d =))
GIVEN   := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $v))),$v))
$(foreach v,$(filter-out $(NAMED) -%,$(GIVEN)),$(error There is no variable $v; `make help ALL=1' lists them))
# A value quoted for the shell, whatever it contains.
q        = '$(subst ','\'',$(value $1))'
qs       = $(foreach w,$(value $1),'$(subst ','\'',$w)')# its words, one by one
# Whether a switch is on.
on       = $(filter 1,$($1))
# (Setup installs gcc and clang, and may have been requested.)
$(if $(or $(filter gcc clang,$(CC)),$(shell command -v $(firstword $(CC)))),,\
  $(error There is no compiler $(CC); CC is one that is installed, such as gcc or clang))

# Help alone needs no writable folder.
READ_ONLY := $(shell [ -w . ] || echo yes)
$(if $(READ_ONLY),$(if $(filter-out help,$(or $(MAKECMDGOALS),all)),$(error Nothing can be written to this \
  folder; make needs a copy of its own: git clone, or cp -r)))

.PHONY: all
all: $(foreach a,$(ARCHS),$(BUILD)/$a/kernel.elf $(BUILD)/$a/initrd.cpio) $(BUILD)/amd64/kernel32.elf $(BUILD)/disk.img

# --- the kernels -------------------------------------------------------------------------------

WARN    := -Wall -Wextra -Werror -Wno-unused-parameter -Wno-override-init -Wmissing-prototypes -Wshadow \
           -Wno-unknown-attributes
FREE    := -std=gnu11 -O2 -g -ffreestanding -fno-pic -fno-pie -fno-stack-protector \
           -fno-asynchronous-unwind-tables -fno-omit-frame-pointer -fno-optimize-sibling-calls \
           -fcf-protection=none -fno-builtin -mgeneral-regs-only -fno-strict-aliasing -nostdinc \
           -isystem $(shell $(CC) -print-file-name=include 2>/dev/null)
TARGET_i386  := -m32 -march=i586 -mno-sse
TARGET_amd64 := -m64
KERNEL_amd64 := -mcmodel=kernel -mno-red-zone
# Every read and write uses this path, and i386 has no spare register on it.
MORE_i386    := kernel/unix/file/calls=-fomit-frame-pointer
NASM_i386    := elf32
NASM_amd64   := elf64
LD_i386      := elf_i386
LD_amd64     := elf_x86_64
TEXT_i386    := 0x08048000
TEXT_amd64   := 0x400000
ORIGINS_i386  := user trusted
ORIGINS_amd64 := user compat trusted
COPIES := clean probed

TOOLS := -DCOMPILER='"$(notdir $(CC)) $(shell $(CC) -dumpfullversion -dumpversion 2>/dev/null)"' \
         -DNASM_VERSION='"$(word 3,$(shell nasm -v 2>/dev/null))"'

TABLES    := kernel/core/entry/mechanism.def kernel/core/entry/entry.def kernel/core/entry/exception.def kernel/core/entry/part.def
PART_FILES := $(wildcard kernel/core/entry/part/*.inc)
ENTRY_ASM := $(wildcard kernel/core/entry/*.asm)
WORDS     := kernel/core/entry/select.c kernel/const.h kernel/toll.h kernel/core/cpu/features.def # theirs
CORE       := $(wildcard kernel/core/*.c kernel/core/*/*.c)
C_COMMON   := $(filter-out kernel/core/arch/%,$(CORE)) $(wildcard kernel/*.c kernel/lib/*.c kernel/dev/*.c kernel/toll/*.c boot/*.c) \
              $(filter-out kernel/unix/arch/%,$(wildcard kernel/unix/*.c kernel/unix/*/*.c))
USER_LIB   := $(wildcard user/lib/*.c kernel/core/lib/*.c) $(filter-out kernel/lib/elf.c,$(wildcard kernel/lib/*.c))
FOLDERS    := $(patsubst %/main.c,%,$(wildcard user/*/main.c user/*/*/main.c)) # one program each
SEVERAL    := $(filter-out sh codes menu,$(notdir $(FOLDERS))) attack
TRUSTED    := $(basename $(notdir $(wildcard user/trusted/*.c))) # programs that exist nowhere else
APART      := wisconsin # not in every initrd: needs its database
PROGRAMS   := $(filter-out $(APART),$(basename $(notdir $(wildcard user/suites/*.c user/checks/*.c user/lessons/*.c)))) $(SEVERAL)
CONSOLE    := $(basename $(notdir $(wildcard user/console/*.c))) sh codes menu

# A kernel that checks itself (SANITIZE=1): kernel/sanitize and the compiler's checks in each
# source, except entries and arch; the allocators get the first kind only. The shadow ends at
# layout.h's WINDOW_END. (With checks gcc sees paths on which a variable is not set.)
UNDEFINED   = -fsanitize=undefined -Wno-maybe-uninitialized
SHADOWED    = -fsanitize=kernel-address -fasan-shadow-offset=$(SHADOW_$A) -fno-sanitize-address-use-after-scope \
              --param asan-globals=0 --param asan-instrumentation-with-call-threshold=0
SHADOW_i386  := 0xdf800000
SHADOW_amd64 := 0xdfffffffff400000
SANITIZED   = $(if $(call on,SANITIZE),$(if $(filter kernel/sanitize/%,$1),-DSHADOW=$(SHADOW_$A),$(if $(filter kernel/core/entry/% kernel/core/arch/%,$1),,\
                $(UNDEFINED) $(if $(filter kernel/core/mem/frame kernel/core/mem/heap,$1),,$(SHADOWED)))))
# The functions that kernel/sanitize wraps.
WRAPPED     = $(if $(call on,SANITIZE),$(shell sed -n 's/^WRAP.[^,]*, \([a-z_]*\).*/--wrap=\1/p' kernel/sanitize/*.c))

# Output generated from the tables of entry/ for this A: objects, nasm, c, or a check.
rows = awk -f tools/rows.awk -v want=$1 -v arch=$A -v origins='$(ORIGINS_$A)' \
  -v all_archs='$(ARCHS)' -v all_origins='$(sort $(foreach a,$(ARCHS),$(ORIGINS_$a)))' -v files='$(notdir $(ENTRY_ASM))' \
  -v part_files='$(notdir $(PART_FILES))' $(TABLES)

folder_of  = $(filter %/$1,$(FOLDERS) user/attack)
objects_in = $(patsubst %.c,$(BUILD)/$A/user/%.o,$(wildcard $1/*.c)) \
             $(patsubst %,$(BUILD)/$A/user/%.o,$(wildcard $1/*.asm $1/$A/*.asm))

# nasm's macro-local labels (..@n.x) would hide the real names in gdb and backtraces.
no_labels = objcopy -w --strip-symbol='..@*' $1

# keep NAME,TEXT: a file with the text, which is written only when the text has changed. recipe NAME
# keeps NAME's commands, with the flags of this A. Outputs depend on that file, so a change of the
# Makefile rebuilds only the outputs of changed commands. (make 4.3 does not always strip the last
# newline of a file that it reads.)
same   = $(if $(subst x$1,,x$2)$(subst x$2,,x$1),,same)
keep   = $(BUILD)/$A/recipes/$1$(call kept,$(BUILD)/$A/recipes/$1,$2)
kept   = $(if $(or $(call same,$(strip $(file <$1)),$(strip $2)),$(READ_ONLY)),,$(shell mkdir -p $(dir $1))$(file >$1,$2))
recipe = $(call keep,$1,$($1)$2)

define link_program
@mkdir -p $(@D)
@echo "  LD     $@"
$(Q)ld -m $(LD_$A) -Ttext-segment=$(TEXT_$A) --gc-sections -static -nostdlib -z noexecstack --build-id=none $(filter %.o,$^) -o $@ && $(call no_labels,$@)
endef

link = ld -m $(LD_$A) -T linker.ld --build-id=none -z max-page-size=4096 -z noexecstack \
	--no-warn-rwx-segments --defsym GATE_PAGE32=0xffffe000 \
	$(foreach n,KERNEL_BASE GATE_PAGE GATE_TRUSTED WORD PROGRAM_STATES,--defsym $n=$(call layout,$n)) \
	--defsym ENTRY_AT=$(or $3,0) $2 $(WRAPPED) -o $1 && $(call no_labels,$1)

# An origin's width, its address, and a number of layout.h.
vdso_bits   = $(if $(filter compat,$1),32,$(patsubst elf%,%,$(NASM_$A)))
vdso_target = $(if $(filter 32,$(vdso_bits)),$(TARGET_i386),$(TARGET_amd64) -mno-red-zone)
vdso_page   = $1_$(if $(filter trusted,$2),TRUSTED,PAGE$(if $(filter compat,$2),32))
vdso_places = -DVDSO_AT=$(call vdso_page,VDSO,$1) -DCLOCK_AT=$(call vdso_page,CLOCK,$1)
layout      = $(shell awk '$$2=="$1"{print $$3}' kernel/core/arch/$A/layout.h kernel/const.h)

# --- the codes: an external QR generator, and the words shared by both sides ----------------------

$(BUILD)/qrcodegen/qrcodegen.c $(BUILD)/qrcodegen/qrcodegen.h &: tools/fetch.sh
	$(Q)tools/fetch.sh $(BUILD)/qrcodegen

# The id and label of each row, used by both sides only.
$(BUILD)/codes.words: user/console/codes/words tools/tollgate/records/kernel_tables.py $(ARCHS:%=$(BUILD)/%/rows.def)
	$(Q)PYTHONPATH=tools python3 -m tollgate.records.kernel_tables > $@
$(BUILD)/codes.words.c: $(BUILD)/codes.words
	$(Q){ echo '#include "pack.h"'; echo 'const char *const pack_table[] = {'; \
	  sed 's,[\"],\\&,g; s,~#,\\001,g; s,~%,\\002,g; s,~\$$,\\003,g; s,.*,        "&"\,,' $<; echo '};'; \
	  echo "const unsigned pack_table_words = $$(wc -l < $<);"; \
	  echo "const uint32_t pack_table_version = 0x$$(sha256sum $< | cut -c1-8)u;"; } > $@

# --- lists of suites, from one table ---------------------------------------------------------------

LISTS := tools/tollgate/suite_lists.py tools/tollgate/suites.py
LIST   = PYTHONPATH=tools python3 -m tollgate.suite_lists
$(BUILD)/lists/suites_default.h: $(LISTS)
	@mkdir -p $(@D)
	$(Q)$(LIST) default > $@
$(BUILD)/lists/entities.def: tools/entities.py
	@mkdir -p $(@D)
	$(Q)python3 $< > $@

# --- arguments for hostile programs -----------------------------------------------------------------

CALLS := kernel/unix/sys.def kernel/toll/toll.def
$(BUILD)/hostile.def: tools/hostile.py $(CALLS) $(C_COMMON) $(wildcard kernel/*.h kernel/*/*.h kernel/*/*/*.h kernel/*/*/*/*.h)
	@mkdir -p $(@D)
	$(Q)python3 tools/hostile.py $(CALLS) > $@

A := i386
include arch.mk
A := amd64
include arch.mk

# QEMU's -kernel accepts 32-bit ELF only.
$(BUILD)/amd64/kernel32.elf: $(BUILD)/amd64/kernel.elf
	$(Q)objcopy -O elf32-i386 $< $@

# --- the initrd: the suites once for each origin, tools for people in /bin ---------------------------

PAGES    = $(wildcard user/pages/*)
# A file without a source is not packed. The list of files with a source is kept, so that a removed
# source causes packing again.
MADE     = $(PROGRAMS:%=$(BUILD)/$1/bin/%) $(CONSOLE:%=$(BUILD)/$1/console/%) $(TRUSTED:%=$(BUILD)/$1/trusted/%)
FORMER   = $(filter-out $(MADE),$(wildcard $(BUILD)/$1/bin/* $(BUILD)/$1/console/* $(BUILD)/$1/trusted/*))

$(BUILD)/i386/initrd.cpio: $(PAGES) $(PROGRAMS:%=$(BUILD)/i386/bin/%) $(CONSOLE:%=$(BUILD)/i386/console/%) $(TRUSTED:%=$(BUILD)/i386/trusted/%) tools/initrd.sh $(call keep,i386-programs,$(call MADE,i386))
	@echo "  INITRD $@"
	$(Q)rm -f $(call FORMER,i386)
	$(Q)tools/initrd.sh $@ dev= tmp= pages=user/pages bin=$(BUILD)/i386/bin bin=$(BUILD)/i386/console \
	  trusted=$(BUILD)/i386/bin trusted=$(BUILD)/i386/console/yes trusted=$(BUILD)/i386/trusted

$(BUILD)/amd64/initrd.cpio: $(PAGES) $(foreach a,$(ARCHS),$(PROGRAMS:%=$(BUILD)/$a/bin/%)) $(CONSOLE:%=$(BUILD)/amd64/console/%) $(TRUSTED:%=$(BUILD)/amd64/trusted/%) tools/initrd.sh $(call keep,programs,$(call MADE,amd64))
	@echo "  INITRD $@"
	$(Q)rm -f $(call FORMER,i386) $(call FORMER,amd64)
	$(Q)tools/initrd.sh $@ dev= tmp= pages=user/pages bin=$(BUILD)/amd64/bin bin=$(BUILD)/amd64/console compat=$(BUILD)/i386/bin \
	  trusted=$(BUILD)/amd64/bin trusted=$(BUILD)/amd64/console/yes trusted=$(BUILD)/amd64/trusted

# The initrd with the suite wisconsin and its database, which is as large as everything else and
# needed only here. Contains the suites with which its rows are compared, too.
WISCONSIN = $(BUILD)/$1/initrd.cpio $(BUILD)/$1/database/bin/wisconsin $(BUILD)/$1/database/bin/database
$(BUILD)/i386/wisconsin.cpio: $(call WISCONSIN,i386)
	@echo "  INITRD $@"
	$(Q)tools/initrd.sh $@ dev= tmp= $(foreach f,bin trusted,$f=$(BUILD)/i386/bin $f=$(BUILD)/i386/database/bin)
$(BUILD)/amd64/wisconsin.cpio: $(call WISCONSIN,amd64) $(BUILD)/amd64/database/trusted/database-syscall
	@echo "  INITRD $@"
	$(Q)tools/initrd.sh $@ dev= tmp= $(foreach f,bin trusted,$f=$(BUILD)/amd64/bin $f=$(BUILD)/amd64/database/bin) \
	  trusted=$(BUILD)/amd64/database/trusted compat=$(BUILD)/i386/bin

# Programs that work in a browser: a page carries them (tools/tollgate/browser).
BROWSER_BIN     := toll
BROWSER_CONSOLE := cat cp echo env false head init kill ln ls mkdir mv pwd ring rm rmdir sh sleep test true wc yes
BROWSER_TRUSTED := toll
$(BUILD)/i386/browser.cpio: $(BROWSER_BIN:%=$(BUILD)/i386/bin/%) $(BROWSER_CONSOLE:%=$(BUILD)/i386/console/%) tools/initrd.sh
	@echo "  INITRD $@"
	$(Q)tools/initrd.sh $@ dev= tmp= $(BROWSER_BIN:%=bin=$(BUILD)/i386/bin/%) $(BROWSER_CONSOLE:%=bin=$(BUILD)/i386/console/%) \
	  $(BROWSER_TRUSTED:%=trusted=$(BUILD)/i386/bin/%) $(foreach p,ring yes,trusted=$(BUILD)/i386/console/$p)

# An x86 PC in WebAssembly, from npm.
$(BUILD)/v86/v86.wasm: tools/v86.sh
	$(Q)tools/v86.sh $(@D)

# The disk for a bench; its program runs under both kernels.
$(BUILD)/disk.img: $(BUILD)/i386/console/true tools/disk.sh LICENSE
	@echo "  DISK   $@"
	$(Q)tools/disk.sh $@ $<

# --- the image for CDs and USB sticks --------------------------------------------------------------

.PHONY: iso
iso: $(BUILD)/tollgate.iso
$(BUILD)/tollgate.iso: $(foreach a,$(ARCHS),$(BUILD)/$a/kernel.elf $(BUILD)/$a/initrd.cpio) tools/grub.cfg $(LISTS) tools/iso.sh
	@echo "  ISO    $@"
	$(Q)BUILD=$(BUILD) tools/iso.sh $@

# (A bench or a test builds its needs with a make of its own; to read 1,200 files takes 0.2 s.)
-include $(if $(filter all iso $(BUILD)/% $(BUILD)-%,$(or $(MAKECMDGOALS),all)),\
             $(shell find $(ARCHS:%=$(BUILD)/%) -name '*.d' -type f 2>/dev/null))
.SECONDARY:
.DELETE_ON_ERROR:

# --- the commands -----------------------------------------------------------------------------

TOLLGATE := .venv/bin/tollgate
export TOLLGATE_BUILD := $(abspath $(BUILD))
# Some environments set it: then some hundred Python processes would each compile all imports.
unexport PYTHONDONTWRITEBYTECODE
CHOICE    = --platform=$(call q,PLATFORM) --arch=$(call q,ARCH) --cpu=$(call q,CPU)
MEASURE   = $(CHOICE) --suite=$(call q,SUITE) --samples=$(call q,SAMPLES) --fence=$(call q,FENCE) \
            --parts=$(call q,PARTS) --align=$(call q,ALIGN) --out=$(call q,OUT) --add=$(call q,ADD)

.PHONY: help setup core bench audit docs test test-all lint linux run show gdb lesson book slides browser exercises grade
.PHONY: built # for others
help:
	@sed -n 's/^#$(if $(call on,ALL),[:-],:) //p' Makefile | sed "s/@suites@/$$($(LIST) names 2>/dev/null || echo NAME,...)/"

# A target of a verb's name builds what is missing and calls `tollgate VERB`; its variables are the
# verb's options. `make help` shows the lines with a colon, `make help ALL=1` those with a hyphen, too.
#
#: use
#:   make             both kernels, the programs and the initrd, into build/
#-                    (CC=clang: build-clang/); JOBS= how many at a time, BUILD= where to, V=1 shows
#-                    the commands
#:   make bench       boots, measures, prints the tables, writes results/<time>/
#-                    and results/latest, which points there
#-                    OUT=DIR PLATFORM=qemu-icount|qemu-tcg|bochs[:MODEL]|kvm ARCH=i386|amd64 CPU=MODEL
#-                    SUITE=@suites@
#-                    SAMPLES=1000 FENCE=none|lfence|both|rdtscp|cpuid; PARTS=none|SET,PART,...|all: rows with
#-                    these around the entry (docs/mechanism.md), by default one set; ALIGN=0..63: entries
#-                    begin so many bytes behind a line; ADD=FILE|FOLDER puts programs of yours
#-                    into /bin (SUITE= may name them)
#-   make core        the core alone: kernel/core, kernel/toll and one program, which prints the toll
#-                    table; the smallest kernel that does
#:   make run         one kernel in QEMU, a shell on your terminal (ARCH= ADD=)
#-                    PLATFORM= CPU= CMDLINE= FREEZE=1: after a triple fault it stays; ADD=FILE|FOLDER puts programs
#-                    of yours into /bin (docs/programs.md)
#:   make show        the instructions of ROW=user/int/standard, with their sources
#-                    HERE=1: also how long the plain ones take on this machine, in ring 3
#-                    (ARCH= CPU=)
#:   make linux       the same programs on Linux and on ours
#-                    the distribution's Linux in QEMU (OUT=DIR SAMPLES=; MINIMAL=1: also one that is built with nothing else, and kept)
#-   make audit       every row once more by a second meter, a plugin of QEMU's that counts
#-                    instructions and reads no time (ARCH= CPU= SUITE=)
#:   make iso         build/tollgate.iso, for CDs and sticks, BIOS and UEFI
#: learn
#:   make lesson      lists them; N=int gives one, in gdb (ARCH= CPU= PLATFORM=)
#:   make gdb         one kernel under gdb (ARCH= CPU= CMDLINE=)
#-                    WAIT=1: no gdb, the machine waits for yours or an editor's; PLATFORM=
#:   make book        the lessons as a folder of HTML, build/book
#-                    that needs nothing else: each as the machines have lived through it (OUT=DIR, N= names some); make slides is the same
#-   make browser     the i386 kernel in one HTML file, build/browser/index.html, that boots it in any
#-                    browser: the toll, and a shell (OUT=DIR)
#:   make exercises   lists the exercises; X=register SEED=yourname begins one
#-                    on a branch of this clone
#:   make grade       says what holds of X=register (or X=all), with points
#-                    TREE= another's tree, SEED= for whom; TREES='class/*' CSV=FILE many, each for
#-                    the seed of its name
#: develop
#:   make test        a test of every promise (TESTS= names some; PART= others)
#-                    and a report for machines: build/junit.xml
#-                    PART=long       long ones, too, and the tree's own
#-                    PART=sanitize   on kernels that check themselves (TESTS= as above; SANITIZE=1 builds such)
#-                    PART=mutants    shows that tests fail where they must (N= names some): all that
#-                                    tests/mutants makes; PART=sample: fifteen of them
#-                    PART=universal  N=300 mutants that the package universalmutator makes, drawn by
#-                                    SEED= (of today); goes on where it was cut off
#-                    PART=torture    fuzzers: a million deeds of each KIND=insn,crowd,program,hostile in
#-                                    each mode, and damaged image,line,tree,map; goes on where it
#-                                    was cut off. N= deeds, SEED=, SHARD=2/8 the second of eight parts,
#-                                    PLATFORM=, PARTS=, OUT=DIR (docs/limits.md); without KIND= and SHARD= then
#-                                    all attacks, and the same steps on this host's Linux
#-                    PART=hostile    as root: N=20 times on each of eight unkind hosts, SEED=, what needs time (TESTS=);
#-                                    takes hours; LONG=1: also those of test-all
#-                    PART=reach      which basic blocks of the kernel tests and fuzzers reach (TESTS= as above)
#-                    PART=weekly     other systems, whole benches
#:   make test-all    its parts short, long, sample, sanitize
#-                    WEEKLY=1: weekly, mutants, universal, torture
#:   make lint        clang-format, ruff, mypy, the English of prose, the limit
#:   make docs        makes anew what the documents show of measurements
#-                    the lists of suites, docs/results.md (a sweep, the database), docs/linux.md, docs/headline.svg
#-                    (a bench), docs/book.png (the book, in a browser), docs/screens
#-                    PART=budgets: what each row costs alone, tests/budgets.toml, and the tables of it
#-   make setup       installs what is missing, and nothing else
#: make help ALL=1 lists every variable; .venv/bin/tollgate --help every verb

# Tools from tools/packages that these targets need besides those of every bench.
NEED_TEST := iso bochs gdb libc test
$(foreach t,setup test test-all docs,$(eval NEED_$t := $(NEED_TEST)))
$(foreach t,setup lint,$(eval NEED_$t += lint))
$(foreach t,gdb lesson book slides exercises grade,$(eval NEED_$t := gdb))
$(foreach t,audit linux,$(eval NEED_$t := libc))
NEED_iso      := iso
NEED_browser  := browser
$(if $(filter long weekly hostile,$(PART))$(filter test-all,$(MAKECMDGOALS)),$(eval NEED_test := $(NEED_TEST) long)$(eval NEED_test-all := $(NEED_test)))
$(if $(filter weekly universal,$(PART))$(call on,WEEKLY),$(eval NEED_test += weekly)$(eval NEED_test-all += weekly))
export MAKE_GROUPS ?= $(sort compile run $(foreach t,$(MAKECMDGOALS),$(NEED_$t)) \
  $(if $(findstring bochs,$(PLATFORM)),iso bochs) $(if $(findstring wisconsin,$(SUITE)),libc))
SETUP         = tools/setup.sh $(MAKE_GROUPS)

setup:
	@$(SETUP)

# The compilers first; then a build, while other tools are installed. Its output is one changing
# line (V=1: all of it). A make with -j shares its job server.
OWN_JOBS  = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
MAKE_IT   = tools/setup.sh first $(MAKE_GROUPS) && $(if $(filter-out 0,$(V)),$(SETUP) &&,PYTHONPATH=tools python3 -m tollgate.build '$(SETUP)') \
              $(MAKE) -s --no-print-directory $(OWN_JOBS)

OF_SUITE  = $(if $(findstring wisconsin,$(SUITE)),$(ARCHS:%=$(BUILD)/%/wisconsin.cpio))
built:
	@$(MAKE_IT) all $(OF_SUITE)

CORES := $(BUILD)/i386/core.elf $(BUILD)/amd64/core32.elf
core:
	@$(MAKE_IT) $(CORES)
	@$(TOLLGATE) $@

bench: built
	@$(TOLLGATE) $@ $(MEASURE)

PYTEST    = .venv/bin/python -m pytest -q -n $(JOBS) --dist worksteal

# What the tests of a part boot.
TESTABLE  = $(MAKE_IT) all $(CORES) $(if $(filter-out short,$(PART)),iso) && { \
  $(MAKE) -s --no-print-directory $(OWN_JOBS) $(patsubst %,$(BUILD)/%/wisconsin.cpio,amd64 $(if $(filter-out short,$(PART))$(TESTS),i386)) || \
  echo 'test: what runs a database is skipped'; }
# Tests that boot, on kernels with checks. Those of exact figures only look for a panic there.
SANITIZED_TESTS = $(filter-out tests/self/ tests/unit/,$(sort $(dir $(wildcard tests/*/test_*.py))))
CHECKED = $(BUILD)-sanitize/i386/kernel.elf $(BUILD)-sanitize/amd64/kernel32.elf

# The parts of a test. (One more test at a time than there are processors, because some wait for a
# browser, or for seconds of a machine.)
RUN_short    = $(TESTABLE) && $(PYTEST) --junitxml=build/junit.xml $(or $(TESTS),-m 'not long and not self and not weekly')
RUN_long     = $(TESTABLE) && $(PYTEST) -n $$(($(JOBS) + 1)) --junitxml=build/junit-long.xml -m '(long or self) and not weekly'
RUN_weekly   = $(TESTABLE) && $(PYTEST) --junitxml=build/junit-weekly.xml -m weekly
RUN_sample   = .venv/bin/python tests/mutants/run.py '' 15 1
RUN_mutants  = .venv/bin/python tests/mutants/run.py $(call q,N)
RUN_universal = $(TESTABLE) && .venv/bin/python tests/mutants/universal.py $(call q,N) $(call q,SEED)
RUN_sanitize = $(MAKE) -s --no-print-directory $(OWN_JOBS) SANITIZE=1 $(CHECKED) && \
  TOLLGATE_KERNELS="$$PWD/$(BUILD)-sanitize" $(PYTEST) -m 'not long and not weekly' $(or $(TESTS),$(SANITIZED_TESTS))
RUN_torture  = .venv/bin/python -m tests.torture --count=$(call q,N) --seed=$(call q,SEED) --kind=$(call q,KIND) \
  --shard=$(call q,SHARD) --platform=$(call q,PLATFORM) --parts=$(call q,PARTS) --out=$(call q,OUT) $(if $(KIND)$(SHARD),,&& \
  TORTURE='$(or $(N),1000000)' TORTURE_SEED='$(or $(SEED),1)' .venv/bin/python -m pytest -q -s -k 'linux or attack' \
  tests/attack/test_torture.py tests/attack/test_attack.py)
RUN_hostile  = $(TESTABLE) && .venv/bin/python -m tests.hosts $(if $(N),--rounds=$(call q,N)) \
  $(if $(SEED),--seed=$(call q,SEED)) -n $(JOBS) --dist worksteal \
  -m '(clocked or patient)$(if $(call on,LONG),, and not long) and not weekly' $(TESTS)
RUN_reach    = $(TESTABLE) && .venv/bin/python -m tests.reach $(TESTS)

$(if $(filter-out budgets $(patsubst RUN_%,%,$(filter RUN_%,$(.VARIABLES))),$(PART)),\
  $(error There is no part $(PART); PART is short, long, weekly, sample, mutants, universal, sanitize, torture, hostile or reach, and budgets of docs))
test: built
	@$(RUN_$(or $(PART),short))

# Runs every part, even if an earlier one failed.
test-all: built
	+@failed=; for part in $(if $(call on,WEEKLY),weekly mutants universal torture,short long sample sanitize); do \
	  echo "== make test PART=$$part"; $(MAKE) -s --no-print-directory test PART=$$part || failed="$$failed $$part"; \
	done; [ -z "$$failed" ] || { echo "failed:$$failed" >&2; exit 1; }

# Generates the documents' tables and pictures, and copies them.
DOCUMENTS = build/documents
define MAKE_DOCS
@$(TOLLGATE) bench --out=$(DOCUMENTS)/bench
@$(TOLLGATE) sweep --out=$(DOCUMENTS)/sweep
@$(TOLLGATE) markdown $(DOCUMENTS)/sweep | sed '/^### exceptions/,$$d' > $(DOCUMENTS)/results.md
@.venv/bin/python -m tests.picture $(DOCUMENTS)/book.png
@$(TOLLGATE) linux --out=$(DOCUMENTS)/linux
@awk -F'|' -v OFS='|' '/^\|/ { t = $$0 = $$1 OFS $$2 OFS $$3 OFS $$4 OFS $$5 OFS $$6 OFS } t && !NF { exit } !/pipe-(2|64|tls|.*-tls)/' \
  $(DOCUMENTS)/linux/linux.md > $(DOCUMENTS)/linux.md
@$(MAKE) -s --no-print-directory $(ARCHS:%=$(BUILD)/%/wisconsin.cpio)
@$(TOLLGATE) bench --suite=wisconsin --out=$(DOCUMENTS)/wisconsin
@$(TOLLGATE) markdown $(DOCUMENTS)/wisconsin | grep -E '^(### wisc|\| (row|---) )|/total ' | grep -v server > $(DOCUMENTS)/database.md
@.venv/bin/python -m tollgate.self.documents docs/results.md sweep $(DOCUMENTS)/results.md
@.venv/bin/python -m tollgate.self.documents docs/results.md database $(DOCUMENTS)/database.md
@.venv/bin/python -m tollgate.self.documents docs/linux.md tables $(DOCUMENTS)/linux.md
@$(LIST) documents
@cp $(DOCUMENTS)/bench/figures/headline.svg $(DOCUMENTS)/book.png docs/
@$(MAKE) -s --no-print-directory $(BUILD)/tollgate.iso
@SCREENS=1 .venv/bin/python -m pytest -q -k 'answers or progress or (framebuffer and i386)' \
  tests/console/test_pages.py tests/console/test_codes.py
endef
docs: built
	$(if $(filter budgets,$(PART)),@.venv/bin/python -m tollgate.self.budgets,$(MAKE_DOCS))

linux: built
	@$(TOLLGATE) $@ --out=$(call q,OUT) --samples=$(call q,SAMPLES) $(if $(call on,MINIMAL),--minimal)

audit: built
	@$(TOLLGATE) $@ --arch=$(call q,ARCH) --cpu=$(call q,CPU) --suite=$(call q,SUITE)

lint: setup
	@.venv/bin/clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h')
	@.venv/bin/ruff check tools tests && .venv/bin/ruff format --check tools tests
	@.venv/bin/mypy
	@.venv/bin/python tools/prose.py
	@tools/limit.sh

run: built
	@$(TOLLGATE) $@ $(CHOICE) --cmdline=$(call q,CMDLINE) --add=$(call q,ADD) $(if $(call on,FREEZE),--freeze)

show: built
	@$(TOLLGATE) $@ --arch=$(call q,ARCH) --cpu=$(call q,CPU) $(if $(call on,HERE),--here) $(if $(ROW),$(call q,ROW),$(error which row? make show ROW=user/int/standard))

gdb: built
	@$(TOLLGATE) $@ $(CHOICE) --cmdline=$(call q,CMDLINE) $(if $(call on,WAIT),--wait)

lesson: built
	@$(TOLLGATE) $@ $(CHOICE) $(call qs,N)

exercises: setup
	@$(TOLLGATE) $@ --seed=$(call q,SEED) $(call qs,X)

grade: setup
	@$(TOLLGATE) $@ --tree=$(call q,TREE) --trees=$(call q,TREES) --seed=$(call q,SEED) --csv=$(call q,CSV) \
	  $(or $(call qs,X),$(error which exercise? `make exercises` lists them))

book: built
	@$(MAKE) -s --no-print-directory $(PAGE) 2>/dev/null || echo 'The book is made without the page that boots; make browser fetches what it needs.' >&2
	@$(TOLLGATE) $@ --out=$(call q,OUT) $(call qs,N)

slides: book

PAGE      = $(BUILD)/i386/browser.cpio $(BUILD)/v86/v86.wasm
browser: built
	@$(MAKE) -s --no-print-directory $(PAGE)
	@$(TOLLGATE) $@ --out=$(call q,OUT)
