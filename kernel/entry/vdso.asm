; vdso.asm - an ELF image without a symbol in the gate page of 32-bit programs: AT_SYSINFO_EHDR
;
; glibc makes its calls through AT_SYSINFO only where it is told of a vDSO, too; otherwise by INT 80h.
; (System V ABI, "Object Files"; as Linux's vDSO: a shared object, one segment, a dynamic section.)

%include "asm.inc"

%ifidn COPY, clean
%if USER_BITS == 32
ET_DYN          equ 3
EM_386          equ 3
PT_LOAD         equ 1
PT_DYNAMIC      equ 2
PF_X_R          equ 5
DT_NULL         equ 0

        section USER_SECTION progbits alloc exec nowrite align=16
        align   16
global %[COPY]_%[ORIGIN]_vdso
%[COPY]_%[ORIGIN]_vdso:
image:  db      0x7f, "ELF", 1, 1, 1, 0
        dd      0, 0
        dw      ET_DYN, EM_386
        dd      1, 0, headers - image, 0, 0     ; version, entry, headers, sections, flags
        dw      headers - image, headers.size, 2, 0, 0, 0
headers:
        dd      PT_LOAD, 0, 0, 0, end - image, end - image, PF_X_R, 16
.size   equ     $ - headers
        dd      PT_DYNAMIC, dynamic - image, dynamic - image, 0, end - dynamic, end - dynamic, 4, 4
dynamic:
        dd      DT_NULL, 0
end:
%endif
%endif
