package job

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A Job is one running program with all that it started. It ends with the last handle to it: also when this process is
// killed, nothing of it stays. Its methods are safe for concurrent use.
type Job struct {
	mu     sync.Mutex
	handle windows.Handle // 0: closed
}

// Start starts the command in a new job, within limits. The command is made, assigned and only then let run, so that
// what it starts in its first moment is in the job, too. The caller must Close the job.
func Start(cmd *exec.Cmd, l Limits) (*Job, error) {
	handle, err := create(l)
	if err != nil {
		return nil, err
	}
	j := &Job{handle: handle}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_SUSPENDED
	if err := cmd.Start(); err != nil {
		j.Close()
		return nil, err
	}
	err = assign(handle, cmd.Process.Pid)
	if err == nil {
		err = resume(cmd.Process.Pid)
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		j.Close()
		return nil, err
	}
	return j, nil
}

// End ends everything in the job at once.
func (j *Job) End() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		windows.TerminateJobObject(j.handle, 1)
	}
}

// Close ends what is left, and the job. A second call does nothing.
func (j *Job) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		windows.CloseHandle(j.handle)
		j.handle = 0
	}
}

func create(l Limits) (windows.Handle, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateJobObject", err)
	}
	if err := l.set(handle); err != nil {
		windows.CloseHandle(handle)
		return 0, err
	}
	return handle, nil
}

func assign(job windows.Handle, pid int) error {
	const rights = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE
	h, err := windows.OpenProcess(rights, false, uint32(pid))
	if err != nil {
		return os.NewSyscallError("OpenProcess", err)
	}
	defer windows.CloseHandle(h)
	return os.NewSyscallError("AssignProcessToJobObject", windows.AssignProcessToJobObject(job, h))
}

// resume lets the one thread of a process run that was started suspended. Package os/exec keeps no handle of it.
func resume(pid int) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer windows.CloseHandle(all)
	entry := windows.ThreadEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err = windows.Thread32First(all, &entry); err == nil; err = windows.Thread32Next(all, &entry) {
		if entry.OwnerProcessID != uint32(pid) {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return os.NewSyscallError("OpenThread", err)
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return os.NewSyscallError("ResumeThread", err)
	}
	return os.NewSyscallError("Thread32Next", err)
}
