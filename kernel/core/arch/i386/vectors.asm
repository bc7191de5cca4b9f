; vectors.asm - entries of exceptions and interrupts, i386
;
; The processor pushes eflags cs eip, before them ss esp if it came from CPL 3, and for some vectors
; an error code on top. For a trusted program all of it lands on that program's stack. Nothing here
; may push more there, so three registers and the error code are saved in fixed words. (IF is off;
; #DF, NMI and #DB are tasks and use no stub.) DS is the program's until the frame is complete.

%define COPY clean
%define ORIGIN user
global kernel_data_selector             ; declared before asm.inc, where it is extern
%include "asm.inc"

extern trap_way, trap_return, program_return
extern trap_page_fault, fault_access
extern cpu_current, cpu_trusted, program_states

        section .rodata
kernel_data_selector: dw KERNEL_DS

        section .bss
saved_ax:       resd 1
saved_cx:       resd 1
saved_dx:       resd 1
error_code:     resd 1

        bits    32
        section .exit progbits alloc exec nowrite align=16

; For the unwinder every exception comes from a program. From the kernel the processor pushes no esp
; and ss, so there gdb shows a wrong stack pointer.
;
; Every vector's stub: the vector in eax.
%macro VECTOR 1
align 8
vector_%1:
        CFI_OPEN GATE
%if (%1) == VECTOR_PF
        CFI_FRAME WORD
        test    byte [esp + WORD + TRAP_CS], 3
        jnz     page_fault
        cmp     byte [ss:cpu_trusted], 0
        je      page_fault_in_kernel
        mov     [ss:saved_ax], eax
        mov     eax, %1
        jmp     trap_error
%elif HAS_ERROR_CODE(%1)
        CFI_FRAME WORD
        mov     [ss:saved_ax], eax
        mov     eax, %1
        jmp     trap_error
%else
        CFI_FRAME 0
        mov     [ss:saved_ax], eax
        mov     eax, %1
        jmp     trap_no_error
%endif
        CFI_END
%endmacro

TRAP_IP         equ 0 * WORD            ; the words that the processor pushed
TRAP_CS         equ 1 * WORD
TRAP_FLAGS      equ 2 * WORD
TRAP_SIZE       equ 3 * WORD            ; size at the same privilege

%include "vectors.inc"

trap_error:
        CFI_OPEN GATE
        CFI_FRAME WORD
        pop     dword [ss:error_code]
        jmp     trap_enter
        CFI_END

trap_no_error:
        CFI_OPEN GATE
        CFI_FRAME 0
        mov     dword [ss:error_code], 0

; Is the interrupted code a trusted program's? Its instruction pointer is in a program's half, or
; where an entry still or again uses the program's stack (the pairs in .program_states).
trap_enter:
        test    byte [esp + TRAP_CS], 3
        jnz     trap_here
        test    dword [esp + TRAP_FLAGS], RFLAGS_VM
        jnz     trap_here
        cmp     byte [ss:cpu_trusted], 0
        je      trap_here
        mov     [ss:saved_cx], ecx
        mov     [ss:saved_dx], edx
        mov     ecx, [esp + TRAP_IP]
        cmp     ecx, USER_HALF_END
        jb      trap_from_trusted
        cmp     ecx, GATE_TRUSTED       ; the usual case; it is in the table as well
        jb      .find
        cmp     ecx, GATE_TRUSTED + 4 * PAGE_SIZE
        jb      trap_from_trusted
.find:  mov     edx, program_states
        FIND_PROGRAM_STATE ecx, edx
        cmp     ecx, [ss:edx]
        jb      .kernel
        cmp     ecx, [ss:edx + WORD]
        jb      trap_from_trusted
.kernel:
        mov     ecx, [ss:saved_cx]
        mov     edx, [ss:saved_dx]

; From CPL 3 and from the kernel: this is a kernel stack.
trap_here:
        push    dword [ss:error_code]
        push    dword [ss:saved_ax]
        jmp     trap_save
        CFI_END

        TABLE   .program_states, GATE_TRUSTED, GATE_TRUSTED + 4 * PAGE_SIZE
        ; useless to it, but reachable
        TABLE   .program_states, VDSO_PAGE, GATE_PAGE + (2 * PAGE_SIZE - 1)

; Entered from a trusted program: builds a full frame at the top of the process's kernel stack.
trap_from_trusted:
        CFI_OPEN GATE
        CFI_DEPTH TRAP_SIZE
        CFI_IP_ON_TOP
        lea     ecx, [esp + TRAP_SIZE]
        CFI_CFA_IN ecx
        mov     esp, [ss:cpu_stack]
        push    KERNEL_DS
        push    ecx
        push    dword [ss:ecx - TRAP_SIZE + TRAP_FLAGS]
        push    KERNEL_CS
        push    dword [ss:ecx - TRAP_SIZE + TRAP_IP]
        CFI_FRAME 0
        push    dword [ss:error_code]
        push    dword [ss:saved_ax]
        mov     ecx, [ss:saved_cx]
        mov     edx, [ss:saved_dx]
trap_save:
        cld
        CLAC
        PUSHES  ecx, edx, ebx, 0, ebp, esi, edi ; like PUSHAD; POPAD skips esp
        PUSHES  ds, es
        CLEAN_SEGMENTS
global trap_entered
trap_entered:
        mov     ecx, esp
        PUSHES  ecx, eax
        call    [trap_way]              ; (vector, frame); true = return to a program
trap_leave:
        DROP    2 * WORD
        test    al, al
        jz      trap_return
        cmp     byte [cpu_work], 0
        jne     entry_work
        jmp     program_return
        CFI_END

; #PF on the kernel's stack: asks the program's memory at once, and returns if that resolves the
; fault.
page_fault_in_kernel:
        CFI_OPEN GATE
        CFI_FRAME WORD
        cmp     dword [ss:cpu_current], 0
        jne     page_fault
        mov     [ss:saved_ax], eax      ; for the kernel only
        mov     eax, VECTOR_PF
        jmp     trap_error
page_fault:
        pushad                          ; the error code is in the number's place
        CFI_MOVED 8 * WORD
        PUSHES  ds, es
        CLEAN_SEGMENTS
        cld
        CLAC
        mov     ecx, [cpu_current]
        inc     dword [ecx + THREAD_FAULTS]
        movzx   eax, byte [esp + FRAME_NUMBER]
        movzx   eax, byte [fault_access + eax]
        mov     edx, cr2
        PUSHES  eax, edx
        push    dword [ecx + THREAD_MEMORY]
        call    [trap_way + WORD]       ; (memory, address, access)
        DROP    3 * WORD
        mov     ecx, eax
        or      al, [cpu_work]
        jnz     .left
        RESTORE_FRAME
        iretx
.left:  CFI_OPEN GATE
        CFI_FRAME FRAME_IP
        mov     eax, [cpu_current]
        dec     dword [eax + THREAD_FAULTS]
        PUSHES  esp, ecx                ; the frame's address: esp before the push
        call    trap_page_fault         ; (kind of fault, frame); true = return to a program
        jmp     trap_leave
        CFI_END

; The three tasks (descriptor.c): a task gate enters each on its own stack, whatever esp was. IRET
; leaves the task and resumes the interrupted one.
extern task_nmi, task_debug, task_double_fault
global nmi_task, debug_task, double_fault_task
nmi_task:
        call    task_nmi
        iretd
        jmp     nmi_task
debug_task:
        call    task_debug
        iretd
        jmp     debug_task
double_fault_task:
        call    task_double_fault
        add     esp, WORD               ; the error code
        iretd
        jmp     double_fault_task
