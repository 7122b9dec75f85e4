package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"helve/engine/sandbox/internal/proc"
)

// probe is one way out that a command could try. try runs inside the sandbox and returns nil if the way is open.
type probe struct {
	name string
	what string
	try  func(ground) error
	// workspace: WorkspaceWrite allows this, it is what the level is for.
	workspace bool
}

// ground is where the probes try: a home with a workspace in it, and services that listen outside the sandbox. It is
// handed to the probe as JSON, its only argument but the name.
type ground struct {
	Home     string
	Root     string
	TCP, UDP string // addresses of services
	Socket   string // of a service, in the file system
	Inner    string // of a service, in the workspace, bound by a relative name
	Datagram string // of a service that takes datagrams, in the workspace
	Abstract string // of a service, the name of an abstract socket
	PID      int    // of the process that started the sandbox
	Limit    int    // of processes
}

func (g ground) file() string { return filepath.Join(g.Home, "file") }

// probes returns the ways out in the order of the table.
func probes() []probe {
	return slices.Concat(fileProbes, workspaceProbes, secretProbes, networkProbes, processProbes, kernelProbes)
}

// at is a place that depends on the ground.
type at func(ground) string

func outside(name string) at     { return func(g ground) string { return filepath.Join(g.Home, name) } }
func inWorkspace(name string) at { return func(g ground) string { return filepath.Join(g.Root, name) } }

// startersFile and parentsFile are files of /proc about the process that started the sandbox, and about this one's
// parent.
func startersFile(name string) at {
	return func(g ground) string { return filepath.Join("/proc", strconv.Itoa(g.PID), name) }
}

func parentsFile(name string) at {
	return func(ground) string { return filepath.Join("/proc", strconv.Itoa(os.Getppid()), name) }
}

// writing, reading and removing try that with a place.
func writing(place at) func(ground) error { return func(g ground) error { return write(place(g)) } }
func reading(place at) func(ground) error { return func(g ground) error { return read(place(g)) } }
func removing(place at) func(ground) error {
	return func(g ground) error { return os.Remove(place(g)) }
}

var fileProbes = []probe{
	{
		name:      "write-workspace",
		what:      "write a file of the workspace",
		try:       writing(inWorkspace("new")),
		workspace: true,
	},
	{name: "write-outside", what: "overwrite a file outside", try: writing(outside("file"))},
	{name: "create-outside", what: "create a file outside", try: writing(outside("new"))},
	{name: "remove-outside", what: "remove a file outside", try: removing(outside("spare"))},
	{name: "chmod-outside", what: "change the mode of a file outside", try: changeMode},
	{name: "times-outside", what: "change the times of a file outside", try: changeTimes},
	{name: "xattr-outside", what: "set an extended attribute outside", try: setAttribute},
	{name: "lease", what: "hold off whoever opens a file outside (a lease)", try: takeLease},
	{name: "link-write", what: "write through an own symbolic link", try: linkWrite},
	{name: "special-bits", what: "give a file of the workspace the rights of its owner", try: setUserID},
	{name: "hardlink", what: "hard-link a file from outside into the workspace", try: hardLink},
}

// workspaceProbes change how later commands, editors and agents are configured.
var workspaceProbes = []probe{
	{name: "protected", what: "change .git/config", try: writing(inWorkspace(".git/config"))},
	{name: "protected-absent", what: "create .mcp.json", try: writing(inWorkspace(".mcp.json"))},
	{name: "protected-folder", what: "create .helve/config.json", try: createHelve},
	{name: "protected-rename", what: "move .git away and make another", try: renameGit},
}

var secretProbes = []probe{
	{name: "secret", what: "read ~/.ssh/id_rsa", try: reading(outside(".ssh/id_rsa"))},
	{name: "secret-env", what: "read a masked .env of the workspace", try: reading(inWorkspace(".env"))},
}

var networkProbes = []probe{
	{name: "tcp", what: "connect to a TCP service of this machine", try: dialTCP},
	{name: "udp", what: "send a datagram to this machine", try: sendUDP},
	{name: "families", what: "open a packet, vsock or Bluetooth socket", try: openFamilies},
	{name: "unix-socket", what: "connect to a service's socket in the file system", try: dialSocket},
	{name: "workspace-socket", what: "connect to a service's socket in the workspace", try: dialInner},
	{name: "datagram-socket", what: "send to a service's socket through a pair of sockets", try: sendByPair},
	{name: "abstract-socket", what: "connect to an abstract socket", try: dialAbstract},
}

var processProbes = []probe{
	{name: "ptrace", what: "trace the process that started it", try: traceStarter},
	{
		name: "environ",
		what: "read the environment of the process that started it",
		try:  reading(startersFile("environ")),
	},
	{
		name: "parent-environ",
		what: "read the environment of its parent",
		try:  reading(parentsFile("environ")),
	},
	{name: "signal", what: "signal the process that started it", try: signalStarter},
}

var kernelProbes = []probe{
	{name: "remount", what: "call mount", try: remount},
	{name: "namespace", what: "make a user namespace", try: newNamespace},
	{name: "descriptors", what: "find an inherited descriptor", try: inherited},
	{name: "processes", what: "start more processes than allowed", try: manyProcesses},
	{name: "other-abi", what: "call the kernel by another interface", try: otherABI},
	{name: "kernel-calls", what: "use io_uring, keyrings, bpf or userfaultfd", try: kernelCalls},
	{name: "disk", what: "open a disk", try: openDisk},
	{name: "sysctl", what: "open a kernel setting for writing", try: openSetting},
}

// probeMain is the life of a launched copy that tries one way out: 0 open, 1 blocked.
func probeMain(args []string) int {
	if len(args) != 2 {
		return proc.ExitRefused
	}
	var g ground
	err := json.Unmarshal([]byte(args[1]), &g)
	if err != nil {
		return proc.ExitRefused
	}
	for _, p := range probes() {
		if p.name != args[0] {
			continue
		}
		if err := p.try(g); err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	}
	return proc.ExitRefused
}
