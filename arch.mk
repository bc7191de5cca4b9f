# The kernel and the programs of one architecture, A. The Makefile includes this for each: targets
# and prerequisites use the current A, recipes the A set by the next line.
$(BUILD)/$A/%: A := $A

INCLUDES_$A := -Ikernel/core/arch/$A -Ikernel/unix/arch/$A -Ikernel/core -Ikernel/unix -Ikernel -Iboot -I$(BUILD)/$A -Ikernel/unix/clock/vdso/$(NASM_$A:elf%=%)
NASM_INC_$A := $(wildcard kernel/core/arch/*.inc kernel/core/arch/$A/*.inc kernel/core/entry/*.inc) $(PART_FILES)

C_$A   := $(C_COMMON) $(if $(call on,SANITIZE),$(wildcard kernel/sanitize/*.c)) kernel/unix/arch/sigframe32.c $(wildcard kernel/core/arch/$A/*.c kernel/toll/$A/*.c kernel/unix/arch/$A/*.c)
ASM_$A := boot/multiboot.asm boot/stack.asm kernel/dev/font.asm $(wildcard kernel/core/arch/*.asm) $(wildcard kernel/core/arch/$A/*.asm kernel/toll/$A/*.asm kernel/unix/arch/$A/*.asm)
ENTRY_$A := $(foreach h,$(shell $(call rows,objects)),$(COPIES:%=$h.%))
OBJ_$A := $(C_$A:%.c=$(BUILD)/$A/%.o) $(ASM_$A:%.asm=$(BUILD)/$A/%.asm.o) \
          $(ENTRY_$A:%=$(BUILD)/$A/entry/%.o) $(BUILD)/$A/entry/lines.o \
          $(ORIGINS_$A:%=$(BUILD)/$A/vdso/%.o)

define cc_kernel
@mkdir -p $(@D)
@echo "  CC     $@"
$(Q)$(CC) $(TARGET_$A) $(KERNEL_$A) $(FREE) $(patsubst $*=%,%,$(filter $*=%,$(MORE_$A))) $(WARN) $(call SANITIZED,$*) $(TOOLS) $(INCLUDES_$A) -MMD -MP -c $< -o $@
endef
$(BUILD)/$A/%.o: %.c $(call recipe,cc_kernel,$(MORE_$A)) | $(BUILD)/$A/rows.checked
	$(cc_kernel)

define rows_checked
$(Q)$(call rows,check)
@touch $@
endef
# Checks that the tables, files and functions of entry/ agree: a message for each missing one.
$(BUILD)/$A/rows.checked: tools/rows.awk kernel/core/entry kernel/core/entry/part $(TABLES) $(ENTRY_ASM) $(WORDS) $(call recipe,rows_checked)
	@mkdir -p $(@D)
	$(rows_checked)
rows_def = $(Q)$(call rows,c) > $@
$(BUILD)/$A/rows.def: tools/rows.awk $(TABLES) $(call recipe,rows_def) | $(BUILD)/$A/rows.checked
	$(rows_def)
$(BUILD)/$A/kernel/core/entry/select.o $(BUILD)/$A/kernel/unix/process/switched.o: $(BUILD)/$A/rows.def
$(BUILD)/$A/kernel/config.o: $(BUILD)/lists/suites_default.h
$(BUILD)/$A/kernel/lib/html.o $(BUILD)/$A/user/kernel/lib/html.o: $(BUILD)/lists/entities.def
$(BUILD)/$A/kernel/config.o $(BUILD)/$A/kernel/lib/html.o: INCLUDES_$A += -I$(BUILD)/lists
$(BUILD)/$A/user/kernel/lib/html.o: FREE += -I$(BUILD)/lists

# nasm's copy of the shared numbers
define const_inc
@mkdir -p $(@D)
$(Q)sed -n 's,^#define \([A-Z][A-Z0-9_]*\) \([^"/]*\).*,%define \1 \2,p' $(filter %.h,$^) > $@
$(Q)$(call rows,nasm) >> $@
endef
$(BUILD)/$A/const.inc: kernel/const.h kernel/core/arch/$A/layout.h tools/rows.awk $(TABLES) $(call recipe,const_inc) | $(BUILD)/$A/rows.checked
	$(const_inc)

# and of the parts in each set
parts_inc = $(Q)$(call rows,parts) > $@
$(BUILD)/$A/parts.inc: tools/rows.awk $(TABLES) $(call recipe,parts_inc) | $(BUILD)/$A/rows.checked
	$(parts_inc)

# and of the names of kernel functions
define export_inc
@mkdir -p $(@D)
$(Q)sed -n 's,^FUNCTION(\(.*\)),FUNCTION \1,p' $< > $@
endef
$(BUILD)/$A/export.inc: kernel/unix/program/export.def $(call recipe,export_inc)
	$(export_inc)
$(COPIES:%=$(BUILD)/$A/entry/function.trusted.%.o): $(BUILD)/$A/export.inc

define nasm_kernel
@mkdir -p $(@D)
@echo "  NASM   $@"
$(Q)nasm -f $(NASM_$A) -g -F dwarf -w+error $(INCLUDES_$A:%=%/) -Ikernel/core/arch/ -Ikernel/core/entry/ -I$(BUILD)/$A/ $< -o $@
endef
$(BUILD)/$A/%.asm.o: %.asm $(BUILD)/$A/const.inc $(BUILD)/$A/parts.inc $(NASM_INC_$A) $(call recipe,nasm_kernel)
	$(nasm_kernel)

# A mechanism's file once for each origin and copy, entry/MECHANISM.ORIGIN.COPY.o; and its standard
# half again with each set of parts, entry/MECHANISM.ORIGIN.SET.COPY.o. An origin's own files are in
# a folder of its name; the user's are the architecture's.
define nasm_entry
@mkdir -p $(@D)
@echo "  NASM   $@"
$(Q)nasm -f $(NASM_$A) -w+error -DORIGIN=$(word 2,$(subst ., ,$*)) -DCOPY=$(lastword $(subst ., ,$*)) \
  $(if $(word 4,$(subst ., ,$*)),-DSET=$(word 3,$(subst ., ,$*))) \
  -Ikernel/core/arch/$A/$(word 2,$(subst ., ,$*))/ \
  -Ikernel/core/arch/$A/ -Ikernel/core/arch/ -Ikernel/ -Ikernel/core/entry/ -I$(BUILD)/$A/ $< -o $@
endef
.SECONDEXPANSION:
$(BUILD)/$A/entry/%.o: kernel/core/entry/$$(word 1,$$(subst ., ,$$*)).asm $(BUILD)/$A/const.inc $(BUILD)/$A/parts.inc $(NASM_INC_$A) $(wildcard kernel/core/arch/$A/*/*.inc) $(call recipe,nasm_entry)
	$(nasm_entry)

# and the line numbers of all of them, for gdb: macros included them.
$(BUILD)/$A/entry/lines.o: $(ENTRY_$A:%=$(BUILD)/$A/entry/%.o) tools/lines.sh tools/lines.awk
	@echo "  LINES  $@"
	$(Q)tools/lines.sh $(BUILD)/$A $(NASM_$A) kernel/core/arch/$A $(ENTRY_$A)

# The image of functions for programs of an origin: linked at their address, stored in the kernel.
VDSO_FREE := $(filter-out -fno-asynchronous-unwind-tables -g,$(FREE)) -fasynchronous-unwind-tables \
             -fvisibility=hidden -fomit-frame-pointer -falign-loops=1
define cc_vdso
@mkdir -p $(@D)
@echo "  CC     $@"
$(Q)$(CC) $(call vdso_target,$*) $(VDSO_FREE) $(WARN) $(call vdso_places,$*) -I$(<D) $(INCLUDES_$A) -Iuser/lib -MMD -MP -c $< -o $@
endef
$(ORIGINS_$A:%=$(BUILD)/$A/vdso/%.functions.o): $(BUILD)/$A/vdso/%.functions.o: kernel/unix/clock/vdso/$$(call vdso_bits,$$*)/vdso.c $(call recipe,cc_vdso)
	$(cc_vdso)
$(ORIGINS_$A:%=$(BUILD)/$A/vdso/%.calls.o): $(BUILD)/$A/vdso/%.calls.o: kernel/unix/clock/vdso/32/kernel_calls.S $(call recipe,cc_vdso)
	@mkdir -p $(@D)
	$(Q)$(CC) $(call vdso_target,$*) $(call vdso_places,$*) $(INCLUDES_$A) -MMD -MP -c $< -o $@
$(ORIGINS_$A:%=$(BUILD)/$A/vdso/%.so): $(BUILD)/$A/vdso/%.so: $(BUILD)/$A/vdso/%.functions.o $$(if $$(filter 32,$$(call vdso_bits,$$*)),$(BUILD)/$A/vdso/$$*.calls.o) kernel/unix/clock/vdso/vdso.ld kernel/unix/clock/vdso/$$(call vdso_bits,$$*)/vdso.map
	@echo "  LD     $@"
	$(Q)ld -m $(if $(filter 32,$(call vdso_bits,$*)),elf_i386,elf_x86_64) -shared -Bsymbolic -soname linux-vdso.so.1 --no-undefined --no-undefined-version \
	  --hash-style=both --eh-frame-hdr --build-id=none -z max-page-size=4096 -z noexecstack -z norelro --no-warn-rwx-segments \
	  --defsym VDSO_AT=$(call layout,$(call vdso_page,VDSO,$*)) --defsym AT_LINUXS=$(if $(filter 64,$(call vdso_bits,$*)),1,0) \
	  --version-script $(filter %.map,$^) -T $(filter %.ld,$^) $(filter %.o,$^) -o $@
$(ORIGINS_$A:%=$(BUILD)/$A/vdso/%.o): $(BUILD)/$A/vdso/%.o: $(BUILD)/$A/vdso/%.so kernel/unix/clock/vdso/image.asm
	$(Q)objcopy -S $< $<.image
	$(Q){ nm $< | awk '{print "global vdso_$*_" $$3 "\nvdso_$*_" $$3 " equ 0x" $$1}'; \
	  echo "global vdso_$*_at, vdso_$*_clock_at"; \
	  echo "vdso_$*_at equ $(call layout,$(call vdso_page,VDSO,$*))"; \
	  echo "vdso_$*_clock_at equ $(call layout,$(call vdso_page,CLOCK,$*))"; } > $<.symbols
	$(Q)nasm -f $(NASM_$A) -DORIGIN=$* -DIMAGE='"$<.image"' -DSYMBOLS='"$<.symbols"' kernel/unix/clock/vdso/image.asm -o $@

$(BUILD)/$A/font.psf: /usr/share/consolefonts/Uni2-VGA16.psf.gz
	@mkdir -p $(@D)
	$(Q)zcat $< > $@
$(BUILD)/$A/kernel/dev/font.asm.o: $(BUILD)/$A/font.psf

# Linked four times: twice to find what a move of its entries changes (unix/program/align.c), then with the
# table of its own symbols (cpu/symbol.c), and then with the SHA-256 of its loaded image, in which the
# 64 digits count as zeros.
define link_kernel
@echo "  LD     $@"
$(Q)$(call link,$@.first,$(OBJ_$A)) && $(call link,$@.moved,$(OBJ_$A),64)
$(Q)for f in $@.first $@.moved; do objcopy -O binary $$f $$f.flat; done
$(Q){ python3 tools/places.py $@.first $@.moved; \
  nm -n $@.first | awk -f tools/symbols.awk -v word=$(if $(filter amd64,$A),dq,dd); } > $(@D)/symbols.asm
$(Q)nasm -f $(NASM_$A) $(@D)/symbols.asm -o $(@D)/symbols.o
$(Q)$(call link,$@.first,$(OBJ_$A) $(@D)/symbols.o) && objcopy -O binary $@.first $(@D)/image.zeros
$(Q)nasm -f $(NASM_$A) -DSHA256='"'$$(sha256sum < $(@D)/image.zeros | cut -c1-64)'"' $(@D)/symbols.asm -o $(@D)/symbols.o
$(Q)$(call link,$@,$(OBJ_$A) $(@D)/symbols.o)
endef
$(BUILD)/$A/kernel.elf: $(OBJ_$A) linker.ld tools/places.py $(call keep,link_kernel,$(value link)$(value link_kernel)$(OBJ_$A))
	$(link_kernel)

# --- the core alone: the testbed's calls and one built-in program (make core) ----------------------------

# Sources of the core and of toll/ that name calls are compiled again, for this kernel's few calls.
ALONE_INC_$A := -Ikernel/alone -Ikernel/alone/$A
ALONE_C_$A   := $(wildcard kernel/alone/*.c kernel/alone/$A/*.c) kernel/unix/arch/$A/tables.c
ALONE_OF_$A  := $(filter-out kernel/core/arch/%,$(CORE)) $(wildcard kernel/core/arch/$A/*.c kernel/toll/*.c kernel/toll/$A/*.c boot/*.c) \
                kernel/lib/json.c kernel/lib/crc32.c kernel/lib/elf.c kernel/config.c
ALONE_$A     := $(ALONE_C_$A:%.c=$(BUILD)/$A/alone/%.o) $(ALONE_OF_$A:%.c=$(BUILD)/$A/%.o) \
                $(patsubst %.asm,$(BUILD)/$A/%.asm.o,$(filter-out kernel/dev/% kernel/unix/%,$(ASM_$A))) \
                $(patsubst %,$(BUILD)/$A/entry/%.o,$(filter-out function.%,$(ENTRY_$A))) \
                $(BUILD)/$A/alone/toll.o $(if $(filter amd64,$A),$(BUILD)/$A/alone/toll32.o)

define cc_alone
@mkdir -p $(@D)
@echo "  CC     $@"
$(Q)$(CC) $(TARGET_$A) $(KERNEL_$A) $(FREE) $(WARN) $(TOOLS) $(ALONE_INC_$A) $(INCLUDES_$A) -MMD -MP -c $< -o $@
endef
$(BUILD)/$A/alone/kernel/%.o: kernel/%.c $(call recipe,cc_alone) | $(BUILD)/$A/rows.checked
	$(cc_alone)
$(BUILD)/$A/alone/toll.o: $(BUILD)/$A/bin/toll kernel/alone/image.asm
	@mkdir -p $(@D)
	$(Q)nasm -f $(NASM_$A) -DNAME=toll -DFILE='"$<"' kernel/alone/image.asm -o $@
$(BUILD)/$A/alone/toll32.o: $(BUILD)/i386/bin/toll kernel/alone/image.asm
	@mkdir -p $(@D)
	$(Q)nasm -f $(NASM_$A) -DNAME=toll32 -DFILE='"$<"' kernel/alone/image.asm -o $@
$(BUILD)/$A/core.elf: $(ALONE_$A) linker.ld $(call keep,link_core,$(value link)$(ALONE_$A))
	@echo "  LD     $@"
	$(Q)$(call link,$@.first,$(ALONE_$A))
	$(Q)nm -n $@.first | awk -f tools/symbols.awk -v word=$(if $(filter amd64,$A),dq,dd) > $(@D)/alone/symbols.asm
	$(Q)nasm -f $(NASM_$A) -DSHA256='"'$$(printf %064d 0)'"' $(@D)/alone/symbols.asm -o $(@D)/alone/symbols.o
	$(Q)$(call link,$@,$(ALONE_$A) $(@D)/alone/symbols.o) && rm $@.first
$(BUILD)/$A/core32.elf: $(BUILD)/$A/core.elf
	$(Q)objcopy -O elf32-i386 $< $@

# --- the programs ----------------------------------------------------------------------------------

USER_$A := $(USER_LIB:%.c=$(BUILD)/$A/user/%.o) \
           $(patsubst %,$(BUILD)/$A/user/%.o,$(wildcard user/lib/*.asm user/lib/$A/*.asm)) \
           $(call keep,link_program,$(value link_program))
OF_USER := $(BUILD)/$A/user/user

define cc_user
@mkdir -p $(@D)
@echo "  CC     $@"
$(Q)$(CC) $(TARGET_$A) $(FREE) $(WARN) -Iuser/lib -Iuser/lib/$A -I$(<D)/$A -Ikernel/core -Ikernel/unix -Ikernel -Ikernel/core/arch/$A -MMD -MP -c $< -o $@
endef
$(BUILD)/$A/user/%.o: %.c $(call recipe,cc_user)
	$(cc_user)

define nasm_user
@mkdir -p $(@D)
@echo "  NASM   $@"
$(Q)nasm -f $(NASM_$A) -g -F dwarf -Iuser/lib/ -Iuser/lib/$A/ -I$(<D)/ -I$(<D)/$A/ -I$(<D)/../ -Ikernel/core/entry/ $< -o $@
endef
$(OF_USER)/%.asm.o: user/%.asm kernel/core/entry/cfi.inc $(wildcard user/*/*.inc user/*/*/*.inc user/*/*/*/*.inc) $(call recipe,nasm_user)
	$(nasm_user)

# A program is a file, or all files of a folder with a main.c; these five share a folder, and attack has torture's driver.
$(foreach p,ladder files copy html kinds,$(BUILD)/$A/bin/$p): $(call objects_in,user/suites/reads)
$(BUILD)/$A/bin/large: $(BUILD)/$A/user/user/suites/latency/deeds.o
$(BUILD)/$A/bin/%: $(OF_USER)/suites/%.o $(USER_$A)
	$(link_program)
$(BUILD)/$A/bin/%: $(OF_USER)/checks/%.o $(USER_$A)
	$(link_program)
$(BUILD)/$A/bin/%: $(OF_USER)/lessons/%.o $(USER_$A)
	$(link_program)
$(SEVERAL:%=$(BUILD)/$A/bin/%): $(BUILD)/$A/bin/%: $$(call objects_in,$$(call folder_of,$$*)) $(USER_$A)
	$(link_program)
$(BUILD)/$A/bin/attack: $(OF_USER)/torture/main.o $(OF_USER)/torture/random.o
$(OF_USER)/torture/hostile.o: $(BUILD)/hostile.def
$(OF_USER)/torture/hostile.o: FREE += -I$(BUILD)
$(BUILD)/$A/trusted/%: $(OF_USER)/trusted/%.o $(USER_$A)
	$(link_program)
$(BUILD)/$A/console/%: $(OF_USER)/console/%.o $(USER_$A)
	$(link_program)
$(BUILD)/$A/console/sh: $(call objects_in,user/console/sh) $(USER_$A)
	$(link_program)
CODES_OBJ_$A := $(call objects_in,user/console/codes) $(BUILD)/$A/codes/words.o $(BUILD)/$A/codes/qrcodegen.o
$(BUILD)/$A/console/codes: $(CODES_OBJ_$A) $(USER_$A)
	$(link_program)
CODES_FLAGS = $(TARGET_$A) $(FREE) -DQRCODEGEN_TEST -Iuser/console/codes -Iuser/console/codes/shim -I$(BUILD)/qrcodegen -Ikernel/core/lib -Ikernel/core -Ikernel
$(OF_USER)/console/codes/code.o: $(BUILD)/qrcodegen/qrcodegen.h
$(OF_USER)/console/codes/code.o: FREE += -I$(BUILD)/qrcodegen
$(BUILD)/$A/codes/words.o: $(BUILD)/codes.words.c user/console/codes/pack.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(CODES_FLAGS) $(WARN) -c $< -o $@
$(BUILD)/$A/codes/qrcodegen.o: $(BUILD)/qrcodegen/qrcodegen.c $(wildcard user/console/codes/shim/*.h)
	@mkdir -p $(@D)
	@echo "  CC     $@"
	$(Q)$(CC) $(CODES_FLAGS) -c $< -o $@
$(OF_USER)/console/menu/main.o: $(BUILD)/lists/suites_default.h
$(OF_USER)/console/menu/main.o: FREE += -I$(BUILD)/lists
$(BUILD)/$A/console/menu: $(call objects_in,user/console/menu) $(USER_$A)
	$(link_program)

$(BUILD)/$A/database/bin/wisconsin: $(OF_USER)/suites/wisconsin.o $(USER_$A)
	$(link_program)

# --- the database of the suite wisconsin: a Linux program with the compiler's libc ----------------------

LIBC_i386  := -m32 -idirafter /usr/include/x86_64-linux-gnu
LIBC_amd64 := -m64
, := ,
DATABASE_CALLS := $(shell sed -n 's/.*CALL(\([a-z0-9]*\)).*/-Wl,--wrap=\1/p' user/libc/wisconsin/calls.def)

$(BUILD)/$A/libsqlite3.a: tools/debian.sh
	$(Q)tools/debian.sh $A libsqlite3-dev usr/lib/TRIPLET/libsqlite3.a $@
$(BUILD)/$A/libc/calls.o: LIBC_$A += -Ikernel
define cc_libc
@mkdir -p $(@D)
@echo "  CC     $@"
$(Q)$(CC) $(LIBC_$A) -std=gnu11 -O2 $(WARN) -Wno-missing-prototypes -c $< -o $@
endef
$(BUILD)/$A/libc/%.o: user/libc/wisconsin/%.c kernel/toll.h $(wildcard user/libc/wisconsin/*.h user/libc/wisconsin/*.def) $(call recipe,cc_libc)
	$(cc_libc)
# (SQLite can load extensions, about which the linker warns; we never do.)
define link_database
@mkdir -p $(@D)
@echo "  LD     $@"
$(Q)$(CC) $(LIBC_$A) -static $(DATABASE_CALLS) -Wl$(,)--section-start=.taken=$1 $(filter %.o %.a,$^) -lm -o $@ 2> $@.warnings || { cat $@.warnings >&2; exit 1; }
$(Q)rm $@.warnings
endef
DATABASE_OBJ := $(patsubst user/libc/wisconsin/%.c,$(BUILD)/$A/libc/%.o,$(wildcard user/libc/wisconsin/*.c))
DATABASE_OBJ += $(BUILD)/$A/libc/taken.o
$(BUILD)/$A/database/bin/database: $(DATABASE_OBJ) $(BUILD)/$A/libsqlite3.a
	$(call link_database,0x5200000)
# The same program, with a stub where a kernel would put the calls that replace its SYSCALLs. The
# heaps are behind the stub, so both programs cross the same boundaries.
$(BUILD)/$A/libc/taken.o: user/libc/taken.c
	$(Q)$(CC) $(LIBC_$A) -c $< -o $@
$(BUILD)/$A/database/trusted/database-syscall: $(DATABASE_OBJ) $(BUILD)/$A/libsqlite3.a
	$(call link_database,0x50f0000)
