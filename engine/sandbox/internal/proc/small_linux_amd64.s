#include "textflag.h"

// The program of small_linux.go, for this processor. It is never called: its bytes are written into a file of their own,
// so it may refer to nothing outside of itself, and it has no runtime. Numbers are those of the system's calls.
//
// SP points to what the kernel gives each program: the number of its words, the words, 0, the environment, 0.
// R12 keeps that, R13 the process that is waited for, R14 the descriptor that tells of children.
TEXT ·small(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ SP, R12
	SUBQ $256, SP

	MOVL $157, AX         // prctl: nobody here may look into this process
	MOVL $4, DI           // PR_SET_DUMPABLE
	XORL SI, SI
	XORL DX, DX
	XORL R10, R10
	XORL R8, R8
	SYSCALL

	MOVQ $-1, BX          // rt_sigprocmask: no signal but KILL ends it
	MOVQ BX, 0(SP)
	MOVL $14, AX
	MOVL $2, DI           // SIG_SETMASK
	LEAQ 0(SP), SI
	XORL DX, DX
	MOVL $8, R10
	SYSCALL

	MOVQ $0x10000, BX     // signalfd4: of SIGCHLD
	MOVQ BX, 0(SP)
	MOVL $289, AX
	MOVL $-1, DI
	LEAQ 0(SP), SI
	MOVL $8, DX
	XORL R10, R10
	SYSCALL
	MOVL AX, R14

	MOVL $56, AX          // clone, as fork does it
	MOVL $17, DI          // SIGCHLD
	XORL SI, SI
	XORL DX, DX
	XORL R10, R10
	XORL R8, R8
	SYSCALL
	TESTQ AX, AX
	JEQ  between
	JLT  over
	MOVQ AX, R13

loop:
	MOVL $3, 0(SP)        // ppoll: the line, and children
	MOVL $1, 4(SP)        // POLLIN
	MOVL R14, 8(SP)
	MOVL $1, 12(SP)
	MOVL $271, AX
	LEAQ 0(SP), DI
	MOVL $2, SI
	XORL DX, DX
	XORL R10, R10
	MOVL $8, R8
	SYSCALL
	CMPQ AX, $-4          // EINTR
	JEQ  loop
	TESTQ AX, AX
	JLE  over
	MOVWLZX 6(SP), BX
	TESTL BX, BX
	JEQ  children
	XORL AX, AX           // read
	MOVL $3, DI
	LEAQ 16(SP), SI
	MOVL $1, DX
	SYSCALL
	CMPQ AX, $1
	JNE  over
	MOVBLZX 16(SP), BX
	CMPL BX, $84          // T; anything else is the end
	JNE  over
	MOVL $62, AX          // kill all of this namespace but this one
	MOVQ $-1, DI
	MOVL $15, SI          // SIGTERM
	SYSCALL

children:
	MOVWLZX 14(SP), BX
	TESTL BX, BX
	JEQ  loop
	XORL AX, AX           // read
	MOVL R14, DI
	LEAQ 16(SP), SI
	MOVL $128, DX
	SYSCALL

reap:
	MOVL $61, AX          // wait4
	MOVQ $-1, DI
	LEAQ 16(SP), SI
	MOVL $1, DX           // WNOHANG
	XORL R10, R10
	SYSCALL
	TESTQ AX, AX
	JLE  loop
	CMPQ AX, R13
	JNE  reap
	MOVL $1, AX           // write: how it ended
	MOVL $4, DI
	LEAQ 16(SP), SI
	MOVL $4, DX
	SYSCALL

over:
	MOVL $231, AX         // exit_group: the kernel ends all that is left of the namespace
	XORL DI, DI
	SYSCALL

between:
	MOVL $3, AX           // close what is not the command's
	MOVL $3, DI
	SYSCALL
	MOVL $3, AX
	MOVL $4, DI
	SYSCALL
	MOVL $3, AX
	MOVL R14, DI
	SYSCALL
	MOVL $109, AX         // setpgid
	XORL DI, DI
	XORL SI, SI
	SYSCALL
	MOVL $56, AX          // clone
	MOVL $17, DI
	XORL SI, SI
	XORL DX, DX
	XORL R10, R10
	XORL R8, R8
	SYSCALL
	TESTQ AX, AX
	JEQ  command
	MOVL $127, DI
	JLT  leave
	MOVQ AX, R13

wait:
	MOVL $61, AX          // wait4
	MOVQ $-1, DI
	LEAQ 16(SP), SI
	XORL DX, DX
	XORL R10, R10
	SYSCALL
	CMPQ AX, $-4          // EINTR
	JEQ  wait
	MOVL $127, DI
	TESTQ AX, AX
	JLT  leave
	CMPQ AX, R13
	JNE  wait
	MOVL 16(SP), DI
	MOVL DI, BX
	ANDL $0x7f, BX        // the signal that ended it
	JNE  signalled
	SHRL $8, DI
	ANDL $0xff, DI
	JMP  leave

signalled:
	LEAL 128(BX), DI      // as shells tell it

leave:
	MOVL $231, AX         // exit_group
	SYSCALL

command:
	MOVQ $0, 0(SP)        // rt_sigprocmask: signals as ever
	MOVL $14, AX
	MOVL $2, DI
	LEAQ 0(SP), SI
	XORL DX, DX
	MOVL $8, R10
	SYSCALL
	MOVQ 0(R12), BX
	MOVL $59, AX          // execve: the second word is the program, its own words follow
	MOVQ 16(R12), DI
	LEAQ 24(R12), SI
	LEAQ 16(R12)(BX*8), DX
	SYSCALL
	MOVL $127, DI
	JMP  leave

	// The end, as endOfSmall has it.
	BYTE $0x68; BYTE $0x65; BYTE $0x6c; BYTE $0x76; BYTE $0x65; BYTE $0x20; BYTE $0x65; BYTE $0x6e; BYTE $0x64

// func startOfSmall() unsafe.Pointer
TEXT ·startOfSmall(SB), NOSPLIT, $0-8
	LEAQ ·small(SB), AX
	MOVQ AX, ret+0(FP)
	RET
