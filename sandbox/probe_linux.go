package sandbox

func probeMain(args []string) int { return 125 }
