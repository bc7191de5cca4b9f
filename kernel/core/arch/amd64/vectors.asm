; vectors.asm - entries of exceptions and interrupts, amd64
;
; While a trusted program runs, every vector has an IST stack. Whatever rsp held, the processor
; pushes ss rsp rflags cs rip there, and for some vectors an error code on top. Otherwise only
; vectors that may interrupt any stack have one; the others push on the kernel's stack.

%define COPY clean
%define ORIGIN user
%include "asm.inc"
%include "ist.inc"

extern trap_way, trap_bad_stack, entry_work, trap_return
extern trap_page_fault, fault_access
extern cpu_current, cpu_trusted, program_states

        bits    64
        section .exit progbits alloc exec nowrite align=16

; Every vector's stubs: vector_N for a gate without an IST stack, vector_ist_N for one with it
%define ANY_STACK(n) ((n) == VECTOR_NMI || (n) == VECTOR_DB || (n) == VECTOR_MC || (n) == VECTOR_DF)

%macro VECTOR 1
%if ANY_STACK(%1)
        STUB    vector_%1, %1, trap_any_stack
%else
%if (%1) != VECTOR_PF                   ; it has its own below
        STUB    vector_%1, %1, trap_stay
        STUB    vector_ist_%1, %1, trap_move
%endif
%endif
%endmacro

; STUB label, vector, target
%macro STUB 3
align 8
%1:
        CFI_EXCEPTION %2
        IST_ENTER %2
        jmp     %3
        CFI_END
%endmacro

%include "vectors.inc"

        [section .rodata]
global vector_ist_table
vector_ist_table:
%assign n 0
%rep VECTORS
%if ANY_STACK(n)
        ADDRESS vector_%[n]
%else
        ADDRESS vector_ist_%[n]
%endif
%assign n n + 1
%endrep
        __?SECT?__

; from_program - CF = the interrupted code is a program's. At CPL 3 it always is. A trusted
; program's instruction pointer is in a program's half, or where an entry still or again uses the
; program's stack (.program_states). Called with rsi saved on the IST stack; clobbers rsi.
global from_program
from_program:
        CFI_CALLED
        test    byte [rsp + IST_CS + WORD], 3
        jnz     .yes
        test    dword [rsp + IST_FLAGS + WORD], RFLAGS_VM
        jnz     .yes                    ; long mode never sets it; QEMU's IRET at CPL 3 does
        cmp     byte [cpu_trusted], 0
        je      .out                    ; returns CF = 0
        mov     rsi, [rsp + IST_IP + WORD]
        test    rsi, rsi
        js      .high
.yes:   stc
        jmp     .out
.high:  cmp     rsi, GATE_TRUSTED       ; the usual case; it is in the table as well
        jb      .find
        cmp     rsi, GATE_TRUSTED + 4 * PAGE_SIZE
        jb      .out                    ; returns CF = 1
.find:  push    rax
        lea     rax, [rel program_states]
        FIND_PROGRAM_STATE rsi, rax
        cmp     rsi, [rax]
        cmc
        jnc     .back
        cmp     rsi, [rax + WORD]
.back:  pop     rax
.out:   ret

        TABLE   .program_states, GATE_TRUSTED, GATE_TRUSTED + 4 * PAGE_SIZE
        ; a trusted program can jump into CPL 3's gate page, too
        TABLE   .program_states, VDSO_PAGE, GATE_PAGE + (2 * PAGE_SIZE - 1)

; NMI, #DB and #MC may hit the first instructions of SYSCALL's kernel half, where rsp is the
; program's. From the kernel they keep their own stacks, from a program they move.
trap_any_stack:
        CFI_OPEN GATE
        CFI_FRAME 2 * WORD
        push    rsi
        call    from_program
        pop     rsi
        jnc     trap_stay
        CFI_END

trap_move:
        CFI_OPEN GATE
        CFI_FRAME 2 * WORD
        IST_MOVE
        jmp     trap_save
        CFI_END

trap_stay:
        CFI_OPEN GATE
        CFI_FRAME 2 * WORD
        cld
        CLAC
        push    rsi
trap_save:
        PUSHES  rdx, rcx, rax, r8, r9, r10, r11
trap_save_kept:
        PUSHES  rbx, rbp, r12, r13, r14, r15
        mov     rsi, rsp
        call    [trap_way]              ; (vector, frame); true = return to a program
trap_leave:
        test    al, al
        jz      trap_return
        cmp     byte [cpu_work], 0
        jne     entry_work
        RESTORE_BUT none
        DROP    WORD                    ; number
        iretx

; #PF has its own path. It asks the program's memory at once, and a fault that this resolves needs
; no full frame. The callee-saved registers are saved only for other faults.
align 8
vector_ist_14:
        CFI_EXCEPTION VECTOR_PF
        push    rdi
.move:  IST_MOVE page_bad_stack
        jmp     page_fault
        CFI_END

align 8
vector_14:
        CFI_EXCEPTION VECTOR_PF
        PUSHES  rdi, rsi
        cld
        CLAC
page_fault:
        PUSHES  rdx, rcx, rax, r8, r9, r10, r11
        mov     rdi, [cpu_current]
        test    rdi, rdi
        jz      page_fault_alone
        inc     dword [rdi + THREAD_FAULTS]
        movzx   edx, byte [rsp + FRAME_NUMBER - FRAME_R11]
        movzx   edx, byte [fault_access + rdx]
        mov     rsi, cr2
        mov     rdi, [rdi + THREAD_MEMORY]
        call    [trap_way + WORD]
        mov     edi, eax
        or      al, [cpu_work]
        jnz     page_fault_left
        POPS    r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi
        DROP    WORD                    ; the error code
        iretx

page_fault_alone:
        CFI_OPEN GATE
        CFI_FRAME FRAME_IP - FRAME_R11
        mov     edi, VECTOR_PF
        jmp     trap_save_kept
page_fault_left:
        PUSHES  rbx, rbp, r12, r13, r14, r15
        mov     rax, [cpu_current]
        dec     dword [rax + THREAD_FAULTS]
        mov     rsi, rsp
        call    trap_page_fault         ; (kind of fault, frame); true = return to a program
        jmp     trap_leave
        CFI_END

; The kernel was interrupted, and the stack pointer is in no kernel stack. In a site's stub that is
; normal: the frame then is a program's, and is moved again.
page_bad_stack:
        mov     edi, VECTOR_PF
global trap_bad_stack_stay
trap_bad_stack_stay:
        CFI_OPEN GATE
        CFI_FRAME 3 * WORD
        PUSHES  rdx, rcx, rax, r8, r9, r10, r11, rbx, rbp, r12, r13, r14, r15
        mov     ebx, edi
        mov     rsi, rsp
        call    trap_bad_stack          ; (vector, frame)
        mov     edi, ebx
        POPS    r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi
        cmp     edi, VECTOR_PF
        je      vector_ist_14.move
        jmp     trap_move
        CFI_END
