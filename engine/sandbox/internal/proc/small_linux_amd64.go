package proc

// elfMachine is EM_X86_64.
const elfMachine = 62
