package proc

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"
)

// start starts the command in a job object that ends everything in it when it is closed.
func (p *Process) start() error {
	s := p.spec
	if s.Supervisor != nil {
		return errors.New("a supervisor needs Linux")
	}
	stdin, stdout, done, err := p.stdio()
	if err != nil {
		return err
	}
	defer done()
	path, err := lookPath(s.Argv[0], s.Dir, s.Env)
	if err != nil {
		return err
	}
	job, err := newJob()
	if err != nil {
		return err
	}
	p.cmd = &exec.Cmd{
		Path:   path,
		Args:   s.Argv,
		Dir:    s.Dir,
		Env:    s.Env,
		Stdin:  stdin,
		Stdout: stdout,
		Stderr: p.Stderr.w,
	}
	if err := p.cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return err
	}
	if err := assign(job, p.PID()); err != nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		windows.CloseHandle(job)
		return err
	}
	p.job.Store(uintptr(job))
	return nil
}

// newJob makes a job object that lives as long as its handle: it also ends when this process is killed.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// assign puts a process into the job. What it started in the moment before is not in it: nothing can be started
// suspended by os/exec.
func assign(job windows.Handle, pid int) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(job, h)
}

func (p *Process) await() Exit {
	p.cmd.Wait()
	return Exit{Code: p.cmd.ProcessState.ExitCode()}
}

// kill ends everything in the job.
func (p *Process) kill() {
	if job := p.job.Load(); job != 0 {
		windows.TerminateJobObject(windows.Handle(job), 1)
	}
}

func (p *Process) terminate() { p.kill() } // there is no polite way

func (p *Process) reap() {
	if job := p.job.Swap(0); job != 0 {
		windows.CloseHandle(windows.Handle(job)) // which ends what is left in it
	}
}

func (p *Process) linger() {
	<-p.endings
	p.reap()
}

// tempFile is deleted by closeTemp: an open file cannot be deleted here.
func tempFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "output-"+strconv.Itoa(os.Getpid())+"-*")
	if err != nil {
		return nil, err
	}
	name := f.Name()
	f.Close()
	return os.OpenFile(name, os.O_RDWR, 0o600)
}

func closeTemp(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }

func stdinFile(dir string, data []byte) (*os.File, error) {
	if data == nil {
		return os.Open(os.DevNull)
	}
	f, err := os.CreateTemp(dir, "input-*")
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(data); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	_, err = f.Seek(0, 0)
	return f, err
}
