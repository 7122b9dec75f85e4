package main

import "fmt"

func main() {
	fmt.Println(Add(1, half(4))) // FIXME: flags
}
